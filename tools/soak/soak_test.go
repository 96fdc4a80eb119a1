package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/tools/parley/console"
)

// asProgram in the environment makes this test the program itself.
const asProgram = "PARLEY_TEST_AS_SOAK"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	os.Exit(Main(os.Args[1:], console.OfProcess(context.Background().Done())))
}

// TestScripts plays the transcripts in testdata: "sh" runs a script in which soak is a command.
// Lines of standard error are printed too.
func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a POSIX shell")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	program := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", asProgram, self)
	if err := os.WriteFile(filepath.Join(bin, "soak"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	datadriven.RunTest(t, "testdata/soak.txt", func(t *testing.T, d *datadriven.TestData) string {
		cmd := exec.Command("sh", "-c", d.Input)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Sprintf("%sexit %d\n", out, cmd.ProcessState.ExitCode())
		}
		return string(out)
	})
}
