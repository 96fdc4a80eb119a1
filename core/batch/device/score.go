package device

import (
	"math"

	"parley/core/formula"
)

// The largest node that scores count with.
const (
	maxCPU     = 128_000
	maxDevices = 8 * Whole
)

// steps are the falls of fragmentation, in devices, at which the score of FGD rises by one: it is
// the whole part of 100/(1+e^-x).
var steps = func() (all [99]float64) {
	for k := range all {
		all[k] = formula.Log2(float64(k+1)/float64(99-k)) * math.Ln2
	}
	return all
}()

// gradient returns the score of a fall of fragmentation by some thousandths of a device.
func gradient(fall float64) int {
	score, x := 0, fall/Whole
	for score < len(steps) && x >= steps[score] {
		score++
	}
	return score
}

// choice is a device that a pod takes a part of, or the first of whole ones; -1 if there is none.
// score is the policy's score.
type choice struct {
	score  int
	device int
}

// fgd returns the device of a node whose use lowers fragmentation the most, with the score of that fall.
// frag is the node's fragmentation now. Devices with equal free parts are tried once. A pod of whole
// devices has device -1. The node must take the pod.
func fgd(n *Node, c *Class, frag float64, typical []Typical) choice {
	if !partial(c) {
		after := n.without(c, -1)
		return choice{gradient(frag - Fragmentation(&after, typical)), -1}
	}
	best, tried := choice{-1, -1}, [8]int32{}
	k := 0
next:
	for i, free := range n.Free {
		if free < c.Milli {
			continue
		}
		for _, t := range tried[:k] {
			if t == free {
				continue next // as good as the one before
			}
		}
		if k < len(tried) {
			tried[k] = free
			k++
		}
		after := n.without(c, i)
		if s := gradient(frag - Fragmentation(&after, typical)); s > best.score {
			best = choice{s, i}
		}
	}
	return best
}

// partial reports whether a class asks for a part of a device.
func partial(c *Class) bool { return c.GPUs == 1 && c.Milli < Whole }

// without returns a node after a pod was placed, on a device or, with -1, on the first ones with
// room for its request.
func (n *Node) without(c *Class, device int) Node {
	after := *n
	after.CPU -= c.CPU
	after.Memory -= c.Memory
	if c.GPUs == 0 {
		return after
	}
	var room [16]int32
	after.Free = append(room[:0], n.Free...)
	if device >= 0 {
		after.Free[device] -= c.Milli
		return after
	}
	left := c.GPUs
	for i := range after.Free {
		if left > 0 && after.Free[i] >= c.Milli {
			after.Free[i] -= c.Milli
			left--
		}
	}
	return after
}

// first returns the first devices with room for a class's request for each.
func (n *Node) first(c *Class) (devices []int) {
	for i, free := range n.Free {
		if len(devices) < c.GPUs && free >= c.Milli {
			devices = append(devices, i)
		}
	}
	return devices
}

// bestFit scores the CPU and devices left over: the less, the better.
func bestFit(n *Node, c *Class) int {
	left := float64(float64(n.CPU-c.CPU)/maxCPU*0.5) + float64(float64(n.idle()-c.asks())/maxDevices*0.5)
	return int((1 - left) * 100)
}

// dotProduct scores the product of free and requested resources: the smaller, the better.
func dotProduct(n *Node, c *Class) int {
	product := float64(float64(n.CPU)/maxCPU*(float64(c.CPU)/maxCPU)) +
		float64(float64(n.idle())/maxDevices*(float64(c.asks())/maxDevices))
	return int((1 - float64(product/2)) * 100)
}

// packing scores nodes with devices in use above those with free devices only: 50 to 100 if the pod
// needs no free device, 33 to 49 if it needs some, and less on a free node of up to 32 devices. The node
// must take the pod.
func packing(n *Node, c *Class) int {
	if c.GPUs == 0 {
		return 0
	}
	whole := 0
	for _, free := range n.Free {
		if free == Whole {
			whole++
		}
	}
	if whole == len(n.Free) {
		return max(33-whole, whole)
	}
	used, fresh, ratio, taken := c.GPUs, 0, int32(0), make([]bool, len(n.Free))
	for used > 0 { // the least free that fit
		lowest := -1
		for i, free := range n.Free {
			if !taken[i] && free >= c.Milli && (lowest < 0 || free < n.Free[lowest]) {
				lowest = i
			}
		}
		taken[lowest] = true
		used--
		ratio += n.Free[lowest] * 100 / Whole
		if n.Free[lowest] == Whole {
			fresh++
		}
	}
	if fresh > 0 {
		return max(50-fresh, 33)
	}
	return max(100-int(ratio/10), 50)
}

// clustering scores nodes by the kinds of their pods: 75 more if all are of the pod's kind, 50 if some
// are, 25 if there are none; up to 25 for devices in use are added. kinds counts pods by kindOf.
func clustering(n *Node, c *Class, kinds []int) int {
	if c.GPUs == 0 {
		return 0
	}
	used := int(25 * (maxDevices - int64(n.idle())) / maxDevices)
	own, others := false, false
	for kind, pods := range kinds {
		own = own || pods > 0 && kind == kindOf(c)
		others = others || pods > 0 && kind != kindOf(c)
	}
	switch {
	case own && !others:
		return used + 75
	case own:
		return used + 50
	case !others:
		return used + 25
	}
	return used
}

// kindOf returns 0 for a part of a device, else the number of whole ones.
func kindOf(c *Class) int {
	if partial(c) {
		return 0
	}
	return c.GPUs
}

// smallest returns the device with the least free among those with room for a class's request.
func smallest(n *Node, c *Class) int {
	best := -1
	for i, free := range n.Free {
		if free >= c.Milli && (best < 0 || free < n.Free[best]) {
			best = i
		}
	}
	return best
}
