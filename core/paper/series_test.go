package paper_test

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"parley/core/paper"
)

// seriesTarget is a figure of the real jobs: its mean over ten days and their standard
// deviation, which says how well a model can be held to it.
type seriesTarget struct {
	Of           string
	Mean, Spread float64
}

// seriesTargets are those that the calibration holds the job series to. They are the figures
// of half of the 1,600 days of jobs that stay within 5 and 90 % of a machine, of the Google
// trace's first ten days (github.com/dnhua/CPU-and-Memory-resource-usage-from-Google-Cluster-Data).
func seriesTargets(t *testing.T) map[string]seriesTarget {
	t.Helper()
	text, err := os.ReadFile("negotiation/calibration.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Rows []struct {
			Rows []struct {
				Name string
				Each json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	targets := map[string]seriesTarget{}
	for _, outer := range doc.Rows {
		for _, row := range outer.Rows {
			var each []seriesTarget
			if row.Name == "job series, {of}" {
				if err := json.Unmarshal(row.Each, &each); err != nil {
					t.Fatal(err)
				}
			}
			for _, target := range each {
				targets[target.Of] = target
			}
		}
	}
	return targets
}

// TestSeriesTargets recomputes the targets of the job series from the series
// themselves, where they are at hand: 800 days of real jobs.
func TestSeriesTargets(t *testing.T) {
	file, err := os.Open(filepath.Join(traces(), "google2011", "job_usage", "job-days.csv.gz"))
	if err != nil {
		t.Skip("the job series are not there, so that nothing is recomputed: set PARLEY_TRACES to where google2011/job_usage/job-days.csv.gz lies")
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(unzipped).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	series := map[int]map[string]*[288]float64{} // by day and job
	for _, row := range rows[1:] {
		day, err := strconv.Atoi(row[1])
		window, err2 := strconv.Atoi(row[2])
		cpu, err3 := strconv.ParseFloat(row[3], 64)
		if err != nil || err2 != nil || err3 != nil || window < 0 || window >= 288 {
			t.Fatalf("the row %v", row)
		}
		if series[day] == nil {
			series[day] = map[string]*[288]float64{}
		}
		if series[day][row[0]] == nil {
			series[day][row[0]] = new([288]float64)
		}
		series[day][row[0]][window] = cpu
	}
	means, spreads := paper.SeriesOf(series)
	targets := seriesTargets(t)
	if len(targets) != len(means) {
		t.Fatalf("%d targets of %d figures", len(targets), len(means))
	}
	for i, name := range paper.SeriesNames {
		target := targets[name]
		t.Logf("{%.3g, %.2g}, // %s", means[i], spreads[i], name)
		if math.Abs(target.Mean-means[i]) > 0.006*math.Abs(means[i]) || math.Abs(target.Spread-spreads[i]) > 0.06*spreads[i] {
			t.Errorf("%s: the target is %v ± %v, the real jobs have %v ± %v", name, target.Mean, target.Spread, means[i], spreads[i])
		}
	}
}
