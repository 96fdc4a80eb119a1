package measure

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/core/feed"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/workload"
)

// Trace measures the MB per second of reading a generated task_events table of the Google trace,
// counted unpacked.
func Trace(name string, packed bool, read func(trace.File) error) Measurement {
	return Measurement{
		Name: name, Unit: "MB/s",
		Once: func(now func() time.Time) (float64, error) {
			text := taskEvents(400_000)
			stored := text
			if packed {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				if _, err := z.Write(text); err != nil {
					return 0, err
				}
				if err := z.Close(); err != nil {
					return 0, err
				}
				stored = b.Bytes()
			}
			f := trace.File{Name: "task_events.csv", Size: int64(len(stored)), Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(stored)), nil
			}}
			seconds, err := timed(now, func() error { return read(f) })
			return float64(len(text)) / 1e6 / seconds, err
		},
	}
}

// summarise reads a file to its end for its summary, as parley trace does.
func summarise(f trace.File) error {
	_, err := trace.Summarise([]trace.File{f}, formats.All, trace.Options{})
	return err
}

// replay reads all records of a file, as a run does.
func replay(f trace.File) error {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central"}`))
	if err != nil {
		return err
	}
	source, err := feed.Open(s, []trace.File{f}, formats.All, trace.Options{})
	if err != nil {
		return err
	}
	var r workload.Record
	for err == nil {
		err = source.Next(&r)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// taskEvents makes a table with about n rows: tasks are submitted,
// scheduled and finish, 100,000 of them alive at a time.
func taskEvents(rows int) []byte {
	var b bytes.Buffer
	random := rng.New(1, "bench/trace")
	const alive = 100_000
	for i := range rows / 3 {
		at := uint64(600_000_000 + i*9_000)
		task := func(i, event int) {
			fmt.Fprintf(&b, "%d,,%d,%d,%d,%d,fJYeclskJqPWsNT/RVWzpM28JdTbFcHaF2nGfWN5Y5w=,2,%d,%.4g,%.4g,0.0003862,0\n",
				at, 3_418_300_000+uint64(i/50), i%50, 3900000+random.Intn(12_583), event, random.Intn(10),
				0.001+float64(0.2*random.Float64()), 0.001+float64(0.1*random.Float64()))
		}
		task(i, 0)
		task(i, 1)
		if i >= alive {
			task(i-alive, 4)
		}
	}
	return b.Bytes()
}
