// Package tally counts tests in the output of test runners, so that a total over all of them is a
// sum of tests and not of exit codes or repetitions.
//
//	result, err := tally.Go(stdout, fail)     // of go test -json
//	result, err := tally.Node(stdout, fail)   // of node --test, in TAP
//
// A test with subtests counts as its subtests. A package or file that fails
// without naming a test counts as one failure.
package tally

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Counts are numbers of tests.
type Counts struct{ Passed, Failed, Skipped int }

// Add returns the sum of two counts.
func (c Counts) Add(d Counts) Counts {
	return Counts{c.Passed + d.Passed, c.Failed + d.Failed, c.Skipped + d.Skipped}
}

// Result is the outcome of a run of tests.
type Result struct {
	Counts
	Names []string // of the tests that passed, each "package test"; only of Go
	Times []Time   // of the Go tests that ended, with all of their subtests
	Skips []string // "test: reason", in the order of the run
}

// Time is a test's duration by the clock.
type Time struct {
	Name    string // "package test"
	Seconds float64
}

// event is a line of go test -json; see "go doc test2json".
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
	Elapsed                                                float64 // seconds
}

// test names a test of a package, or the package itself.
type test struct{ pkg, name string }

// Go reads the output of go test -json. It calls fail with the output of a failed test or package as
// soon as that has ended, and with lines that are not events, which are messages of the go command.
func Go(r io.Reader, fail func(text string)) (Result, error) {
	g := goRun{
		fail: fail, output: map[test]string{}, builds: map[string]string{}, parents: map[test]bool{},
		failed: map[test]bool{},
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				fail(line)
			} else {
				g.take(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return g.Result, nil
		}
		if err != nil {
			return g.Result, fmt.Errorf("reading the events of go test: %w", err)
		}
	}
}

// goRun is the state of a run after some of its events.
type goRun struct {
	Result
	fail    func(text string)
	output  map[test]string // of tests that have started and not ended
	builds  map[string]string
	parents map[test]bool // whether a test has subtests
	failed  map[test]bool // whether a test, or a subtest of it, has been counted as failed
}

// take processes an event of go test -json. A test with subtests is not counted itself, unless it fails without
// one of them failing.
func (g *goRun) take(e event) {
	t := test{e.Package, e.Test}
	if _, isSub := t.parent(); e.Elapsed > 0 && e.Test != "" && !isSub {
		g.Times = append(g.Times, Time{t.pkg + " " + t.name, e.Elapsed})
	}
	switch e.Action {
	case "build-output":
		g.builds[e.ImportPath] += e.Output
	case "run":
		g.output[t] = ""
		if parent, isSub := t.parent(); isSub {
			g.parents[parent] = true
		}
	case "output":
		g.output[t] += e.Output
	case "pass", "skip":
		switch {
		case e.Test == "" || g.parents[t]:
		case e.Action == "pass":
			g.Passed++
			g.Names = append(g.Names, t.pkg+" "+t.name)
		default:
			g.Skipped++
			g.Skips = append(g.Skips, fmt.Sprintf("%s %s: %s", t.pkg, t.name, reason(g.output[t])))
		}
		delete(g.output, t)
	case "fail":
		if e.Test == "" {
			g.packageFailed(e)
			return
		}
		g.testFailed(t)
	}
}

// testFailed reports a failed test, and counts it unless a subtest of it has been counted.
func (g *goRun) testFailed(t test) {
	if !g.failed[t] {
		g.Failed++
	}
	for up, isSub := t, true; isSub; up, isSub = up.parent() {
		g.failed[up] = true
	}
	g.failed[test{pkg: t.pkg}] = true
	g.fail("--- " + t.pkg + " " + t.name + "\n" + g.output[t])
	delete(g.output, t)
}

// packageFailed counts as failed the tests of a package that never ended, as in a panic or a time limit; if no test
// failed, the package counts as one, for example because it could not start.
func (g *goRun) packageFailed(e event) {
	var open []test
	for t := range g.output {
		if t.pkg == e.Package && t.name != "" && !g.parents[t] {
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b test) int { return strings.Compare(a.name, b.name) })
	for _, t := range open {
		g.testFailed(t)
	}
	whole := test{pkg: e.Package}
	if !g.failed[whole] {
		g.Failed++
		g.fail("--- " + e.Package + "\n" + g.builds[e.FailedBuild] + g.output[whole])
	}
	for t := range g.output {
		if t.pkg == e.Package {
			delete(g.output, t)
		}
	}
}

// parent returns the parent test of a subtest.
func (t test) parent() (test, bool) {
	at := strings.LastIndexByte(t.name, '/')
	if at < 0 {
		return test{}, false
	}
	return test{t.pkg, t.name[:at]}, true
}

var position = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reason returns the message of a skipped test: the first line of its output with a position in a file.
func reason(output string) string {
	for line := range strings.Lines(output) {
		if at := position.FindString(line); at != "" {
			return strings.TrimSpace(line[len(at):])
		}
	}
	return "no reason given"
}

// The lines of TAP that count: the totals at its end, a skipped test, and the first
// and last line of a failed one.
var (
	summary = regexp.MustCompile(`^# (pass|fail|cancelled|skipped|todo) (\d+)$`)
	skip    = regexp.MustCompile(`^\s*ok \d+ - (.+?) # (?:SKIP|TODO)\b ?(.*)$`)
	broken  = regexp.MustCompile(`^( *)not ok \d+ - `)
)

// errNoTests reports output without totals.
var errNoTests = errors.New("it ran no test")

// Node reads the output of node --test in the form of the Test Anything Protocol. It calls fail with
// the lines of a failed test as soon as they are complete. A cancelled test counts as failed, and a
// test marked todo as skipped. Output without totals is an error: no test ran.
func Node(r io.Reader, fail func(text string)) (result Result, err error) {
	found := false
	block, end := "", "" // the lines of a failed test so far, and the one that ends them
	lines := bufio.NewReader(r)
	for {
		line, readErr := lines.ReadString('\n')
		text := strings.TrimRight(line, "\r\n")
		if at := broken.FindStringSubmatch(text); at != nil && end == "" {
			end = at[1] + "  ..."
		}
		if end != "" {
			block += text + "\n"
			if text == end {
				fail(block)
				block, end = "", ""
			}
		} else if result.node(text) {
			found = true
		}
		if readErr != nil {
			if block != "" {
				fail(block)
			}
			if !errors.Is(readErr, io.EOF) {
				return result, fmt.Errorf("reading the output of node: %w", readErr)
			}
			if !found {
				return result, errNoTests
			}
			return result, nil
		}
	}
}

// node takes a line of TAP, the output of Node's tests. It lists a skipped test, and adds a total to the counts; only
// then it returns true.
func (r *Result) node(line string) bool {
	if s := skip.FindStringSubmatch(line); s != nil {
		r.Skips = append(r.Skips, fmt.Sprintf("%s: %s", s[1], cmp.Or(s[2], "no reason given")))
	}
	total := summary.FindStringSubmatch(line)
	if total == nil {
		return false
	}
	n, err := strconv.Atoi(total[2])
	if err != nil {
		return false // more digits than tests can have
	}
	switch total[1] {
	case "pass":
		r.Passed += n
	case "fail", "cancelled":
		r.Failed += n
	default:
		r.Skipped += n
	}
	return true
}
