package paper_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/paper"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// TestStand: a population stands where it was recorded at time 0, with what it requests
// by then; what has ended, is on no node, or comes later does not stand there.
func TestStand(t *testing.T) {
	usage, err := workload.NewSynthesis(workload.DefaultUsage(), 1)
	if err != nil {
		t.Fatal(err)
	}
	key := func(i uint32) workload.Key { return workload.Key{Job: 7, Index: i} }
	arrives := func(i uint32, request unit.Vec) workload.Record {
		return workload.Record{Kind: workload.TaskArrives, Key: key(i), Task: workload.Task{Request: request, Usage: usage.Model(key(i), workload.Batch)}}
	}
	recorded := func(i uint32, machine uint64) workload.Record {
		return workload.Record{Kind: workload.TaskRecorded, Key: key(i), Machine: machine}
	}
	source := &written{
		{Kind: workload.NodeJoins, Machine: 50, Node: workload.Node{Capacity: vec(100, 100)}},
		{Kind: workload.NodeJoins, Machine: 40, Node: workload.Node{Capacity: vec(100, 100)}},
		arrives(0, vec(1, 2)), recorded(0, 40),
		arrives(1, vec(3, 4)), recorded(1, 50),
		arrives(2, vec(5, 6)), // no node
		arrives(3, vec(7, 8)), recorded(3, 40),
		{Kind: workload.TaskEnds, Key: key(3)},
		arrives(4, vec(7, 8)), recorded(4, 40),
		{Kind: workload.TaskReleased, Key: key(4)},
		arrives(5, vec(7, 8)), recorded(5, 60), // a machine that is not there
		{Kind: workload.TaskChanges, Key: key(1), Task: workload.Task{Request: vec(9, 10), Class: workload.Production}},
		recorded(9, 50),
		{Kind: workload.TaskEnds, Key: key(9)},
		{Kind: workload.TaskChanges, Key: key(9)}, // nobody knows it
		{Kind: workload.TaskEnds, Key: key(0), At: 1},
	}
	nodes, requests, classes, err := paper.Stand(source)
	if err != nil || !slices.Equal(nodes, []int{1, 0}) || !slices.Equal(requests, []unit.Vec{vec(1, 2), vec(9, 10)}) || !slices.Equal(classes, []workload.PriorityClass{workload.Batch, workload.Production}) {
		t.Errorf("%v, %v, %v (%v)", nodes, requests, classes, err)
	}
	if _, _, _, err := paper.Stand(&written{{Kind: workload.NodeJoins}, arrives(0, vec(1, 2))}); err == nil || !strings.Contains(err.Error(), "no task runs at the beginning") {
		t.Errorf("nobody stands anywhere: %v", err)
	}
}

