// Command bench measures the speed figures of docs/speed.md on this machine: natively, under
// Node and in Chromium.
//
//	make bench NAME=kernel
//	go run ./tools/bench kernel --native --runs 1
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
	c := console.OfProcess(stop.Done())
	c.Systems = full.Systems()
	root := command(c)
	root.AddCommand(idleCommand(c))
	os.Exit(console.Execute(c, root, os.Args[1:]))
}
