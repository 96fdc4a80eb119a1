//go:build !unix

package external

import "os/exec"

func ownGroup(*exec.Cmd) {}

// endGroup kills the process: this platform has no signals and no groups.
func endGroup(c *exec.Cmd) { _ = c.Process.Kill() }

func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