// TestStandingUse: what a standing cell uses is the mean of its tasks' models over the
// windows, and a day has figures where a job belongs among the real ones.
func TestStandingUse(t *testing.T) {
	usage, err := workload.NewSynthesis(workload.DefaultUsage(), 1)
	if err != nil {
		t.Fatal(err)
	}
	whole := vec(unit.Whole, unit.Whole)
	cell := func(tasks uint32, request unit.Vec) (source *written, models []workload.UsageModel) {
		source = &written{{Kind: workload.NodeJoins, Machine: 1, Node: workload.Node{Capacity: whole}}, {Kind: workload.NodeJoins, Machine: 2, Node: workload.Node{Capacity: whole}}}
		for i := range tasks {
			key := workload.Key{Job: uint64(3 + i%2), Index: i}
			model := usage.Model(key, workload.Batch)
			models = append(models, model)
			*source = append(*source,
				workload.Record{Kind: workload.TaskArrives, Key: key, Task: workload.Task{Request: request, Usage: model}},
				workload.Record{Kind: workload.TaskRecorded, Key: key, Machine: 1 + uint64(i%2)})
		}
		return source, models
	}
	const windows = 300
	request := vec(unit.Whole/3, unit.Whole/7)
	source, models := cell(4, request)
	var want [unit.Resources]float64
	var crowded, worst, rises, peak, relative float64
	var before [2]unit.Vec
	for w := range int64(windows) {
		var load [2]unit.Vec
		now := 0.
		for i, m := range models {
			shared := m.Movement.Shared(m.Job)
			shared.Enter(w)
			load[i%2] = load[i%2].Add(shared.Use(m.Key, &m.Mean, &request))
		}
		for n := range load {
			for r, x := range load[n] {
				want[r] += 50 * float64(x) / float64(unit.Whole) / windows
			}
			if load[n][unit.CPU] > unit.Whole || load[n][unit.Memory] > unit.Whole {
				crowded, now = crowded+50./windows, now+50
			}
		}
		worst = max(worst, now)
		if w > 0 {
			rose := 0.
			for n := range load {
				if paper.Rose(load[n], before[n], whole, 10) {
					rose++
				}
				if paper.Rose(load[n], before[n], before[n], 10) {
					relative += 1 / (5. * (windows - 1)) // a window has five minutes
				}
			}
			rises, peak = rises+rose/(5*(windows-1)), max(peak, rose)
		}
		before = load
	}
	got, err := paper.StandAndPlay(source, windows)
	if err != nil || !close(got.Used[unit.CPU], want[unit.CPU]) || !close(got.Used[unit.Memory], want[unit.Memory]) || !close(got.Overloaded, crowded) || got.Worst != worst || want[unit.CPU] == 0 {
		t.Errorf("%+v, want %v used and %v overloaded, at most %v (%v)", got, want, crowded, worst, err)
	}
	if !close(got.Rises, rises) || got.Peak != peak || !close(got.Relative, relative) || relative == 0 {
		t.Errorf("%+v, want %v rises, at most %v, %v of use", got, rises, peak, relative)
	}
	if len(got.Days) != 1 || !(got.Days[0][1] > 0) {
		t.Errorf("a day and twelve windows: figures %v", got.Days)
	}
	for _, c := range []struct {
		request unit.Vec
		windows int
		days    int
	}{{request, 287, 0}, {request, 288, 1}, {request, 576, 2}, {vec(unit.Whole/1000, unit.Whole/1000), 288, 0}} {
		source, _ := cell(4, c.request)
		if got, err := paper.StandAndPlay(source, c.windows); err != nil || len(got.Days) != c.days {
			t.Errorf("%d windows of %v: %d days (%v)", c.windows, c.request, len(got.Days), err)
		}
	}
}

