//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group makes a program start in a process group of its own, and interrupts the group when the
// program's context ends: test programs, browsers and servers that it has started end with it.
func group(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, syscall.SIGINT) }
}

// end kills the processes that a program left in its group. The error is ignored: usually the group
// is empty.
func end(program *exec.Cmd) {
	if program.Process != nil {
		_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
	}
}
