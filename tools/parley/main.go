// Command parley is the command line of Parley. It computes everything that the page can, with
// the same digests.
//
//	go run ./tools/parley run google-cell --until 2h
//	go run ./tools/parley --help
//
// It prints text for people or, with --json, one JSON document on standard output. Errors are one
// sentence on standard error. The exit status is 0 if the command succeeded, 1 if it failed, 2 if it
// was used wrongly, 3 if a condition of --fail-if holds, and 130 if it was interrupted. An
// interrupted run reports its results so far.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/core/run/full"
	"parley/tools/parley/console"
)

func main() {
	stop, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(stop, restore) // a second one ends the program at once
	os.Exit(Main(os.Args[1:], console.OfProcess(stop.Done())))
}

// Main runs the command line and returns the exit code.
func Main(args []string, c *console.Console) int {
	c = &console.Console{
		In: c.In, Out: c.Out, Err: c.Err, Now: c.Now, Terminal: c.Terminal, Stop: c.Stop, Systems: c.Systems,
	}
	if c.Systems == nil {
		c.Systems = full.Systems()
	}
	return console.Execute(c, newRoot(c), spreadFiles(args))
}
