//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process and its children into a process group of their own, so that they get no
// signals from the terminal's keys.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup sends SIGTERM to the group.
func endGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }

// killGroup ends the group.
func killGroup(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