// TestCalibrationTells: which cells the calibration plays, and for how long.
func TestCalibrationTells(t *testing.T) {
	e, err := paper.Find("negotiation/calibration")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		until unit.Time
		twice bool
	}{{0, true}, {unit.Day + workload.UsageWindow, true}, {unit.Day, false}, {unit.Hour, false}} {
		var got, want []string
		result, err := e.Run(paper.Options{Seeds: 2, Nodes: 10, Until: c.until, Progress: func(doing string) error { got = append(got, doing); return nil }})
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range []string{"the cell", "the cell, recorded", "production as in the paper", "more memory used", "more memory used, recorded", "heavy tails", "heavy tails, recorded", "spread evenly", "without events", "without events, recorded"} {
			for seed := 1; seed <= 2; seed++ {
				want = append(want, fmt.Sprintf("%s, seed %d", variant, seed))
				if c.twice && (variant == "the cell" || variant == "without events") {
					want = append(want, fmt.Sprintf("%s, seed %d, day 2", variant, seed))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("until %v it plays\n%s", c.until, strings.Join(got, "\n"))
		}
		for _, r := range result.Rows {
			if r.Rule != "" && !strings.Contains(r.Rule, "played: ") || math.IsNaN(r.Measured) {
				t.Errorf("%+v", r)
			}
		}
	}
	for until, refused := range map[unit.Time]bool{2*workload.UsageWindow - 1: true, 2 * workload.UsageWindow: false} {
		if _, err := e.Run(paper.Options{Seeds: 1, Nodes: 10, Until: until}); (err != nil) != refused {
			t.Errorf("until %v: %v", until, err)
		}
	}
}

// recordedCell is the generated cell as if somebody had recorded it: each task of time 0
// stands on a machine in turn.
type recordedCell struct {
	workload.Source
	machines []uint64
	stands   *workload.Record
	placed   int
}

// Next implements workload.Source.
func (c *recordedCell) Next(r *workload.Record) error {
	if c.stands != nil {
		*r, c.stands = *c.stands, nil
		return nil
	}
	err := c.Source.Next(r)
	switch {
	case err != nil:
	case r.Kind == workload.NodeJoins:
		c.machines = append(c.machines, r.Machine)
	case r.Kind == workload.TaskArrives:
		c.stands = &workload.Record{At: r.At, Kind: workload.TaskRecorded, Key: r.Key, Machine: c.machines[c.placed%len(c.machines)]}
		c.placed++
	}
	return err
}

// recordedNodes opens such a cell of 40 nodes.
func recordedNodes(s *scenario.Scenario) (workload.Source, error) {
	g := workload.DefaultGenerated()
	g.Nodes = 40
	if s.Workload.Usage != nil {
		g.Usage = *s.Workload.Usage
	}
	source, err := g.New(s.Seed)
	return &recordedCell{Source: source}, err
}

// TestPlayedFromATrace: what was recorded stands beside the agents if there is a
// trace, and nobody stands in for it.
func TestPlayedFromATrace(t *testing.T) {
	for _, c := range []struct {
		id           string
		has, without []string
		rows         []string
	}{
		{
			"negotiation/lifecycle",
			[]string{"negotiation, ", "Borg, replayed, "},
			nil,
			[]string{"quietest hours, PA", "Borg, replayed, busiest hours, PA", "PA falls towards the busiest hours by", "PA:DA in the busiest hours, ours above Borg's"},
		},
		{"negotiation/rus", []string{"spikes under Borg, replayed, seed 1"}, nil, []string{"threshold 10 %, mean"}},
		{
			"negotiation/benchmark",
			[]string{"Borg, replayed, ", "negotiation, tasks arrive when submitted, ", "negotiation, ten rounds a minute, ", "negotiation, drawn by weight, tasks arrive when submitted, "},
			[]string{"request-blind (random), 40", "best-fit, 40", "ten rounds a minute, tasks arrive when submitted"},
			[]string{"Borg, replayed, PA", "Borg, replayed, overloaded nodes, worst minute"},
		},
		{"negotiation/calibration", []string{"the cell, recorded, seed 1"}, nil, []string{"CPU used"}},
	} {
		e, err := paper.Find(c.id)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		result, err := e.Run(paper.Options{Seeds: 1, Nodes: 40, Until: 21 * unit.Minute, Trace: recordedNodes, Progress: func(doing string) error { told = append(told, doing); return nil }})
		if err != nil {
			t.Fatalf("%s: %v", c.id, err)
		}
		has := func(subject string) bool {
			return slices.ContainsFunc(told, func(doing string) bool { return strings.Contains(doing, subject) })
		}
		for _, subject := range c.has {
			if !has(subject) {
				t.Errorf("%s does not play %q:\n%s", c.id, subject, strings.Join(told, "\n"))
			}
		}
		for _, subject := range c.without {
			if has(subject) {
				t.Errorf("%s plays %q", c.id, subject)
			}
		}
		before := -1
		for _, name := range c.rows { // in this order
			if at := slices.IndexFunc(result.Rows, func(r paper.Row) bool { return r.Name == name }); at <= before {
				t.Errorf("%s: %q stands in row %d, what comes before it in row %d", c.id, name, at, before)
			} else {
				before = at
			}
			if r := rowOf(t, result.Rows, name); strings.Contains(r.Note, "stand in") || strings.Contains(r.Rule, "least requested") {
				t.Errorf("%s: %+v", c.id, r)
			}
		}
	}
}

// TestRecordedUse: of a recorded cell the tasks use what they do where they were put, of a
// generated one where the stand-in puts them.
func TestRecordedUse(t *testing.T) {
	const cell = `"nodes":40,"until":"1h"`
	generated := called(t, paper.Options{}, "negotiation/usage", `{`+cell+`,"only":"generated"}`)
	recorded := called(t, paper.Options{Trace: recordedNodes}, "negotiation/usage", `{`+cell+`,"only":"recorded"}`)
	if recorded["PA:DA"] == generated["PA:DA"] || recorded["CPU used"] == 0 {
		t.Errorf("recorded %v, generated %v", recorded, generated)
	}
	if either := called(t, paper.Options{Trace: recordedNodes}, "negotiation/usage", `{`+cell+`}`); either["PA:DA"] != generated["PA:DA"] {
		t.Errorf("a cell that is generated in any case shows %v, by itself %v", either, generated)
	}
	for _, of := range []string{`,"only":"recorded"`, `,"only":"else"`, `,"among":0`, `,"until":"5m"`, `,"production":"none"`, `,"usage":"none"`} {
		told, err := paper.Functions()["negotiation/usage"](1, json.RawMessage(`{`+cell+of+`}`))
		if told != nil || (err == nil) != strings.Contains(of, "recorded") || err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v (%v)", of, told, err)
		}
	}
}
