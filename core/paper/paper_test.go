package paper_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/core/feed"
	"parley/core/paper"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/core/workload"
)

// long are the experiments that take seconds even when tiny.
var long = []string{"negotiation/compaction", "negotiation/sensitivity", "negotiation/throughput", "yield/migration", "yield/table7"}

// TestEveryExperiment runs each of them in a tiny form and looks at the shape of
// what it shows; what the figures are is not judged at this size.
func TestEveryExperiment(t *testing.T) {
	tiny := paper.Options{Seeds: 1, Nodes: 150, Until: 40 * unit.Minute}
	if testing.Short() {
		tiny.Nodes, tiny.Until = 50, 25*unit.Minute
	}
	var ids []string
	for _, e := range paper.Experiments() {
		ids = append(ids, e.ID)
		t.Run(e.ID, func(t *testing.T) {
			if testing.Short() && slices.Contains(long, e.ID) {
				t.Skip("-short: seconds natively, and a minute elsewhere")
			}
			if e.ID == "market/users" {
				t.Skip("ten thousand users take 20 s; core/paper/market has the tests of its document and of its function")
			}
			if e.Title == "" || e.Source == "" || e.Seconds < 1 {
				t.Errorf("it is listed as %+v", e)
			}
			told := 0
			options := tiny
			options.Progress = func(doing string) error {
				if doing == "" {
					t.Error("it tells that it does nothing")
				}
				told++
				return nil
			}
			result, err := e.Run(options)
			if needs := paper.NeedsFiles(""); errors.As(err, &needs) && needs != "" {
				return // its own test brings them, where they are at hand
			}
			if err != nil {
				t.Fatal(err)
			}
			if result.ID != e.ID || result.Source != e.Source || result.Seeds != 1 || told == 0 {
				t.Errorf("the result is of %s, %s, %d seeds, and progress was told %d times", result.ID, result.Source, result.Seeds, told)
			}
			checkRows(t, result)
			checkJSON(t, result)
		})
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(paper.Experiments()) {
		t.Errorf("two experiments have one id: %v", ids)
	}
}

func checkRows(t *testing.T, result paper.Result) {
	t.Helper()
	names := map[string]bool{}
	for _, row := range result.Rows {
		switch {
		case row.Name == "" || names[row.Name]:
			t.Errorf("two rows are called %q", row.Name)
		case math.IsNaN(row.Measured) || math.IsInf(row.Measured, 0) || !(row.Spread >= 0) || math.IsInf(row.Spread, 0):
			t.Errorf("%s: measured %v ± %v", row.Name, row.Measured, row.Spread)
		case row.Unit != strings.TrimSpace(row.Unit) || strings.HasSuffix(row.Note, ";"):
			t.Errorf("%s: unit %q, note %q", row.Name, row.Unit, row.Note)
		case row.Holds != nil && !*row.Holds && row.Note == "":
			t.Errorf("%s: a claim does not hold, and nothing says why", row.Name)
		}
		names[row.Name] = true
	}
	if len(result.Rows) == 0 {
		t.Error("there are no rows")
	}
}

// checkJSON holds a result to the document of the command line: these fields, in
// this order, and nothing lost on the way.
func checkJSON(t *testing.T, result paper.Result) {
	t.Helper()
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var back paper.Result
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(result, back, cmpopts.IgnoreUnexported(paper.Row{})); diff != "" {
		t.Errorf("read back it differs: %s", diff)
	}
	for _, want := range []string{`{"id":`, `,"source":`, `,"seeds":`, `,"rows":[{"name":`, `,"paper":`, `,"measured":`, `,"spread":`, `,"interval":`, `,"unit":`, `,"rule":`, `,"holds":`, `,"note":`} {
		i := bytes.Index(raw, []byte(want))
		if i < 0 {
			t.Fatalf("%s is missing, or not in order, before %.200s", want, raw)
		}
		raw = raw[i+len(want)-1:]
	}
}

func TestFind(t *testing.T) {
	if e, err := paper.Find("negotiation/rus"); err != nil || e.ID != "negotiation/rus" {
		t.Errorf("negotiation/rus is %q, %v", e.ID, err)
	}
	if _, err := paper.Find("negotiation/none"); err == nil || !strings.Contains(err.Error(), `"negotiation/none"`) {
		t.Errorf("an unknown experiment is %v", err)
	}
}

// Progress can end an experiment, whatever it is doing.
func TestProgressStops(t *testing.T) {
	stop := errors.New("stop")
	for _, e := range paper.Experiments() {
		_, err := e.Run(paper.Options{Seeds: 1, Nodes: 150, Progress: func(string) error { return stop }})
		if needs := paper.NeedsFiles(""); errors.As(err, &needs) && needs != "" {
			continue // it begins nothing without them
		}
		if !errors.Is(err, stop) {
			t.Errorf("%s ends with %v", e.ID, err)
		}
	}
}

// What cannot be run says so in a sentence.
func TestBadOptions(t *testing.T) {
	e, err := paper.Find("negotiation/benchmark")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the file is gone")
	for _, c := range []struct {
		options paper.Options
		want    string
	}{
		{paper.Options{Until: 10 * unit.Minute}, "they take 20m0s to settle"},
		{paper.Options{Nodes: 3}, "cluster.nodes is 3"},
		{paper.Options{Trace: func(*scenario.Scenario) (workload.Source, error) { return nil, broken }}, broken.Error()},
	} {
		if _, err := e.Run(c.options); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v gives %v, not %q", c.options, err, c.want)
		}
	}
}

