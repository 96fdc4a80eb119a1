package console

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/tools/parley/exits"
)

// Execute runs a command tree with arguments and returns the exit status. An error is
// printed as one sentence that begins with the program's name. An error with a method
// ExitStatus chooses the status.
func Execute(c *Console, root *cobra.Command, args []string) int {
	out := &checked{to: c.Out}
	c.Out = out
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	interruptible(c, root)
	root.SetArgs(args)
	root.SetIn(c.In)
	root.SetOut(c.Out)
	root.SetErr(c.Err)
	err := root.Execute()
	if out.err != nil && (err == nil || errors.Is(err, out.err)) {
		err = Unwritable("standard output", out.err)
	}
	if err == nil {
		return exits.Done
	}
	if c.Terminal && c.Stopped() {
		fmt.Fprint(c.Err, "\r\x1b[K") // the line of a Bar
	}
	fmt.Fprintf(c.Err, "%s: %s\n", root.Name(), escape.Terminal(err.Error()))
	var status interface{ ExitStatus() int }
	switch {
	case errors.Is(err, ErrInterrupted):
		return exits.Interrupted
	case errors.As(err, &status):
		return status.ExitStatus()
	}
	return exits.Failed
}

// interruptible lets a command and those below it end when c.Stop is closed: at once, or
// by themselves if they set c.Graceful.
func interruptible(c *Console, cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		interruptible(c, child)
	}
	run := cmd.RunE
	if run == nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		done := make(chan error, 1)
		go func() { done <- run(cmd, args) }()
		select {
		case err := <-done:
			return err
		case <-c.Stop:
			if c.Graceful.Load() {
				return <-done
			}
			return ErrInterrupted
		}
	}
}

// checked is a writer of text that keeps its first error. The text may name files, so control
// characters are escaped.
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
