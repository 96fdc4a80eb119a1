package study_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/study"
)

// parsed reads a sweep that is known to be right.
func parsed(t *testing.T, document string) *study.Study {
	t.Helper()
	s, err := study.Parse([]byte(document), named)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Before anything was played a table has its rows and says nothing of any figure, neither
// a difference nor that a figure is unknown; one run is enough to know that.
func TestTableOfNothing(t *testing.T) {
	s := parsed(t, `{"v":1,"base":"small","axes":{"cluster.nodes":[50,100]},"seeds":[1],"metrics":["load","rain"],"compare":{"axis":"cluster.nodes"}}`)
	have := study.NewResults(engine)
	for runs := range 3 {
		tab, err := s.Tabulate(have)
		if err != nil {
			t.Fatal(err)
		}
		if len(tab.Rows) != 2 || tab.Done != runs || tab.Runs != 2 {
			t.Fatalf("after %d runs: %+v", runs, tab)
		}
		if len(tab.Notes) != min(runs, 1) || runs > 0 && !strings.Contains(tab.Notes[0], `"rain"`) {
			t.Errorf("after %d runs it notes %q", runs, tab.Notes)
		}
		figures, differences := 0, 0
		for _, r := range tab.Rows {
			figures, differences = figures+len(r.Figures), differences+len(r.Differences)
		}
		if figures != runs || differences != max(0, runs-1) {
			t.Errorf("after %d runs it has %d figures and %d differences", runs, figures, differences)
		}
		if _, err := finish(s, have, study.Shard{Of: 1}, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// Seeds that all give one run have no interval, however many there are; a note says so,
// and a difference between two such rows has none either.
func TestSeedsThatChangeNothing(t *testing.T) {
	s := parsed(t, `{"v":1,"base":"small","axes":{"cluster.nodes":[50,100]},"seeds":[1,2,3],"metrics":["load"],"compare":{"axis":"cluster.nodes"}}`)
	for _, same := range []int{2, 1, 0} { // rows whose seeds give one run
		have := study.NewResults(engine)
		runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, 6)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			result := played(r)
			if r.Cell < same {
				result.Digest, result.Figures["load"] = fmt.Sprintf("%016x", r.Cell), float64(r.Cell)
			}
			if err := have.Add(result, "test"); err != nil {
				t.Fatal(err)
			}
		}
		tab, err := s.Tabulate(have)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range tab.Rows {
			if has := row.Figures[0].Interval != nil; has == (i < same) || row.Unmoved != (i < same) || row.Figures[0].N != 3 {
				t.Errorf("of %d rows the %d-th has an interval: %v", same, i, has)
			}
		}
		// Without such rows, the loads of the same seed differ by the same amount: no spread, and no interval.
		if d := tab.Rows[1].Differences; (d[0].Interval != nil) != (same == 1) {
			t.Errorf("with %d rows the difference is %+v", same, d)
		}
		if notes := strings.Join(tab.Notes, "\n"); strings.Contains(notes, "eeds change nothing") != (same > 0) {
			t.Errorf("with %d rows it notes %q", same, notes)
		}
	}
}

// A value is told to people without quotes and without white space between its parts.
func TestValueText(t *testing.T) {
	for given, want := range map[string]string{
		`"best-fit"`: "best-fit", `0.5`: "0.5", `true`: "true", "{ \"a\" : [1,\n 2] }": `{"a":[1,2]}`, `[ "x" ]`: `["x"]`, `{"a"`: `{"a"`,
	} {
		if got := (study.Value{Value: json.RawMessage(given)}).Text(); got != want {
			t.Errorf("%s is told as %s, not %s", given, got, want)
		}
	}
}

// Where says of each run, a probe of a search too, the values that its scenario has.
func TestWhere(t *testing.T) {
	none := strings.Replace(kinds[2], `"at_most":1.3`, `"at_most":0.1`, 1) // down to the first place
	for _, document := range append(slices.Clone(kinds), none) {
		s := parsed(t, document)
		runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, s.Runs())
		if err != nil {
			t.Fatal(err)
		}
		first := false
		for _, r := range runs {
			first = first || r.Probe == 0
			want := map[string]float64{"cluster.nodes": float64(r.Scenario.Cluster.Nodes), "workload.scale": r.Scenario.Workload.Scale}
			at := s.Where(r)
			if axes := len(s.Axes); r.Probe < 0 && len(at) != axes || r.Probe >= 0 && len(at) != axes+1 {
				t.Fatalf("%+v is at %s", r, at)
			}
			for path, text := range at {
				var x float64
				if err := json.Unmarshal(text, &x); err != nil || x != want[path] {
					t.Errorf("%s is %s, and the scenario has %v", path, text, want[path])
				}
			}
		}
		if document == none && !first {
			t.Error("no run is a probe of the first place")
		}
	}
}

// A sweep that stops hands out no more seeds of a cell before the first results than it
// needs at least.
func TestStopBeginsWithTheLeast(t *testing.T) {
	s := parsed(t, `{"v":1,"base":"small","axes":{"cluster.nodes":[50,100]},"seeds":{"from":1,"to":30},"stop":{"metric":"load","half_width":0.03,"min_seeds":6}}`)
	q := study.NewQueue(s, study.NewResults(engine), study.Shard{Of: 1})
	seeds := map[int]int{}
	for {
		r, more, err := q.Take()
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
		seeds[r.Cell]++
	}
	if seeds[0] != 6 || seeds[1] != 6 {
		t.Errorf("seeds by cell %v, not 6 of each", seeds)
	}
}

// Times and memory may be unknown, which is 0, and never below it.
func TestResultsHaveNoNegativeTimes(t *testing.T) {
	s := parsed(t, kinds[0])
	runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []float64{0, -1} {
		for _, set := range []func(*study.Result){
			func(r *study.Result) { r.WallS = value },
			func(r *study.Result) { r.MemoryMB = value },
			func(r *study.Result) { r.SimulatedS = value },
		} {
			one := played(runs[0])
			set(&one)
			line, err := one.Line()
			if err != nil {
				t.Fatal(err)
			}
			_, err = study.NewResults(engine).Read("r.jsonl", strings.NewReader(string(line)+string(line)))
			if (err == nil) != (value == 0) {
				t.Errorf("%s is read with %v", line, err)
			}
		}
	}
}

// Of two results of one run the quicker one is kept, of equally quick ones that with less
// memory.
func TestTheQuickerResultIsKept(t *testing.T) {
	s := parsed(t, kinds[0])
	runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	have := study.NewResults(engine)
	for _, c := range []struct{ wall, memory, keptWall, keptMemory float64 }{
		{0.5, 12, 0.5, 12}, {0.5, 8, 0.5, 8}, {0.5, 20, 0.5, 8}, {0.7, 1, 0.5, 8}, {0.3, 99, 0.3, 99},
	} {
		one := played(runs[0])
		one.WallS, one.MemoryMB = c.wall, c.memory
		if err := have.Add(one, "again"); err != nil {
			t.Fatal(err)
		}
		if o := have.Get(one.ID); o.WallS != c.keptWall || o.MemoryMB != c.keptMemory {
			t.Errorf("after %v s and %v MB, %v s and %v MB are kept", c.wall, c.memory, o.WallS, o.MemoryMB)
		}
	}
}

// What a search finds keeps its bound, which may be met exactly.
func TestBoundsMayBeMet(t *testing.T) {
	for find, bound := range map[string]string{"largest": "at_most", "smallest": "at_least"} {
		s := parsed(t, `{"v":1,"base":"small","seeds":[1],"search":{"axis":"cluster.nodes","from":50,"to":120,"step":10,"find":"`+find+`","fits":{"nodes":{"`+bound+`":80}}}}`)
		have := study.NewResults(engine)
		if _, err := finish(s, have, study.Shard{Of: 1}, s.Runs()); err != nil {
			t.Fatal(err)
		}
		tab, err := s.Tabulate(have)
		if err != nil {
			t.Fatal(err)
		}
		if f, is := study.Find(tab.Rows[0].Figures, find+" cluster.nodes"); !is || f.Mean != 80 {
			t.Errorf("the %s number of nodes is %+v, not 80", find, f)
		}
	}
}

// A document may have so many bytes, and not one more.
func TestMostBytes(t *testing.T) {
	whole := kinds[0] + strings.Repeat(" ", study.MaxBytes-len(kinds[0]))
	if _, err := study.Parse([]byte(whole), named); err != nil {
		t.Errorf("%d bytes: %v", len(whole), err)
	}
	if _, err := study.Parse([]byte(whole+" "), named); err == nil {
		t.Errorf("%d bytes are read", len(whole)+1)
	}
}
