package cluster

import (
	"parley/core/des"
	"parley/core/slab"
	"parley/core/unit"
	"parley/core/workload"
)

// Work is the second idea beside placement. A piece of work does not hold a part of a node for some
// time: it joins the queue of a node that is a worker, waits there for its inputs, and is computed
// in its turn with all of the node's CPU, one piece at a time. Inputs travel over ports
// (transfer.go).
//
// There are two kinds of pieces. Chunks of a divisible load (load.go) need nothing
// but themselves. Subtasks of a graph (subtask.go) need one another's results.

// work is the cluster's record of pieces of work.
type work struct {
	workers        []worker // by node; nodes beyond its end are none
	master         port     // for chunks
	graphs         []graphRun
	pieces         []piece
	transfers      []transfer
	freeGraphs     []uint32 // slots to use again, as below
	overGraphs     []uint32 // slots of graphs whose end was not delivered yet
	freePieces     []int32
	freeTransfers  []int32
	graphTotals    GraphTotals
	transferTotals TransferTotals
}

// piece is an entry of a node's queue.
type piece struct {
	graph      uint32    // its slot; ofLoad: the piece is a chunk
	vertex     int32     // the subtask of the graph
	number     int32     // of a chunk, among those ever sent to the node
	missing    int32     // inputs that are not on the node yet
	amount     unit.Work // to be computed
	node       unit.NodeID
	next, prev int32 // in the queue; none: it has no such neighbour
}

// ofLoad stands for the slot of a graph where the piece is a chunk.
const ofLoad = ^uint32(0)

// none is the number of no piece and of no transfer.
const none int32 = -1

// longest bounds the time that one step of a piece takes: longer than any run.
const longest = 36_500 * unit.Day

// worker is the state of a node that computes chunks or subtasks.
type worker struct {
	workload.Worker
	is          bool       // false: the node is not a worker, and the rest has no meaning
	busy        bool       // it computes the first piece of its queue
	cpu         unit.Share // with which it computes now
	first, last int32      // pieces at the ends of its queue; none if it is empty
	queued      int32      // pieces in its queue
	sent        int32      // chunks ever sent to it: they number the strays
	begun       int32      // subtasks ever begun there, likewise
	received    int64      // chunks
	done        unit.Work  // of the load
	since       unit.Time  // the beginning of the current computation
	spent       unit.Time  // computing time of finished pieces
	ready       des.Ticket
	port        port  // its own, for results
	carried     int32 // transfers with data that its channel carried
	stored      store
}

// setWorker makes a node a worker, or gives a worker new figures, which hold from its next piece on. Figures
// out of range become the nearest valid ones. It reports whether anything changed; nil changes nothing.
func (c *Cluster) setWorker(n unit.NodeID, described *workload.Worker) bool {
	if described == nil {
		return false
	}
	for int(n) >= len(c.workers) {
		c.workers = append(c.workers, worker{first: none, last: none, port: freePort})
	}
	w, d := &c.workers[n], *described
	d.Speed, d.Bandwidth, d.Channel = max(1, d.Speed), max(1, d.Bandwidth), max(0, d.Channel)
	d.CompLatency, d.CommLatency = max(0, min(d.CompLatency, longest)), max(0, min(d.CommLatency, longest))
	if w.is && w.Worker.Equal(&d) {
		return false
	}
	w.Worker, w.is = d, true
	return true
}

// worker returns the state of n as a worker, or nil if n is not one.
func (c *Cluster) worker(n unit.NodeID) *worker {
	if n < 0 || int(n) >= len(c.workers) || !c.workers[n].is {
		return nil
	}
	return &c.workers[n]
}

// enqueue puts a piece at the end of the queue of p.node, a worker, and returns its number. It does not start it:
// call compute.
func (c *Cluster) enqueue(p piece) int32 {
	w := &c.workers[p.node]
	p.next, p.prev = none, w.last
	i := slab.Take(&c.freePieces, &c.pieces)
	c.pieces[i] = p
	if w.last == none {
		w.first = i
	} else {
		c.pieces[w.last].next = i
	}
	w.last = i
	w.queued++
	return i
}

