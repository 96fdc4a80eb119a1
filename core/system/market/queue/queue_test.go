package queue_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"parley/core/batch"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system/market/qbets"
	"parley/core/system/market/queue"
	"parley/core/trace"
	"parley/core/trace/swf"
	"parley/core/unit"
	"parley/core/workload"
)

// atlas opens the real log of LLNL's Atlas, or passes over the test.
func atlas(t *testing.T) (jobs []workload.Record) {
	t.Helper()
	dir := os.Getenv("PARLEY_TRACES")
	if dir == "" {
		dir = "../../../../../shared/traces"
	}
	path := filepath.Join(dir, "swf", "LLNL-Atlas-2006-2.1-cln.swf.gz")
	info, err := os.Stat(path)
	if err != nil {
		t.Skipf("the log of LLNL-Atlas is not here (%s)", path)
	}
	source, err := swf.Open([]trace.File{{Name: info.Name(), Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(path) }}}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		var r workload.Record
		if err := source.Next(&r); errors.Is(err, io.EOF) {
			return jobs
		} else if err != nil {
			t.Fatal(err)
		}
		if r.Kind == workload.JobArrives {
			job := *r.Job
			r.Job = &job
			jobs = append(jobs, r)
		}
	}
}

// replay is a queue that a log runs through while blocks are reserved at random.
type replay struct {
	t        *testing.T
	queue    *queue.Queue
	clock    *des.Kernel
	jobs     []running // by handle
	promises map[batch.Handle]unit.Time
	blocks   []batch.Block
	late     int
	reserved int
	largest  int
	taken    int // at last
	last     unit.Time
	waits    *qbets.Predictor
}

type running struct {
	workload.Job
	submitted unit.Time
}

const onlyPass = 1 << 40

// Fire ends a job, or only lets jobs start.
func (r *replay) Fire(now unit.Time, arg uint64) {
	if arg != onlyPass {
		r.queue.End(now, batch.Handle(arg))
	}
	r.pass(now)
}

func (r *replay) pass(now unit.Time) {
	r.queue.Touch()
	for _, h := range r.queue.Pass(now) {
		j := &r.jobs[h]
		if at, promised := r.promises[h]; promised && now > at {
			r.late++
		}
		delete(r.promises, h)
		r.waits.Observe(now - j.submitted)
		r.clock.At(now+min(j.Run, j.Estimate), r, uint64(h))
	}
	r.queue.Touch()
	if now > r.last { // jobs that end at a moment are told one by one: look when it is over
		r.largest = max(r.largest, r.taken)
		r.last = now
	}
	r.taken = r.queue.Busy()
	for _, b := range r.blocks {
		if b.Start <= now && now < b.End {
			r.taken += b.Processors
		}
	}
	if h, at, waits := r.queue.Reserved(now); waits && at < unit.Forever {
		if before, had := r.promises[h]; !had || at < before {
			r.promises[h] = at
		}
	}
	if at := r.queue.Wake(now); at < unit.Forever {
		r.clock.At(at, r, onlyPass)
	}
}

// play runs the log through a queue.
func play(t *testing.T, log []workload.Record, protect queue.Protect, limit int) *replay {
	const cores = 9216
	r := &replay{t: t, queue: queue.New(batch.EASY, cores, protect), clock: des.New(), promises: map[batch.Handle]unit.Time{}, waits: qbets.New(0.95, 0.95)}
	random := rng.New(5, "reservations")
	for i, one := range log[:min(limit, len(log))] {
		for r.clock.Step(one.At) {
		}
		h := r.queue.Submit(one.At, batch.Job{Processors: int(one.Job.Processors), Estimate: one.Job.Estimate})
		for int(h) >= len(r.jobs) {
			r.jobs = append(r.jobs, running{})
		}
		r.jobs[h] = running{*one.Job, one.At}
		r.pass(one.At)
		if i%5 == 0 {
			start := one.At + unit.Time(random.Intn(int(12*unit.Hour)))
			b := batch.Block{Start: start, End: start + unit.Hour, Processors: 16 << random.Intn(8)}
			if r.queue.Reserve(one.At, b) {
				r.reserved++
				r.blocks = append(r.blocks, b)
			}
			r.pass(one.At)
		}
		live := r.blocks[:0]
		for _, b := range r.blocks {
			if b.End > one.At {
				live = append(live, b)
			}
		}
		r.blocks = live
	}
	return r
}

// TestAtlas: the replayed queue never holds more than the machine's 9,216 cores, and
// no reservation delays a job that EASY had promised a start; where the policy
// protects nobody some do.
func TestAtlas(t *testing.T) {
	log := atlas(t)
	limit := 4000
	if testing.Short() {
		limit = 1500
	}
	for _, protect := range []queue.Protect{queue.Waiting, queue.First, queue.NoJob} {
		r := play(t, log, protect, limit)
		judged, correct := r.waits.Coverage()
		t.Logf("%v: %d reservations, %d promises broken, at most %d cores, %d of %d waits within QBETS's bound, %d changes", protect, r.reserved, r.late, r.largest, correct, judged, r.waits.Changes())
		if r.largest > 9216 {
			t.Errorf("%v: %d of 9216 cores are taken at once", protect, r.largest)
		}
		if protect == queue.NoJob != (r.late > 0) {
			t.Errorf("%v: %d promises were broken", protect, r.late)
		}
		if r.reserved < 100 {
			t.Errorf("%v: only %d reservations were made", protect, r.reserved)
		}
		if float64(correct) < 0.95*float64(judged) {
			t.Errorf("%v: of %d waits only %d lie within QBETS's bound", protect, judged, correct)
		}
	}
}
