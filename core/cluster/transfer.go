package cluster

import (
	"parley/core/des"
	"parley/core/slab"
	"parley/core/unit"
)

// Transfers. Each occupies the port of one node: the sender, or the receiver if the data comes from
// home. It lasts that node's CommLatency plus its size over that node's Channel, to the nearest
// microsecond.
//
// Settings.Transfers selects how concurrent transfers affect one another. "one-port": a port
// carries one at a time, in the order of the requests. "contention-free", the model of HEFT and
// most static schedulers: each proceeds as if it were alone. In both, a node receives any number at
// a time, and computes meanwhile. A transfer of zero bytes is a message: it does not wait and takes
// only the latency.
//
// Chunks of a load are the other case: there the master has the one port, for every value of
// Settings.Transfers, and each goes at the Bandwidth of the worker it is for.

// The ways of Settings.Transfers.
const (
	OnePort        = "one-port"
	ContentionFree = "contention-free"
)

// transfer is one that moves or waits for its port.
type transfer struct {
	graph      uint32 // its slot; ofLoad: a chunk
	arc        int32  // of a chunk its number among those sent to the worker
	state      transferState
	from, to   unit.NodeID // NoNode: home
	port       unit.NodeID // whose port it takes; masterPort; or noPort
	next, prev int32       // in the port's queue
	amount     int64       // bytes, or work of a chunk
	arrives    des.Ticket
}

type transferState uint8

const (
	noTransfer transferState = iota // the slot is free
	inLine                          // for its port
	moving
)

// Ports that belong to no node.
const (
	masterPort unit.NodeID = -1 // the master's, for chunks
	noPort     unit.NodeID = -2 // it needs none
)

// port sends one at a time.
type port struct {
	sending     int32 // the transfer; none: the port is free
	first, last int32 // of those that wait
}

var freePort = port{none, none, none}

// portOf returns a port, or nil if it is noPort.
func (c *Cluster) portOf(n unit.NodeID) *port {
	switch n {
	case masterPort:
		return &c.master
	case noPort:
		return nil
	}
	return &c.workers[n].port
}

// send begins a transfer if its port is free, or puts it last in the port's line, and returns its number. The
// number stays valid until the transfer arrives or is broken off.
func (c *Cluster) send(x transfer) int32 {
	x.next, x.prev, x.state = none, none, inLine
	i := slab.Take(&c.freeTransfers, &c.transfers)
	c.transfers[i] = x
	p := c.portOf(x.port)
	if p == nil || p.sending == none {
		c.move(i)
		return i
	}
	if c.transfers[i].prev = p.last; p.last == none {
		p.first = i
	} else {
		c.transfers[p.last].next = i
	}
	p.last = i
	c.transferTotals.Waiting++
	return i
}

// move begins transfer i, which is in no line and whose port is free, and schedules its arrival.
func (c *Cluster) move(i int32) {
	x := &c.transfers[i]
	x.state = moving
	if p := c.portOf(x.port); p != nil {
		p.sending = i
	}
	x.arrives = c.clock.At(c.clock.Now()+c.carries(x), (*carrier)(c), uint64(i))
	if x.graph == ofLoad {
		c.emit(Event{Kind: ChunkSent, Node: x.to, Amount: x.amount})
		return
	}
	c.transferTotals.Moving++
	c.emitTransfer(TransferBegan, x, 0)
}

// carries returns how long a transfer takes from its beginning. Call it once a transfer: it counts the
// transfers of a node, by which the node's errors of bandwidth are drawn.
func (c *Cluster) carries(x *transfer) unit.Time {
	if x.graph == ofLoad {
		w := &c.workers[x.to]
		rate := trueRate(w.Bandwidth, w.Errors.BandwidthFactor(int(x.to), int(x.arc)))
		return w.CommLatency + duration(x.amount, int64(rate))
	}
	n := carrierOf(x.from, x.to)
	w := &c.workers[n]
	if x.amount == 0 || w.Channel == 0 {
		return w.CommLatency
	}
	rate := trueRate(unit.Work(w.Channel), w.Errors.BandwidthFactor(int(n), int(w.carried)))
	w.carried++
	return w.CommLatency + duration(x.amount, int64(rate))
}

// carrierOf returns the node whose channel carries a transfer: its source, or its destination if the data comes
// from home.
func carrierOf(from, to unit.NodeID) unit.NodeID {
	if from == unit.NoNode {
		return to
	}
	return from
}

// carrier ends transfers.
type carrier Cluster

// Fire delivers transfer arg and frees its port. Then the next in the port's line begins; the master's port, for
// chunks, is left to the system.
func (r *carrier) Fire(_ unit.Time, arg uint64) {
	c := (*Cluster)(r)
	x := c.transfers[arg]
	c.forget(int32(arg))
	if x.graph == ofLoad {
		c.chunkArrives(&x)
		return
	}
	t := &c.transferTotals
	t.Ended++
	t.Bytes += unit.Bytes(min(x.amount, 1<<62-int64(t.Bytes)))
	c.emitTransfer(TransferEnded, &x, 0)
	c.arrived(&x)
	c.next(x.port)
}

// next begins the first transfer in the line of port n, unless the port is busy or the line is empty.
func (c *Cluster) next(n unit.NodeID) {
	p := c.portOf(n)
	if p == nil || p.sending != none || p.first == none {
		return
	}
	i := p.first
	c.unline(i)
	c.move(i)
}

// unline takes transfer i, which waits, out of its port's line.
func (c *Cluster) unline(i int32) {
	x := &c.transfers[i]
	p := c.portOf(x.port)
	if x.prev == none {
		p.first = x.next
	} else {
		c.transfers[x.prev].next = x.next
	}
	if x.next == none {
		p.last = x.prev
	} else {
		c.transfers[x.next].prev = x.prev
	}
	c.transferTotals.Waiting--
}

// forget frees the number of transfer i: it takes it out of its port's line, or frees the port if it moves. It does
// not begin the next one.
func (c *Cluster) forget(i int32) {
	x := &c.transfers[i]
	switch p := c.portOf(x.port); {
	case x.state == inLine:
		c.unline(i)
	case p != nil:
		p.sending = none
	}
	if x.state == moving && x.graph != ofLoad {
		c.transferTotals.Moving--
	}
	x.state = noTransfer
	c.freeTransfers = append(c.freeTransfers, i)
}

// breakOff ends transfer i before it arrives, and reports it as lost or broken. Its port stays idle until the
// caller calls next.
func (c *Cluster) breakOff(i int32) {
	x := c.transfers[i]
	c.clock.Cancel(x.arrives)
	c.forget(i)
	if x.graph == ofLoad {
		c.chunkLost(x.to, unit.Work(x.amount), OnPort)
		return
	}
	c.graphs[x.graph].arcs[x.arc].transfer = none
	c.transferTotals.Broken++
	where := OnPort
	if x.state == inLine {
		where = InQueue
	}
	c.emitTransfer(TransferBroken, &x, where)
}

// dropTransfers breaks off all transfers from and to node n, which goes down, and begins the next ones on the
// ports of other nodes.
func (c *Cluster) dropTransfers(n unit.NodeID) {
	var ports []unit.NodeID
	for i := range c.transfers {
		if x := &c.transfers[i]; x.state != noTransfer && (x.from == n || x.to == n) {
			if x.port != n {
				ports = append(ports, x.port)
			}
			c.breakOff(int32(i))
		}
	}
	for _, p := range ports {
		c.next(p)
	}
}