// traces returns where the public traces lie, if they do.
func traces() string {
	if root := os.Getenv("PARLEY_TRACES"); root != "" {
		return root
	}
	return filepath.Join("..", "..", "..", "shared", "traces")
}

// google opens the first 93 minutes of the public Google trace, or skips the test.
func google(t *testing.T) func(*scenario.Scenario) (workload.Source, error) {
	t.Helper()
	root := traces()
	var files []trace.File
	for _, part := range []string{"task_events/part-00000-of-00500.csv.gz", "machine_events/part-00000-of-00001.csv.gz"} {
		name := filepath.Join(root, "google2011", filepath.FromSlash(part))
		info, err := os.Stat(name)
		if err != nil {
			t.Log("the Google trace is not there: set PARLEY_TRACES to where google2011/ lies")
			t.SkipNow()
		}
		files = append(files, trace.File{Name: part, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	return func(s *scenario.Scenario) (workload.Source, error) {
		return feed.Open(s, files, formats.All, trace.Options{})
	}
}

// TestBenchmarkOnGoogle plays the recorded tasks: negotiation keeps at most 0.5 % of
// the nodes overloaded, what Borg did stands beside it, and both readings of the
// draw and of arrival are there. The first 40 minutes; PARLEY_FULL=1 plays all 93.
func TestBenchmarkOnGoogle(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: reading the trace takes seconds")
	}
	options := paper.Options{Seeds: 1, Until: 40 * unit.Minute, Trace: google(t)}
	if os.Getenv("PARLEY_FULL") != "" {
		options.Until = 0
	}
	e, err := paper.Find("negotiation/benchmark")
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(options)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]paper.Row{}
	for _, row := range result.Rows {
		figures[row.Name] = row
		t.Logf("%-60s %8.3f %s", row.Name, row.Measured, row.Unit)
	}
	for _, claim := range []struct {
		name         string
		minimum, top float64
	}{
		{"negotiation, overloaded nodes", 0, 0.5},
		{"negotiation, drawn by weight, overloaded nodes", 0, 0.5},
		{"negotiation, tasks arrive when submitted, PA", 1, 99},
		{"Borg, replayed, PA:DA", 1, 3},
		{"negotiation, CPU used", 40, 50},
		{"negotiation, memory used", 55, 70},
	} {
		row, there := figures[claim.name]
		if !there || row.Measured < claim.minimum || row.Measured > claim.top {
			t.Errorf("%s is %v, there %v: %v to %v was expected", claim.name, row.Measured, there, claim.minimum, claim.top)
		}
	}
}

// TestSearch: wherever the limit lies, it is found, and asked for no number twice.
func TestSearch(t *testing.T) {
	for limit := 79.0; limit <= 180; limit++ {
		for _, from := range []float64{80, 100, 117, 180} {
			requested := map[float64]bool{}
			got, err := paper.Gallop(from, 80, 180, func(x float64) (bool, error) {
				if requested[x] || x < 80 || x > 180 {
					t.Errorf("limit %v from %v: asked for %v, before %v", limit, from, x, requested[x])
				}
				requested[x] = true
				return x <= limit, nil
			})
			if err != nil || got != limit {
				t.Errorf("from %v the limit %v is found to be %v (%v)", from, limit, got, err)
			}
		}
	}
	stop := errors.New("stop")
	if _, err := paper.Gallop(20, 0, 50, func(float64) (bool, error) { return false, stop }); !errors.Is(err, stop) {
		t.Errorf("an error of a run became %v", err)
	}
}

// Parts of an experiment do not depend on one another: played from the last to the first
// they tell the same.
func TestPartsHaveNoOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it plays an experiment twice")
	}
	e, err := paper.Find("negotiation/throughput")
	if err != nil {
		t.Fatal(err)
	}
	var results [2]paper.Result
	for k, each := range []func(int, func(int) error) error{nil, func(n int, part func(int) error) error {
		for i := n - 1; i >= 0; i-- {
			if err := part(i); err != nil {
				return err
			}
		}
		return nil
	}} {
		if results[k], err = e.Run(paper.Options{Seeds: 2, Nodes: 40, Until: 22 * unit.Minute, Each: each}); err != nil {
			t.Fatal(err)
		}
	}
	a, errA := json.Marshal(results[0])
	b, errB := json.Marshal(results[1])
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("%v %v: forwards\n%s\nbackwards\n%s", errA, errB, a, b)
	}
}
