package swf_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/swf"
	"parley/core/unit"
	"parley/core/workload"
)

// opened returns the source of a log, its jobs by time, and the error that ends it.
func opened(content string) (s *swf.Source, jobs []workload.Record, err error) {
	if s, err = swf.Open([]trace.File{memory([]byte(content), 0)}, trace.Options{}); err != nil {
		return nil, nil, err
	}
	var r workload.Record
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		if r.Kind == workload.JobArrives {
			jobs = append(jobs, r)
		}
	}
	return s, jobs, err
}

const usual = "1 5 -1 60 2 -1 -1 2 60 -1 1 1 1 -1 -1 -1 -1 -1"

// TestColumnsOfAlea: rows may have the three columns that Alea adds, which are words, and
// neither one nor two of them.
func TestColumnsOfAlea(t *testing.T) {
	for extra, good := range map[string]bool{"": true, " {1,1} q_1d 1:ppn=2:x86_64": true, " {1}": false, " {1} q_1d": false, " {1} q_1d x y": false} {
		content := "; MaxProcs: 4\n" + usual + extra + "\n"
		_, jobs, err := opened(content)
		if got := len(jobs) == 1; got != good {
			t.Errorf("a row that ends with %q: %d jobs, %v", extra, len(jobs), err)
		}
		if !good && !strings.Contains(err.Error(), "should have the 18 or 21 columns of the Standard Workload Format") {
			t.Errorf("a row that ends with %q is answered with %v", extra, err)
		}
		m := swf.Detect(&trace.Head{Bytes: []byte(usual + extra + "\n"), Whole: true})
		if (m.Table != "") != good {
			t.Errorf("a row that ends with %q is detected as %+v", extra, m)
		}
	}
}

// TestTimesSince1970: where the first job was submitted beyond the longest run, times are
// counted from it, and that is told.
func TestTimesSince1970(t *testing.T) {
	row := func(n, at int) string {
		return strings.Replace(strings.Replace(usual, "1 5", fmt.Sprintf("%d %d", n, at), 1), "\n", "", 1) + "\n"
	}
	s, jobs, err := opened(row(1, 1356996147) + row(2, 1356996147+60) + row(3, 1356996140) + row(4, 1356996147+11*366*86400))
	if len(jobs) != 3 || jobs[0].At != 0 || jobs[1].At != unit.Minute || jobs[2].At != unit.Minute {
		t.Fatalf("%+v, %v", jobs, err)
	}
	stated := strings.Join(s.Tally().Sentences(), "; ")
	for _, want := range []string{"submit times since 1970, counted from the first job's: 3", "submitted more than ten years after the beginning: 1", "submitted before the row above, arriving with it: 1"} {
		if !strings.Contains(stated, want) {
			t.Errorf("%q is not in %q", want, stated)
		}
	}
}

// TestMaxProcs: a number of processors that no machine has is told, and the largest job
// counts; it was taken for none, or cut, without a word.
func TestMaxProcs(t *testing.T) {
	for value, want := range map[string]string{
		"4":           "4 nodes of 1 processor, 4 in all, from MaxProcs of the header",
		"0":           `2 nodes of 1 processor, 2 in all, from the largest job, since the header's MaxProcs is "0" and not from 1 to 33554432`,
		"-9":          `2 nodes of 1 processor, 2 in all, from the largest job, since the header's MaxProcs is "-9" and not from 1 to 33554432`,
		"99999999999": `2 nodes of 1 processor, 2 in all, from the largest job, since the header's MaxProcs is "99999999999" and not from 1 to 33554432`,
		"many":        `2 nodes of 1 processor, 2 in all, from the largest job, since the header's MaxProcs is "many" and not from 1 to 33554432`,
	} {
		s, _, _ := opened("; MaxProcs: " + value + "\n" + usual + "\n")
		if s == nil || s.Header().Assumed != "machines assumed: "+want {
			t.Errorf("MaxProcs %s: %v", value, s)
		}
	}
}

// TestWholeNumbers: half a processor, and half a user, are refused and not rounded.
func TestWholeNumbers(t *testing.T) {
	for _, column := range []int{0, 4, 7, 10, 11, 12, 14} {
		for value, good := range map[string]bool{"1.00": true, "1e0": true, "0.5": false, "1.5": false} {
			fields := strings.Fields(usual)
			fields[column] = value
			_, jobs, err := opened("; MaxProcs: 4\n" + strings.Join(fields, " ") + "\n")
			if good != (len(jobs) == 1) || !good && !strings.Contains(err.Error(), `"`+value+`" is not a whole number`) {
				t.Errorf("column %d of %s: %d jobs, %v", column, value, len(jobs), err)
			}
		}
	}
}

// TestBadFirstRow: a log with a header is one, whatever its first row is, and the row has
// its own error.
func TestBadFirstRow(t *testing.T) {
	content := "; MaxProcs: 4\n1 x -1\n"
	if m := swf.Detect(&trace.Head{Bytes: []byte(content), Whole: true}); m.Table != "jobs" {
		t.Errorf("it is detected as %+v", m)
	}
	if _, _, err := opened(content); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("it is answered with %v", err)
	}
}
