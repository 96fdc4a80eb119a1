package remote_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/play"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
)

// TestExactlyWhenDue: where the clock stands still but for what is waited, a frame comes 40 ms
// after the one before and not a nanosecond earlier, figures after 250 ms, a picture after
// 80 ms.
func TestExactlyWhenDue(t *testing.T) {
	host, r := opened(t, calm, run.First())
	host.still = true
	r.Receive(message.Speed{Speed: 60})
	r.Receive(message.Play{})
	count := map[string]func() int{
		"frames":   func() int { all, _ := heard[message.Frame](host); return len(all) },
		"figures":  func() int { all, _ := heard[message.NewStatus](host); return len(all) },
		"pictures": func() int { all, _ := heard[message.Picture](host); return len(all) },
	}
	wait := func(span time.Duration) {
		host.at += span
		r.Slice()
		r.Receive(message.Frame{})
	}
	for subject, every := range map[string]time.Duration{"frames": 40 * time.Millisecond, "figures": 250 * time.Millisecond} {
		wait(time.Second) // all is told now
		host.forget()
		wait(every - 1)
		early := count[subject]()
		wait(1)
		if due := count[subject](); early != 0 || due != 1 {
			t.Errorf("%s: %d before %v, %d then", subject, early, every, due)
		}
	}
	wait(time.Second)
	r.Receive(message.Draw{Width: 80, Height: 60, Scale: 1, Look: message.Look{Palette: "dusk"}, Camera: message.Camera{Zoom: 8}, Cell: -1, Selected: -1})
	host.forget()
	wait(40 * time.Millisecond)
	early := count["pictures"]()
	wait(40 * time.Millisecond)
	if due := count["pictures"](); early != 0 || due != 1 {
		t.Errorf("%d pictures after 40 ms, %d after 80 ms", early, due)
	}

	// One that took 50 ms is followed by the next 150 ms after its end.
	host.posted = func(m message.Message) {
		if _, is := m.(message.Picture); is {
			host.at += 50 * time.Millisecond
		}
	}
	wait(time.Second)
	host.forget()
	for range 3 {
		wait(40 * time.Millisecond)
	}
	early = count["pictures"]()
	wait(40 * time.Millisecond)
	if due := count["pictures"](); early != 0 || due != 1 {
		t.Errorf("of slow pictures %d come after 120 ms, %d after 160 ms", early, due)
	}
}

// TestToldOnce: while nothing new is sampled, samples are not told again, and nothing is told
// of lines if there are none.
func TestToldOnce(t *testing.T) {
	host, r := opened(t, calm, run.First())
	r.Receive(message.Seek{At: unit.Hour})
	for range 200 {
		r.Slice()
	}
	host.forget()
	r.Receive(message.Speed{Speed: 1})
	r.Receive(message.Play{})
	for range 50 {
		r.Slice()
		host.at += 50 * time.Millisecond
		r.Receive(message.Frame{})
	}
	statuses, _ := heard[message.NewStatus](host)
	columns, _ := heard[message.Columns](host)
	if len(statuses) < 5 || len(columns) > 0 {
		t.Errorf("%d figures, samples %d times", len(statuses), len(columns))
	}
	lines, _ := heard[remote.Lines](host)
	for _, l := range lines {
		if len(l.Lines) == 0 {
			t.Error("no lines are told")
		}
	}
}

// TestSeekThatIsReplaced: the status says whether a seek is under way, whatever became of the one
// whose progress was told last.
func TestSeekThatIsReplaced(t *testing.T) {
	host, r := opened(t, `{"v":1,"system":"central","until":"6h","workload":{"preset":"google2011","scale":0.02},"cluster":{"nodes":60}}`, run.First())
	host.forget()
	host.look = 300 * time.Millisecond // slices end after a look, and each is due to be told
	r.Receive(message.Seek{At: 5 * unit.Hour})
	for range 5 {
		r.Slice()
	}
	if told, _ := heard[message.Progress](host); len(told) == 0 {
		t.Error("no progress is told")
	}
	statuses, _ := heard[message.NewStatus](host)
	if len(statuses) == 0 || !statuses[len(statuses)-1].Status.Seeking {
		t.Error("on the way no status says that a seek is under way")
	}
	host.forget()
	r.Receive(message.Seek{At: 1})
	for range 200 {
		r.Slice()
	}
	statuses, _ = heard[message.NewStatus](host)
	for _, s := range statuses {
		if s.Status.At != 1 && !s.Status.Seeking {
			t.Errorf("on the way back a status at %v says that no seek is under way", s.Status.At)
		}
	}
	if last := statuses[len(statuses)-1].Status; last.At != 1 || last.Seeking {
		t.Errorf("after a second seek the run stands at %v, seeking %v", last.At, last.Seeking)
	}
}

// TestCountsOfNodes: how many nodes are idle and overloaded is the share of those that are up.
func TestCountsOfNodes(t *testing.T) {
	host, r := opened(t, `{"v":1,"system":"central","until":"6h","workload":{"preset":"google2011","scale":0.02},"cluster":{"nodes":60}}`, run.First())
	r.Receive(message.Seek{At: unit.Hour})
	for range 200 {
		r.Slice()
	}
	statuses, _ := heard[message.NewStatus](host)
	columns, _ := heard[message.Columns](host)
	counts, last := statuses[len(statuses)-1].Status.Counts, columns[len(columns)-1].Columns
	for count, id := range map[string]string{"idle": "idle_pct", "overloaded": "overloaded_pct"} {
		i := slices.IndexFunc(last, func(c message.Column) bool { return c.ID == id })
		share := last[i].Values[len(last[i].Values)-1]
		if whole := share * 60 / 100; counts[count] < whole-0.5 || counts[count] > whole+0.5 {
			t.Errorf("%v nodes are %s, %v %% of 60", counts[count], count, share)
		}
	}
	if counts["idle"] == 0 {
		t.Error("no node is idle: this test cannot tell")
	}
}

