package inspect_test

import (
	"bytes"
	"cmp"
	"math"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/unit"
)

// A rack that fails is one incident: as many tasks lost their place as ran there, all
// of them are accounted for, those that run again are drawn on their way, and it is
// over when all nodes are back.
func TestIncident(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","cluster":{"nodes":200},"seed":3,"until":"40m","faults":[{"at":"6m","kind":"rack_down","target":"rack.2"},{"at":"20m","kind":"rack_up","target":"rack.2"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil, run.KeepIncidents())
	if err != nil {
		t.Fatal(err)
	}
	advance := func(to unit.Time) {
		t.Helper()
		if err := r.Advance(to); err != nil {
			t.Fatal(err)
		}
	}
	replaced := func() (n int) {
		var f frame.Frame
		if err := frame.Decode(r.Frame(nil), &f); err != nil {
			t.Fatal(err)
		}
		for _, a := range f.Arcs {
			if a.Kind == frame.Replaced {
				n++
				if v := r.View(); v.Racks()[a.From] != 2 || v.Racks()[a.To] == 2 {
					t.Errorf("an arc from rack %d to rack %d", v.Racks()[a.From], v.Racks()[a.To])
				}
			}
		}
		return n
	}
	advance(6*unit.Minute - 1)
	ran, nodes := 0, 0
	for n, rack := range r.View().Racks() {
		if rack == 2 {
			ran += r.View().Count(unit.NodeID(n))
			nodes++
		}
	}
	if all := r.Incidents(); len(all) != 0 {
		t.Fatalf("before the fault: %+v", all)
	}
	replaced()
	advance(6*unit.Minute + 1)
	advance(6*unit.Minute + 15*unit.Second)
	drawn := replaced()
	advance(19 * unit.Minute)
	one := r.Incidents()[0]
	if one.Subject != "Rack 2" || one.At != 6*unit.Minute || one.Nodes != nodes || one.Lost != ran || ran == 0 {
		t.Errorf("%+v of %d nodes on which %d tasks ran", one, nodes, ran)
	}
	if one.Again == 0 || one.Again+one.Ended+one.Waiting() != one.Lost || one.First < 1 || one.Half < one.First || one.Last < one.Half || one.Healed != 0 {
		t.Errorf("%+v", one)
	}
	if drawn == 0 || drawn > one.Again {
		t.Errorf("%d arcs for %d tasks that run again", drawn, one.Again)
	}
	if !strings.Contains(one.Summary, "tasks were displaced") {
		t.Errorf("told: %s", one.Summary)
	}
	t.Logf("%s. %s", one.Subject, one.Summary)
	advance(21 * unit.Minute)
	if one = r.Incidents()[0]; one.Back != nodes || one.Healed != 20*unit.Minute {
		t.Errorf("after the repair: %+v", one)
	}
}

// Watching changes nothing of a run.
func TestIncidentsChangeNothing(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","cluster":{"nodes":100},"until":"20m","chaos":{"node_mtbf":"6h","mttr":"5m"}}`))
	if err != nil {
		t.Fatal(err)
	}
	digest := func(options ...run.Option) string {
		r, err := run.Open(s, nil, options...)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(20 * unit.Minute); err != nil {
			t.Fatal(err)
		}
		return r.Digest().String()
	}
	if plain, watched := digest(), digest(run.KeepIncidents()); plain != watched {
		t.Errorf("%s without and %s with incidents", plain, watched)
	}
}

// TestIncidentInWords: how many were displaced, and when they were running again.
func TestIncidentInWords(t *testing.T) {
	for want, i := range map[string]inspect.Incident{
		"Nothing was running there.": {},
		"1 piece with 2,933 work units was lost and went back to the master, which sends lost work again.":                   {Pieces: 1, Work: 2932.65},
		"2 pieces with 12 work units were lost and went back to the master, which sends lost work again.":                    {Pieces: 2, Work: 12},
		"1 subtask was displaced and was running again within 0.1 s.":                                                        {Noun: "subtask", Lost: 1, Again: 1, First: 1, Half: 1, Last: 1},
		"3 subtasks were displaced, 1 of them after it was done; none is running again yet.":                                 {Noun: "subtask", Lost: 3, Results: 1},
		"3 subtasks were displaced, 2 of them after they were done. The first was running again within 0.1 s; 2 still wait.": {Noun: "subtask", Lost: 3, Results: 2, Again: 1, First: 1, Last: 1},
		"1 task was displaced; none is running again yet.":                                                                   {Lost: 1},
		"2 jobs were displaced; none is running again yet.":                                                                  {Lost: 2, Noun: "job"},
		"1 task was displaced and was running again within 0.1 s.":                                                           {Lost: 1, Again: 1, First: 1, Half: 1, Last: 1},
		"4 tasks were displaced; 4 ended, and none is running again.":                                                        {Lost: 4, Ended: 4},
		"4 tasks were displaced. The first was running again within 0.1 s; 3 still wait.":                                    {Lost: 4, Again: 1, First: 99 * unit.Millisecond, Last: unit.Second},
		"4 tasks were displaced. The first was running again within 0.2 s; 3 still wait.":                                    {Lost: 4, Again: 1, First: 101 * unit.Millisecond, Last: unit.Second},
		"4,000 tasks were displaced. Half were running again within 0.1 s; 1,500 still wait.":                                {Lost: 4000, Again: 2500, First: 1, Half: 2, Last: 3},
		"9 tasks were displaced. Half were running again within 1.6 s; 1 still waits.":                                       {Lost: 9, Again: 5, Ended: 3, First: 1, Half: 1599 * unit.Millisecond, Last: 2*unit.Minute - 1},
		"9 tasks were displaced. Half were running again within 0.1 s; 1 still waits.":                                       {Lost: 9, Again: 5, Ended: 3, First: 1, Half: 2, Last: 3},
		"4 tasks were displaced; 1 ended, the others were running again within 3 min.":                                       {Lost: 4, Again: 3, Ended: 1, First: 1, Half: 1, Last: 2*unit.Minute + 1},
		"4 tasks were displaced; all were running again within 2.0 s.":                                                       {Lost: 4, Again: 4, First: 1, Half: 1, Last: 2 * unit.Second},
	} {
		i.Noun = cmp.Or(i.Noun, "task")
		if got := i.Tell(); got != want {
			t.Errorf("%+v: %q, want %q", i, got, want)
		}
		if i.Waiting() != i.Lost-i.Again-i.Ended {
			t.Errorf("%d wait of %+v", i.Waiting(), i)
		}
	}
}

