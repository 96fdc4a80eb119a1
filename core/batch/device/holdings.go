package device

import "slices"

// Holdings record which jobs hold the devices of each node. The caller numbers the jobs from 0, and may use
// a number again when its job holds nothing. The zero value has no nodes.
type Holdings struct {
	nodes      [][][]Hold // by node and device
	jobs       []holding
	colour     [Colours]int // how many jobs have each
	neighbours [Colours]int // scratch: how many of them on the same nodes
}

// Hold is the part of one device that a job holds.
type Hold struct {
	Job   int
	Milli int32
}

// holding lists the devices of a job.
type holding struct {
	at     []int // the nodes of its devices
	colour uint8
}

// Colours is how many colours jobs have.
const Colours = 6

// SetNode gives a node a number of devices. If it had more, free ones go first, the highest first.
func (b *Holdings) SetNode(n, devices int) {
	for n >= len(b.nodes) {
		b.nodes = append(b.nodes, nil)
	}
	of := &b.nodes[n]
	for len(*of) < devices {
		*of = append(*of, nil)
	}
	for d := len(*of) - 1; d >= 0 && len(*of) > devices; d-- {
		if len((*of)[d]) == 0 {
			*of = slices.Delete(*of, d, d+1)
		}
	}
	*of = (*of)[:devices]
}

// Devices returns who holds each device of a node, in the order in which they came. It belongs to
// them.
func (b *Holdings) Devices(n int) [][]Hold {
	if n >= len(b.nodes) {
		return nil
	}
	return b.nodes[n]
}

// Free returns how many devices of a node no job holds a part of.
func (b *Holdings) Free(n int) (count int) {
	for _, holds := range b.Devices(n) {
		if len(holds) == 0 {
			count++
		}
	}
	return count
}

// Colour returns the colour of a job that holds devices, from 0.
func (b *Holdings) Colour(job int) uint8 { return b.jobs[job].colour }

// TakeWhole lets a job hold free devices of a node, the lowest first, and reports whether there
// were as many.
func (b *Holdings) TakeWhole(job, n, devices int) bool {
	for d := range b.Devices(n) {
		if devices > 0 && len(b.nodes[n][d]) == 0 {
			b.Take(job, n, d, Whole)
			devices--
		}
	}
	return devices == 0
}

// Take lets a job hold a part of a device.
func (b *Holdings) Take(job, n, device int, milli int32) {
	for job >= len(b.jobs) {
		b.jobs = append(b.jobs, holding{})
	}
	b.nodes[n][device] = append(b.nodes[n][device], Hold{job, milli})
	if at := &b.jobs[job].at; !slices.Contains(*at, n) {
		*at = append(*at, n)
	}
}

// Paint gives a job that has just taken all that it holds its colour: the one that fewest jobs on its
// nodes have, of these the one that fewest jobs have at all.
func (b *Holdings) Paint(job int) {
	b.neighbours = [Colours]int{}
	for _, n := range b.jobs[job].at {
		for _, holds := range b.nodes[n] {
			for _, h := range holds {
				if h.Job != job {
					b.neighbours[b.jobs[h.Job].colour]++
				}
			}
		}
	}
	best := 0
	for c := range Colours {
		if b.neighbours[c] < b.neighbours[best] ||
			b.neighbours[c] == b.neighbours[best] && b.colour[c] < b.colour[best] {
			best = c
		}
	}
	b.jobs[job].colour = uint8(best)
	b.colour[best]++
}

// Give releases the holdings of a painted job.
func (b *Holdings) Give(job int) {
	if job >= len(b.jobs) || len(b.jobs[job].at) == 0 {
		return
	}
	j := &b.jobs[job]
	for _, n := range j.at {
		for d, holds := range b.nodes[n] {
			b.nodes[n][d] = slices.DeleteFunc(holds, func(h Hold) bool { return h.Job == job })
		}
	}
	j.at = j.at[:0]
	b.colour[j.colour]--
}
