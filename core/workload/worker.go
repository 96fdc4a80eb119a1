package workload

import (
	"slices"

	"parley/core/rng"
	"parley/core/unit"
)

// Worker describes how a machine computes pieces of work. A chunk of x units of a divisible load
// takes CommLatency + x/Bandwidth of the master's port and then CompLatency + x/Speed of the
// machine. A subtask of a graph takes CompLatency + work/speed for its type, and its output takes
// CommLatency + bytes/Channel of the machine's own port.
type Worker struct {
	Speed, Bandwidth unit.Work // a second, as stated; at least 1
	// a second, by type of subtask: it cannot do types with 0 or beyond the end; nil: Speed, whatever the type
	Speeds []unit.Work
	// a second that results leave it with, and come from home; 0: they take no time
	Channel                  unit.Bytes
	CompLatency, CommLatency unit.Time
	Errors                   RateErrors // how the true rates differ from the stated ones
}

// SpeedFor returns the stated speed for a type of subtasks, 0 if the machine
// cannot do them.
func (w *Worker) SpeedFor(t SubtaskType) unit.Work {
	switch {
	case w.Speeds == nil:
		return w.Speed
	case t < 0 || int(t) >= len(w.Speeds):
		return 0
	}
	return w.Speeds[t]
}

// Equal reports whether two machines are described alike.
func (w *Worker) Equal(o *Worker) bool {
	return w.Speed == o.Speed && w.Bandwidth == o.Bandwidth && w.Channel == o.Channel &&
		w.CompLatency == o.CompLatency &&
		w.CommLatency == o.CommLatency && w.Errors == o.Errors && slices.Equal(w.Speeds, o.Speeds) &&
		(w.Speeds == nil) == (o.Speeds == nil)
}

// RateErrors are the differences between the true rates of workers and those stated. The zero
// value makes no difference.
type RateErrors struct {
	Seed             uint64
	Speed, Bandwidth RateError
}

// RateError is the error of one stated rate: the true rate is the stated one times
// (1 + Worker·u)·(1 + Chunk·v) with u, v uniform in [-1, 1), u drawn once for
// each worker (a wrong estimate) and v for each chunk (a noisy machine). Both
// are at least 0 and below 1.
type RateError struct {
	Worker float64 `json:"worker"`
	Chunk  float64 `json:"chunk"`
}

// Valid reports whether s keeps rates above zero.
func (s RateError) Valid() bool { return s.Worker >= 0 && s.Worker < 1 && s.Chunk >= 0 && s.Chunk < 1 }

// SpeedFactor returns the factor of a worker's speed while it computes a chunk.
// Draws depend on the worker and on how many chunks it had before, not on who
// sends them.
func (s *RateErrors) SpeedFactor(worker, chunk int) float64 {
	return s.Speed.factor(rng.Mix(s.Seed), worker, chunk)
}

// BandwidthFactor returns the factor of a worker's bandwidth while a chunk is sent.
func (s *RateErrors) BandwidthFactor(worker, chunk int) float64 {
	return s.Bandwidth.factor(rng.Mix(s.Seed+1), worker, chunk)
}

func (s RateError) factor(key uint64, worker, chunk int) float64 {
	if s == (RateError{}) {
		return 1
	}
	draw := func(size float64, counter uint64) float64 {
		u := float64(rng.Unit(rng.Hash(key, uint64(worker), counter)))
		return 1 + float64(size*(u+u-1))
	}
	return draw(s.Worker, 0) * draw(s.Chunk, uint64(chunk)+1)
}
