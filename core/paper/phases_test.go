package paper_test

import (
	"math"
	"testing"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/paper"
	"parley/core/rng"
	"parley/core/unit"
)

// TestExtremes: of windows that begin a quarter of one apart, behind the warm-up, those
// with the least and the most CPU and memory in use are found, and all columns are their
// means.
func TestExtremes(t *testing.T) {
	random := rng.New(1, "extremes")
	const warm = 20
	for range 200 {
		rows := make([]metric.Row, 30+random.Intn(60))
		for i := range rows {
			for c := range rows[i] {
				rows[i][c] = 100 * random.Float64() // no two windows are alike
			}
		}
		window := 1 + random.Intn(20)
		quiet, busy := paper.Extremes(rows, window)
		minimum, largest := math.Inf(1), math.Inf(-1)
		var wantQuiet, wantBusy metric.Row
		for at := min(warm, len(rows)-window); at+window <= len(rows); at += max(1, window/4) {
			var mean metric.Row
			for c := range mean {
				sum := 0.0
				for _, row := range rows[at : at+window] {
					sum += row[c]
				}
				mean[c] = sum / float64(window)
			}
			load := mean[metric.CPUUsed] + mean[metric.MemoryUsed]
			if load < minimum-1e-9 {
				minimum, wantQuiet = load, mean
			}
			if load > largest+1e-9 {
				largest, wantBusy = load, mean
			}
		}
		for c := range quiet {
			if math.Abs(quiet[c]-wantQuiet[c]) > 1e-9 || math.Abs(busy[c]-wantBusy[c]) > 1e-9 {
				t.Fatalf("%d rows, windows of %d, column %d: %v and %v, want %v and %v", len(rows), window, c, quiet[c], busy[c], wantQuiet[c], wantBusy[c])
			}
		}
	}
	// Of windows that use the same the first is told.
	same := make([]metric.Row, 40)
	for i := range same {
		same[i][metric.CPUUsed], same[i][metric.Idle] = 50, float64(i)
	}
	if quiet, busy := paper.Extremes(same, 4); quiet[metric.Idle] != 21.5 || busy[metric.Idle] != 21.5 {
		t.Errorf("%v and %v", quiet[metric.Idle], busy[metric.Idle])
	}
	// Where less is left than a window the last rows are one.
	rows := make([]metric.Row, 12)
	for i := range rows {
		rows[i][metric.CPUUsed] = float64(i)
	}
	if quiet, busy := paper.Extremes(rows, 6); quiet[metric.CPUUsed] != 8.5 || busy[metric.CPUUsed] != 8.5 {
		t.Errorf("%v and %v", quiet[metric.CPUUsed], busy[metric.CPUUsed])
	}
}

// TestSince: what happened is what has happened less what had.
func TestSince(t *testing.T) {
	if got := paper.Since([8]float64{10, 20, 30, 40, 50, 60, 70, 80}, [8]float64{1, 3, 5, 7, 11, 13, 17, 19}); got != [8]float64{9, 17, 25, 33, 39, 47, 53, 61} {
		t.Error(got)
	}
}

// TestLate: a task is late that waited for its place longer than a minute, or waits so long
// by now; one that lost its place waits anew, and what arrived before does not count.
func TestLate(t *testing.T) {
	event := func(kind cluster.Kind, at unit.Time, id unit.TaskID) cluster.Event {
		return cluster.Event{Kind: kind, At: at, Task: id}
	}
	const from, minute = 10 * unit.Minute, unit.Minute
	for _, c := range []struct {
		name          string
		events        []cluster.Event
		arrived, late float64
	}{
		{"placed at once", []cluster.Event{event(cluster.TaskSubmitted, from, 1), event(cluster.TaskPlaced, from, 1)}, 1, 0},
		{"placed within a minute", []cluster.Event{event(cluster.TaskSubmitted, from, 1), event(cluster.TaskPlaced, from+minute, 1)}, 1, 0},
		{"placed a moment later", []cluster.Event{event(cluster.TaskSubmitted, from, 1), event(cluster.TaskPlaced, from+minute+1, 1)}, 1, 1},
		{"given up", []cluster.Event{event(cluster.TaskSubmitted, from, 1), event(cluster.TaskEnded, from+2*minute, 1)}, 1, 1},
		{"from before", []cluster.Event{event(cluster.TaskSubmitted, from-1, 1), event(cluster.TaskPlaced, from+9*minute, 1)}, 0, 0},
		{"waits for a minute", []cluster.Event{event(cluster.TaskSubmitted, from+4*minute, 1)}, 1, 0},
		{"waits for longer", []cluster.Event{event(cluster.TaskSubmitted, from+4*minute-1, 1)}, 1, 1},
		{"lost its place", []cluster.Event{event(cluster.TaskSubmitted, from, 1), event(cluster.TaskPlaced, from, 1), event(cluster.TaskDisplaced, from+minute, 1), event(cluster.TaskPlaced, from+minute, 1)}, 2, 0},
		{"lost it and waits", []cluster.Event{event(cluster.TaskSubmitted, from, 1), event(cluster.TaskPlaced, from, 1), event(cluster.TaskDisplaced, from+minute, 1)}, 2, 1},
	} {
		if arrived, late := paper.Late(from, from+5*minute, c.events); arrived != c.arrived || late != c.late {
			t.Errorf("%s: %v arrived, %v late, want %v and %v", c.name, arrived, late, c.arrived, c.late)
		}
	}
}
