package plan

import (
	"fmt"
	"math"
)

// Outcome is the true cost of a plan.
type Outcome struct {
	Makespan float64 // seconds until the last computation ends
	IdlePct  float64 // share of (makespan × workers that get a chunk) not spent computing, 0 to 100
	GapPct   float64 // the largest share of the makespan that one worker waits between two of its chunks
}

// Timeline is the course of a plan, one entry a chunk in sending order; the
// slices are reused by the next simulation that is given the same Timeline.
type Timeline struct {
	Worker       []int32 // index in Platform.Workers
	Round        []int32
	SendStart    []float64 // seconds
	SendEnd      []float64 // the chunk has arrived
	ComputeStart []float64
	ComputeEnd   []float64
}

func (t *Timeline) reset() {
	t.Worker, t.Round = t.Worker[:0], t.Round[:0]
	t.SendStart, t.SendEnd = t.SendStart[:0], t.SendEnd[:0]
	t.ComputeStart, t.ComputeEnd = t.ComputeStart[:0], t.ComputeEnd[:0]
}

// Simulate plays chunks (rows: rounds, columns: workers of order) on a
// one-port master that sends row by row without pause, with workers that
// receive while they compute. A chunk of size zero is not sent and costs
// nothing. If timeline is not nil it receives every chunk's times.
func Simulate(p Platform, order []int, chunks [][]float64, timeline *Timeline) (Outcome, error) {
	var s Simulator
	if err := s.Set(p, order); err != nil {
		return Outcome{}, err
	}
	for j, row := range chunks {
		if len(row) != len(order) {
			return Outcome{}, fmt.Errorf("round %d has %d chunks for %d workers", j, len(row), len(order))
		}
		for k, x := range row {
			if !(x >= 0 && x <= math.MaxFloat64) {
				return Outcome{}, fmt.Errorf("the chunk of worker %d in round %d is %v: it must not be negative",
					order[k], j, x)
			}
		}
	}
	if timeline != nil {
		s.trace(order, chunks, timeline)
	}
	return s.Run(chunks), nil
}

// Simulator plays many plans for the same workers without allocating.
type Simulator struct {
	lanes []lane
	port  float64
}

// lane is one worker with its work so far.
type lane struct {
	commLatency, bandwidth float64
	compLatency, speed     float64
	rate                   float64 // Worker.rate
	free                   float64 // when the last chunk sent to it will be done
	busy, gap              float64 // seconds computed, seconds waited between chunks
}

func newLane(w Worker) lane {
	return lane{
		commLatency: w.CommLatency, bandwidth: w.Bandwidth,
		compLatency: w.CompLatency, speed: w.Speed, rate: w.rate(),
	}
}

// Set chooses the workers to simulate; each may be in order once.
func (s *Simulator) Set(p Platform, order []int) error {
	seen := make([]bool, len(p.Workers))
	s.lanes = s.lanes[:0]
	for _, i := range order {
		if i < 0 || i >= len(p.Workers) {
			return fmt.Errorf("the order names worker %d: there are workers 0 to %d", i, len(p.Workers)-1)
		}
		if seen[i] {
			return fmt.Errorf("the order names worker %d twice", i)
		}
		seen[i] = true
		s.lanes = append(s.lanes, newLane(p.Workers[i]))
	}
	return nil
}

// Run plays chunks, which must be non-negative and as wide as the order.
func (s *Simulator) Run(chunks [][]float64) Outcome {
	s.restart()
	for _, row := range chunks {
		s.round(row)
	}
	return s.outcome()
}

func (s *Simulator) restart() {
	s.port = 0
	for k := range s.lanes {
		l := &s.lanes[k]
		l.free, l.busy, l.gap = 0, 0, 0
	}
}

// round plays one row, a chunk for each lane, after those before it; a chunk of 0 is skipped. It is the
// hot loop: one send and one computation a chunk.
func (s *Simulator) round(row []float64) {
	port := s.port
	lanes := s.lanes[:len(row)]
	for k, x := range row {
		if x == 0 {
			continue
		}
		l := &lanes[k]
		port += l.commLatency + x/l.bandwidth
		work := l.compLatency + x/l.speed
		start := l.free
		if port > start {
			if l.busy > 0 {
				l.gap += port - start
			}
			start = port
		}
		l.free = start + work
		l.busy += work
	}
	s.port = port
}

// ifRound returns when the last computation would end if row were the last
// round, without playing it.
func (s *Simulator) ifRound(row []float64) (finish float64) {
	port := s.port
	for k, x := range row {
		l := &s.lanes[k]
		end := l.free
		if x > 0 {
			port += l.commLatency + x/l.bandwidth
			end = max(port, end) + (l.compLatency + x/l.speed)
		}
		finish = max(finish, end)
	}
	return finish
}

// outcome returns the figures of the rounds that were played since restart; all zero if there were none.
func (s *Simulator) outcome() (o Outcome) {
	used, busy, gap := 0, 0.0, 0.0
	for k := range s.lanes {
		l := &s.lanes[k]
		o.Makespan = max(o.Makespan, l.free)
		if l.busy > 0 {
			used++
			busy += l.busy
			gap = max(gap, l.gap)
		}
	}
	if o.Makespan > 0 {
		o.IdlePct = 100 * max(0, 1-busy/(o.Makespan*float64(used)))
		o.GapPct = 100 * gap / o.Makespan
	}
	return o
}

// trace plays chunks as Run does and records the times of each chunk, which round only accumulates. The
// arithmetic must be that of round, so that both give the same times.
func (s *Simulator) trace(order []int, chunks [][]float64, t *Timeline) {
	t.reset()
	s.restart()
	for j, row := range chunks {
		for k, x := range row {
			if x == 0 {
				continue
			}
			l := &s.lanes[k]
			sent := s.port
			s.port += l.commLatency + x/l.bandwidth
			start := max(s.port, l.free)
			l.free = start + (l.compLatency + x/l.speed)
			t.Worker, t.Round = append(t.Worker, int32(order[k])), append(t.Round, int32(j))
			t.SendStart, t.SendEnd = append(t.SendStart, sent), append(t.SendEnd, s.port)
			t.ComputeStart, t.ComputeEnd = append(t.ComputeStart, start), append(t.ComputeEnd, l.free)
		}
	}
}
