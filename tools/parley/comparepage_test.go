package main_test

import (
	"encoding/json"
	flags "flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"parley/core/message"
	"parley/core/play/remote"
	"parley/core/run/full"
)

// comparedOnPage is the file that site/test/unit/compared.test.ts reads.
const comparedOnPage = "../../site/test/unit/compared.txt"

// TestPageComparesTheSame checks that the page's worker ends the same runs with the same
// reports as compare --json, and estimates the same figures of them. It keeps the reports and
// what the worker was asked: a test of the page asks the same. -rewrite writes the file.
func TestPageComparesTheSame(t *testing.T) {
	stdout, stderr, code := shell(t, t.TempDir())("parley compare '#s=central-best-fit&n=60&x.policy=best-fit' '#s=central-best-fit&n=60&x.policy=worst-fit' --until 5m --seeds 3 --json")
	if code != 0 {
		t.Fatal(stderr)
	}
	var c struct {
		Seeds     []uint64 `json:"seeds"`
		Scenarios []struct {
			Scenario map[string]any `json:"scenario"`
			Digests  []string       `json:"digests"`
		} `json:"scenarios"`
		Metrics []struct {
			ID     string          `json:"id"`
			Values []*comparedMean `json:"values"`
			Deltas []*comparedMean `json:"deltas"`
		} `json:"metrics"`
	}
	if err := json.Unmarshal([]byte(stdout), &c); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	line := func(kind string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", kind, text)
	}
	told := make([][]map[string]any, len(c.Scenarios)) // figures by system and seed
	for i, s := range c.Scenarios {
		for k, seed := range c.Seeds {
			s.Scenario["seed"] = seed
			text, err := json.Marshal(s.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			var r struct {
				Digest  string             `json:"digest"`
				Metrics map[string]float64 `json:"metrics"`
				System  map[string]any     `json:"system"`
			}
			if err := json.Unmarshal(reported(t, text), &r); err != nil {
				t.Fatal(err)
			}
			if r.Digest != s.Digests[k] {
				t.Errorf("scenario %d, seed %d: the page's worker has the digest %s, compare %s", i, seed, r.Digest, s.Digests[k])
			}
			own := maps.Clone(r.System)
			for id, value := range r.Metrics {
				own[id] = value
			}
			told[i] = append(told[i], own)
			line("run", map[string]any{"system": i, "seed": seed, "digest": r.Digest, "metrics": r.Metrics, "own": r.System})
		}
	}
	for _, m := range c.Metrics {
		requested := make([]message.Sample, len(told))
		for i, seeds := range told {
			for k, figures := range seeds {
				if x, is := figures[m.ID].(float64); is {
					requested[i].Seeds, requested[i].Values = append(requested[i].Seeds, k), append(requested[i].Values, x)
				}
			}
		}
		line("asked", map[string]any{"id": m.ID, "systems": requested})
		got := estimated(t, requested)
		for i, want := range m.Values {
			want.check(t, m.ID, got.Values[i])
		}
		for i, want := range m.Deltas {
			want.check(t, m.ID+", difference", got.Differences[i+1])
		}
	}
	if flags.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(comparedOnPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(comparedOnPage); err != nil || string(kept) != b.String() {
		t.Errorf("%s is not what compare and the worker report now (%v): write it anew with -rewrite, and see the page's test", comparedOnPage, err)
	}
}

// comparedMean is a figure as compare --json has it; nil if not all seeds have it.
type comparedMean struct {
	Mean   float64  `json:"mean"`
	Spread float64  `json:"spread"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
}

func (want *comparedMean) check(t *testing.T, subject string, got message.Estimate) {
	t.Helper()
	if want == nil {
		return
	}
	same := func(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
	if got.N != 3 || got.Mean != want.Mean || got.SD != want.Spread || !same(got.Low, want.Low) || !same(got.High, want.High) {
		t.Errorf("%s: the page's worker estimates %+v, compare reports %+v", subject, got, *want)
	}
}

// estimated returns what the page's worker answers of one figure.
func estimated(t *testing.T, systems []message.Sample) message.ComparedFigure {
	t.Helper()
	w := &listening{}
	remote.New(w, full.Systems(), nil).Receive(message.Compare{Figures: [][]message.Sample{systems}})
	if len(w.compared.Figures) != 1 {
		t.Fatalf("the worker answers %+v", w.compared)
	}
	return w.compared.Figures[0]
}

// listening is a page that keeps the latest answer to Compare.
type listening struct {
	worker
	compared message.Compared
}

func (w *listening) Post(m message.Message) {
	if answer, is := m.(message.Compared); is {
		w.compared = answer
	}
}
