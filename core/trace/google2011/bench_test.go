package google2011_test

import (
	"io"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/workload"
)

// unpacked returns how long the files' text is.
func unpacked(b *testing.B, files []trace.File) (text, rows int64) {
	report := trace.Progress{}
	_, err := google2011.Summarise(files, trace.Options{Progress: func(p trace.Progress) error {
		report = p
		return nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	return report.Text, report.Rows
}

// inMemory reads files once, so that a benchmark does not measure the disk.
func inMemory(b *testing.B, files []trace.File) (copies []trace.File) {
	for _, f := range files {
		r, err := f.Open()
		if err != nil {
			b.Fatal(err)
		}
		stored, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			b.Fatal(err)
		}
		copies = append(copies, memory(f.Name, stored, 0))
	}
	return copies
}

func benchmark(b *testing.B, read func([]trace.File) error) {
	files := inMemory(b, realFiles(b, "task_events", "machine_events"))
	text, rows := unpacked(b, files)
	b.SetBytes(text)
	b.ReportAllocs()
	for b.Loop() {
		if err := read(files); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// MB/s are of unpacked text, from gzip.
func BenchmarkSource(b *testing.B) {
	benchmark(b, func(files []trace.File) error {
		s, err := google2011.Open(files, trace.Options{})
		if err != nil {
			return err
		}
		var r workload.Record
		for err == nil {
			err = s.Next(&r)
		}
		if err == io.EOF {
			return nil
		}
		return err
	})
}

func BenchmarkSummarise(b *testing.B) {
	benchmark(b, func(files []trace.File) error {
		_, err := google2011.Summarise(files, trace.Options{})
		return err
	})
}
