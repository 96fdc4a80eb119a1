package cluster_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/core/kube/plane"
	"parley/core/unit"
)

// TestTimeline: each pod that the plan moves leaves and comes in the timeline of its drains, and the last line is
// at the time that the answer names. A question that plays nothing says so.
func TestTimeline(t *testing.T) {
	name := dump(t)
	file := filepath.Join(t.TempDir(), "timeline.csv")
	text := ask(t, "drain", name, "--delete-emptydir-data", "--plays", "1", "--timeline", file)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 10 || strings.Join(rows[0], ",") != "seconds,what,pod,workload,node,from,text" {
		t.Fatalf("%v: %.3v", err, rows)
	}
	n := map[string]int{}
	for _, row := range rows[1:] {
		n[row[1]]++
		if row[1] == "bound" && (row[2] == "" || row[3] == "" || row[4] == "" || row[5] == "" || row[4] == row[5]) {
			t.Errorf("%v: a pod that moves has two nodes", row)
		}
	}
	if n["emptied"] == 0 || n["emptied"] != n["drain begins"] || n["deleted"] != n["gone"] || n["bound"] != n["ready"] || n["bound"] != n["deleted"] {
		t.Errorf("%v", n)
	}
	if last, err := strconv.Atoi(rows[len(rows)-1][0]); err != nil || !strings.Contains(text, "The drains take "+plane.After(unit.Time(last)*unit.Second)+".") {
		t.Errorf("the last line is at %d s, the answer is\n%.600s", last, text)
	}
	if _, err := run(t, "drain", name, "--timeline", file); err == nil || !strings.Contains(err.Error(), "nothing was played") {
		t.Errorf("a drain of no node: %v", err)
	}
	if _, err := run(t, "drain", name, "--delete-emptydir-data", "--timeline", filepath.Join(file, "x")); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("a file in a file: %v", err)
	}
}
