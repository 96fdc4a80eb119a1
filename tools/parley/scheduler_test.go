//go:build unix

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// leastLoaded builds the example of a scheduler and returns its path.
func leastLoaded(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "leastloaded")
	if out, err := exec.Command("go", "build", "-o", program, "./external/leastloaded").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// called runs the command line.
func called(args ...string) (out, complaints string, code int) {
	var o, e bytes.Buffer
	code = parley.Main(args, &console.Console{In: strings.NewReader(""), Out: &o, Err: &e, Now: time.Now})
	return o.String(), e.String(), code
}

var digestLine = regexp.MustCompile(`(?m)^digest ([0-9a-f]{16})$`)

// digestOf returns the digest that a report prints.
func digestOf(t *testing.T, out string) string {
	t.Helper()
	found := digestLine.FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("no digest in %q", out)
	}
	return found[1]
}

// TestScheduler: a process schedules; what it did is recorded, and played again without it
// by run and by grade.
func TestScheduler(t *testing.T) {
	program, dir := leastLoaded(t), t.TempDir()
	out := filepath.Join(dir, "mine")
	text, complaints, code := called("run", "google-calm", "--until", "20m", "--set", "cluster.nodes=60", "--set", `faults=[{"at":"5m","kind":"rack_down","target":"rack.0"}]`, "--scheduler", program, "--out", out)
	if code != 0 {
		t.Fatal(complaints)
	}
	digest := digestOf(t, text)
	scenario, recorded := filepath.Join(out, "scenario.json"), filepath.Join(out, "recorded.jsonl")
	again, complaints, code := called("run", scenario, "--trace", recorded, "--check", digest)
	if code != 0 || digestOf(t, again) != digest {
		t.Errorf("played again: %s", complaints)
	}
	artefact := filepath.Join(dir, "run.zip")
	if _, complaints, code := called("artefact", out, "--out", artefact); code != 0 {
		t.Fatal(complaints)
	}
	if graded, complaints, code := called("grade", artefact); code != 0 || !strings.Contains(graded, "reproduced") {
		t.Errorf("%s %s", graded, complaints)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", scenario}, "plays the trace recorded.jsonl: give its files with --trace"},
		{[]string{"run", scenario, "--trace", recorded, "--set", "seed=3"}, "the recorded acts are of another run: their moment"},
		{[]string{"run", "google-calm", "--until", "1m", "--trace", recorded}, "which the system negotiation does not play"},
		{[]string{"run", "google-calm", "--system", "recorded"}, "give the recorded.jsonl that parley run --scheduler wrote"},
		{[]string{"run", "google-calm", "--system", "central", "--scheduler", program}, "--system chooses central: leave one of them out"},
		{[]string{"run", "google-calm", "--scheduler-patience", "2s"}, "none is given: add --scheduler"},
		{[]string{"run", "google-calm", "--scheduler", "parley-no-such-program"}, "the scheduler \"parley-no-such-program\" cannot be started"},
	} {
		if _, complaints, code := called(c.args...); code == 0 || !strings.Contains(complaints, c.want) {
			t.Errorf("%q: exit %d, %s, want %q", c.args, code, complaints, c.want)
		}
	}
}

// TestSchedulerEnds: a scheduler that ends early leaves the report of what was played, with
// exit status 1 and a sentence.
func TestSchedulerEnds(t *testing.T) {
	text, complaints, code := called("run", "google-calm", "--until", "20m", "--set", "cluster.nodes=20", "--scheduler", `sh -c 'read x; echo "{\"parley\":1}"; read x; echo "{\"acts\":[]}"; read x; echo ouch >&2; exit 7'`)
	if code != 1 || !strings.Contains(complaints, "it ended with exit status 7 instead of its answer to the moment at") || !strings.Contains(complaints, `its last line on standard error is "ouch"; the run ended at`) {
		t.Errorf("exit %d: %s", code, complaints)
	}
	if !digestLine.MatchString(text) || !strings.Contains(text, "the report is of what was played until then") {
		t.Errorf("the report is %s", text)
	}
}

// TestProtocolManual: docs/protocol.md is what the command writes.
func TestProtocolManual(t *testing.T) {
	want, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, complaints, code := called("protocol"); code != 0 || got != string(want) {
		t.Errorf("docs/protocol.md differs: go run ./tools/parley protocol > docs/protocol.md writes it (%s)", complaints)
	}
}
