package inspect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/run/events"
	"parley/core/scenario"
	"parley/core/unit"
)

// TestCountedIsTheLog compares the story's groups with the event log, which counts
// every note by itself.
func TestCountedIsTheLog(t *testing.T) {
	for _, document := range []string{
		troubled,
		`{"v":1,"system":"market","seed":3,"until":"2h"}`,
		`{"v":1,"system":"rounds","seed":7,"cluster":{"nodes":20},"faults":[{"at":"20s","kind":"node_down","target":"node.3"}],"until":"10m"}`,
		`{"v":1,"system":"board","seed":1,"cluster":{"nodes":60},"faults":[{"at":"30m","kind":"node_down","target":"node.5"}],"until":"2h"}`,
		`{"v":1,"system":"yield","seed":5,"cluster":{"nodes":30},"until":"1h"}`,
	} {
		s, err := scenario.Parse([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		log, err := events.New(&out, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Open(s, nil, run.LogEvents(log), run.KeepNotes(1_000_000))
		if err != nil {
			t.Fatal(err)
		}
		advance(t, r, 40*unit.Minute)
		if err := log.Flush(); err != nil {
			t.Fatal(err)
		}
		entry, err := run.Systems().Find(s.System)
		if err != nil {
			t.Fatal(err)
		}
		kinds, err := events.NoteKindsOf(entry)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{}
		for line := range strings.Lines(out.String()) {
			var one struct {
				E     string  `json:"e"`
				Kind  string  `json:"kind"`
				Value float64 `json:"value"`
			}
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			for _, h := range entry.Story {
				if one.E == "note" && one.Kind == kinds[h.Kind].ID {
					by := 1.0
					if h.Sum {
						by = one.Value
					}
					want[h.Many] += by
				}
			}
		}
		got := map[string]float64{}
		groups := r.Counted(1000)
		for i, g := range groups {
			if g.Since > g.At || g.Truncated || len(g.Lines) == 0 || g.Lines[0].At != g.At || i > 0 && g.At > groups[i-1].At {
				t.Errorf("%s: group %d is %+v", s.System, i, g)
			}
			for _, h := range entry.Story {
				if h.Kind == g.Kind {
					got[h.Many] += g.Count
				}
			}
		}
		if len(want) == 0 {
			t.Errorf("%s: the log has no notes: %.300s", s.System, out.String())
		}
		for words, n := range want {
			if d := got[words] - n; d > 1e-6*n || -d > 1e-6*n {
				t.Errorf("%s: the story has %v %s, the log %v", s.System, got[words], words, n)
			}
		}
	}
}

// TestCountedForgets: a group whose beginning may be forgotten says so, and few groups
// are returned.
func TestCountedForgets(t *testing.T) {
	r := open(t, troubled, run.KeepNotes(50))
	advance(t, r, 3*unit.Minute)
	groups := r.Counted(2)
	if len(groups) != 2 || !groups[0].Truncated {
		t.Errorf("of 50 notes the groups are %+v", groups)
	}
}
