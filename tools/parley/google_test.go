package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// googleFiles returns the public files of the Google trace of 2011.
func googleFiles(t *testing.T) []string {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "traces")
	}
	var files []string
	for _, table := range []string{"task_events", "machine_events"} {
		found, err := filepath.Glob(filepath.Join(root, "google2011", table, "*.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			t.Logf("no files of the Google trace in %s; set PARLEY_TRACES to where they are", root)
			t.Skip("the Google trace is not here")
		}
		files = append(files, found...)
	}
	return files
}

// call runs a command in this process and returns its JSON document.
func call(t *testing.T, stdin string, document any, args ...string) {
	t.Helper()
	var out, complaints bytes.Buffer
	if code := parley.Main(args, &console.Console{In: strings.NewReader(stdin), Out: &out, Err: &complaints, Now: time.Now}); code != 0 {
		t.Fatalf("parley %s exits with %d: %s", strings.Join(args, " "), code, complaints.String())
	}
	if err := json.Unmarshal(out.Bytes(), document); err != nil {
		t.Fatalf("parley %s prints no JSON: %v", strings.Join(args, " "), err)
	}
}

// The rows that the trace's index and our acceptance name.
func TestGoogleTraceIsReadWhole(t *testing.T) {
	var report struct {
		Files []struct {
			Format  string
			Rows    int
			BadRows int `json:"bad_rows"`
		}
		Summary struct {
			Machines        int
			WithoutCapacity int `json:"without_capacity"`
			WithoutRequest  int `json:"without_request"`
		}
	}
	call(t, "", &report, append([]string{"trace", "--json"}, googleFiles(t)...)...)
	got := fmt.Sprint(report)
	want := "{[{google2011/task_events 450146 0} {google2011/machine_events 37780 0}] {12583 32 291}}"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// played is what a run of the trace reports.
type played struct {
	Digest     string
	SimulatedS float64 `json:"simulated_s"`
	Metrics    map[string]float64
	System     map[string]any
}

func (p *played) count(t *testing.T, name string) int {
	t.Helper()
	n, ok := p.System[name].(float64)
	if !ok {
		t.Fatalf("the report has no %s", name)
	}
	return int(n)
}

// Every task that the trace submits ends in one state under every scheduler,
// and all of them are given the same tasks.
func TestGoogleTraceLosesNoTask(t *testing.T) {
	files := googleFiles(t)
	play := func(system, settings string, more ...string) *played {
		var p played
		doc := fmt.Sprintf(`{"v":1,"system":%q,"settings":%s}`, system, settings)
		call(t, doc, &p, append(append([]string{"run", "-", "--json"}, more...), append([]string{"--trace"}, files...)...)...)
		sum := 0
		for _, state := range []string{"finished", "failed", "killed", "evicted", "lost", "running", "migrating", "waiting"} {
			sum += p.count(t, "tasks_"+state)
		}
		if submitted := p.count(t, "tasks_submitted"); sum != submitted {
			t.Errorf("%s %s: %d tasks were submitted and %d are in some state", system, settings, submitted, sum)
		}
		return &p
	}
	replay := play("central", `{"policy":"replay"}`)
	const scheduled = 189_994 // its SCHEDULE rows; tasks of a node that left and returned are placed once more
	if got, lost := replay.count(t, "tasks_placed"), replay.count(t, "tasks_displaced"); got < scheduled || got > scheduled+lost {
		t.Errorf("replay places %d tasks; the trace schedules %d, and %d lost their node", got, scheduled, lost)
	}
	if replay.SimulatedS != 94*60 { // its last row is at 5,611 s
		t.Errorf("the replay ends after %v s", replay.SimulatedS)
	}
	const calm = `{"policy":"replay"},"workload":{"usage":"calm"}` // its usage depends on keys alone, that of the other model on the seed too
	first := play("central", calm)
	play("central", calm, "--seed", "5", "--check", first.Digest)
	if again := play("central", `{"policy":"replay"}`, "--seed", "5"); again.Digest == replay.Digest {
		t.Errorf("two seeds replay the same usage: %s", again.Digest)
	}
	whole := play("negotiation", `{}`)
	if a, b := whole.count(t, "tasks_submitted"), replay.count(t, "tasks_submitted"); a != b {
		t.Errorf("negotiation was given %d tasks, the replay %d", a, b)
	}
	if over := whole.Metrics["overloaded_pct"]; over > 0.5 {
		t.Errorf("negotiation overloads %.2f %% of the nodes; the paper accepts 0.5 %%", over)
	}
	const part = "5m"
	begin := play("central", `{"policy":"replay"}`, "--until", part)
	for _, policy := range []string{"best-fit", "worst-fit", "first-fit", "random", "least-allocated"} {
		p := play("central", fmt.Sprintf(`{"policy":%q}`, policy), "--until", part)
		if a, b := p.count(t, "tasks_submitted"), begin.count(t, "tasks_submitted"); a != b {
			t.Errorf("%s was given %d tasks, the replay %d", policy, a, b)
		}
		if p.count(t, "tasks_running") < begin.count(t, "tasks_running")*9/10 {
			t.Errorf("%s runs %d tasks, the replay %d", policy, p.count(t, "tasks_running"), begin.count(t, "tasks_running"))
		}
	}
}
