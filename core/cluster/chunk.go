package cluster

import (
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// A divisible load lies with a master outside the cluster. The master has one
// port: it sends chunks of the load to nodes that are workers, one at a time.
// A worker computes its chunks in the order in which they arrive and receives
// while it computes. What a worker has not computed when it goes down is lost
// and lies with the master again.

// LoadTotals are the sums over a divisible load. At any time Arrived is Unsent +
// Sending + Queued + Computing + Done.
type LoadTotals struct {
	Arrived   unit.Work
	Unsent    unit.Work // with the master
	Sending   unit.Work // on the port
	Queued    unit.Work // with workers, not begun
	Computing unit.Work // in chunks that are being computed
	Done      unit.Work
	Lost      unit.Work // went down with a worker; it counts as unsent again
	Chunks    int64     // that were sent, lost ones included
}

func (w *LoadTotals) sum() unit.Work { return w.Unsent + w.Sending + w.Queued + w.Computing + w.Done }

// Places of a chunk that is lost, as Event.Detail tells them.
const (
	OnPort uint8 = iota
	InQueue
	UnderWay // it was being computed
)

// mostWork bounds the load of a run, so that no sum overflows.
const mostWork = unit.Work(1) << 60

// longest bounds the time that one step of a chunk takes: longer than any run.
const longest = 36_500 * unit.Day

// port is the master's.
type port struct {
	to      unit.NodeID
	amount  unit.Work // 0: the port is free
	arrives des.Ticket
}

// worker is what a node that is a worker holds.
type worker struct {
	workload.Worker
	is       bool
	queue    []unit.Work // arrived chunks; the first is being computed
	sent     int         // chunks ever sent to it: numbers the strays
	received int64       // chunks
	done     unit.Work
	cpu      unit.Share // what it computes with now
	ready    des.Ticket
}

// setWorker makes a node a worker or gives a worker other figures, which hold
// from its next chunk on. It reports whether anything changed.
func (c *Cluster) setWorker(n unit.NodeID, described *workload.Worker) bool {
	if described == nil {
		return false
	}
	for int(n) >= len(c.workers) {
		c.workers = append(c.workers, worker{})
	}
	w, d := &c.workers[n], *described
	d.Speed, d.Bandwidth = max(1, d.Speed), max(1, d.Bandwidth)
	d.CompLatency, d.CommLatency = max(0, min(d.CompLatency, longest)), max(0, min(d.CommLatency, longest))
	if w.is && w.Worker == d {
		return false
	}
	w.Worker, w.is = d, true
	return true
}

// worker returns what n holds as a worker, or nil where it is none.
func (c *Cluster) worker(n unit.NodeID) *worker {
	if n < 0 || int(n) >= len(c.workers) || !c.workers[n].is {
		return nil
	}
	return &c.workers[n]
}

// Arrive brings a load, of which the master takes at most what the sums can
// hold.
func (c *Cluster) Arrive(load unit.Work) {
	t := &c.totals.Work
	load = max(0, min(load, mostWork-t.Arrived))
	t.Arrived += load
	t.Unsent += load
	c.emit(Event{Kind: LoadArrived, Node: unit.NoNode, Amount: int64(load)})
}

// Send implements Acts.
func (c *Cluster) Send(n unit.NodeID, amount unit.Work) error {
	t, w := &c.totals.Work, c.worker(n)
	switch {
	case w == nil:
		return ErrNoWorker
	case !c.nodes.state[n].up:
		return ErrDown
	case c.port.amount > 0:
		return ErrBusy
	case amount <= 0 || amount > t.Unsent:
		return ErrLoad
	}
	t.Unsent -= amount
	t.Sending = amount
	t.Chunks++
	rate := strayed(w.Bandwidth, w.Strays.BandwidthFactor(int(n), w.sent))
	w.sent++
	arrives := c.clock.At(c.clock.Now()+w.CommLatency+duration(amount, rate), (*receiver)(c), 0)
	c.port = port{to: n, amount: amount, arrives: arrives}
	c.emit(Event{Kind: ChunkSent, Node: n, Amount: int64(amount)})
	return nil
}

// receiver takes chunks off the port.
type receiver Cluster

// Fire lets the chunk on the port arrive.
func (r *receiver) Fire(unit.Time, uint64) {
	c := (*Cluster)(r)
	n, amount, t := c.port.to, c.port.amount, &c.totals.Work
	w := &c.workers[n]
	c.port = port{}
	w.queue = append(w.queue, amount)
	w.received++
	t.Sending = 0
	t.Queued += amount
	c.emit(Event{Kind: ChunkReceived, Node: n, Amount: int64(amount)})
	if len(w.queue) == 1 {
		c.compute(n)
	}
}

// compute begins the first chunk of a worker's queue with all of its CPU.
func (c *Cluster) compute(n unit.NodeID) {
	w, t := &c.workers[n], &c.totals.Work
	amount := w.queue[0]
	t.Queued -= amount
	t.Computing += amount
	before := w.sent - len(w.queue)
	if c.port.amount > 0 && c.port.to == n {
		before--
	}
	rate := strayed(w.Speed, w.Strays.SpeedFactor(int(n), before))
	w.ready = c.clock.At(c.clock.Now()+w.CompLatency+duration(amount, rate), (*computer)(c), uint64(n))
	c.occupy(n, min(c.nodes.capacity[n][unit.CPU], maxUsedPerNode-c.nodes.used[n][unit.CPU]))
	c.emit(Event{Kind: ChunkStarted, Node: n, Amount: int64(amount)})
}

// occupy sets how much CPU a worker computes with; 0: it computes nothing.
func (c *Cluster) occupy(n unit.NodeID, cpu unit.Share) {
	w := &c.workers[n]
	cpu = max(0, cpu)
	c.nodes.used[n][unit.CPU] += cpu - w.cpu
	c.totals.Used[unit.CPU] += int64(cpu - w.cpu)
	w.cpu = cpu
}

// computer ends computations.
type computer Cluster

// Fire completes the chunk that worker arg computes.
func (m *computer) Fire(_ unit.Time, arg uint64) {
	c, n := (*Cluster)(m), unit.NodeID(arg)
	w, t := &c.workers[n], &c.totals.Work
	amount := w.queue[0]
	w.queue = w.queue[1:]
	w.done += amount
	t.Computing -= amount
	t.Done += amount
	c.occupy(n, 0)
	c.emit(Event{Kind: ChunkDone, Node: n, Amount: int64(amount)})
	if len(w.queue) > 0 {
		c.compute(n)
	}
}

// dropChunks gives the master back all that a worker has and is being sent.
func (c *Cluster) dropChunks(n unit.NodeID) {
	w := c.worker(n)
	if w == nil {
		return
	}
	t := &c.totals.Work
	for i, amount := range w.queue {
		place := InQueue
		if i == 0 {
			place = UnderWay
			t.Computing -= amount
		} else {
			t.Queued -= amount
		}
		c.lose(n, amount, place)
	}
	if len(w.queue) > 0 {
		c.clock.Cancel(w.ready)
		c.occupy(n, 0)
		w.queue = w.queue[:0]
	}
	if c.port.amount > 0 && c.port.to == n {
		amount := c.port.amount
		c.clock.Cancel(c.port.arrives)
		c.port = port{}
		t.Sending = 0
		c.lose(n, amount, OnPort)
	}
}

func (c *Cluster) lose(n unit.NodeID, amount unit.Work, place uint8) {
	c.totals.Work.Unsent += amount
	c.totals.Work.Lost += amount
	c.emit(Event{Kind: ChunkLost, Node: n, Amount: int64(amount), Detail: place})
}

// strayed returns the true rate.
func strayed(stated unit.Work, factor float64) unit.Work {
	if factor == 1 {
		return stated
	}
	return max(1, unit.Work(float64(float64(stated)*factor)+0.5))
}

// duration returns how long an amount takes at a rate a second, to the nearest
// microsecond, so that the errors of many chunks cancel out.
func duration(amount, rate unit.Work) unit.Time {
	return unit.Time(quotient(uint64(amount), uint64(unit.Second), uint64(rate)/2, uint64(rate), uint64(longest)))
}
