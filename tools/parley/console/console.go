// Package console has the parts that all commands share: input, outputs and clock, errors about
// wrong use, flags of common kinds, tables of text, and a progress line.
package console

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"parley/core/run"
	"parley/tools/parley/exits"
)

// Console holds a command's input, outputs and clock.
type Console struct {
	In       io.Reader
	Out, Err io.Writer
	Now      func() time.Time
	Terminal bool            // Err is a terminal, so that a Bar can rewrite its line
	Stop     <-chan struct{} // closed to interrupt the command; may be nil
	Systems  run.Registry    // the systems that can be run; nil: full.Systems
	Graceful atomic.Bool     // an interrupted command ends by itself and keeps its results
}

// OfProcess returns the console of this process; its commands end when stop is closed.
func OfProcess(stop <-chan struct{}) *Console {
	info, err := os.Stderr.Stat()
	return &Console{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Now: time.Now, Stop: stop,
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	}
}

// Stopped reports whether the command shall end.
func (c *Console) Stopped() bool {
	select {
	case <-c.Stop:
		return true
	default:
		return false
	}
}

// ErrInterrupted is the error of a command that was interrupted.
var ErrInterrupted = errors.New("interrupted")

// UsageError is an error about how a command was called.
type UsageError struct{ error }

// Unwrap returns the error itself.
func (w UsageError) Unwrap() error { return w.error }

// ExitStatus returns the status of a command that was used wrongly.
func (UsageError) ExitStatus() int { return exits.Misused }

// NewUsageError marks an error as one about how a command was called.
func NewUsageError(err error) error { return UsageError{err} }

// Args returns a check of the number of arguments, from low to high; a high of -1 is no limit.
// Errors use the description, such as "one SCENARIO".
func Args(low, high int, description string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		path := cmd.CommandPath()
		name := strings.TrimPrefix(path, cmd.Root().Name()+" ")
		switch {
		case len(args) < low:
			return NewUsageError(fmt.Errorf("%s needs %s; see %s --help", name, description, path))
		case high >= 0 && len(args) > high:
			return NewUsageError(fmt.Errorf("%s takes %s, and %q is more; see %s --help", name, description, args[high], path))
		}
		return nil
	}
}
