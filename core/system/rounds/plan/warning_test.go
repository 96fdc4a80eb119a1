package plan_test

import (
	"regexp"
	"strconv"
	"testing"

	"parley/core/system/rounds/plan"
)

var told = regexp.MustCompile(`^(\S+) takes \S+ s here, (\S+) times as long as (\S+) \(\S+ s\)(: its rule lets worker \d+ close every round, [^;]+)?; choose (\S+) or best$`)

// A plan has a warning just where one of the other algorithms takes less than
// half of its time, and the warning names the fastest of them and by how much.
func TestWarning(t *testing.T) {
	warned := map[string]int{}
	worst := 0.0
	for seed := range uint64(200) {
		p, load := wild(seed)
		if seed%4 == 0 {
			p, load = table1(seed, 20, 0.1), 1e6
		}
		plans := map[string]plan.Result{}
		for _, algorithm := range plan.Algorithms() {
			if r, err := plan.Plan(p, load, algorithm, plan.Options{}); err == nil {
				plans[algorithm] = r
			}
		}
		for algorithm, r := range plans {
			fastest := r
			for _, other := range []string{"one-round", "lp", "umr", "mi", "umr2"} {
				if o, is := plans[other]; is && o.Makespan < fastest.Makespan {
					fastest = o
				}
			}
			text := r.Warning
			if slow := r.Makespan > 2*fastest.Makespan; slow != (text != "") {
				t.Errorf("seed %d: %s takes %v s, %s %v s, and the warning is %q", seed, algorithm, r.Makespan, fastest.Algorithm, fastest.Makespan, text)
			}
			if text == "" {
				continue
			}
			warned[algorithm]++
			m := told.FindStringSubmatch(text)
			if m == nil || m[1] != algorithm || m[3] != fastest.Algorithm || m[5] != fastest.Algorithm || (m[4] != "") != (algorithm == "umr2") {
				t.Errorf("seed %d: %q, where %s is fastest", seed, text, fastest.Algorithm)
				continue
			}
			if times, err := strconv.ParseFloat(m[2], 64); err != nil || times < .99*r.Makespan/fastest.Makespan || times > 1.01*r.Makespan/fastest.Makespan {
				t.Errorf("seed %d: %q, %v times", seed, text, r.Makespan/fastest.Makespan)
			} else if algorithm == "umr2" {
				worst = max(worst, times)
			}
		}
	}
	if t.Logf("warned %v; umr2 at its worst %.3g times the fastest", warned, worst); warned["umr2"] == 0 || warned["best"] > 0 {
		t.Errorf("warnings: %v", warned)
	}
}
