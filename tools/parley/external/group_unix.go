//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process and what it starts into a group of its own, which the keys of
// the terminal do not reach.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the group to end.
func endGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }

// killGroup ends the group.
func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
