package google2011_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
	"parley/core/trace"
	"parley/core/trace/google2011"
)

// outcome is all that can be seen of reading files: records, errors, reports.
func outcome(t testing.TB, files []trace.File, skip bool) string {
	o := trace.Options{SkipBadRows: skip, MaxTasks: 10_000}
	s, err := google2011.Open(files, o)
	if err != nil {
		return asError(mustBeTrace(t, err))
	}
	texts, err := records(t, s)
	report := s.Report()
	out := fmt.Sprintf("%s\n%+v\n", strings.Join(texts, "\n"), report.Files)
	if err != nil {
		return out + asError(mustBeTrace(t, err))
	}
	summary, err := google2011.Summarise(files, o)
	if err != nil {
		mustBeTrace(t, err)
		return out
	}
	for i, f := range report.Files { // read by both, but for job events and what comes twice
		if other := summary.Files[i]; len(f.Notes) == 0 && (f.Rows != other.Rows || f.BadRows != other.BadRows) {
			t.Fatalf("the source reads %+v, the summary %+v", f, other)
		}
	}
	return out
}

// mustBeTrace checks that an error is one sentence about a file.
func mustBeTrace(t testing.TB, err error) error {
	var e *trace.Error
	if !errors.As(err, &e) || e.File == "" || e.Reason == "" || strings.ContainsAny(e.Error(), "\n\x00") {
		t.Fatalf("%#v is no proper error", err)
	}
	return err
}

// FuzzRead feeds any two files to the reader: it must not panic, hang or tell
// more than the files hold, and the size of reads and the order of files must
// not matter.
func FuzzRead(f *testing.F) {
	for _, pattern := range []string{"testdata/cell/*/*", "testdata/broken/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for i, path := range paths {
			one, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			other, err := os.ReadFile(paths[(i+1)%len(paths)])
			if err != nil {
				f.Fatal(err)
			}
			if len(one) < 20_000 && len(other) < 20_000 {
				f.Add(one, other, i, true)
			}
		}
	}
	for i, rows := range []string{
		"0,,1,0,5,0,u,3,9,0.5,0.25,,\n0,,1,0,5,1,u,3,9,0.5,0.25,,\n5,,1,0,5,2,u,3,9,0.5,0.25,,\n",
		"0,1,0,0,a,x\n0,1,0,2,b,7\n2000001,1,1,0,a,\n",
		"0,5,a,x,0\n0,5,b,7,0\n1,5,a,,1\n",
		"0,300,1,0,5,0.1,0.2,,,,,,,,,,,,0\n",
	} {
		f.Add([]byte("0,5,0,p,0.5,0.25\n3,5,1,p,,\n4,5,0,p,,\n"), []byte(rows), i, false)
	}
	f.Fuzz(func(t *testing.T, one, other []byte, named int, skip bool) {
		name := tableNames[(named%6+6)%6]
		files := []trace.File{memory(name, one, 0), memory("other.csv", other, 0)}
		want := outcome(t, files, skip)
		slow := []trace.File{memory(name, one, 7), memory("other.csv", other, 7)}
		if got := outcome(t, slow, skip); got != want {
			t.Fatalf("read by 7 bytes:\n%s\nat once:\n%s", got, want)
		}
	})
}

// The summary counts tasks and jobs exactly, however they are numbered.
func TestSummaryCounts(t *testing.T) {
	number := rapid.OneOf(rapid.Uint64Range(0, 200), rapid.Uint64())
	rapid.Check(t, func(t *rapid.T) {
		tasks, jobs, machines := map[string]bool{}, map[uint64]bool{}, map[uint64]bool{}
		var r rows
		for range rapid.IntRange(1, 300).Draw(t, "rows") {
			job, machine, index := number.Draw(t, "job"), number.Draw(t, "machine"), rapid.Uint32().Draw(t, "index")
			if rapid.Bool().Draw(t, "dense") {
				index %= 100
			}
			jobs[job], machines[machine], tasks[fmt.Sprint(job, "/", index)] = true, true, true
			r = append(r, fmt.Sprintf("0,,%d,%d,%d,1,u,3,9,0.5,0.25,,", job, index, machine))
		}
		report, err := google2011.Summarise([]trace.File{memory("f", []byte(r.content()), 0)}, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := report.Summary.(google2011.Summary)
		if s.Tasks != len(tasks) || s.Jobs != len(jobs) || s.Machines != len(machines) {
			t.Fatalf("%d tasks, %d jobs, %d machines; want %d, %d, %d", s.Tasks, s.Jobs, s.Machines, len(tasks), len(jobs), len(machines))
		}
	})
}

// Without skipping, the reading ends with the first of the rows that are
// skipped otherwise.
func TestFirstBadRowIsTheError(t *testing.T) {
	w := cell()
	random := rapid.SampledFrom([]string{"", "x", "-1", "1e99", "99999999999999999999", "a,b", "\"", "0.5"})
	rapid.Check(t, func(t *rapid.T) {
		table := rapid.IntRange(0, 5).Draw(t, "table")
		changed := slices.Clone(w.tables[table])
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			i := rapid.IntRange(0, len(changed)-1).Draw(t, "row")
			fields := strings.Split(changed[i], ",")
			fields[rapid.IntRange(0, len(fields)-1).Draw(t, "column")] = random.Draw(t, "value")
			changed[i] = strings.Join(fields, ",")
		}
		files := []trace.File{memory(tableNames[table], []byte(changed.content()), 0)}
		report, err := google2011.Summarise(files, trace.Options{SkipBadRows: true})
		if err != nil {
			t.Fatal(err)
		}
		bad, first := report.Bad()
		_, err = google2011.Summarise(files, trace.Options{})
		if (bad == 0) != (err == nil) || bad > 0 && !samePlace(err, first) {
			t.Fatalf("%d bad rows, first %v; the error is %v", bad, first, err)
		}
		if report.Files[0].Rows+bad != int64(len(changed)) {
			t.Fatalf("%d good and %d bad of %d rows", report.Files[0].Rows, bad, len(changed))
		}
	})
}

// samePlace compares errors but for their hints, which a report does not keep.
func samePlace(err error, first *trace.Error) bool {
	var e *trace.Error
	if !errors.As(err, &e) {
		return false
	}
	hinted := *first
	hinted.Hint = e.Hint
	return hinted == *e
}
