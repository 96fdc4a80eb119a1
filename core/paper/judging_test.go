package paper_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/metric"
	"parley/core/paper"
	"parley/core/study/evidence"
	"parley/core/unit"
)

// strain is a run of which so many percent of the nodes are overloaded and so many of the
// tasks wait.
func strain(overloaded, waiting float64) paper.Run {
	return paper.Run{Mean: mean(map[int]float64{metric.Overloaded: overloaded, metric.Waiting: waiting, metric.Running: 100 - waiting}), Arrived: 100, Minutes: 1}
}

// TestMayFit: a trial ends where the nodes that were overloaded are too many for any end:
// half a percent in the mean of all its samples, those to come included.
func TestMayFit(t *testing.T) {
	for _, c := range []struct {
		samples    int
		overloaded []float64
		want       bool
	}{
		{4, nil, true},
		{4, []float64{0.5, 0.5, 0.5, 0.5}, true},
		{4, []float64{2}, true}, // and none from then on
		{4, []float64{2.25}, false},
		{4, []float64{0, 2, 0}, true},
		{4, []float64{0, 2, 0.25}, false},
		{8, []float64{0, 2, 0.25}, true},
		{0, []float64{0}, true},
		{0, []float64{0.25}, false},
	} {
		if got := paper.MayFit(c.samples, c.overloaded...); got != c.want {
			t.Errorf("%v of %d samples: %v, want %v", c.overloaded, c.samples, got, c.want)
		}
	}
}

