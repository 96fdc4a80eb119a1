// Command parley is the command line of Parley. It computes everything that the page can, with
// the same digests.
//
//	go run ./tools/parley run google-cell --until 2h
//	go run ./tools/parley --help
//
// It prints text for people or, with --json, one JSON document on standard output. Errors are
// one sentence on standard error. The exit status is 0 if the command succeeded, 1 if it
// failed, 2 if it was used wrongly, 3 if a condition of --fail-if holds, and 130 if it was
// interrupted. An interrupted run reports what it played until then.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/run/full"
	"parley/tools/parley/cluster"
	"parley/tools/parley/exits"
)

func main() {
	stop, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(stop, restore) // a second one ends the program at once
	info, err := os.Stderr.Stat()
	os.Exit(Main(os.Args[1:], &Console{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now,
		Stop:     stop.Done(),
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	}))
}

// Console holds a command's input, outputs and clock.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
	Terminal bool            // Err is one: a line that says how far it is may be rewritten
	Stop     <-chan struct{} // closed when the command shall end; nil: never
	Systems  run.Registry    // what can be run; nil: full.Systems
	keeps    atomic.Bool     // the command ends by itself when it shall, and keeps what it has
}

// stopped reports whether the command shall end.
func (c *Console) stopped() bool {
	select {
	case <-c.Stop:
		return true
	default:
		return false
	}
}

// Main runs the command line and returns the exit code.
func Main(args []string, c *Console) int {
	out := &checked{to: c.Out}
	c = &Console{In: c.In, Out: out, Err: c.Err, Now: c.Now, Terminal: c.Terminal, Stop: c.Stop, Systems: c.Systems}
	if c.Systems == nil {
		c.Systems = full.Systems()
	}
	root := newRoot(c)
	root.SetArgs(spreadFiles(args))
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	err := root.Execute()
	if out.err != nil && (err == nil || errors.Is(err, out.err)) {
		err = unwritable("standard output", out.err)
	}
	if err == nil {
		return exits.Done
	}
	if c.Terminal && c.stopped() {
		fmt.Fprint(c.Err, "\r\x1b[K") // a line that says how far it was
	}
	fmt.Fprintln(c.Err, "parley:", escape.Terminal(err.Error()))
	switch {
	case errors.Is(err, errInterrupted):
		return exits.Interrupted
	case errors.As(err, new(*cluster.Breach)):
		return exits.Breached
	case errors.As(err, new(wrongUse)):
		return exits.Misused
	}
	return exits.Failed
}

var errInterrupted = errors.New("interrupted")

// stoppable is a command that ends when the console says so: at once, unless it
// keeps what it has and ends by itself.
func stoppable(c *Console, command func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		done := make(chan error, 1)
		go func() { done <- command(cmd, args) }()
		select {
		case err := <-done:
			return err
		case <-c.Stop:
			if c.keeps.Load() {
				return <-done
			}
			return errInterrupted
		}
	}
}

// checked is a writer of text that remembers the first error. What it is given
// may name files: nothing in it controls the terminal.
type checked struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (w *checked) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if _, w.err = io.WriteString(w.to, escape.Terminal(string(p))); w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// wrongUse is an error about how a command was called.
type wrongUse struct{ error }

func (w wrongUse) Unwrap() error { return w.error }
