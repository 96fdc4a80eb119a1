package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The program that asks whether 32-bit programs run is one: if it does not run, that is an
// answer about the machine. An emulator runs it, though it does not run Go's programs.
func TestAsksWith32Bits(t *testing.T) {
	emulator, err := exec.LookPath("qemu-i386")
	if err != nil {
		t.Skip("no emulator qemu-i386 is installed (Debian's package qemu-user has it)")
	}
	name := filepath.Join(t.TempDir(), "leaves")
	if err := os.WriteFile(name, leaves32(), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(emulator, name).CombinedOutput(); err != nil {
		t.Errorf("the emulator on a program that ends at once: %v\n%s", err, out)
	}
}

func TestRunsIsWhatAProgramSays(t *testing.T) {
	for program, want := range map[string]bool{"#!/bin/sh\nexit 0\n": true, "#!/bin/sh\nexit 1\n": false, "\x7fELF and no more": false} {
		if got := runs([]byte(program)); got != want {
			t.Errorf("runs(%q) = %v", program, got)
		}
	}
}
