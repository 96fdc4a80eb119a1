package program_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/system/program"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
)

// logOf is a random job log of twelve processors on four nodes. Odd seeds have times of whole
// minutes, so that jobs come and end at one moment: the program and the system in Go decide once.
func logOf(seed uint64, jobs int) string {
	var b strings.Builder
	b.WriteString("; MaxProcs: 12\n; MaxNodes: 4\n")
	random := rng.New(seed, "jobs")
	at := 0
	for i := range jobs {
		at += random.Intn(350)
		length := 1 + random.Intn(900)
		if seed%2 == 1 {
			at, length = at/60*60, (length/60+1)*60
			fmt.Fprintf(&b, "%d %d -1 %d %d -1 -1 -1 %d -1 1 1 1 -1 -1 -1 -1 -1\n", i+1, at, length, 1+random.Intn(9), length+60*random.Intn(10))
			continue
		}
		fmt.Fprintf(&b, "%d %d.%06d -1 %d.%06d %d -1 -1 -1 %d -1 1 1 1 -1 -1 -1 -1 -1\n", i+1, at, random.Intn(1_000_000), length, random.Intn(1_000_000), 1+random.Intn(9), length+1+random.Intn(600))
	}
	return b.String()
}

// playLog plays a log of jobs under a scenario. A node is down for a while.
func playLog(t *testing.T, log, system, program, settings string) (*run.Run, error) {
	t.Helper()
	return playBroken(t, log, system, program, settings, "node", "node.1")
}

// playBroken is playLog with a node or a rack, target, that is down for an hour.
func playBroken(t *testing.T, log, system, program, settings, kind, target string) (*run.Run, error) {
	t.Helper()
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":%q,"settings":%s,"workload":{"trace":[{"name":"log.swf"}]},
		"cluster":{"physical":{"rack_size":2}},"faults":[{"at":"1h","kind":"%s_down","target":%q},
		{"at":"2h","kind":"%[3]s_up","target":%[4]q}]}`, system, settings, kind, target))
	if err != nil {
		t.Fatal(err)
	}
	s.Program = program
	file := trace.File{Name: "log.swf", Size: int64(len(log)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
	source, err := feed.Open(s, []trace.File{file}, formats.All, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := full.Systems().Open(s, source)
	if err != nil {
		return nil, err
	}
	if err := r.Advance(unit.Forever); err != nil {
		return r, err
	}
	return r, r.Audit()
}

// TestEASY: EASY backfilling as a program starts every job of random logs when the system
// in Go starts it, so that the runs have one digest.
func TestEASY(t *testing.T) {
	text := exampleText(t, "easy_backfilling")
	for seed := range uint64(10) {
		log := logOf(seed, 200)
		mine, err := playLog(t, log, "program", text, "{}")
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := playLog(t, log, "central", "", `{"policy":"easy"}`)
		if err != nil {
			t.Fatal(err)
		}
		if mine.Digest() != theirs.Digest() {
			t.Errorf("log %d: the program's digest is %v, that of the system in Go %v", seed, mine.Digest(), theirs.Digest())
		}
		totals := mine.View().Totals().Jobs
		if calls := mine.Report().System["refused"].(int64); totals.Waiting > 0 || totals.Displaced == 0 || calls == 0 {
			t.Errorf("log %d: %d jobs wait, %d lost their node, %d starts were refused: the comparison says little", seed, totals.Waiting, totals.Displaced, calls)
		}
	}
}

// TestWithoutText: without a text, rigid jobs start in the order of their arrival.
func TestWithoutText(t *testing.T) {
	log := logOf(3, 100)
	mine, err := playLog(t, log, "program", "", "{}")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := playLog(t, log, "central", "", `{"policy":"fcfs"}`)
	if err != nil || mine.Digest() != theirs.Digest() {
		t.Errorf("the digest is %v, that of FCFS %v; %v", mine.Digest(), theirs.Digest(), err)
	}
}

// TestStartsBeforeTheEvent: a program starts jobs by their numbers in another hook, perhaps before the events of
// these jobs reach it. They are then running in its lists, once.
func TestStartsBeforeTheEvent(t *testing.T) {
	var log strings.Builder
	log.WriteString("; MaxProcs: 12\n; MaxNodes: 4\n")
	for i := range 40 {
		fmt.Fprintf(&log, "%d %d -1 9000 1 -1 -1 -1 9000 -1 1 1 1 -1 -1 -1 -1 -1\n", i+1, 60*(i/2))
	}
	mine, err := playBroken(t, log.String(), "program", `