// The cost of a fault is one line: what stopped, when it was back, and what else the fault took.
func TestIncidentCost(t *testing.T) {
	lost := inspect.Incident{Noun: "task", Lost: 2, Again: 2, First: 1, Half: unit.Second, Last: unit.Second}
	with := func(change func(*inspect.Incident)) inspect.Incident {
		i := lost
		change(&i)
		return i
	}
	for want, i := range map[string]inspect.Incident{
		"Nothing was running there.":                                                                                       {},
		"2 tasks stopped, all back after 1.0 s.":                                                                           lost,
		"9 tasks stopped, 5 back, the last so far after 1.0 s.":                                                            with(func(i *inspect.Incident) { i.Lost, i.Again = 9, 5 }),
		"9 tasks stopped, 5 back, the last after 1.0 s.":                                                                   with(func(i *inspect.Incident) { i.Lost, i.Again, i.Ended = 9, 5, 4 }),
		"2 tasks stopped, all back after 1.0 s, smallest yield from 61.2 % to 48.0 %.":                                     with(func(i *inspect.Incident) { i.Yield, i.LowestYield = 0.612, 0.48 }),
		"2 tasks stopped, all back after 1.0 s, smallest yield still 61.2 %.":                                              with(func(i *inspect.Incident) { i.Yield, i.LowestYield = 0.6124, 0.6123 }),
		"2 tasks stopped, all back after 1.0 s, 1,234 credits refunded for 3 sold units.":                                  with(func(i *inspect.Incident) { i.Refunds, i.Refunded = 3, 1234.4 }),
		"2 tasks stopped, all back after 1.0 s, meanwhile 1 move of 38.0 GB, 1 deadline of the graphs that it hit missed.": with(func(i *inspect.Incident) { i.Moves, i.Moved, i.Missed = 1, 38_000_000_000, 1 }),
	} {
		if got := i.CostLine(); got != want {
			t.Errorf("%+v: %q, want %q", i, got, want)
		}
	}
}

// TestIncidentOfALoad: pieces that went down with a worker are told with the fault, and
// are what the course says.
func TestIncidentOfALoad(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"rounds","seed":7,"workload":{"system":{"load":100000,"random":{"workers":10,"comp_latency":[0.1,0.1],"comm_latency":[0.1,0.1]}}},
		"faults":[{"at":"30s","kind":"node_down","target":"node.3"},{"at":"40s","kind":"node_down","target":"node.4"},{"at":"41s","kind":"node_up","target":"node.3"}],"until":"1m"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil, run.KeepIncidents())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(unit.Minute); err != nil {
		t.Fatal(err)
	}
	pieces, work := 0, 0.0
	for _, i := range r.Incidents() {
		pieces += i.Pieces
		work += i.Work
		if i.Pieces == 0 || i.Lost != 0 || i.Nodes != 1 {
			t.Errorf("%+v; want one worker with what it had", i)
		}
	}
	if lost := r.View().Totals().Work.Lost.Float(); work == 0 || math.Abs(work-lost) > 1e-6 {
		t.Errorf("the incidents tell of %v work units in %d pieces, the cluster of %v", work, pieces, lost)
	}
}

// TestOneMoment: what a frame shows of a moment does not depend on the frames before it: the
// moves of the time before, and none that is older.
func TestOneMoment(t *testing.T) {
	const at = 6*unit.Minute + 45*unit.Second
	picture := func(frames ...unit.Time) ([]byte, int) {
		t.Helper()
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","seed":5,"cluster":{"nodes":200},"faults":[{"at":"6m","kind":"node_down","target":"node.1"},{"at":"6m30s","kind":"node_down","target":"node.2"}],"until":"10m"}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Open(s, nil, run.KeepIncidents())
		if err != nil {
			t.Fatal(err)
		}
		for _, drawn := range frames {
			if err := r.Advance(drawn); err != nil {
				t.Fatal(err)
			}
			r.Frame(nil)
		}
		if err := r.Advance(at); err != nil {
			t.Fatal(err)
		}
		if len(frames) == 1 {
			r.Arrive()
		}
		var f frame.Frame
		buf := r.Frame(nil)
		if err := frame.Decode(buf, &f); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, a := range f.Arcs {
			if a.Kind == frame.Replaced {
				n++
				if a.From != 2 {
					t.Errorf("an arc from node %d, which failed 45 s ago", a.From)
				}
			}
		}
		return buf[frame.HeaderSize:], n
	}
	here, n := picture()
	if n == 0 {
		t.Fatal("no move is drawn")
	}
	for _, frames := range [][]unit.Time{{at - 1}, {unit.Minute, 6*unit.Minute + 31*unit.Second}, {at - unit.Second, at}, {at - 2, at - 1}} {
		if there, _ := picture(frames...); !bytes.Equal(there, here) {
			t.Errorf("with frames at %v the picture is another", frames)
		}
	}
}
