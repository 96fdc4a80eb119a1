package program_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/run"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/system/example"
	"parley/core/system/program"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
)

// cell returns a scenario of a small cell that loses a rack for a while.
func cell(t testing.TB, text, settings string, nodes int, until string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"program","seed":7,"cluster":{"nodes":%d,"physical":{"rack_size":10}},"until":%q,"settings":%s,"faults":[
		{"at":"2m","kind":"rack_down","target":"rack.1"},{"at":"4m","kind":"rack_up","target":"rack.1"}]}`, nodes, until, settings))
	if err != nil {
		t.Fatal(err)
	}
	s.Program = text
	return s
}

// play plays a scenario to its end.
func play(t testing.TB, registry run.Registry, s *scenario.Scenario, options ...run.Option) (*run.Run, error) {
	t.Helper()
	r, err := registry.Open(s, nil, options...)
	if err != nil {
		return nil, err
	}
	if err := r.Advance(unit.Forever); err != nil {
		return r, err
	}
	return r, r.Audit()
}

func exampleText(t testing.TB, id string) string {
	t.Helper()
	for _, e := range program.Examples() {
		if e.ID == id {
			return e.Text
		}
	}
	t.Fatalf("there is no example %s", id)
	return ""
}

// TestAgainstGo: the power of two choices as a program gives every task the node that the
// system in Go gives it, so that the runs have one digest.
func TestAgainstGo(t *testing.T) {
	text := exampleText(t, "power_of_two_choices")
	for _, choices := range []int{1, 2, 5} {
		s := cell(t, text, fmt.Sprintf(`{"choices":%d}`, choices), 120, "10m")
		mine, err := play(t, full.Systems(), s)
		if err != nil {
			t.Fatal(err)
		}
		inGo := example.Entry()
		inGo.ID = s.System // random numbers are named by the system
		plain := *s
		plain.Program = ""
		theirs, err := play(t, run.Registry{inGo}, &plain)
		if err != nil {
			t.Fatal(err)
		}
		if mine.Digest() != theirs.Digest() {
			t.Errorf("%d choices: the program's digest is %v, that of the system in Go %v", choices, mine.Digest(), theirs.Digest())
		}
		if v := mine.View().Totals(); v.Placements < 1000 || v.Displaced == 0 {
			t.Errorf("only %d placements, %d displaced: the comparison says little", v.Placements, v.Displaced)
		}
	}
}

// TestExamples: each example plays with faults, to a digest that is the same on all
// platforms, and neither notes nor slices change it.
func TestExamples(t *testing.T) {
	want := map[string]string{
		"best_fit":             "42ec7dffec5b8edd",
		"power_of_two_choices": "f5daf9e8d13f0baa",
		"work_stealing":        "c88b0001e129f32a",
		"rack_spread":          "00496ec84e131da9",
		"smallest_first":       "bded6a4fa12fafd9",
		"rescheduler":          "8da77848158b8186",
	}
	for _, e := range ofTasks() {
		t.Run(e.ID, func(t *testing.T) {
			s := cell(t, e.Text, "{}", 60, "10m")
			r, err := play(t, full.Systems(), s)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Digest().String(); got != want[e.ID] {
				t.Errorf("the digest is %s, want %s", got, want[e.ID])
			}
			if v := r.View().Totals(); v.Placements < 500 || v.Waiting > v.Running/4 {
				t.Errorf("%d placements, %d running, %d waiting", v.Placements, v.Running, v.Waiting)
			}
			noted, err := full.Systems().Open(s, nil, run.KeepNotes(1000))
			if err != nil {
				t.Fatal(err)
			}
			for !noted.Done() {
				if err := noted.Advance(noted.Now() + 7*unit.Second); err != nil {
					t.Fatal(err)
				}
			}
			if noted.Digest() != r.Digest() {
				t.Error("the digest is another when notes are kept and the run is sliced")
			}
		})
	}
}

// TestSearch: cluster.best finds what a loop over all nodes finds, whatever happened
// before. The program compares them itself.
func TestSearch(t *testing.T) {
	const text = `
score = formula("cpu.used / cpu.capacity - 0.3 * memory.requested / memory.capacity")
own = formula("after.cpu / cpu.capacity - memory.free / memory.capacity")

def value(n): return n.cpu.used / n.cpu.capacity - 0.3 * n.memory.requested / n.memory.capacity

def fits(task, n, by, fill, cluster):
    have = n.cpu.requested if by == "request" else n.cpu.used
    if n.tasks > 0 and fill < 1 and have + task.cpu > fill * n.cpu.capacity + 1e-9:
        return False
    have = n.memory.requested if by == "request" else n.memory.used
    if n.tasks > 0 and fill < 1 and have + task.memory > fill * n.memory.capacity + 1e-9:
        return False
    return cluster.fits(task, n, by)

