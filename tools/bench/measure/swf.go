package measure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/core/batch"
	"parley/core/feed"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/core/workload"
)

// SWFRows measures the rows per second of reading a generated log as a workload.
func SWFRows(name string, rows int) Measurement {
	return Measurement{Name: name, Unit: "rows/s", Once: func(now func() time.Time) (float64, error) {
		log := jobLog(rows, 100)
		read := 0
		seconds, err := timed(now, func() error {
			return each(log, func(*workload.Record) { read++ })
		})
		if err == nil && read <= rows {
			err = fmt.Errorf("a log of %d rows has %d records, with its machine", rows, read)
		}
		return float64(rows) / seconds, err
	}}
}

// Batch measures the jobs per second that a policy schedules on a machine of n processors at a load
// of about 70 %: package batch alone, jobs of every size up to the whole machine.
func Batch(name string, p batch.Policy, jobs, processors int) Measurement {
	return Measurement{Name: name, Unit: "jobs/s", Once: func(now func() time.Time) (float64, error) {
		log, err := logged(jobLog(jobs, processors))
		if err != nil {
			return 0, err
		}
		seconds, err := timed(now, func() error {
			for _, at := range batch.Play(p, processors, log) {
				if at == unit.Forever {
					return errors.New("a job never started")
				}
			}
			return nil
		})
		return float64(jobs) / seconds, err
	}}
}

// BatchRun measures the same with everything about it: the reader, the cluster's
// truth and its checks, the samples of every minute, and the digest.
func BatchRun(name string, jobs, processors int) Measurement {
	return Measurement{Name: name, Unit: "jobs/s", Once: func(now func() time.Time) (float64, error) {
		text := jobLog(jobs, processors)
		seconds, err := timed(now, func() error {
			s, err := scenario.Parse([]byte(`{"v":1,"system":"central","settings":{"policy":"easy"},"until":"3650d"}`))
			if err != nil {
				return err
			}
			source, err := feed.Open(s, []trace.File{inMemory("log.swf", text)}, formats.All, trace.Options{})
			if err != nil {
				return err
			}
			r, err := run.Open(s, source)
			for at := unit.Day; err == nil; at += unit.Day {
				if t := r.View().Totals().Jobs; t.Submitted == int64(jobs) && t.Waiting+t.Running == 0 {
					return nil
				}
				err = r.Advance(at)
			}
			return err
		})
		return float64(jobs) / seconds, err
	}}
}

func inMemory(name string, text []byte) trace.File {
	return trace.File{
		Name: name, Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil },
	}
}

// logged reads a log as package batch plays it.
func logged(text []byte) (log []batch.Logged, err error) {
	err = each(text, func(r *workload.Record) {
		if j := r.Job; r.Kind == workload.JobArrives {
			log = append(log, batch.Logged{
				Job:    batch.Job{Processors: int(j.Processors), Estimate: j.Estimate},
				Submit: r.At, Run: j.Run,
			})
		}
	})
	return log, err
}

// each reads a log to its end and calls a function with each record.
func each(text []byte, do func(*workload.Record)) error {
	source, err := trace.Open([]trace.File{inMemory("log.swf", text)}, formats.All, trace.Options{})
	if err != nil {
		return err
	}
	var r workload.Record
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		do(&r)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// jobLog makes a log of a given number of jobs: sizes are powers of two up to the machine, small
// ones most often; jobs run up to two hours, at most half of the requested time.
func jobLog(rows, processors int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "; Version: 2.2\n; MaxProcs: %d\n", processors)
	random := rng.New(1, "bench/swf")
	at := 0.0
	for i := range rows {
		procs := 1
		for 2*procs <= processors && random.Float64() < 0.6 {
			procs *= 2
		}
		seconds := 1 + random.Intn(7200)
		// the machine's time that the job takes at 70 %
		at += float64(procs*seconds) / (0.7 * float64(processors)) * random.Exponential()
		fmt.Fprintf(&b, "%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 1 1 -1 -1 -1\n", i+1, int(at), seconds, procs,
			procs, 600*(1+seconds/300), random.Intn(200))
	}
	return b.Bytes()
}
