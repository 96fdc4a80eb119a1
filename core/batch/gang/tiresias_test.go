package gang_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"parley/core/batch"
	"parley/core/batch/gang"
	"parley/core/unit"
)

// TestTiresias compares with what the simulator of Tiresias makes of its own 60 jobs: start, end
// and preemptions of each. Its limits of whole numbers of seconds are those of the files' names.
func TestTiresias(t *testing.T) {
	rows := published(t, "tiresias/60_job.csv")
	log := make([]batch.Logged, len(rows))
	for i, r := range rows {
		run := seconds(number(t, r["duration"]))
		log[i] = batch.Logged{Job: batch.Job{Processors: number(t, r["num_gpu"]), Estimate: run}, Submit: seconds(number(t, r["submit_time"])), Run: run}
	}
	for name, policy := range map[string]gang.Policy{"fifo": gang.FIFO, "fjf": gang.FitFirst, "shortest": gang.SRTF, "shortest-gpu": gang.SRSF} {
		t.Run(name, func(t *testing.T) {
			site := gang.NewSite(gang.Settings{Policy: policy})
			for n := range 4 {
				site.SetNode(0, n, 4)
			}
			played := gang.Play(site, log, nil)
			for _, r := range published(t, "tiresias/authors-16gpus-"+name+".csv") {
				p := played[number(t, r["job_id"])]
				if p.Start != seconds(number(t, r["start_time"])) || p.End != seconds(number(t, r["end_time"])) || int(p.Stops) != number(t, r["preempt"]) {
					t.Errorf("job %s: %v to %v, %d stops; published %s to %s, %s", r["job_id"], p.Start, p.End, p.Stops, r["start_time"], r["end_time"], r["preempt"])
				}
			}
		})
	}
	for _, c := range []struct {
		promote float64
		mean    float64
		stops   int64
	}{{0, 815.3, 42}, {0.5, 763.16666667, -1}, {1, 757.95, -1}, {2, 751.6, -1}} {
		site := gang.NewSite(gang.Settings{Policy: gang.LAS, Levels: gang.Levels{Limits: []unit.Time{200 * unit.Second, 800 * unit.Second}, Promote: c.promote}})
		for n := range 2 {
			site.SetNode(0, n, 4)
		}
		gang.Play(site, log, nil)
		f := site.Figures()
		if mean := gang.Distribute(f.JCT).Mean; mean < c.mean-1e-6 || mean > c.mean+1e-6 || c.stops >= 0 && f.Preemptions != c.stops {
			t.Errorf("2D-LAS on 8 GPUs, promotion %v: mean JCT %v, %d preemptions; the simulator has %v and %d", c.promote, mean, f.Preemptions, c.mean, c.stops)
		}
	}
}

// published returns the rows of a table of GPU clusters, by column. It skips the test where the
// traces are not at hand.
func published(t *testing.T, name string) (rows []map[string]string) {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	f, err := os.Open(filepath.Join(root, "field", "gpu", name))
	if err != nil {
		t.Skipf("no field/gpu/%s, see PARLEY_TRACES", name)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, column := range all[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}
