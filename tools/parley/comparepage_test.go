package main_test

import (
	"encoding/json"
	flags "flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// comparedOnPage is the file that site/test/unit/compared.test.ts reads.
const comparedOnPage = "../../site/test/unit/compared.txt"

// TestPageComparesTheSame keeps what compare --json reports beside the reports with which the
// page's worker ends the same runs. A test of the page computes the one from the other.
// -rewrite writes the file.
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
		Metrics []json.RawMessage `json:"metrics"`
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
			line("run", map[string]any{"system": i, "seed": seed, "digest": r.Digest, "metrics": r.Metrics, "own": r.System})
		}
	}
	for _, m := range c.Metrics {
		line("figure", m)
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