def on_start(cluster, state):
    state.waiting = []
    state.compared = 0

def on_submit(task, cluster, state):
    by = "request" if task.number % 3 == 0 else "use"
    fill = 0.8 if task.number % 2 == 0 else 1
    found = cluster.best(cluster.nodes, score, fits=task, by=by, fill=fill)
    listed = cluster.best([n for n in cluster.nodes], score, fits=task, by=by, fill=fill)
    best = None
    for n in cluster.nodes:
        if (best == None or value(n) > value(best) + 1e-12) and fits(task, n, by, fill, cluster):
            best = n
    if found != listed:
        fail("by the index %s, by the list %s" % (found, listed))
    if found != best and (found == None or best == None or abs(value(found) - value(best)) > 1e-9):
        fail("found %s, and the best is %s (%s, %s)" % (found, best, by, fill))
    state.compared += 1
    target = cluster.best(cluster.nodes, own, fits=task) if task.number % 5 == 0 else found
    if target == None or cluster.place(task, target, by) == "full":
        state.waiting.append(task.id)

def on_minute(cluster, state):
    for task in cluster.retry(state.waiting):
        on_submit(task, cluster, state)

def on_finished(task, node, cluster, state):
    if cluster.random(20) == 0 and node != None:
        for other in cluster.tasks(node):
            cluster.preempt(other)
            return
`
	s := cell(t, text, "{}", 70, "6m")
	r, err := play(t, full.Systems(), s)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.View().Totals(); v.Placements < 400 || v.Displaced == 0 {
		t.Errorf("only %d placements, %d displaced", v.Placements, v.Displaced)
	}
}

// TestSnapshots: a run that is taken up again from a snapshot ends as the first; what
// state may not hold ends it.
func TestSnapshots(t *testing.T) {
	for _, e := range ofTasks() {
		s := cell(t, e.Text, "{}", 60, "8m")
		r, err := full.Systems().Open(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(150 * unit.Second); err != nil {
			t.Fatal(err)
		}
		shot, err := run.NewSnapshots(r).Take()
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
		if err := r.Advance(unit.Forever); err != nil {
			t.Fatal(err)
		}
		again, _, err := shot.Restore(nil, s.Faults)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Advance(unit.Forever); err != nil {
			t.Fatal(err)
		}
		if again.Digest() != r.Digest() {
			t.Errorf("%s: taken up again it ends with %v, want %v", e.ID, again.Digest(), r.Digest())
		}
		mine, _ := json.Marshal(r.Report().System)
		if theirs, _ := json.Marshal(again.Report().System); string(mine) != string(theirs) {
			t.Errorf("%s: taken up again it reports %s, want %s", e.ID, theirs, mine)
		}
	}
}

// TestWhy: notes and searches answer "why here?".
func TestWhy(t *testing.T) {
	s := cell(t, exampleText(t, "rack_spread"), "{}", 60, "3m")
	r, err := play(t, full.Systems(), s, run.KeepNotes(100_000))
	if err != nil {
		t.Fatal(err)
	}
	told, candidates := 0, 0
	for id := range r.View().Alive {
		d, err := r.Explain(id)
		if err != nil {
			continue
		}
		if strings.Contains(d.Summary, "fewest of") {
			told++
		}
		for _, c := range d.Candidates {
			if c.Answer == "chosen" && c.Node == d.To && c.After != nil {
				candidates++
			}
		}
	}
	if told < 100 || candidates < 100 {
		t.Errorf("%d decisions have a note, %d the node that was chosen", told, candidates)
	}
	lines := r.Lines(unit.NoNode, 10)
	if len(lines) != 10 || !strings.HasPrefix(lines[0].Text, "rack ") || lines[0].Ref == 0 {
		t.Errorf("the notes are %+v", lines)
	}
	if story := r.Story(lines[0].Ref); len(story.Lines) == 0 || story.Decision == nil {
		t.Errorf("the story of call %d is %+v", lines[0].Ref, story)
	}
}

// TestPrograms plays programs that are wrong. A command "program" loads a text and plays
// it in a small cell for three minutes; "settings" does so with settings from its first
// line.
func TestPrograms(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			text, settings := d.Input, "{}"
			if d.Cmd == "settings" {
				settings, text, _ = strings.Cut(text, "\n")
			}
			r, err := play(t, full.Systems(), cell(t, text, settings, 12, "3m"))
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("%s: the error is no sentence: %q", d.Pos, err)
				}
				return "! " + err.Error() + "\n"
			}
			return fmt.Sprintf("%d placed\n", r.View().Totals().Placements)
		}
	})
}
