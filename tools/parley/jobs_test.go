package main_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// jobTable reads a jobs.csv: the rows by column.
func jobTable(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A run leaves a row for each job. The rows agree with the report and with themselves: no
// node is held twice, and waits, runs and slowdowns follow from the times.
func TestRunLeavesItsJobs(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.swf")
	write(t, log, strings.Replace(someLog(300), "\n1 ", "\n1 0 -1 100 1 -1 -1 1 50 -1 1 7 3 -1 2 -1 -1 -1\n1 ", 1))
	var report struct {
		Jobs struct {
			Submitted, Killed, Backfilled int
			WaitS                         struct{ Mean float64 } `json:"wait_s"`
			BoundedSlowdown               struct{ Mean float64 } `json:"bounded_slowdown"`
		}
	}
	call(t, "", &report, "run", log, "--json", "--out", filepath.Join(dir, "easy"))
	rows := jobTable(t, filepath.Join(dir, "easy", "jobs.csv"))
	if len(rows) != 301 || len(rows) != report.Jobs.Submitted || rows[1]["id"] != "1-1" || rows[0]["user"] != "7" || rows[0]["queue"] != "2" {
		t.Fatalf("%d rows of %d jobs, first %v, then %v", len(rows), report.Jobs.Submitted, rows[0], rows[1])
	}
	killed, backfilled, wait, slow := 0, 0, 0.0, 0.0
	free := map[string]float64{} // when each node is given back
	slices.SortStableFunc(rows, func(a, b map[string]string) int {
		return int(math.Copysign(1, float(t, a["start_s"])-float(t, b["start_s"])))
	})
	for _, r := range rows {
		submit, start, end := float(t, r["submit_s"]), float(t, r["start_s"]), float(t, r["end_s"])
		if float(t, r["wait_s"]) != start-submit || float(t, r["run_s"]) != end-start || float(t, r["response_s"]) != end-submit || float(t, r["bounded_slowdown"]) != max(1, (end-submit)/max(end-start, 10)) {
			t.Errorf("times disagree: %v", r)
		}
		if nodes := expanded(t, r["node_list"]); len(nodes) != int(float(t, r["processors"])) || r["nodes"] != strconv.Itoa(len(nodes)) {
			t.Errorf("%d nodes: %v", len(nodes), r)
		} else {
			for _, n := range nodes {
				if free[n] > start {
					t.Errorf("node %s is held until %v: %v", n, free[n], r)
				}
				free[n] = end
			}
		}
		wait += float(t, r["wait_s"]) / 301
		slow += float(t, r["bounded_slowdown"]) / 301
		if r["killed"] == "1" {
			killed++
			if r["state"] != "killed" || r["run_s"] != r["requested_s"] {
				t.Errorf("killed: %v", r)
			}
		}
		if r["backfilled"] == "1" {
			backfilled++
		}
	}
	if killed != 1 || killed != report.Jobs.Killed || backfilled == 0 || backfilled != report.Jobs.Backfilled || math.Abs(wait-report.Jobs.WaitS.Mean) > 1e-6 || math.Abs(slow-report.Jobs.BoundedSlowdown.Mean) > 1e-9 {
		t.Errorf("rows: %d killed, %d backfilled, wait %v, slowdown %v; report %+v", killed, backfilled, wait, slow, report.Jobs)
	}

	type column struct {
		ID    string   `parquet:"id"`
		Wait  *float64 `parquet:"wait_s"`
		State string   `parquet:"state"`
		Nodes string   `parquet:"node_list"`
	}
	again, err := parquet.ReadFile[column](filepath.Join(dir, "easy", "jobs.parquet"))
	if err != nil || len(again) != 301 {
		t.Fatalf("%d rows: %v", len(again), err)
	}
	for i, r := range jobTable(t, filepath.Join(dir, "easy", "jobs.csv")) {
		if p := again[i]; p.ID != r["id"] || *p.Wait != float(t, r["wait_s"]) || p.State != r["state"] || p.Nodes != r["node_list"] {
			t.Errorf("Parquet has %+v, CSV %v", p, r)
		}
	}
}

// expanded lists the nodes of "0-3 5".
func expanded(t *testing.T, list string) (nodes []string) {
	for part := range strings.FieldsSeq(list) {
		from, to, span := strings.Cut(part, "-")
		if !span {
			to = from
		}
		for n := int(float(t, from)); n <= int(float(t, to)); n++ {
			nodes = append(nodes, strconv.Itoa(n))
		}
	}
	return nodes
}

// The log that a run writes plays as that run: the jobs have the same starts and ends.
func TestWrittenLogPlaysAgain(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.swf")
	write(t, log, someLog(200))
	var report struct{ Jobs json.RawMessage }
	call(t, "", &report, "run", log, "--json", "--set", "workload.rate=1.3", "--out", filepath.Join(dir, "first"))
	first := string(report.Jobs)
	call(t, "", &report, "run", filepath.Join(dir, "first", "jobs.swf"), "--json", "--out", filepath.Join(dir, "second"))
	if string(report.Jobs) != first {
		t.Errorf("the written log comes to\n%s\nand the run to\n%s", report.Jobs, first)
	}
	if a, b := jobTable(t, filepath.Join(dir, "first", "jobs.csv")), jobTable(t, filepath.Join(dir, "second", "jobs.csv")); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("jobs.csv of the written log differs from that of the run")
	}
	// A run that ends early leaves jobs that wait: they are in the log without a run.
	call(t, "", &report, "run", log, "--json", "--until", "1d", "--set", "settings.policy=fcfs", "--out", filepath.Join(dir, "short"))
	states := map[string]int{}
	for _, r := range jobTable(t, filepath.Join(dir, "short", "jobs.csv")) {
		states[r["state"]]++
		if (r["end_s"] == "") != (r["state"] == "running" || r["state"] == "waiting") || (r["start_s"] == "") != (r["state"] == "waiting") {
			t.Errorf("%v", r)
		}
	}
	if states["running"] == 0 || states["waiting"] == 0 || states["completed"] == 0 {
		t.Errorf("states: %v", states)
	}
	var summary struct {
		Summary struct {
			WithoutRun  int `json:"without_run_time"`
			WithoutWait int `json:"without_wait"`
		}
	}
	call(t, "", &summary, "trace", "--json", filepath.Join(dir, "short", "jobs.swf"))
	if s := summary.Summary; s.WithoutRun != states["running"]+states["waiting"] || s.WithoutWait != states["waiting"] {
		t.Errorf("the log has %+v of %v", s, states)
	}
	// A later run without jobs leaves none of an earlier one.
	call(t, "", &report, "run", "google-calm", "--json", "--until", "1m", "--out", filepath.Join(dir, "short"))
	if _, err := os.Stat(filepath.Join(dir, "short", "jobs.csv")); err == nil {
		t.Error("jobs.csv of the run before is still there")
	}
}
