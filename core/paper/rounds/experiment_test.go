package rounds_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"parley/core/paper/rounds"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/testkit/studytest"
)

// row is one compared quantity.
type row = evidence.Row

// judged plays a document of this folder with some functions and returns its rows by name.
func judged(t *testing.T, id string, seeds int, functions study.Functions) map[string]row {
	t.Helper()
	return studytest.ByName(t, studytest.Judge(t, id+".json", seeds, functions))
}

// sheet plays an experiment and returns its rows by name.
func sheet(t *testing.T, id string, seeds int) map[string]row {
	t.Helper()
	rows := judged(t, id, seeds, rounds.Functions())
	for _, r := range rows {
		if math.IsNaN(r.Measured) || math.IsInf(r.Measured, 0) || r.Unit == "" {
			t.Errorf("row %+v", r)
		}
		if r.Holds != nil && !*r.Holds && r.Note == "" {
			t.Errorf("%s does not hold, and no note says why", r.Name)
		}
	}
	return rows
}

// at returns a row that must exist.
func at(t *testing.T, rows map[string]row, format string, args ...any) row {
	t.Helper()
	name := fmt.Sprintf(format, args...)
	r, found := rows[name]
	if !found {
		t.Fatalf("no row %q", name)
	}
	return r
}

func near(t *testing.T, r row, want, distance float64) {
	t.Helper()
	if math.Abs(r.Measured-want) > distance {
		t.Errorf("%s: %v, want %v ± %v", r.Name, r.Measured, want, distance)
	}
}

func holds(t *testing.T, r row, want bool) {
	t.Helper()
	if r.Holds == nil || *r.Holds != want {
		t.Errorf("%s: %v, judged %v, want %v", r.Name, r.Measured, r.Holds, want)
	}
}

// points holds a difference to its sign: two seeds leave most such claims open, and none
// says the contrary.
func points(t *testing.T, r row, above bool) {
	t.Helper()
	if r.Measured > 0 != above || r.Holds != nil && *r.Holds != above {
		t.Errorf("%s: %v, judged %v", r.Name, r.Measured, r.Holds)
	}
}

// TestTable2: what an independent program measured on 20 other platforms of
// table 1: simulated makespan over the exact prediction and the deviation of
// each closed form. None of the paper's cells comes out.
func TestTable2(t *testing.T) {
	rows := sheet(t, "table2", 20)
	for _, c := range []struct{ latency, d1, d2, d3, exact, umr, umr2 float64 }{
		{1, 10.8, 26.2, 26.0, 0, 597, 591},
		{0.1, 6.1, 12.1, 11.9, 0.6, 453.6, 453},
		{0.01, 3.3, 5.3, 4.9, 1.25, 412.7, 415},
		{0.001, 3.0, 3.6, 2.5, 1.9, 401.1, 406},
	} {
		near(t, at(t, rows, "latency %v: D1, theta=1 (2.13)", c.latency), c.d1, 0.4)
		near(t, at(t, rows, "latency %v: D2, theta>1 (2.14)", c.latency), c.d2, 0.4)
		near(t, at(t, rows, "latency %v: D3, theta<1 (2.15)", c.latency), c.d3, 0.4)
		near(t, at(t, rows, "latency %v: exact F (2.12)", c.latency), c.exact, 0.2)
		near(t, at(t, rows, "latency %v: makespan of umr", c.latency), c.umr, 0.03*c.umr)
		near(t, at(t, rows, "latency %v: makespan of umr2", c.latency), c.umr2, 0.03*c.umr2)
		for _, form := range []string{"D1, theta=1 (2.13)", "D2, theta>1 (2.14)", "D3, theta<1 (2.15)"} {
			holds(t, at(t, rows, "latency %v: %s", c.latency, form), false)
		}
	}
	for _, step := range []string{"D1: falls from latency 1 to 0.1", "D2: falls from latency 0.01 to 0.001", "latency 0.001: D1 below D3"} {
		r := at(t, rows, "%s", step)
		holds(t, r, r.Measured > 0)
	}
	holds(t, at(t, rows, "latency 1: D2 below D1"), false)
	near(t, at(t, rows, "D2 of load 1e9, latency 1 minus D2 of load 1e6, latency 0.001"), 0, 1e-6)
}

// TestCompare: under the strict selection UMR2 ranks before UMR at every
// latency, as the paper says; under the loose one only at the largest. LP wins
// where latencies are small. The metrics are those an independent program
// measured.
func TestCompare(t *testing.T) {
	rows := sheet(t, "compare", 2)
	for _, latency := range []float64{1, 0.3, 0.1, 0.03, 0.01, 0.001, 0} {
		points(t, at(t, rows, "strict, B/S > n (2.7), latency %v: umr2 ranks before umr by", latency), true)
		points(t, at(t, rows, "loose, sum S/B < 1, latency %v: umr2 ranks before umr by", latency), latency == 1)
		points(t, at(t, rows, "strict, B/S > n (2.7), latency %v: umr2 ranks before lp by", latency), latency >= 0.1)
		if r := at(t, rows, "loose, sum S/B < 1, latency %v: best saves over the best of the three", latency); !(r.Measured > 0) {
			t.Errorf("%s: %v", r.Name, r.Measured)
		}
	}
	for _, c := range []struct {
		reading             string
		latency             float64
		umr2, umr, lp, rank float64 // normalised makespans, rank of umr2
	}{
		{"strict, B/S > n (2.7)", 1, 1.002, 1.088, 1.518, 0.10},
		{"strict, B/S > n (2.7)", 0.1, 1.019, 1.182, 1.014, 0.50},
		{"strict, B/S > n (2.7)", 0.01, 1.027, 1.231, 1.002, 0.78},
		{"strict, B/S > n (2.7)", 0.001, 1.027, 1.241, 1.004, 0.72},
		{"loose, sum S/B < 1", 1, 1.006, 1.010, 1.518, 0.29},
		{"loose, sum S/B < 1", 0.1, 1.022, 1.012, 1.016, 1.05},
	} {
		of := func(metric string) row {
			return at(t, rows, "%s, latency %v: %s", c.reading, c.latency, metric)
		}
		near(t, of("umr2 normalised makespan"), c.umr2, 0.01)
		near(t, of("umr normalised makespan"), c.umr, 0.02)
		near(t, of("lp normalised makespan"), c.lp, 0.03)
		near(t, of("umr2 rank"), c.rank, 0.3)
	}
}

