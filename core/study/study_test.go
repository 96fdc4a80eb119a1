package study_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/study"
	"parley/core/testkit/scripttest"
)

const engine = "0.1.0"

// base is the scenario that scripts name "small".
func named(name string) ([]byte, bool) {
	return []byte(`{"v":1,"system":"central","seed":9,"cluster":{"nodes":100},"until":"10m"}`), name == "small"
}

// played is a result without a run: its figures follow from the scenario. "load" is the
// workload's scale and some noise of the seed, "wait" with noise of its own at each scale,
// "nodes" how many there are.
func played(r study.Run) study.Result {
	noise := float64(r.Seed*2654435761%1000)/10000 - 0.05
	own := float64((r.Seed*2654435761^uint64(1000*r.Scenario.Workload.Scale)*40503)%1000)/1000 - 0.5
	return study.Result{
		ID: r.ID, Engine: engine, Seed: r.Seed, Digest: r.ID[:16], SimulatedS: 600, WallS: 0.5, MemoryMB: 12,
		Figures: map[string]float64{"load": r.Scenario.Workload.Scale + noise, "wait": r.Scenario.Workload.Scale + own, "nodes": float64(r.Scenario.Cluster.Nodes)},
	}
}

// finish plays a share of what is missing, at most so many runs, and returns them.
func finish(s *study.Study, have *study.Results, shard study.Shard, limit int) (runs []study.Run, err error) {
	q := study.NewQueue(s, have, shard)
	for len(runs) < limit {
		r, ok, err := q.Take()
		if err != nil || !ok {
			return runs, err
		}
		runs = append(runs, r)
		if err := have.Add(played(r), "memory"); err != nil {
			return runs, err
		}
		if err := q.Done(r, false); err != nil {
			return runs, err
		}
	}
	return runs, nil
}

// TestScripts:
//
//	parse    reads a sweep: how many runs it has, and its cells
//	runs     lists the runs of a sweep with the beginning of their ids
//	table    plays a sweep and prints its table, a line a row
//	judge    plays a study of the function line and prints its rows
//	results  reads a file of results: what there is, or what is wrong
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			out, err := "", error(nil)
			if d.Cmd == "results" {
				out, err = results(d.Input)
			} else {
				var s *study.Study
				if s, err = study.Parse([]byte(d.Input), named); err == nil {
					out, err = map[string]func(*study.Study) (string, error){"parse": cells, "runs": listed, "table": table, "judge": judge}[d.Cmd](s)
				}
			}
			if err != nil {
				return "! " + err.Error() + "\n"
			}
			return out
		}
	})
}

func cells(s *study.Study) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs with the seeds %v\n", s.Runs(), s.Seeds)
	for i := range s.Cells() {
		for j, v := range s.Cell(i).Values {
			fmt.Fprintf(&b, "%s=%s ", s.Axes[j].Path, v)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

func listed(s *study.Study) (string, error) {
	runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, s.Runs())
	var b strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&b, "%s cell %d seed %d scale %v nodes %d\n", r.ID[:8], r.Cell, r.Seed, r.Scenario.Workload.Scale, r.Scenario.Cluster.Nodes)
	}
	return b.String(), err
}

func table(s *study.Study) (string, error) {
	have := study.NewResults(engine)
	if _, err := finish(s, have, study.Shard{Of: 1}, s.Runs()); err != nil {
		return "", err
	}
	tab, err := s.Tabulate(have)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d runs, %s by %s\n", tab.Done, tab.Runs, strings.Join(tab.Metrics, ", "), strings.Join(tab.Axes, ", "))
	for _, r := range tab.Rows {
		text, err := json.Marshal(r)
		if err != nil {
			return "", err
		}
		b.Write(append(text, '\n'))
	}
	for _, n := range tab.Notes {
		b.WriteString("Note: " + n + "\n")
	}
	return b.String(), nil
}

// results reads the input as a file; a line that ends with \ is the last, by half.
func results(input string) (string, error) {
	text := input + "\n"
	if half, cut := strings.CutSuffix(input, `\`); cut {
		text = half
	}
	r := study.NewResults(engine)
	whole, err := r.Read("results.jsonl", strings.NewReader(text))
	return fmt.Sprintf("%d results, %d repairs, others %v, %d of %d bytes\n", r.Len(), r.Repairs, r.Others, whole, len(text)), err
}

// A document written by Encode is the same sweep, with its base inside.
func TestEncode(t *testing.T) {
	doc := `{"v":1,"name":"a","base":"small","axes":{"workload.scale":{"from":0.5,"to":2,"step":0.1},"cluster.nodes":[50,100]},"zip":[],
		"seeds":{"from":3,"to":9,"step":2},"metrics":["load"],"compare":{"axis":"cluster.nodes"},"stop":{"metric":"load","half_width":0.1}}`
	s, err := study.Parse([]byte(doc), named)
	if err != nil {
		t.Fatal(err)
	}
	again, err := study.Parse(s.Encode(), func(string) ([]byte, bool) { return nil, false })
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Encode(), s.Encode()) {
		t.Errorf("%s\nis not\n%s", again.Encode(), s.Encode())
	}
	a, _ := listed(s)
	if b, _ := listed(again); a != b {
		t.Errorf("the runs are\n%s\nnot\n%s", b, a)
	}
}
