package main

import (
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
	// where names the environment of Go tests, as in "12 of them also WHERE"; empty for this
	// machine.
	where string
	// proves is the statement that a passed step proves, for the summary of make verify.
	proves string
	// needs are programs without which the step is skipped.
	needs []string
	// unable is the reason why this machine cannot run the step; "" if it can.
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
}

// reading is how the outcome of a command is found.
type reading int

const (
	status    reading = iota // by its exit status
	silence                  // by its exit status, and it must print nothing
	goTests                  // by the events of go test -json
	nodeTests                // by the TAP of node --test
)

// outcome is the result of a step.
type outcome struct {
	step    step
	counts  tally.Counts
	names   []string // Go tests that passed
	times   []tally.Time
	skips   []string // tests that were skipped, with reasons
	skipped string   // why the whole step was skipped
	report  string   // output of a passed command
	took    time.Duration
	cpu     time.Duration // of its processes, which other load on the machine changes little
}

// limit is the time limit of a step, so that no check can hang a whole run.
const limit = 40 * time.Minute

// run runs the step in the checkout at root and passes each failure to fail as soon as it is known. It stops at the
// first command that fails. A step without tests counts as one.
func (s step) run(ctx context.Context, root string, fail func(text string)) outcome {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started := time.Now()
	o := outcome{step: s}
	for _, c := range s.commands {
		before := o.counts.Failed
		c.run(ctx, root, &o, fail)
		if o.counts.Failed > before {
			break
		}
	}
	if o.counts == (tally.Counts{}) {
		o.counts.Passed = 1
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		fail(fmt.Sprintf("stopped after %v\n", limit))
	}
	o.took = time.Since(started)
	return o
}

// run runs the command in the checkout at root and adds its outcome to o. An error of the command counts as at
// least one failure; it is passed to fail unless a test with a name has failed.
func (c command) run(ctx context.Context, root string, o *outcome, fail func(text string)) {
	program := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	program.Dir = filepath.Join(root, c.dir)
	program.Env = append(os.Environ(), c.env...)
	program.WaitDelay = 10 * time.Second
	group(program)
	reader, writer := io.Pipe()
	var out, errs tail
	program.Stdout = io.MultiWriter(&out, writer)
	program.Stderr = &errs
	ended := make(chan error, 1)
	go func() {
		err := program.Run()
		writer.Close()
		ended <- err
	}()
	found := false // a failure with a name
	result, readErr := c.readTests(reader, func(text string) {
		if !found {
			text = c.line() + "\n" + text
		}
		found = true
		fail(text)
	})
	// Read the rest of the output, so that the program can end.
	_, drainErr := io.Copy(io.Discard, reader)
	err := errors.Join(<-ended, readErr, drainErr)
	end(program)
	if program.ProcessState != nil {
		o.cpu += program.ProcessState.UserTime() + program.ProcessState.SystemTime()
	}
	switch {
	case err == nil && c.read == silence && out.text() != "":
		err = errors.New("it should print nothing")
	case err == nil && c.read == status:
		o.report += errs.text() + out.text()
	}
	if err != nil {
		result.Failed = max(result.Failed, 1)
	}
	if err != nil && !found {
		fail(fmt.Sprintf("%s\n%s%s(%v)\n", c.line(), errs.text(), out.text(), err))
	}
	o.counts = o.counts.Add(result.Counts)
	o.names = append(o.names, result.Names...)
	o.times = append(o.times, result.Times...)
	o.skips = append(o.skips, result.Skips...)
}

// readTests reads the output of the command up to the end of its tests, if it runs tests; otherwise it reads nothing.
func (c command) readTests(output io.Reader, fail func(text string)) (tally.Result, error) {
	switch c.read {
	case goTests:
		return tally.Go(output, fail)
	case nodeTests:
		return tally.Node(output, fail)
	}
	return tally.Result{}, nil
}

// tail is a writer that keeps the end of its input.
type tail struct{ kept []byte }

// tailBytes limits a program's output in the report of its failure.
const tailBytes = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailBytes; over > tailBytes {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

// text returns the last tailBytes of the output, trimmed, with a line end if there is any.
func (t *tail) text() string {
	text := strings.TrimSpace(string(t.kept[max(0, len(t.kept)-tailBytes):]))
	if text != "" {
		text += "\n"
	}
	return text
}

// line returns the command as one can repeat it in a shell, at most 12 of its arguments: failures name their
// packages.
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

// missing returns the first program of needs that is not installed; "" if all are.
func (s step) missing() string {
	for _, program := range s.needs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}
