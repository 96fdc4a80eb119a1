package device

import (
	"slices"
	"strings"

	"parley/core/rng"
)

// Cell is a number of nodes that pods are placed on, one after the other, by a policy.
type Cell struct {
	policy  Policy
	typical []Typical
	nodes   []Node // by name
	kinds   []uint32
	frags   []float64
	changed []int // by node: how often
	random  *rng.Stream
	known   map[Class]*scores
}

// scores are what the policy thinks of each node for a class; they are good as long as the node
// has not changed.
type scores struct {
	of []choice
	at []int // changed, when the choice was made; -1: never
}

// noRoom is the score of a node that does not take a class.
const noRoom = -1

// NewCell returns a cell of nodes, which it owns from now on.
func NewCell(nodes []Node, typical []Typical, p Policy, random *rng.Stream) *Cell {
	slices.SortStableFunc(nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	c := &Cell{policy: p, typical: typical, nodes: nodes, random: random, known: map[Class]*scores{}}
	c.kinds, c.frags, c.changed = make([]uint32, len(nodes)), make([]float64, len(nodes)), make([]int, len(nodes))
	for i := range nodes {
		c.frags[i] = Fragmentation(&nodes[i], typical)
	}
	return c
}

// Nodes returns the nodes. They belong to the cell.
func (c *Cell) Nodes() []Node { return c.nodes }

// Fragmentation returns that of all nodes.
func (c *Cell) Fragmentation() (sum float64) {
	for _, f := range c.frags {
		sum += f
	}
	return sum
}

// Place puts a pod onto a node and returns its index; false if no node takes it.
func (c *Cell) Place(pod *Class) (int, bool) {
	best, device := c.choose(pod)
	if best < 0 {
		return -1, false
	}
	n := &c.nodes[best]
	if partial(pod) && c.policy != FGD {
		if device = smallest(n, pod); c.policy == Random {
			device = c.anyOf(n, pod)
		}
	}
	n.CPU -= pod.CPU
	n.Memory -= pod.Memory
	if pod.GPUs > 0 {
		n.take(pod, device)
		c.kinds[best] |= kindOf(pod)
	}
	c.frags[best] = Fragmentation(n, c.typical)
	c.changed[best]++
	return best, true
}

// choose returns the node of a pod and, under FGD, its device.
func (c *Cell) choose(pod *Class) (node, device int) {
	s := c.known[*pod]
	if s == nil {
		s = &scores{make([]choice, len(c.nodes)), slices.Repeat([]int{-1}, len(c.nodes))}
		c.known[*pod] = s
	}
	best, fit := -1, 0
	for i := range c.nodes {
		if s.at[i] != c.changed[i] {
			s.of[i], s.at[i] = c.score(i, pod), c.changed[i]
		}
		if s.of[i].score == noRoom {
			continue
		}
		if fit++; c.policy == Random {
			if c.random.Intn(fit) == 0 {
				best = i
			}
		} else if best < 0 || s.of[i].score > s.of[best].score {
			best = i
		}
	}
	if best < 0 {
		return -1, -1
	}
	return best, s.of[best].device
}

// score returns what the policy thinks of a node for a pod.
func (c *Cell) score(i int, pod *Class) choice {
	n := &c.nodes[i]
	if !n.takes(pod) {
		return choice{noRoom, -1}
	}
	switch c.policy {
	case FGD:
		return fgd(n, pod, c.frags[i], c.typical)
	case BestFit:
		return choice{max(0, bestFit(n, pod)), -1}
	case DotProduct:
		return choice{max(0, dotProduct(n, pod)), -1}
	case Packing:
		return choice{packing(n, pod), -1}
	case Clustering:
		return choice{clustering(n, pod, c.kinds[i]), -1}
	}
	return choice{0, -1}
}

// anyOf returns any device that has what a pod asks for, each as likely.
func (c *Cell) anyOf(n *Node, pod *Class) int {
	found, device := 0, -1
	for i, free := range n.Free {
		if free >= pod.Milli {
			if found++; c.random.Intn(found) == 0 {
				device = i
			}
		}
	}
	return device
}
