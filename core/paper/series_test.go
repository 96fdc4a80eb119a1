package paper_test

import (
	"compress/gzip"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"parley/core/paper"
)

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
	for i, target := range paper.SeriesTargets {
		t.Logf("{%.3g, %.2g}, // %s", means[i], spreads[i], paper.SeriesNames[i].Name)
		if math.Abs(target.Mean-means[i]) > 0.006*math.Abs(means[i]) || math.Abs(target.Spread-spreads[i]) > 0.06*spreads[i] {
			t.Errorf("%s: the target is %v ± %v, the real jobs have %v ± %v", paper.SeriesNames[i].Name, target.Mean, target.Spread, means[i], spreads[i])
		}
	}
}
