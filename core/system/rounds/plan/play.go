package plan

import (
	"fmt"

	"parley/core/fifo"
	"parley/core/heap"
	"parley/core/workload"
)

// Played is the result of a method.
type Played struct {
	Makespan float64   // seconds until all load is computed
	Chunks   int       // messages sent, repeated ones included
	Resent   float64   // work units that were lost and sent again
	Done     []float64 // work units computed by each worker of the platform
}

// Play runs the load through the platform with its true rates and failures. Everything is computed
// exactly once: work that a failure loses is sent again. It fails if the last workers are gone for
// good before the load is done.
//
// Without errors and failures a Fixed plan takes exactly the time of Simulate.
func Play(p Platform, load float64, m Method, reality Reality) (Played, error) {
	dealer, err := Deal(p, load, m)
	if err != nil {
		return Played{}, err
	}
	if err := reality.validate(len(p.Workers)); err != nil {
		return Played{}, err
	}
	r := &run{
		p: p, rateErrors: reality.rateErrors(), dealer: dealer, failures: reality.Failures,
		events: heap.New(before), workers: make([]machine, len(p.Workers)), states: make([]WorkerState, len(p.Workers)),
		receiver: -1,
		played:   Played{Done: make([]float64, len(p.Workers))},
	}
	for i := range r.states {
		r.states[i].Up = true
	}
	for n, f := range reality.Failures {
		r.at(f.At, event{kind: failed, worker: f.Worker, failure: n})
	}
	return r.play()
}

// machine is the state of one worker, beside its WorkerState.
type machine struct {
	life  int                 // failures so far; events of an earlier life are void
	queue fifo.Queue[float64] // arrived chunks, the first is being computed
	sent  int                 // chunks ever sent to it: numbers the draws
}

// run is the state of one Play: the port sends one chunk at a time, and each worker computes its
// chunks in the order of their arrival.
type run struct {
	p          Platform
	rateErrors workload.RateErrors
	failures   []Failure
	dealer     *Dealer
	workers    []machine
	states     []WorkerState
	receiver   int     // the worker the port sends to, -1 if the port is free
	amount     float64 // of the chunk on the port
	events     *heap.Heap[event]
	serial     int
	now        float64
	played     Played
}

// play handles events until none is left. Arrivals and computations of an earlier life of a worker are
// skipped. After each event the free port sends the next chunk. It returns an error if load is left that
// no worker can compute.
func (r *run) play() (Played, error) {
	r.send()
	for r.events.Len() > 0 {
		e := r.events.Pop()
		if (e.kind == arrived || e.kind == computed) && e.life != r.workers[e.worker].life {
			continue
		}
		r.now = e.time
		w := &r.workers[e.worker]
		switch e.kind {
		case arrived:
			w.queue.Push(r.amount)
			r.receiver = -1
			if w.queue.Len() == 1 {
				r.compute(e.worker)
			}
		case computed:
			r.finish(e.worker)
		case failed:
			r.fail(e)
		case returned:
			s := &r.states[e.worker]
			s.Up, s.Since = true, r.now
		}
		if r.receiver < 0 {
			r.send()
		}
	}
	if left := r.dealer.Left(); left > 0 {
		return r.played, fmt.Errorf("no worker is left after %v s to compute the last %v work units", r.now, left)
	}
	return r.played, nil
}

// send puts the next chunk on the port, which must be free; it does nothing if the dealer has none to
// send now.
func (r *run) send() {
	worker, amount, _, ok := r.dealer.Next(r.states)
	if !ok {
		return
	}
	w, s := &r.workers[worker], &r.states[worker]
	r.receiver, r.amount = worker, amount
	rate := r.p.Workers[worker].Bandwidth * r.rateErrors.BandwidthFactor(worker, w.sent)
	w.sent++
	s.Chunks++
	s.Since = r.now
	r.played.Chunks++
	r.at(r.now+(r.p.Workers[worker].CommLatency+amount/rate), event{kind: arrived, worker: worker, life: w.life})
}

// compute starts the first chunk of a worker's queue, which must not be empty. The chunk's number, by
// which its error is drawn, is its position among all chunks sent to the worker.
func (r *run) compute(worker int) {
	w := &r.workers[worker]
	rate := r.p.Workers[worker].Speed * r.rateErrors.SpeedFactor(worker, w.sent-r.states[worker].Chunks)
	r.at(r.now+(r.p.Workers[worker].CompLatency+w.queue.Values()[0]/rate),
		event{kind: computed, worker: worker, life: w.life})
}

// finish records that a worker has computed the first chunk of its queue, and starts the next one.
func (r *run) finish(worker int) {
	w := &r.workers[worker]
	r.played.Done[worker] += w.queue.Pop()
	r.played.Makespan = max(r.played.Makespan, r.now)
	s := &r.states[worker]
	s.Chunks--
	s.Since = r.now
	if w.queue.Len() > 0 {
		r.compute(worker)
	}
}

// fail returns the worker's queue to the pool and, if the port was sending to it, frees the port.
func (r *run) fail(e event) {
	w := &r.workers[e.worker]
	lost := 0.0
	for _, amount := range w.queue.Values() {
		lost += amount
	}
	if r.receiver == e.worker {
		lost += r.amount
		r.receiver = -1
	}
	r.dealer.Return(lost)
	r.played.Resent += lost
	s := &r.states[e.worker]
	s.Up, s.Chunks = false, 0
	w.queue.Clear()
	w.life++
	if back := r.failures[e.failure].Return; back > 0 {
		r.at(back, event{kind: returned, worker: e.worker})
	}
}

const (
	arrived = iota
	computed
	failed
	returned
)

type event struct {
	time    float64
	serial  int // events of the same time keep the order in which they were set
	kind    int // arrived, computed, failed or returned
	worker  int
	life    int // of arrived and computed: see machine.life
	failure int // of failed: index in run.failures
}

func (r *run) at(time float64, e event) {
	e.time, e.serial = time, r.serial
	r.serial++
	r.events.Push(e)
}

// before orders events by time.
func before(a, b event) bool { return a.time < b.time || a.time == b.time && a.serial < b.serial }
