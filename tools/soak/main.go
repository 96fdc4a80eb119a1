// Command soak plays scenarios for days of simulated time with failing nodes, or many small
// ones with random faults, under a checker that sees the events alone (package check).
//
//	go run ./tools/soak google-cell --until 29d
//	go run ./tools/soak --schedules 10000
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
	context.AfterFunc(stop, restore) // a second signal ends the program at once
	os.Exit(Main(os.Args[1:], console.OfProcess(stop.Done())))
}

// Main runs the command and returns the exit status.
func Main(args []string, c *console.Console) int {
	c.Systems = full.Systems()
	return console.Execute(c, command(c), args)
}
