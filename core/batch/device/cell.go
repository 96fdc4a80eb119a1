package device

import (
	"cmp"
	"slices"

	"parley/core/rng"
)

// Cell is a number of nodes that pods are placed on, one after the other, by a policy. Pods may
// leave, and nodes come and change.
type Cell struct {
	policy  Policy
	typical []Typical
	nodes   []Node    // free resources, by the caller's number
	totals  []Node    // total resources
	held    [][]int32 // of each device
	order   []int     // by name, then by number: the first of equal nodes takes a pod
	kinds   [][]int   // by node and kind: pods
	frags   []float64
	changed []int // by node: how often
	random  *rng.Stream
	known   map[Class]*scores
}

// scores are the policy's scores of all nodes for a class; they are valid as long as the node
// has not changed.
type scores struct {
	of []choice
	at []int // changed, when the choice was made; -1: never
}

// Spot is where a pod is.
type Spot struct {
	Node    int
	Devices []int // of the node; none if it has no part of any
}

// noRoom is the score of a node that does not take a class.
const noRoom = -1

// NewCell returns a cell without nodes.
func NewCell(p Policy, random *rng.Stream) *Cell {
	return &Cell{policy: p, random: random, known: map[Class]*scores{}}
}

// SetTypical sets the pods by which fragmentation is measured.
func (c *Cell) SetTypical(typical []Typical) {
	c.typical = typical
	for i := range c.nodes {
		c.touch(i)
	}
}

// SetNode sets the name, model and total resources of node i, and adds it if it is new. Its pods stay:
// if it has too little for them, its free CPU or memory is below 0, and it takes no pod until they
// leave.
func (c *Cell) SetNode(i int, total Node) {
	fresh := i >= len(c.nodes) || c.nodes[i].Name != total.Name
	for i >= len(c.nodes) {
		c.nodes, c.totals, c.held = append(c.nodes, Node{}), append(c.totals, Node{}), append(c.held, nil)
		c.kinds, c.frags, c.changed = append(c.kinds, nil), append(c.frags, 0), append(c.changed, 0)
	}
	n, before := &c.nodes[i], &c.totals[i]
	n.CPU += total.CPU - before.CPU
	n.Memory += total.Memory - before.Memory
	n.Name, n.Model, c.totals[i] = total.Name, total.Model, total
	for len(c.held[i]) < len(total.Free) {
		c.held[i] = append(c.held[i], 0)
	}
	n.Free = n.Free[:0]
	for d, held := range c.held[i] {
		free := int32(0)
		if d < len(total.Free) {
			free = max(0, total.Free[d]-held)
		}
		n.Free = append(n.Free, free)
	}
	if fresh {
		c.reposition(i)
	}
	c.touch(i)
}

// reposition moves a node, or a new one, to the place of its name in c.order.
func (c *Cell) reposition(i int) {
	by := func(a, b int) int { return cmp.Or(cmp.Compare(c.nodes[a].Name, c.nodes[b].Name), cmp.Compare(a, b)) }
	c.order = slices.DeleteFunc(c.order, func(k int) bool { return k == i })
	k, _ := slices.BinarySearchFunc(c.order, i, by)
	c.order = slices.Insert(c.order, k, i)
}

// touch notes that a node has changed.
func (c *Cell) touch(i int) {
	c.frags[i] = Fragmentation(&c.nodes[i], c.typical)
	c.changed[i]++
}

// Node returns the free part of a node. It belongs to the cell.
func (c *Cell) Node(i int) *Node { return &c.nodes[i] }

// Fragmentation returns that of all nodes.
func (c *Cell) Fragmentation() (sum float64) {
	for _, f := range c.frags {
		sum += f
	}
	return sum
}

// Place puts a pod onto the best of the nodes that are allowed (nil: all) and returns its spot; false if
// none of them takes it. Under Random it draws.
func (c *Cell) Place(pod *Class, allowed func(node int) bool) (Spot, bool) {
	best, device := c.choose(pod, allowed)
	if best < 0 {
		return Spot{}, false
	}
	n, at := &c.nodes[best], Spot{Node: best}
	switch {
	case !partial(pod):
		at.Devices = n.first(pod)
	case c.policy == FGD:
		at.Devices = []int{device}
	case c.policy == Random:
		at.Devices = []int{c.anyOf(n, pod)}
	default:
		at.Devices = []int{smallest(n, pod)}
	}
	c.move(pod, at, 1)
	return at, true
}

// Give takes a pod away from where Place put it.
func (c *Cell) Give(pod *Class, at Spot) { c.move(pod, at, -1) }

// move adds a pod to a node, times by, which is 1 or -1.
func (c *Cell) move(pod *Class, at Spot, by int) {
	n := &c.nodes[at.Node]
	n.CPU -= int64(by) * pod.CPU
	n.Memory -= int64(by) * pod.Memory
	for _, d := range at.Devices {
		c.held[at.Node][d] += int32(by) * pod.Milli
		if all := c.totals[at.Node].Free; d < len(all) {
			n.Free[d] = max(0, all[d]-c.held[at.Node][d])
		}
	}
	if pod.GPUs > 0 {
		kind := kindOf(pod)
		for kind >= len(c.kinds[at.Node]) {
			c.kinds[at.Node] = append(c.kinds[at.Node], 0)
		}
		c.kinds[at.Node][kind] += by
	}
	c.touch(at.Node)
}

// choose returns the node for a pod and, under FGD, its device; -1 if no node takes it, or if no single
// device is chosen. Of equal scores the first by name wins; under Random each node that takes the pod is
// as likely.
func (c *Cell) choose(pod *Class, allowed func(node int) bool) (node, device int) {
	s := c.scoresOf(pod)
	best, fit := -1, 0
	for _, i := range c.order {
		if s.of[i].score == noRoom || allowed != nil && !allowed(i) {
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

// scoresOf returns the scores of all nodes for a pod. Only those of nodes that changed since the last
// call for its class are computed.
func (c *Cell) scoresOf(pod *Class) *scores {
	s := c.known[*pod]
	if s == nil {
		s = &scores{}
		c.known[*pod] = s
	}
	for len(s.of) < len(c.nodes) {
		s.of, s.at = append(s.of, choice{noRoom, -1}), append(s.at, -1)
	}
	for i, at := range s.at {
		if at != c.changed[i] {
			s.of[i], s.at[i] = c.score(i, pod), c.changed[i]
		}
	}
	return s
}

// Takes reports whether a node has the resources that a pod requests.
func (c *Cell) Takes(i int, pod *Class) bool { return c.nodes[i].takes(pod) }

// Score returns the policy's score of a node for a pod, and false if the node does not take it.
func (c *Cell) Score(i int, pod *Class) (int, bool) {
	score := c.scoresOf(pod).of[i].score
	return score, score != noRoom
}

// score returns the policy's score of a node for a pod, with the device under FGD; noRoom if the node
// does not take the pod. Higher is better.
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

// anyOf draws a device with room for a pod's request, each with the same probability; -1 if there is
// none. The random numbers depend on the number of devices with room.
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
