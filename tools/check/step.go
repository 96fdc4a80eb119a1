package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"parley/tools/check/tally"
)

// step is one check: commands that run one after the other until one fails.
type step struct {
	name  string
	about string
	// needs are programs without which the step is skipped.
	needs []string
	// unable says why this machine cannot run the step; empty when it can.
	unable string
	// after is a step that has to have passed before.
	after string
	// alone keeps other steps from running at the same time: the step measures.
	alone    bool
	commands []command
}

// command is one program with its arguments.
type command struct {
	dir  string // relative to the checkout; empty for its root
	env  []string
	args []string
	read reading
	// again returns, from what the failed tests printed, the arguments that try just
	// those once more; nil where there is no second try. A browser on a busy machine now
	// and then keeps a test waiting for minutes: what passes then counts, and the report
	// tells what failed before.
	again func(failures string) []string
}

// reading is how the outcome of a command is told.
type reading int

const (
	status    reading = iota // by its exit status
	silence                  // by its exit status, and it must print nothing
	goTests                  // by the events of go test -json
	nodeTests                // by the closing lines of node --test
)

// outcome is what a step came to.
type outcome struct {
	step    step
	counts  tally.Counts
	skips   []string // tests that were skipped, with reasons
	skipped string   // why the whole step was skipped
	output  string   // what explains a failure, or the report of a passed check
	took    time.Duration
	cpu     time.Duration // of its processes: what it costs on a machine that is busy with other things too
}

// limit bounds a step: nothing here may hang a whole run. The tests in a browser take a
// quarter of an hour on two quiet cores, and twice that on slow ones.
const limit = 45 * time.Minute

// run runs the step in the checkout at root. A step without tests counts as one.
func (s step) run(ctx context.Context, root string) outcome {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started := time.Now()
	o := outcome{step: s}
	for _, c := range s.commands {
		before := o.counts.Failed
		c.try(ctx, root, &o)
		if o.counts.Failed > before {
			break
		}
	}
	if o.counts == (tally.Counts{}) {
		o.counts.Passed = 1
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		o.output += fmt.Sprintf("stopped after %v\n", limit)
	}
	o.took = time.Since(started)
	return o
}

// try runs the command, and what failed a second time where there is one, and adds
// what it came to.
func (c command) try(ctx context.Context, root string, o *outcome) {
	var first, second outcome
	c.run(ctx, root, &first)
	if args := c.retry(first); args != nil && ctx.Err() == nil {
		c.args = args
		c.run(ctx, root, &second)
		first.cpu += second.cpu
		if second.counts.Failed > 0 {
			first.output += "tried again:\n" + second.output
		} else {
			first.counts.Passed += first.counts.Failed
			first.counts.Failed = 0
			first.output = "passed when tried again; what failed before:\n" + first.output
		}
	}
	o.counts = o.counts.Add(first.counts)
	o.skips = append(o.skips, first.skips...)
	o.output += first.output
	o.cpu += first.cpu
}

// retry returns the arguments of a second try, or nil.
func (c command) retry(first outcome) []string {
	if first.counts.Failed == 0 || c.again == nil {
		return nil
	}
	return c.again(first.output)
}

// run runs the command and adds what it came to.
func (c command) run(ctx context.Context, root string, o *outcome) {
	program := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	program.Dir = filepath.Join(root, c.dir)
	program.Env = append(os.Environ(), c.env...)
	program.WaitDelay = 10 * time.Second
	group(program)
	defer func() {
		end(program)
		if program.ProcessState != nil {
			o.cpu += program.ProcessState.UserTime() + program.ProcessState.SystemTime()
		}
	}()
	var output bytes.Buffer
	program.Stderr = &output
	if c.read != goTests {
		program.Stdout = &output
		err := program.Run()
		c.count(o, output.String(), err)
		return
	}

	// Events are read as they come: of a passed test nothing is kept.
	reader, writer := io.Pipe()
	program.Stdout = writer
	ended := make(chan error, 1)
	go func() {
		err := program.Run()
		writer.Close()
		ended <- err
	}()
	result, readErr := tally.Go(reader)
	err := errors.Join(<-ended, readErr)
	o.skips = append(o.skips, result.Skips...)
	o.counts = o.counts.Add(result.Counts)
	if err != nil && result.Failed == 0 {
		o.counts.Failed++
	}
	if err != nil {
		o.output += c.line() + "\n" + result.Failures + output.String()
	}
}

// count adds the outcome of a command that prints plain text.
func (c command) count(o *outcome, output string, err error) {
	var counts tally.Counts
	switch c.read {
	case nodeTests:
		result, found := tally.Node(output)
		if !found && err == nil {
			err = errors.New("it ran no test")
		}
		counts = result.Counts
		o.skips = append(o.skips, result.Skips...)
		if result.Failures != "" {
			output = result.Failures // the rest passed
		}
	case silence:
		if err == nil && strings.TrimSpace(output) != "" {
			err = errors.New("it should print nothing")
		}
	case status:
		if err == nil {
			o.output += output
		}
	}
	if err != nil {
		counts.Failed = max(counts.Failed, 1)
		o.output += fmt.Sprintf("%s\n%s(%v)\n", c.line(), output, err)
	}
	o.counts = o.counts.Add(counts)
}

// line shows the command so that it can be repeated by hand; a list of packages is
// cut, the failures name theirs.
func (c command) line() string {
	words := append([]string{"$"}, c.env...)
	for i, arg := range c.args {
		if i == 12 {
			words = append(words, "…")
			break
		}
		if strings.ContainsAny(arg, " $'") {
			arg = "'" + arg + "'"
		}
		words = append(words, arg)
	}
	line := strings.Join(words, " ")
	if c.dir != "" {
		line = "$ cd " + c.dir + " &&" + line[1:]
	}
	return line
}

// missing returns the first program of needs that is not installed.
func (s step) missing() string {
	for _, program := range s.needs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}