def every(cluster):
    for id in range(40):
        cluster.start((1 << 32) + id)

def on_jobs(cluster, state):
    ids = [job.id for job in cluster.queue] + [job.id for job in cluster.jobs]
    if len(ids) != len({id: True for id in ids}):
        fail("a job is listed twice")

def on_minute(cluster, state):
    every(cluster)

def on_node_up(node, cluster, state):
    every(cluster)

def on_node_down(node, cluster, state):
    every(cluster)
`, "{}", "rack", "rack.0")
	if err != nil {
		t.Fatal(err)
	}
	if totals := mine.View().Totals().Jobs; totals.Displaced == 0 || totals.Ended[0] != 40 {
		t.Errorf("%+v", totals)
	}
}

// TestJobsOfPrograms: what a program says of jobs, and what is wrong with one, in words.
func TestJobsOfPrograms(t *testing.T) {
	log := "; MaxProcs: 4\n; MaxNodes: 2\n1 0 -1 50 3 -1 -1 -1 60 -1 1 7 8 -1 9 -1 -1 -1\n2 10 -1 50 2 -1 -1 -1 60 -1 1 7 8 -1 9 -1 -1 -1\n"
	for name, c := range map[string]struct{ program, want string }{
		"verdicts and fields": {`
def on_start(cluster, state):
    state.seen = []
def on_jobs(cluster, state):
    for job in cluster.queue:
        state.seen.append((cluster.now, job.number, job.processors, job.estimate, job.user, job.group, job.wait, job.state, job.ends, cluster.start(job)))
    for job in cluster.jobs:
        state.seen.append((job.state, job.ends, cluster.start(job), cluster.start(job.id), cluster.start(12345), cluster.free, cluster.processors))
    if cluster.now == 50:
        fail(state.seen)
`, `[(0.0, 1, 3, 60.0, 7, 8, 0.0, "waiting", None, None), ("running", 60.0, "state", "state", "gone", 1, 4), (10.0, 2, 2, 60.0, 7, 8, 0.0, "waiting", None, "full"), ("running", 60.0, "state", "state", "gone", 1, 4), ` +
			`(50.0, 2, 2, 60.0, 7, 8, 40.0, "waiting", None, None), ("running", 110.0, "state", "state", "gone", 2, 4)]`},
		"no hook for jobs":  {"def on_submit(task, cluster, state): pass", "the program schedules tasks, and the workload brings rigid jobs: write def on_jobs(cluster, state)"},
		"a job in state":    {"def on_jobs(cluster, state):\n    state.first = cluster.queue[0]\n", "state.first is of the type job, which cannot be kept: keep its job.id"},
		"no job":            {"def on_jobs(cluster, state):\n    cluster.start(None)\n", "a job is wanted, or its id, and this is of the type NoneType"},
		"a field of no job": {"def on_jobs(cluster, state):\n    cluster.queue[0].procesors\n", "job has no procesors: did you mean processors"},
		"an order of jobs":  {"def on_jobs(cluster, state):\n    sorted(cluster.queue + cluster.queue)\n", "jobs have no order"},
	} {
		_, err := playLog(t, log, "program", c.program, "{}")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant\n%s", name, err, c.want)
		}
	}
	_, err := play(t, full.Systems(), cell(t, exampleText(t, "easy_backfilling"), "{}", 20, "1m"))
	if err == nil || !strings.Contains(err.Error(), "the program schedules rigid jobs, and the workload brings tasks: write def on_submit") {
		t.Error(err)
	}
	if _, err := program.Describe("def on_minute(cluster, state): pass"); err == nil || !strings.Contains(err.Error(), "for rigid jobs def on_jobs(cluster, state)") {
		t.Error(err)
	}
}
