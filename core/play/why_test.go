package play_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/play"
	"parley/core/play/files"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/unit"
)

// 100 tasks of the default cell at 6 h, drawn at random, have 100 answers: what is
// not remembered is found in one second run that is asked about all of them, and by
// the player about one.
func TestEveryTaskOfTheDefaultCellIsExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a cell of 12,500 nodes over six hours")
	}
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation"}`))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{tick: 100 * time.Microsecond}
	var answers []play.Answer
	h.player = play.New(h.now, run.Systems(), files.Reader{}, func(e play.Event) {
		h.hear(e)
		if e.Kind == play.Answered {
			answers = append(answers, e.Answer)
		}
	})
	h.player.Open(play.Opening{Scenario: s, At: 6 * unit.Hour})
	h.await(t, "opened")
	r := h.player.Run()
	if err := r.Advance(6 * unit.Hour); err != nil {
		t.Fatal(err)
	}
	digest := r.Digest()
	ids := everyTask(r)
	random := rng.New(1, "questions")
	requested := make([]unit.TaskID, 100)
	for i := range requested {
		requested[i] = ids[random.Intn(len(ids))]
	}
	var forgotten []unit.TaskID
	var last unit.Time
	told := map[unit.TaskID]inspect.Decision{}
	for _, id := range requested {
		d, err := r.Explain(id)
		switch {
		case err == nil:
			told[id] = d
		case err == inspect.ErrForgotten:
			at, _ := r.Decided(id)
			forgotten, last = append(forgotten, id), max(last, at)
		default:
			t.Errorf("task %x has no answer: %v", id, err)
		}
	}
	again, err := run.Systems().Open(r.Scenario(), nil, run.AskAbout(forgotten...))
	if err == nil {
		err = again.Advance(last + 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range forgotten {
		if told[id], err = again.Explain(id); err != nil {
			t.Errorf("task %x has no answer in the second run: %v", id, err)
		}
		if at, _ := r.Decided(id); told[id].At != at {
			t.Errorf("task %x was decided at %v, and at %v in the second run", id, at, told[id].At)
		}
	}
	if len(forgotten) < 20 {
		t.Errorf("only %d of 100 decisions were forgotten: nothing is tested", len(forgotten))
	}
	for _, id := range requested {
		answered(t, r, id, told[id])
	}
	early := slices.MinFunc(forgotten, func(a, b unit.TaskID) int { return int(told[a].At - told[b].At) })
	h.player.Explain(early)
	h.await(t, "answered")
	if len(answers) != 1 || fmt.Sprintf("%+v", *answers[0].Decision) != fmt.Sprintf("%+v", told[early]) {
		t.Errorf("the player finds %+v, want %+v", answers, told[early])
	}
	if r.Digest() != digest {
		t.Errorf("after the questions the digest is %v, was %v", r.Digest(), digest)
	}
}

// everyTask returns the tasks that run or move.
func everyTask(r *run.Run) (ids []unit.TaskID) {
	for n := range unit.NodeID(r.View().Nodes()) {
		for id := range r.View().Tasks(n) {
			ids = append(ids, id)
		}
	}
	return ids
}

// answered checks that a decision names its task's node, the rule, and what each
// candidate would have become.
func answered(t *testing.T, r *run.Run, id unit.TaskID, d inspect.Decision) {
	t.Helper()
	if d.Rule == "" || len(d.Candidates) == 0 && d.To >= 0 {
		t.Errorf("task %x: no rule or no candidates in %+v", id, d)
	}
	for _, c := range d.Candidates {
		if c.Answer == "chosen" && (c.Node != d.To || len(c.After) == 0 || c.Class == "") {
			t.Errorf("task %x: the chosen one is %+v, want node %d and what it would carry", id, c, d.To)
		}
	}
	if task, alive := r.View().Task(id); alive && d.From < 0 && d.To != task.Node {
		t.Errorf("task %x is on node %d and was placed on node %d", id, task.Node, d.To)
	}
}

// Every system answers in its way: of tasks why they are where they are, of rigid
// jobs likewise, of resources why they do what they do.
func TestEverySystemAnswers(t *testing.T) {
	graphs := scenarioFile(t, "board-communities")
	for name, c := range map[string]struct {
		scenario *scenario.Scenario
		at       unit.Time
	}{
		"negotiation": {scenarioFile(t, "google-cell"), unit.Minute},
		"central":     {scenarioFile(t, "central-rescheduler"), 10 * unit.Minute},
		"kube":        {scenarioFile(t, "central-kube"), unit.Minute},
		"yield":       {scenarioFile(t, "yield-fair"), 20 * unit.Minute},
		"market":      {scenarioFile(t, "market-auction"), 2 * unit.Hour},
		"board":       {graphs, 5 * unit.Minute},
		"static":      {playedBy(graphs, "static"), 5 * unit.Minute},
		"dispatcher":  {playedBy(graphs, "dispatcher"), 5 * unit.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			at := c.at
			r, err := run.Systems().Open(c.scenario, nil, run.KeepNotes(1000))
			if err == nil {
				err = r.Advance(at)
			}
			if err != nil {
				t.Fatal(err)
			}
			requested := 0
			for n := range unit.NodeID(r.View().Nodes()) {
				report, err := r.Inspect(n)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range report.Facts {
					if strings.HasPrefix(f.Name, "Why") {
						requested++
					}
				}
				for _, one := range report.Jobs {
					var id unit.TaskID
					fmt.Sscan(one.ID, &id)
					if d, err := r.Explain(id); one.Decided && (err != nil || d.Rule == "") {
						t.Errorf("%s has no answer: %+v, %v", one.Name, d, err)
					}
					requested++
				}
				for id := range r.View().Tasks(n) {
					d, err := r.Explain(id)
					if err == inspect.ErrForgotten {
						continue
					}
					if err != nil {
						t.Errorf("task %x: %v", id, err)
						continue
					}
					answered(t, r, id, d)
					requested++
				}
			}
			if requested == 0 {
				t.Error("there is nothing to ask about")
			}
		})
	}
}

// scenarioFile is one of the scenarios of the gallery, with at most 300 nodes.
func scenarioFile(t *testing.T, name string) *scenario.Scenario {
	text, err := os.ReadFile("../../assets/scenarios/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s.Cluster.Nodes = min(s.Cluster.Nodes, 300)
	s.Faults = nil
	return s
}

// playedBy is a scenario for another system, with its usual settings.
func playedBy(s *scenario.Scenario, system string) *scenario.Scenario {
	own := *s
	own.System, own.Settings = system, nil
	return &own
}
