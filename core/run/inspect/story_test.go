package inspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/system"
	"parley/core/unit"
)

// TestOrderOfNotes: the newest come first, and of one moment those that are minor and
// belong to no group last.
func TestOrderOfNotes(t *testing.T) {
	notes := inspect.NewNotes(8)
	for _, n := range []system.Note{{At: 3, Minor: true}, {At: 4, Ref: 1}, {At: 5, Minor: true}, {At: 5, Ref: 2}, {At: 6, Minor: true}, {At: 7, Minor: true, Ref: 3}} {
		notes.Add(n)
	}
	told := ""
	for n := range notes.Latest {
		told += fmt.Sprintf(" %d/%d", n.At, n.Ref)
	}
	if told != " 7/3 6/0 5/2 5/0 4/1 3/0" || notes.Seen() != 6 {
		t.Errorf("%d notes are told as%s", notes.Seen(), told)
	}
}

// TestConversations: of an auction is told what its own user said and heard, and what
// was agreed.
func TestConversations(t *testing.T) {
	r := open(t, `{"v":1,"system":"market","seed":3,"until":"2h"}`, run.KeepNotes(100_000))
	advance(t, r, unit.Hour)
	told, deals := map[uint32]bool{}, 0
	for _, line := range r.Lines(unit.NoNode, 1000) {
		if line.Ref == 0 || told[line.Ref] {
			continue
		}
		c := r.Story(line.Ref).Conversation
		if c == nil || len(c.Messages) == 0 {
			t.Fatalf("auction %d has no conversation", line.Ref)
		}
		told[line.Ref] = true
		deals += len(c.Deals)
		user := c.Messages[0].From
		for _, m := range c.Messages {
			for _, party := range []string{m.From, m.To} {
				if strings.HasPrefix(party, "user ") && party != user {
					t.Errorf("%s speaks in auction %d of %s: %+v", party, line.Ref, user, m)
				}
			}
		}
	}
	if len(told) < 5 || deals == 0 {
		t.Errorf("%d auctions, %d deals", len(told), deals)
	}
	if none := r.Story(1 << 30); none.Conversation != nil {
		t.Errorf("no auction is told as %+v", none.Conversation)
	}
}

// TestNotes keeps the latest notes, newest first.
func TestNotes(t *testing.T) {
	n := inspect.NewNotes(3)
	for i := range 5 {
		var got []uint32
		for note := range n.Latest {
			got = append(got, note.Ref)
		}
		want := []uint32{}
		for j := i - 1; j >= max(0, i-3); j-- {
			want = append(want, uint32(j))
		}
		if !slices.Equal(got, want) {
			t.Errorf("after %d notes the latest are %v, want %v", i, got, want)
		}
		n.Add(system.Note{Ref: uint32(i)})
	}
	if n.Seen() != 5 {
		t.Errorf("%d notes were seen", n.Seen())
	}
}

// TestStory: every negotiation that a line names has a log of its own, which
// begins with a question to a broker, is in the order of time, tells the steps
// that the lines leave out, and comes to the decision that is remembered.
func TestStory(t *testing.T) {
	r := open(t, troubled, run.KeepNotes(100_000))
	advance(t, r, 30*unit.Minute)
	stories, moved, decided, steps := map[uint32]bool{}, 0, 0, 0
	for _, line := range r.Lines(unit.NoNode, 1000) {
		if strings.Contains(line.Text, "answers") || strings.Contains(line.Text, "sends a new task") {
			t.Errorf("a single step is told to everybody: %+v", line)
		}
		if line.Ref == 0 || stories[line.Ref] {
			continue
		}
		stories[line.Ref] = true
		story := r.Story(line.Ref)
		if len(story.Lines) < 2 || !strings.Contains(story.Lines[0].Text, "asks broker") || !slices.IsSortedFunc(story.Lines, func(a, b inspect.Line) int { return int(a.At - b.At) }) {
			t.Fatalf("negotiation %d: %+v", line.Ref, story.Lines)
		}
		for _, other := range story.Lines[1:] {
			if strings.Contains(other.Text, "asks broker") || !slices.Contains(other.Nodes, story.Lines[0].Nodes[0]) {
				t.Errorf("another negotiation in the log of %d: %+v", line.Ref, other)
			}
		}
		steps += len(story.Lines)
		if strings.Contains(story.Lines[len(story.Lines)-1].Text, "has moved from") {
			moved++
		}
		if d := story.Decision; d != nil {
			decided++
			if d.Ref != line.Ref || d.From != story.Lines[0].Nodes[0] {
				t.Errorf("the decision of negotiation %d is %+v", line.Ref, d)
			}
		}
	}
	if len(stories) < 10 || moved == 0 || decided == 0 || steps < 5*len(stories) {
		t.Errorf("%d negotiations, %d moved, %d decided, %d steps", len(stories), moved, decided, steps)
	}
	if none := r.Story(0); len(none.Lines) > 0 || none.Decision != nil {
		t.Errorf("no negotiation is told as %+v", none)
	}
}

// TestManyPlacements: placements of new tasks push out one another, and no
// negotiation; all are told in the order of time.
func TestManyPlacements(t *testing.T) {
	n := inspect.NewNotes(8)
	for at := range unit.Time(100) {
		if at%10 == 0 {
			n.Add(system.Note{At: at, Ref: 1, Minor: true})
		}
		n.Add(system.Note{At: at, Minor: true})
	}
	var got []unit.Time
	for note := range n.Latest {
		got = append(got, note.At)
	}
	if want := []unit.Time{99, 98, 97, 90, 80, 70, 60, 50, 40, 30, 20}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestInspect tells of a node what the cluster knows, and the notes about it.
func TestInspect(t *testing.T) {
	r := open(t, troubled, run.KeepNotes(20_000))
	advance(t, r, 30*unit.Minute)
	v := r.View()
	lines := 0
	for n := range unit.NodeID(v.Nodes()) {
		report, err := r.Inspect(n)
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Tasks)+report.More != v.Count(n) || report.Up != v.Up(n) || report.Rack != v.Rack(n) {
			t.Errorf("node %d: %d tasks and %d more, it has %d", n, len(report.Tasks), report.More, v.Count(n))
		}
		if !slices.IsSortedFunc(report.Tasks, func(a, b inspect.TaskReport) int { return int(1e9 * (b.Used[unit.CPU] - a.Used[unit.CPU])) }) {
			t.Errorf("node %d: tasks are not in the order of use", n)
		}
		for r, x := range report.Used {
			if x != v.Used(n)[r].Float() {
				t.Errorf("node %d uses %v", n, report.Used)
			}
		}
		for _, line := range report.Lines {
			lines++
			if !slices.Contains(line.Nodes, n) || line.Text == "" {
				t.Errorf("node %d is told %+v", n, line)
			}
		}
	}
	if lines == 0 {
		t.Error("no node has anything to tell")
	}
	if got := len(r.Lines(unit.NoNode, 7)); got != 7 {
		t.Errorf("%d of 7 lines", got)
	}
}

// troubled is a cell that loses a rack, so that much is negotiated.
const troubled = `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":120,"physical":{"rack_size":12}},"workload":{"scale":1.1},"faults":[{"at":"2m","kind":"rack_down","target":"rack.1"},{"at":"2m","kind":"rack_down","target":"rack.2"}],"until":"40m"}`
