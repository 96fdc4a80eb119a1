//go:build !unix

package external

import "os/exec"

func ownGroup(*exec.Cmd) {}

// endGroup ends the process: there is no way to ask, and no group.
func endGroup(c *exec.Cmd) { _ = c.Process.Kill() }

func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }
