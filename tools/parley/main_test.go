package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// Scripts call the command line as a program. It is this test, started again
// with asProgram in its environment. Its clock ticks when it is looked at, unless
// onTime is in the environment too: a ticking clock makes long runs slow.
const (
	asProgram = "PARLEY_TEST_AS_PROGRAM"
	onTime    = "PARLEY_TEST_ON_TIME"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	stop, restore := signal.NotifyContext(context.Background(), os.Interrupt)
	defer restore()
	now := ticking()
	if os.Getenv(onTime) != "" {
		now = time.Now
	}
	os.Exit(parley.Main(os.Args[1:], &console.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: now, Stop: stop.Done()}))
}

// ticking returns a clock that is a millisecond later each time.
func ticking() func() time.Time {
	var looks atomic.Int64
	return func() time.Time { return time.Unix(0, 0).Add(time.Duration(looks.Add(1)) * time.Millisecond) }
}

// inside runs a command without quotes in this process: one that reads no file and starts no program. A process of its
// own costs a twentieth of a second.
func inside(command string) (stdout, stderr string, code int) {
	var out, complaints bytes.Buffer
	code = parley.Main(strings.Fields(command)[1:],
		&console.Console{In: strings.NewReader(""), Out: &out, Err: &complaints, Now: ticking()})
	return out.String(), complaints.String(), code
}

// shell returns what runs a script in dir, where parley is a command.
func shell(t *testing.T, dir string) func(script string) (stdout, stderr string, code int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a POSIX shell")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	program := fmt.Sprintf("#!/bin/sh\n%s=1 exec %q \"$@\"\n", asProgram, self)
	if err := os.WriteFile(filepath.Join(bin, "parley"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(script string) (string, string, int) {
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		var out, complaints bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &complaints
		err := cmd.Run()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
	}
}

// TestScripts plays the transcripts in testdata: "file name=x" writes a file,
// "sh" runs a script; lines of standard error begin with "! ".
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		dir := t.TempDir()
		run := shell(t, dir)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "file":
				var name string
				d.ScanArgs(t, "name", &name)
				write(t, filepath.Join(dir, name), d.Input+"\n")
				return "ok\n"
			case "sh":
				out, complaints, code := run(d.Input)
				var b strings.Builder
				b.WriteString(out)
				for line := range strings.Lines(complaints) {
					b.WriteString("! " + line)
				}
				if code != 0 {
					fmt.Fprintf(&b, "exit %d\n", code)
				}
				return b.String()
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
