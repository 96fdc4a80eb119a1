package jobtable_test

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/jobtable"
	"parley/core/workload"
)

// FuzzRead: whatever a file holds, reading ends with a sentence or a tally in which each row
// is played or left out.
func FuzzRead(f *testing.F) { fuzz(f, "*") }

// The same from the logs of one batch system each: a fuzzer that begins with all of them tries each too seldom.
func FuzzPBS(f *testing.F)        { fuzz(f, "pbs", "qstat*") }
func FuzzGridEngine(f *testing.F) { fuzz(f, "grid-engine", "qacct") }
func FuzzLSF(f *testing.F)        { fuzz(f, "lsf*") }
func FuzzHTCondor(f *testing.F)   { fuzz(f, "htcondor*") }
func FuzzSlurm(f *testing.F)      { fuzz(f, "slurm*", "sacct*", "squeue*") }
func FuzzMoab(f *testing.F)       { fuzz(f, "moab", "maui", "oar*", "flux*") }
func FuzzNextflow(f *testing.F)   { fuzz(f, "nextflow") }
func FuzzTable(f *testing.F)      { fuzz(f, "table") }

// fuzz begins with the logs whose formats have names of some patterns.
func fuzz(f *testing.F, patterns ...string) {
	seeds := 0
	for _, text := range inputs(f) {
		source, err := trace.Open([]trace.File{memory(text, 0)}, format(), trace.Options{SkipBadRows: true})
		if err != nil {
			continue
		}
		for _, pattern := range patterns {
			if is, _ := path.Match(pattern, path.Base(source.Report().Files[0].Format)); is {
				f.Add([]byte(text), "", true)
				seeds++
			}
		}
	}
	if seeds == 0 {
		f.Fatal("no log begins it")
	}
	if patterns[0] == "*" || patterns[0] == "table" {
		for _, text := range samples {
			f.Add([]byte(text), "", false)
			f.Add([]byte(text), "submit=submit, processors=processors, runtime=runtime:min, zone=+01:00, decimal=comma", true)
		}
	}
	f.Fuzz(readAny)
}

func readAny(t *testing.T, content []byte, mapping string, skip bool) {
	v, err := jobtable.Look(memory(string(content), 0), mapping)
	if err == nil && v.Played+v.BadRows > v.Rows || err != nil && strings.Contains(err.Error(), "\n") {
		t.Fatalf("%+v, %q", v, err)
	}
	formats, err := trace.Using([]trace.Format{jobtable.Format()}, mapping)
	if err != nil {
		return
	}
	file := trace.File{Name: "jobs", Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
	source, err := trace.Open([]trace.File{file}, formats, trace.Options{SkipBadRows: skip, MaxTasks: 1000})
	if err != nil {
		return
	}
	var r workload.Record
	last := r.At
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		if r.At < last {
			t.Fatalf("a record at %v after one at %v", r.At, last)
		}
		if last = r.At; r.Kind == workload.JobArrives && (r.Job.Processors < 1 || r.Job.Run < 1 || r.Job.Estimate < 1) {
			t.Fatalf("%+v", *r.Job)
		}
	}
	if !errors.Is(err, io.EOF) {
		if err.Error() == "" || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q", err)
		}
		return
	}
	tally := source.Tally()
	left := int64(0)
	for _, c := range tally.LeftOut {
		left += c.Count
	}
	if tally.Played+left != tally.Rows || tally.Played < 0 {
		t.Fatalf("%+v", tally)
	}
}