// TestHardest: under each rule the hardest load is found, no load is played twice, and
// where none fits it is one below the lowest.
func TestHardest(t *testing.T) {
	for _, c := range []struct {
		load, wait float64 // the hardest that overload no node, and that keep nobody waiting
		want       []float64
	}{
		{130, 110, []float64{130, 110, 110}},
		{110, 130, []float64{110, 110, 110}},
		{200, 200, []float64{200, 200, 200}},
		{80, 59, []float64{80, 59, 59}},
		{59, 180, []float64{59, 59, 59}},
		{60, 60, []float64{60, 60, 60}},
	} {
		played := map[float64]bool{}
		got, err := paper.Hardest(100, 60, 200, func(hardness float64) (paper.Run, error) {
			if played[hardness] || hardness < 60 || hardness > 200 {
				t.Errorf("%+v: plays %v", c, hardness)
			}
			played[hardness] = true
			overloaded, waiting := 0., 0.
			if hardness > c.load {
				overloaded = 1
			}
			if hardness > c.wait {
				waiting = 1
			}
			return strain(overloaded, waiting), nil
		})
		if err != nil || !slices.Equal(got, c.want) || !played[100] {
			t.Errorf("%+v: %v (%v)", c, got, err)
		}
	}
	if _, err := paper.Hardest(100, 60, 200, func(float64) (paper.Run, error) { return paper.Run{}, errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("an error of a run became %v", err)
	}
}

// TestLargestBy: the run at 100 % is not played again, and both rules have their limit.
func TestLargestBy(t *testing.T) {
	for _, c := range []struct{ load, wait float64 }{{140, 90}, {90, 80}, {100, 100}, {180, 59}} {
		run := func(percent float64) (paper.Run, error) {
			r := strain(0, 0)
			if percent > c.load {
				r = strain(1, 0)
			} else if percent > c.wait {
				r = strain(0, 1)
			}
			return r, nil
		}
		whole, _ := run(100)
		got, err := paper.LargestBy(whole, func(percent float64) (paper.Run, error) {
			if percent == 100 {
				t.Error("100 % is played again")
			}
			return run(percent)
		})
		if err != nil || got != [2]float64{c.load, min(c.load, c.wait)} {
			t.Errorf("%+v: %v (%v)", c, got, err)
		}
	}
	if _, err := paper.LargestBy(strain(0, 0), func(float64) (paper.Run, error) { return paper.Run{}, errEnough }); !errors.Is(err, errEnough) {
		t.Errorf("an error of a run became %v", err)
	}
}

// TestRanked: under each rule a contender has the mean of its seeds, and the best stands
// first: the largest workload, or the smallest cell.
func TestRanked(t *testing.T) {
	hardest := [][]float64{ // by contender and seed, under each rule
		{101, 91, 31},
		{103, 93, 33},
		{111, 81, 41},
		{113, 83, 43},
		{106, 86, 21},
		{108, 88, 23},
	}
	names := func(rows []paper.Row) (short []string) {
		for _, r := range rows {
			who, _, _ := strings.Cut(r.Name, ",")
			short = append(short, fmt.Sprintf("%s %v", who, r.Measured))
		}
		return short
	}
	who := []string{"a", "b", "c"}
	if got, want := names(paper.Ranked(false, who, hardest)), []string{"b 112", "c 107", "a 102", "a 92", "c 87", "b 82", "b 42", "a 32", "c 22"}; !slices.Equal(got, want) {
		t.Errorf("workloads: %v", got)
	}
	for i := range hardest {
		for r := range hardest[i] {
			hardest[i][r] -= 80 // so many nodes can go
		}
	}
	if got, want := names(paper.Ranked(true, who, hardest)), []string{"b 68", "c 73", "a 78", "a 88", "c 93", "b 98", "b 138", "a 148", "c 158"}; !slices.Equal(got, want) {
		t.Errorf("cells: %v", got)
	}
}

// TestStrained: what the paper calls within the limit and what it calls beyond it.
func TestStrained(t *testing.T) {
	for _, c := range []struct {
		overloaded float64
		fits       bool
		want       string
	}{{0.4, true, "yes"}, {0.6, true, "no"}, {0.4, false, "no"}, {0.6, false, "yes"}} {
		rows := paper.Strained(three(func(j float64) paper.Run { return strain(c.overloaded+j, 1) }), c.fits)
		if r := rows[0]; r.Name != "s, overloaded nodes" || judged(r) != c.want || (r.Note != "") != (c.want == "no") || len(rows) != 4 {
			t.Errorf("%+v: %+v", c, rows)
		}
		if r := rowOf(t, rows, "s, tasks that wait"); !close(r.Measured, 1) || judged(r) != "" {
			t.Errorf("%+v", r)
		}
	}
}

// TestCompared: each level has the limits of its agents and of the others, seed by seed.
func TestCompared(t *testing.T) {
	rows, found := paper.Compared([][2][]float64{
		{{101, 103}, {91, 95}},
		{{111, 115}, {81, 87}},
		{{121, 127}, {71, 79}},
	})
	for level, want := range [][2]float64{{102, 93}, {113, 84}, {124, 75}} {
		agents, others := rowOf(t, rows, fmt.Sprintf("axis %d, largest workload by overloaded", level)), rowOf(t, rows, fmt.Sprintf("axis %d, least-allocated, largest workload by overloaded", level))
		if agents.Measured != want[0] || others.Measured != want[1] {
			t.Errorf("level %d: %v and %v, want %v", level, agents.Measured, others.Measured, want)
		}
	}
	if len(found) != 7 || found[0].Unit != "of 3 levels" {
		t.Errorf("%+v", found)
	}
}

// TestAbove: intervals that touch are not apart.
func TestAbove(t *testing.T) {
	limit := func(low, high float64) paper.Row {
		return paper.Row{Measured: (low + high) / 2, Interval: &evidence.Interval{Low: low, High: high}}
	}
	for low, want := range map[float64]string{103.5: "yes", 103: "", 102: "", 85: "", 80: "no"} {
		if r := paper.Above(limit(low, low+7), limit(90, 103)); judged(r) != want || r.Rule == "" {
			t.Errorf("from %v: %+v", low, r)
		}
	}
	one := paper.Row{Measured: 104}
	if a, b := paper.Above(one, limit(90, 103)), paper.Above(limit(90, 103), one); a.Holds != nil || b.Holds != nil {
		t.Errorf("%+v, %+v", a, b)
	}
}

// published is a cell that shows all that is known of the real one.
func published(jitter float64) paper.Cell {
	c := paper.Cell{
		Used: vecOf(45+jitter, 65+jitter), Production: vecOf(73.2+jitter, 58.5+jitter), Overloaded: 0.5 + jitter, Rises: 212 + jitter, Peak: 4362 + jitter,
		Relative: 212 + jitter, Proportional: 54 + jitter, Disproportionate: 36 + jitter,
	}
	var day, next [14]float64
	for i, target := range paper.SeriesTargets {
		day[i], next[i] = target.Mean+jitter*target.Spread-target.Spread, target.Mean+jitter*target.Spread+target.Spread
	}
	c.Days = append(c.Days, day, next) // in the mean the targets
	return c
}

func vecOf(cpu, memory float64) (v [unit.Resources]float64) {
	v[unit.CPU], v[unit.Memory] = cpu, memory
	return v
}

func cells(of func(jitter float64) paper.Cell) []paper.Cell {
	return []paper.Cell{of(-0.001), of(0), of(0.001)}
}

// TestCalibrationRows: the cell of the paper meets all that is known of it, another meets
// nothing, and each row says why.
func TestCalibrationRows(t *testing.T) {
	other := func(j float64) paper.Cell {
		return paper.Cell{
			Used: vecOf(30+j, 80+j), Production: vecOf(50+j, 40+j), Overloaded: 3 + j, Rises: 20 + j, Peak: 40 + j, Relative: 700 + j, Proportional: 30, Disproportionate: 6 + j,
			Days: [][14]float64{{}},
		}
	}
	all := func(cells []paper.Cell) []paper.Row {
		return slices.Concat(paper.CellRows(cells, true), paper.SeriesRows(cells))
	}
	good, bad := all(cells(published)), all(cells(other))
	if len(good) != 8+14 || len(bad) != len(good) {
		t.Fatalf("%d and %d rows", len(good), len(bad))
	}
	for i := range good {
		if judged(good[i]) != "yes" || judged(bad[i]) != "no" || good[i].Note == "" || len(bad[i].Note) <= len(good[i].Note) {
			t.Errorf("%+v\n%+v", good[i], bad[i])
		}
	}
	for _, r := range paper.CellRows(cells(published), false)[6:] { // a part of the cell has no number of nodes to meet
		if judged(r) != "" {
			t.Errorf("%+v", r)
		}
	}
	preset := func(j float64) paper.Cell {
		c := published(j)
		c.Production = vecOf(85+j, 70+j)
		return c
	}
	for i, r := range paper.PaperRows(cells(preset)) {
		if judged(r) != "yes" {
			t.Errorf("%d: %+v", i, r)
		}
	}
	for i, r := range paper.PaperRows(cells(published)) {
		if want := []string{"no", "no", "yes", "yes", "yes", "yes"}[i]; judged(r) != want {
			t.Errorf("%d: %+v", i, r)
		}
	}
	short := cells(published)
	short[1].Days = nil // less than a day was played
	if rows := paper.SeriesRows(short); rows != nil {
		t.Errorf("%+v", rows)
	}
}

// TestConflicts: each variant is asked for the target that it misses.
func TestConflicts(t *testing.T) {
	var played [6][]paper.Cell
	for i := range played {
		played[i] = cells(func(j float64) paper.Cell {
			c := published(j)
			c.Overloaded, c.Peak, c.Relative, c.Proportional, c.Disproportionate = float64(i)+j, float64(100*i)+j, float64(1000+i)+j, float64(2*i), 1
			c.Used = vecOf(float64(10*i), 60)
			return c
		})
	}
	for _, whole := range []bool{true, false} {
		rows := paper.Conflicts(played, whole)
		for i, want := range []struct {
			measured float64
			note     string
		}{{2, "PA:DA is 4.00 then"}, {3, "CPU used 30.0 %"}, {4, "PA:DA 8.0:"}, {500, "jobs that move alone make no such peak"}, {1000, "the other reading"}} {
			r := rows[i]
			holds := "no"
			if i > 2 && !whole {
				holds, want.note = "", ""
			}
			if !close(r.Measured, want.measured) || judged(r) != holds || !strings.HasPrefix(r.Note, want.note) {
				t.Errorf("whole %v: %+v, want %+v", whole, r, want)
			}
		}
	}
}
