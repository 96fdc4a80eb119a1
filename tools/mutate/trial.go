package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// reached is a test of the package, with its cost and the mutants that it reaches.
type reached struct {
	name    string
	cost    time.Duration // of the processor
	mutants map[int]bool
}

// tests runs every test by itself on the program as written.
func (p *program) tests(work string) ([]reached, error) {
	if p.binary == "" {
		return nil, nil
	}
	output, err := p.command(context.Background(), nil, time.Hour, "-test.list", ".").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w", p.folder, err)
	}
	all := []reached{}
	for name := range strings.Lines(string(output)) {
		name = strings.TrimSpace(name)
		if !testName.MatchString(name) || strings.HasPrefix(name, "Benchmark") {
			continue
		}
		notes := filepath.Join(work, "reached")
		cmd := p.command(context.Background(), []string{"MUTANT_NOTES=" + notes}, time.Hour, p.flags([]string{name})...)
		if output, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s of %s does not pass without a mutant: %w\n%s", name, p.folder, err, output)
		}
		text, err := os.ReadFile(notes)
		if err != nil && !errors.Is(err, os.ErrNotExist) { // of a program without switches
			return nil, err
		}
		t := reached{name, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), map[int]bool{}}
		for line := range strings.Lines(string(text)) {
			if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
				t.mutants[id] = true
			}
		}
		all = append(all, t)
	}
	return all, nil
}

var testName = regexp.MustCompile(`^(Test|Fuzz|Example)\w*$`)

// Limits of a mutant: five times the time of its tests and a second more, and four gigabytes.
const (
	patience  = 5
	kilobytes = 4 << 20
	quick     = time.Second / 2
)

// try runs the tests that reach a mutant, quick ones first, until one fails.
func (p *program) try(m mutant, tests []reached) (outcome, string) {
	coming := []reached{}
	for _, t := range tests {
		if t.mutants[m.id] {
			coming = append(coming, t)
		}
	}
	if len(coming) == 0 {
		return uncovered, ""
	}
	return p.play([]string{"MUTANT=" + strconv.Itoa(m.id)}, coming)
}

// play runs tests, quick ones first, until one fails.
func (p *program) play(env []string, coming []reached) (outcome, string) {
	slices.SortStableFunc(coming, func(a, b reached) int { return int(a.cost - b.cost) })
	for len(coming) > 0 {
		names, cost := []string{coming[0].name}, coming[0].cost
		coming = coming[1:]
		for len(coming) > 0 && cost+coming[0].cost < quick {
			names, cost = append(names, coming[0].name), cost+coming[0].cost
			coming = coming[1:]
		}
		limit := patience*cost + time.Second
		ctx, stop := context.WithTimeout(context.Background(), 20*limit+20*time.Second)
		output, err := p.command(ctx, env, limit, p.flags(names)...).CombinedOutput()
		stop()
		if err != nil {
			return killed, verdict(string(output))
		}
	}
	return lived, ""
}

// verdict is the test that failed.
func verdict(output string) string {
	if m := failed.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	return "time, memory or a panic"
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// flags are those of one run: short, the same random numbers every time.
func (p *program) flags(names []string) []string {
	f := []string{
		"-test.short", "-test.failfast", "-test.timeout=0", "-test.run",
		"^(" + strings.Join(names, "|") + ")$",
	}
	if p.rapid {
		f = append(f, "-rapid.seed=1", "-rapid.nofailfile")
	}
	return f
}

// command runs the test program where go test would, within limits of processor
// time and memory, which a busy machine does not change.
func (p *program) command(ctx context.Context, env []string, limit time.Duration, args ...string) *exec.Cmd {
	seconds := int(limit/time.Second) + 1
	script := fmt.Sprintf("ulimit -t %d; ulimit -v %d; exec \"$0\" \"$@\"", seconds, kilobytes)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", script, p.binary}, args...)...)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