// TestFewerSeedsHoldNoMore: what the lemmas claim of every platform holds with no number of
// seeds; a single one refutes nothing either, and with more of them more is refuted.
func TestFewerSeedsHoldNoMore(t *testing.T) {
	limit := 5
	if testing.Short() {
		limit = 3
	}
	played := map[string]map[string]float64{} // each call is made once
	f := func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
		key := fmt.Sprint(seed, string(arguments))
		if played[key] == nil {
			figures, err := rounds.Functions()["rounds/lemmas"](seed, arguments)
			if err != nil {
				return nil, err
			}
			played[key] = figures
		}
		return played[key], nil
	}
	refuted := 0
	for _, seeds := range []int{1, 2, 3, 5} {
		if seeds > limit {
			break
		}
		held, not, open := 0, 0, 0
		for _, r := range judged(t, "lemmas", seeds, study.Functions{"rounds/lemmas": f}) {
			switch {
			case r.Rule == "":
			case r.Holds == nil && r.Verdict() == fmt.Sprintf("open: %d seeds", seeds) || r.Verdict() == "open: 1 seed":
				open++
			case r.Holds != nil && !*r.Holds:
				not++
			default:
				held++
			}
		}
		if held != 0 || held+not+open != 30 || seeds == 1 && not != 0 || seeds > 1 && not < 20 || not < refuted {
			t.Errorf("%d seeds: %d hold, %d do not, %d are open", seeds, held, not, open)
		}
		refuted = not
	}
}

// TestLemmas: nothing refutes 2.1; 2.2 compares with a time no schedule reaches; 2.3
// depends on the reading and the latency, with the numbers of an independent
// program on 100 platforms.
func TestLemmas(t *testing.T) {
	rows := sheet(t, "lemmas", 3)
	if r := at(t, rows, "lemma 2.1: platforms where no set has a smaller m2 than {W_0}"); r.Measured != 100 || !r.Open() {
		t.Errorf("%+v", r)
	}
	holds(t, at(t, rows, "lemma 2.2: platforms where its makespan is below load/ΣS"), false)
	near(t, at(t, rows, "lemma 2.2: platforms where its makespan is below load/ΣS"), 100, 0)
	for _, c := range []struct{ latency, loose, same, strict float64 }{
		{1, -0.34, -0.57, -7.6}, {0.1, 0.95, 0, -13.5}, {0.01, 1.54, 0.6, -16.4}, {0.001, 1.96, 1.4, -17.1}, {0, 2.29, 1.77, -17.1},
	} {
		near(t, at(t, rows, "latency %v: umr2 takes longer than umr by", c.latency), c.loose, 1)
		near(t, at(t, rows, "latency %v: umr2 takes longer than umr on the same workers by", c.latency), c.same, 0.4)
		near(t, at(t, rows, "latency %v: umr2 takes longer than umr-strict by", c.latency), c.strict, 1.5)
		near(t, at(t, rows, "latency %v: umr2 with W_n of the largest B/(B+S) takes longer than (2.12) by", c.latency), 0, 1e-6)
		if r := at(t, rows, "latency %v: umr2 takes longer than umr, W_n with the largest B/(B+S) by", c.latency); !(r.Measured > 0.5) {
			t.Errorf("%s: %v", r.Name, r.Measured)
		}
		if r := at(t, rows, "lemma 2.3, latency %v: platforms where umr2 beats umr-strict", c.latency); r.Measured < 95 {
			t.Errorf("%s: %v", r.Name, r.Measured)
		}
		holds(t, at(t, rows, "lemma 2.3, latency %v: platforms where umr2 beats umr", c.latency), false)
	}
}

// TestAdapt: with exact speeds plans are ahead of methods that adapt; with
// estimates wrong by half, factoring is ahead of every plan. A plan of many
// rounds stands noise well, for it averages out.
func TestAdapt(t *testing.T) {
	rows := sheet(t, "adapt", 1)
	value := func(subject, method string) float64 {
		return at(t, rows, "latency 0.001, %s: %s", subject, method).Measured
	}
	for _, planned := range []string{"umr", "umr2", "best"} {
		if a, b := value("speeds wrong by up to 0", planned), value("speeds wrong by up to 0", "factoring"); a >= b {
			t.Errorf("exact speeds: %s %v, factoring %v", planned, a, b)
		}
		if a, b := value("speeds wrong by up to 0.5", planned), value("speeds wrong by up to 0.5", "factoring"); a <= b {
			t.Errorf("wrong estimates: %s %v, factoring %v", planned, a, b)
		}
		if a, b := value("speeds noisy by up to 0.5", planned), value("speeds wrong by up to 0.5", planned); a >= b {
			t.Errorf("%s: noise %v, wrong estimates %v", planned, a, b)
		}
	}
	for _, method := range []string{"umr", "umr2", "best", "factoring", "guided"} {
		if a, b := value("a fifth of the workers fails at half time and returns after a tenth of it", method), value("speeds wrong by up to 0", method); a <= b {
			t.Errorf("%s: %v with failures, %v without", method, a, b)
		}
	}
}
