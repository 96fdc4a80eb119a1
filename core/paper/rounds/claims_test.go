package rounds_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"parley/core/paper/rounds"
	"parley/core/study"
)

// paper2 is table 2 as printed: D1, D2 and D3 by latency.
var paper2 = map[float64][3]float64{1: {3.15, 2.42, 3.34}, 0.1: {2.23, 1.75, 2.27}, 0.01: {1.51, 0.92, 1.94}, 0.001: {0.82, 0.51, 1.25}}

// cell2 is a cell as printed; 100 rounds.
func cell2(latency float64, name string) float64 {
	switch name[:2] {
	case "D1", "D2", "D3":
		return paper2[latency][name[1]-'1']
	}
	return 100
}

// planted judges a document whose function gives these figures with many seeds.
func planted(t *testing.T, id string, figures func(arguments map[string]any) map[string]float64) map[string]row {
	t.Helper()
	f := func(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
		var with map[string]any
		err := json.Unmarshal(arguments, &with)
		return figures(with), err
	}
	return judged(t, id, 120, study.Functions{"rounds/forms": f, "rounds/compare": f})
}

// table2 judges a table 2 whose cells have the values that of returns.
func table2(t *testing.T, of func(latency float64, name string) float64) map[string]row {
	t.Helper()
	return planted(t, "table2", func(with map[string]any) map[string]float64 {
		all := map[string]float64{"exact": 0, "makespan of umr2": 1, "makespan of umr": 1}
		for _, name := range []string{"D1", "D2", "D3", "rounds"} {
			all[name] = of(with["latency"].(float64), name)
		}
		return all
	})
}

// TestPaperWouldHold: with the numbers the paper prints every claim about its
// table 2 holds.
func TestPaperWouldHold(t *testing.T) {
	rows := table2(t, cell2)
	for name, r := range rows {
		if r.Rule == "" {
			continue
		}
		if r.Holds == nil || !*r.Holds || r.Note != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestClaimsEnd shows on which side of its bound each claim about table 2 ends.
func TestClaimsEnd(t *testing.T) {
	const d1, d2, d3, count = "D1", "D2", "D3", "rounds"
	shown := map[string]string{d1: "D1, theta=1 (2.13)", d2: "D2, theta>1 (2.14)", d3: "D3, theta<1 (2.15)", count: "rounds of umr2"}
	for _, c := range []struct {
		latency float64
		name    string
		value   float64
		holds   bool
		broken  []string // claims about other rows that this value breaks
	}{
		{1, d2, 2.42 + 0.49, true, nil},
		{1, d2, 2.42 - 0.49, true, nil},
		{1, d2, 2.42 + 0.51, false, nil},
		{1, d2, 2.42 - 0.51, false, nil},
		{1, d2, 3.2, false, []string{"latency 1: D2 below D1"}},
		{0.1, d1, 3.2, false, []string{"D1: falls from latency 1 to 0.1", "latency 0.1: D1 below D3"}},
		{0.1, d1, 2.3, true, []string{"latency 0.1: D1 below D3"}},
		{0.1, d1, 1.74, true, []string{"latency 0.1: D2 below D1"}},
		{0.01, d3, 2.3, true, []string{"D3: falls from latency 0.1 to 0.01"}},
		{0.001, d3, 0.8, true, []string{"latency 0.001: D1 below D3"}},
		{0.001, count, 100, true, nil},
		{0.001, count, 99.5, false, nil},
	} {
		rows := table2(t, func(latency float64, name string) float64 {
			if latency == c.latency && name == c.name {
				return c.value
			}
			return cell2(latency, name)
		})
		t.Run(fmt.Sprint(c.latency, c.name, c.value), func(t *testing.T) {
			own := fmt.Sprintf("latency %v: %s", c.latency, shown[c.name])
			for name, r := range rows {
				if r.Rule == "" {
					continue
				}
				want := !slices.Contains(c.broken, name) && (name != own || c.holds)
				if holds(t, r, want); (r.Note == "") != want {
					t.Errorf("%s: note %q", name, r.Note)
				}
			}
		})
	}
}

// TestRankingEnds: umr2 ranks before another only if its mean rank is not larger.
func TestRankingEnds(t *testing.T) {
	for _, c := range []struct {
		umr2, umr, lp float64
		before        [2]bool
	}{{0, 1, 2, [2]bool{true, true}}, {1, 1, 1, [2]bool{true, true}}, {1, 0.5, 1.5, [2]bool{false, true}}} {
		rows := planted(t, "compare", func(map[string]any) map[string]float64 {
			all := map[string]float64{"best saves": 1}
			for algorithm, rank := range map[string]float64{"umr2": c.umr2, "umr": c.umr, "lp": c.lp} {
				all[algorithm+" rank"], all[algorithm+" normalised makespan"], all[algorithm+" degradation"] = rank, 1, 0
			}
			return all
		})
		for i, other := range []string{"umr", "lp"} {
			r := at(t, rows, "strict, B/S > n (2.7), latency 1: umr2 ranks before %s by", other)
			near(t, r, []float64{c.umr, c.lp}[i]-c.umr2, 0)
			holds(t, r, c.before[i])
		}
	}
}

// TestLemma21: a mean of 1/B is never below the least 1/B, on whatever platform.
func TestLemma21(t *testing.T) {
	for seed := range uint64(60) {
		if x := rounds.Lemma21(seed); x != 100 {
			t.Errorf("seed %d: %v", seed, x)
		}
	}
}
