// Package tally counts tests in what test runners print, so that a total over all
// of them is a sum of real tests and not of exit codes.
//
//	result, err := tally.Go(stdout)         // of go test -json
//	result, found := tally.Node(output)     // of node --test
//	files := tally.Files(result.Failures)   // whose tests failed there
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

// Result is what a run of tests came to.
type Result struct {
	Counts
	Failures string   // what the failed tests and packages printed
	Skips    []string // "test: reason", in the order of the run
}

// event is a line of go test -json; see "go doc test2json".
type event struct {
	Action, Package, ImportPath, Test, Output, FailedBuild string
}

// test names a test of a package, or the package itself.
type test struct{ pkg, name string }

// Go reads the output of go test -json. Lines that are no events are taken for
// messages of the go command and kept with the failures.
func Go(r io.Reader) (Result, error) {
	g := goRun{output: map[test]string{}, builds: map[string]string{}, parents: map[test]bool{}, failed: map[test]bool{}}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				g.Failures += line
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

// goRun is a run of which some events have been seen.
type goRun struct {
	Result
	output  map[test]string // of what has started and not ended
	builds  map[string]string
	parents map[test]bool // has subtests
	failed  map[test]bool // it or a subtest has been counted as failed
}

func (g *goRun) take(e event) {
	t := test{e.Package, e.Test}
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

// testFailed counts a failed test, unless only a subtest of it has failed.
func (g *goRun) testFailed(t test) {
	if !g.failed[t] {
		g.Failed++
	}
	for up, isSub := t, true; isSub; up, isSub = up.parent() {
		g.failed[up] = true
	}
	g.failed[test{pkg: t.pkg}] = true
	g.Failures += "--- " + t.pkg + " " + t.name + "\n" + g.output[t]
	delete(g.output, t)
}

// packageFailed counts the tests that never came to an end, as in a panic or a
// time limit, or else a package that could not even start.
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
		g.Failures += "--- " + e.Package + "\n" + g.builds[e.FailedBuild] + g.output[whole]
	}
	for t := range g.output {
		if t.pkg == e.Package {
			delete(g.output, t)
		}
	}
}

// parent returns the test of which t is a subtest.
func (t test) parent() (test, bool) {
	at := strings.LastIndexByte(t.name, '/')
	if at < 0 {
		return test{}, false
	}
	return test{t.pkg, t.name[:at]}, true
}

var position = regexp.MustCompile(`^\s*\S+\.go:\d+: `)

// reason finds what a skipped test said.
func reason(output string) string {
	for line := range strings.Lines(output) {
		if at := position.FindString(line); at != "" {
			return strings.TrimSpace(line[len(at):])
		}
	}
	return "no reason given"
}

// summary matches the closing lines of node --test, in both of its formats.
var summary = regexp.MustCompile(`(?m)^(?:#|ℹ) (pass|fail|cancelled|skipped|todo) (\d+)$`)

// skip matches a skipped test, in both formats.
var skip = regexp.MustCompile(`(?m)^\s*(?:ok \d+ - |﹣ )(.+?)(?: \([0-9.]+ms\))? # (?:SKIP|TODO)\b ?(.*)$`)

// broken matches a test of node --test that failed, with what explains it: in TAP one
// with its details, otherwise the list at the end.
var broken = regexp.MustCompile(`(?ms)^ *not ok \d+ - .*?^ *\.\.\.$|^✖ failing tests:.*`)

// place matches the file of a failed test, in both formats.
var place = regexp.MustCompile(`(?m)^(?: *location: '|test at )(.+?\.test\.js)(?::\d+)*'?$`)

// Node adds up the closing lines of node --test; found is false where there are
// none. A test that was cancelled has failed, one that is yet to be done is skipped.
func Node(output string) (result Result, found bool) {
	for _, line := range summary.FindAllStringSubmatch(output, -1) {
		n, err := strconv.Atoi(line[2])
		if err != nil {
			continue // more digits than tests can have
		}
		found = true
		switch line[1] {
		case "pass":
			result.Passed += n
		case "fail", "cancelled":
			result.Failed += n
		default:
			result.Skipped += n
		}
	}
	for _, line := range skip.FindAllStringSubmatch(output, -1) {
		result.Skips = append(result.Skips, fmt.Sprintf("%s: %s", line[1], cmp.Or(line[2], "no reason given")))
	}
	for _, block := range broken.FindAllString(output, -1) {
		result.Failures += strings.TrimRight(block, "\n") + "\n"
	}
	return result, found
}

// Files lists the files of the tests that failed, each once, by what Node says of them.
func Files(failures string) []string {
	var files []string
	for _, found := range place.FindAllStringSubmatch(failures, -1) {
		if !slices.Contains(files, found[1]) {
			files = append(files, found[1])
		}
	}
	return files
}