// unqueue takes piece i out of its node's queue and frees its number. If the piece is being computed, call
// halt first.
func (c *Cluster) unqueue(i int32) {
	p := &c.pieces[i]
	w := &c.workers[p.node]
	if p.prev == none {
		w.first = p.next
	} else {
		c.pieces[p.prev].next = p.next
	}
	if p.next == none {
		w.last = p.prev
	} else {
		c.pieces[p.next].prev = p.prev
	}
	w.queued--
	c.freePieces = append(c.freePieces, i)
}

// compute begins the first piece of a node's queue with all of its CPU, unless the node computes already, the
// queue is empty or the piece lacks inputs. The true rate may differ from the stated one by the worker's
// errors, which depend on the number of the piece.
func (c *Cluster) compute(n unit.NodeID) {
	w := &c.workers[n]
	if w.busy || w.first == none || c.pieces[w.first].missing > 0 {
		return
	}
	p := &c.pieces[w.first]
	rate, number := w.Speed, p.number
	if p.graph != ofLoad {
		rate, number = w.SpeedFor(c.graphs[p.graph].Subtask(p.vertex).Type), w.begun
		w.begun++
	}
	rate = trueRate(rate, w.Errors.SpeedFactor(int(n), int(number)))
	w.busy, w.since = true, c.clock.Now()
	w.ready = c.clock.At(w.since+w.CompLatency+duration(int64(p.amount), int64(rate)), (*computer)(c), uint64(n))
	c.occupy(n, min(c.nodes.capacity[n][unit.CPU], maxUsedPerNode-c.nodes.used[n][unit.CPU]))
	if p.graph == ofLoad {
		c.chunkBegins(p)
	} else {
		c.subtaskBegins(p)
	}
}

// occupy sets the CPU with which a worker computes, and corrects the sums of its node; 0 means that it computes
// nothing.
func (c *Cluster) occupy(n unit.NodeID, cpu unit.Share) {
	w := &c.workers[n]
	cpu = max(0, cpu)
	c.nodes.used[n][unit.CPU] += cpu - w.cpu
	c.totals.Used[unit.CPU] += int64(cpu - w.cpu)
	w.cpu = cpu
}

// computer ends computations.
type computer Cluster

// Fire completes the piece that node arg computes, the first of its queue, and begins the next one.
func (m *computer) Fire(now unit.Time, arg uint64) {
	c, n := (*Cluster)(m), unit.NodeID(arg)
	w := &c.workers[n]
	i := w.first
	p := c.pieces[i]
	c.unqueue(i)
	w.busy = false
	w.spent += now - w.since
	c.occupy(n, 0)
	if p.graph == ofLoad {
		c.chunkDone(&p)
	} else {
		c.subtaskDone(&p)
	}
	c.compute(n)
}

// halt stops the computation of a node, if there is one. The piece stays first in the queue; its progress is
// lost.
func (c *Cluster) halt(n unit.NodeID) {
	w := &c.workers[n]
	if w.busy {
		c.clock.Cancel(w.ready)
		w.busy = false
		c.occupy(n, 0)
	}
}

// dropWork removes all pieces from node n, which goes down, with all transfers from and to it and all
// results on it. The first piece counts as under way if it was being computed, the others as queued.
func (c *Cluster) dropWork(n unit.NodeID) {
	w := c.worker(n)
	if w == nil {
		return
	}
	under := w.busy
	c.halt(n)
	for w.first != none {
		p, place := c.pieces[w.first], InQueue
		c.unqueue(w.first)
		if under {
			place, under = UnderWay, false
		}
		if p.graph == ofLoad {
			c.chunkLost(n, p.amount, place)
		} else {
			c.subtaskLost(&p, place)
		}
	}
	c.dropTransfers(n)
	c.dropResults(n)
}

// trueRate returns the stated rate times factor, rounded, and 1 at least. The conversion keeps the product from
// being fused, so that all platforms compute the same bits.
func trueRate(stated unit.Work, factor float64) unit.Work {
	if factor == 1 {
		return stated
	}
	return max(1, unit.Work(float64(float64(stated)*factor)+0.5))
}

// duration returns how long an amount takes at a rate a second, to the nearest
// microsecond, so that the errors of many pieces cancel out. At no rate it takes no
// time.
func duration(amount, rate int64) unit.Time {
	if rate <= 0 {
		return 0
	}
	return unit.Time(quotient(uint64(amount), uint64(unit.Second), uint64(rate)/2, uint64(rate), uint64(longest)))
}
