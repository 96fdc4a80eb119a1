package remote_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/paper"
	"parley/core/paper/remote"
)

// ticking is a clock that goes on by two seconds whenever it is asked.
func ticking() remote.Clock {
	now := time.Minute
	return func() time.Duration {
		now += 2 * time.Second
		return now
	}
}

// An experiment tells what runs now, with the time since it began, and answers with
// the rows that package paper makes.
func TestRuns(t *testing.T) {
	var told []message.Running
	progress := func(r message.Running) error {
		told = append(told, r)
		return nil
	}
	got, ok := remote.Answer(message.RunExperiment{ID: "rounds/table2", Seeds: 1}, ticking(), progress).(remote.Paper)
	if !ok {
		t.Fatalf("%T", got)
	}
	e, err := paper.Find("rounds/table2")
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.Run(paper.Options{Seeds: 1, Progress: func(string) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if got.Result.ID != want.ID || len(got.Result.Rows) != len(want.Rows) || got.Result.Seeds != 1 {
		t.Errorf("%+v", got.Result)
	}
	if len(told) != 5 || got.Seconds != 12 {
		t.Errorf("told %+v, took %v", told, got.Seconds)
	}
	for i, r := range told {
		if r != (message.Running{ID: "rounds/table2", Doing: r.Doing, Runs: i + 1, Seconds: float64(2 * (i + 1))}) || !strings.HasPrefix(r.Doing, "latency ") {
			t.Errorf("%+v", r)
		}
	}
}

// What cannot be run, and what is ended on the way, is trouble of one sentence.
func TestTrouble(t *testing.T) {
	enough := func(message.Running) error { return errors.New("enough") }
	for _, c := range []struct {
		m    message.Message
		want string
	}{
		{message.RunExperiment{ID: "rounds/weather"}, "rounds/weather"},
		{message.RunExperiment{ID: "rounds/table2", Seeds: -1}, "rounds/table2: seeds is -1 and nodes is 0: neither can be below 0"},
		{message.RunExperiment{ID: "rounds/table2", Nodes: -1}, "rounds/table2: seeds is 0 and nodes is -1: neither can be below 0"},
		{message.RunExperiment{ID: "rounds/table2"}, "rounds/table2: enough"},
		{message.MakePlan{}, "the lab has no answer to plan"},
	} {
		m, ok := remote.Answer(c.m, ticking(), enough).(message.NewTrouble)
		if !ok || !strings.Contains(m.Trouble.Sentence, c.want) || m.Trouble.Class != "setting" {
			t.Errorf("%+v: %+v", c.m, m)
		}
	}
}

func TestListsAll(t *testing.T) {
	all := paper.Experiments()
	got := remote.Experiments().Experiments
	if len(got) != len(all) {
		t.Fatalf("%d of %d", len(got), len(all))
	}
	for i, e := range all {
		if e.Claim == "" || got[i] != (message.Experiment{ID: e.ID, Title: e.Title, Source: e.Source, Claim: e.Claim, Seconds: float64(e.Seconds)}) {
			t.Errorf("%+v, want %+v", got[i], e)
		}
	}
}
