// Command parley is the laboratory without the page: everything that the page
// can compute it can compute, with the same digest.
//
//	go run ./tools/parley run google-cell --until 2h
//	go run ./tools/parley --help
//
// Text for people goes to standard output, or one JSON document with --json;
// errors are one sentence on standard error. It exits with 0 when done, 1 when
// that failed and 2 when it was used wrongly.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	info, err := os.Stderr.Stat()
	os.Exit(Main(os.Args[1:], &Console{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now,
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	}))
}

// Console is where a command reads, writes and looks at the clock.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
	Terminal bool // Err is one: a line that says how far it is may be rewritten
}

// Main runs the command line and returns the exit code.
func Main(args []string, c *Console) int {
	root := newRoot(c)
	root.SetArgs(spreadFiles(args))
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	err := root.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintln(c.Err, "parley:", err)
	if errors.As(err, new(wrongUse)) {
		return 2
	}
	return 1
}

// wrongUse is an error about how a command was called.
type wrongUse struct{ error }

func (w wrongUse) Unwrap() error { return w.error }
