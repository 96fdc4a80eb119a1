package main_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/core/study/evidence"
)

// TestPaperAnswers: the commands about papers in README, manual and help print the figures that they
// are there to show.
func TestPaperAnswers(t *testing.T) {
	run := shell(t, t.TempDir())
	for _, c := range []struct {
		command string
		slow    bool
		wants   []string
	}{
		{"parley paper", false, []string{"yield/migration", "Where UMR2 < UMR holds, where it fails, and why (section 2.4, lemmas 2.1 to 2.3)"}},
		{"parley paper yield/migration", true, []string{
			"example without migration 83.3 83.3 % holds", "example time-shared, least yield 87.5 87.5 % holds",
			"Of 3 claims 3 hold, 0 do not, 0 are open.", "of the example of section 2.3 itself, where nothing is drawn",
		}},
		{"parley paper rounds/lemmas --seeds 1", false, []string{"Of 30 claims 0 hold, 0 do not, 30 are open.", "open: 1 seed ", "one seed decides nothing"}},
		{"parley paper rounds/lemmas --seeds 2", true, []string{"Of 30 claims 0 hold, 22 do not, 8 are open.", "open: 2 seeds "}},
		{"parley paper market/units --seeds 1", true, []string{"Of 3 claims 0 hold, 0 do not, 3 are open."}},
		{"parley paper negotiation/rus --nodes 300 --seeds 1", true, []string{"no verdict: cells of 300 nodes were played, not of 12583", "threshold 10 %, mean"}},
	} {
		if c.slow && testing.Short() {
			continue
		}
		out, complaints, code := run(c.command)
		if code != 0 {
			t.Errorf("%s exits with %d: %s", c.command, code, complaints)
		}
		for _, want := range c.wants {
			if !strings.Contains(squeezed(out), want) {
				t.Errorf("%s does not print %q:\n%s", c.command, want, out)
			}
		}
	}
}

// squeezed returns a text with one space between its words, whatever columns they stand in.
func squeezed(text string) string { return " " + strings.Join(strings.Fields(text), " ") + " " }

// TestPaperRuleAnswers: what the rule is worth stands in the command's table, with single seeds,
// with shares and with seeds that do not differ; it is what the simulation gives.
func TestPaperRuleAnswers(t *testing.T) {
	run := shell(t, t.TempDir())
	out, _, code := run("parley paper --rule")
	if code != 0 {
		t.Fatal(code)
	}
	for _, want := range []string{
		"truth seeds holds does not open wrong", "One seed decides nothing, unless the claim is about that very instance.",
		"a share of 20 trials a seed; the claim is at least 90 %:", "0, and 20 in one run of ten where the truth is 2; the claim is 0 ± 1:",
		" 100 1 0.0 0.0 100.0 0.0 100 2 100.0 0.0 0.0 0.0 ",
	} {
		if !strings.Contains(squeezed(out), want) {
			t.Errorf("it does not print %q:\n%s", want, out)
		}
	}
	lines := 0
	for _, s := range evidence.Simulate() {
		if strings.Contains(squeezed(out), fmt.Sprintf(" %v %d %.1f %.1f %.1f %.1f ", s.Truth, s.Seeds, s.Holds, s.Fails, s.Open, s.Wrong)) {
			lines++
		}
	}
	if lines != len(evidence.Simulate()) {
		t.Errorf("%d of %d lines are those of the simulation", lines, len(evidence.Simulate()))
	}
	var all []evidence.Simulated
	asJSON, _, _ := run("parley paper --rule --json")
	if err := json.Unmarshal([]byte(asJSON), &all); err != nil || len(all) != len(evidence.Simulate()) || all[0].Case == "" {
		t.Errorf("%d lines as JSON (%v)", len(all), err)
	}
}