// TestMigratedMegabytes: what was moved is the sum of what samples tell a minute.
func TestMigratedMegabytes(t *testing.T) {
	host, r := opened(t, `{"v":1,"system":"negotiation","cluster":{"nodes":100},"seed":3,"until":"12h","workload":{"preset":"google2011","scale":1.3}}`, run.First())
	r.Receive(message.Seek{At: 6 * unit.Hour})
	for range 1000 {
		r.Slice()
	}
	statuses, _ := heard[message.NewStatus](host)
	parts, _ := heard[message.Columns](host)
	last, sum, before := statuses[len(statuses)-1].Status, 0.0, unit.Time(0)
	for _, part := range parts {
		i := slices.IndexFunc(part.Columns, func(c message.Column) bool { return c.ID == "migration_mb" })
		for k, at := range part.At {
			sum += part.Columns[i].Values[k] * (at - before).Seconds() / 60
			before = at
		}
	}
	if got := last.Counts["migrated_mb"]; before != last.At || got == 0 || math.Abs(got-sum) > 1e-6*sum {
		t.Errorf("%v MB were moved by %v, %v by samples up to %v", got, last.At, sum, before)
	}
}

// TestCardsAreTheirOwn: nodes 0 to the last can be looked at and no other; tasks that are
// held stay those of their node; who looks away sees what was drawn before.
func TestCardsAreTheirOwn(t *testing.T) {
	host, r := opened(t, calm, run.First())
	draw := func() []byte {
		host.forget()
		r.Receive(message.Draw{Width: 300, Height: 200, Scale: 1, Look: message.Look{Palette: "dusk"}, Camera: message.Camera{Zoom: 240}, Cell: -1, Selected: -1})
		pictures, _ := heard[message.Picture](host)
		return bytes.Clone(pictures[0].Buffer.Bytes)
	}
	plain := draw()
	if len(plain) != 4*300*200 || bytes.Equal(plain, bytes.Repeat(plain[:4], 300*200)) {
		t.Fatal("the first picture shows nothing")
	}
	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{0, 59, 60, -1}})
	cards := host.latest().Cards
	if len(cards) != 2 || cards[0].Node != 0 || cards[1].Node != 59 || len(cards[0].Tasks) == 0 || len(cards[1].Tasks) == 0 {
		t.Fatalf("cards %+v", cards)
	}
	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{0, 59}, Hold: true})
	for i, c := range host.latest().Cards {
		if len(c.Tasks) != len(cards[i].Tasks) || c.Tasks[0].ID != cards[i].Tasks[0].ID {
			t.Errorf("node %d has the tasks %+v, and had %+v", c.Node, c.Tasks, cards[i].Tasks)
		}
	}
	if bytes.Equal(draw(), plain) {
		t.Error("cards are not drawn")
	}
	r.Receive(message.NearbyNodes{})
	if !bytes.Equal(draw(), plain) {
		t.Error("cards are drawn though nobody is near")
	}
}

// asked is a reader of files that notes whether it is to find the end, and reads nothing.
type asked struct {
	play.Files
	hasEnd []bool
}

func (a *asked) Look(_ *scenario.Scenario, _ []trace.File, hasEnd bool, _ func(trace.Progress) error) ([]message.FileSummary, error) {
	a.hasEnd = append(a.hasEnd, hasEnd)
	return nil, errors.New("nothing is read")
}

// TestWhoSaysTheEnd: a scenario that was made for files says when they end if it says when it
// ends; one that files are dropped on does not.
func TestWhoSaysTheEnd(t *testing.T) {
	for _, c := range []struct {
		document string
		hasEnd   bool
	}{
		{`{"v":1,"system":"central","until":"6h","workload":{"trace":[{"name":"a.csv","format":"swf"}]},"cluster":{"nodes":60}}`, true},
		{`{"v":1,"system":"central","workload":{"trace":[{"name":"a.csv","format":"swf"}]},"cluster":{"nodes":60}}`, false},
		{calm, false},
	} {
		host, reader := &page{}, &asked{}
		r := remote.New(host, run.First(), reader)
		r.Receive(message.Open{Scenario: json.RawMessage(c.document), Files: []message.File{{Name: "a.csv"}}})
		for range 10 {
			r.Slice()
		}
		if !slices.Equal(reader.hasEnd, []bool{c.hasEnd}) {
			t.Errorf("%s: asked %v; told %+v", c.document, reader.hasEnd, host.told[1:])
		}
		if !slices.Equal(host.reserved, []int{60 * 20 << 10}) {
			t.Errorf("%v bytes are reserved for 60 nodes", host.reserved)
		}
	}
}

// TestAnswers: of a task that was placed the decision is told, of one that there is none of a
// sentence.
func TestAnswers(t *testing.T) {
	host, r := opened(t, calm, run.First())
	r.Receive(message.NearbyNodes{Nodes: []unit.NodeID{0}})
	placed := host.latest().Cards[0].Tasks[0].ID
	for task, known := range map[string]bool{placed: true, "999999999": false} {
		host.forget()
		r.Receive(message.Explain{Task: task})
		for range 2000 {
			r.Slice()
		}
		answers, _ := heard[remote.Decision](host)
		if len(answers) == 0 {
			t.Fatalf("nothing is answered about task %s", task)
		}
		last := answers[len(answers)-1]
		if last.Task != task || (last.Decision != nil) != known || (last.Reason == "") != known || last.Of != 0 {
			t.Errorf("task %s, known: %v; answered is %+v", task, known, last)
		}
	}
}
