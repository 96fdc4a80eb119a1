//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// group gives a program that is about to start a process group of its own and,
// when its context ends, interrupts all of it: test programs, browsers and servers
// that it has started go with it.
func group(program *exec.Cmd) {
	program.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	program.Cancel = func() error { return syscall.Kill(-program.Process.Pid, syscall.SIGINT) }
}

// end removes what a program has left behind in its group. Mostly there is
// nothing, which is the error that is passed over.
func end(program *exec.Cmd) {
	if program.Process != nil {
		_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
	}
}
