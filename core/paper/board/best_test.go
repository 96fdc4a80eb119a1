package board_test

import (
	"io"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/paper/board"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/workflow"
	"parley/core/workload"
)

// TestBestErrors: each line that says nothing is one sentence with its place.
func TestBestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"50/a.stg,2":               `best.csv, line 1: "50/a.stg,2" is not name,processors,length, as in 50/rand0000.stg,2,131`,
		"\na,b,c":                  `best.csv, line 2: "b" is not a number of processors of at least 1`,
		"a,0,7":                    `best.csv, line 1: "0" is not a number of processors of at least 1`,
		"a,2,-7":                   `best.csv, line 1: "-7" is not a schedule length above 0`,
		"a,2,NaN":                  `best.csv, line 1: "NaN" is not a schedule length above 0`,
		"a,2,9,8":                  `best.csv, line 1: the length 8 is below the bound 9`,
		"a,2,9\na,2,8":             `best.csv, line 2: of "a" on 2 processors two lengths are given, 9 and 8`,
		"a,2,9,10,11":              `best.csv, line 1: "a,2,9,10,11" is not name,processors,length, as in 50/rand0000.stg,2,131`,
		strings.Repeat("a", 1<<20): `best.csv, behind line 0: bufio.Scanner: token too long`,
	} {
		if err := (board.Best{}).Read("best.csv", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, and not %s", text, err, want)
		}
	}
	if err := (board.Best{}).Read("best.csv", strings.NewReader("a,2,9\r\n\na,2,9\nb,1,9\n")); err != nil {
		t.Errorf("the same line twice, and one processor: %v", err)
	}
}

// TestOptimal: two tasks of 5 and 4, the second of which needs the first, take 9 on any
// number of processors. They are compared with what is known, else with a bound; and
// where a schedule is below what is said to be proved, a claim does not hold.
func TestOptimal(t *testing.T) {
	const chain = "2\n0 0 0\n1 5 1 0\n2 4 1 1\n3 0 1 2\n"
	for _, c := range []struct {
		best, processors, against string
		above                     float64 // %
		holds                     string
	}{
		{"", "2", "bound", 0, "yes"},
		{"of/chain.stg,2,9", "2", "best known", 0, "yes"},
		{"of/chain.stg,2,6", "2", "best known", 50, "yes"},
		{"of/chain.stg,2,9,12", "2", "best known", -25, "yes"},
		{"of/chain.stg,2,12", "2", "best known", -25, "no"},
		{"f/chain.stg,2,12", "2", "bound", 0, "yes"},
		{"of/chain.stg,4,6", "4", "best known", 50, "yes"},
	} {
		files := &board.Files{Names: []string{"/traces/of/chain.stg"}, Best: board.Best{}}
		files.Source = func(s *scenario.Scenario) (workload.Source, error) {
			file := trace.File{Name: "chain.stg", Size: int64(len(chain)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(chain)), nil }}
			return feed.Open(s, []trace.File{file}, []trace.Format{workflow.Format()}, trace.Options{})
		}
		if err := files.Best.Read("best.csv", strings.NewReader(c.best)); err != nil {
			t.Fatal(err)
		}
		rows := twoGraphs(t, "optimal.json", files)
		at := c.processors + " processors: HEFT, "
		if r, is := rows[at+"above the "+c.against]; !is || r.Measured < c.above-1e-3 || r.Measured > c.above+1e-3 {
			t.Errorf("known is %q: %v, %+v", c.best, is, r)
		}
		if r := rows[at+"graphs below what is proved"]; judged(r) != c.holds || strings.Contains(r.Note, "is wrong") != (c.holds == "no") {
			t.Errorf("known is %q: %+v", c.best, r)
		}
	}
}
