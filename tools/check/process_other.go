//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// group interrupts a program when its context ends; other systems have no groups.
func group(program *exec.Cmd) {
	program.Cancel = func() error { return program.Process.Signal(os.Interrupt) }
}

func end(*exec.Cmd) {}
