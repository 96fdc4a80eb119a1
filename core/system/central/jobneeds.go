package central

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// nodeNeeds is the setting batch.nodes: whether jobs are on nodes, and the nodes' resources beside
// processors.
type nodeNeeds struct {
	on              bool      // jobs are on nodes
	alone           bool      // each job has its nodes alone
	memory, gpus    bool      // they are played
	racks           bool      // the nodes of a rack have a leaf switch in common
	switchWait      unit.Time // jobs wait for few switches at most
	all             batch.Node
	ranges          []nodeRange
	of              []batch.Node // by range
	memoryOf, gpuOf []bool       // by range: it is stated
}

// readNodes reads a text such as
//
//	memory=256G; 0-15: memory=1T gpus=4; alone; racks=600s
func readNodes(text string) (*nodeNeeds, error) {
	n := &nodeNeeds{}
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		bad := fmt.Errorf(`settings: batch.nodes has %q: write what each node has for jobs, as in "memory=256G gpus=4", or some nodes, as in "memory=256G; 0-15: memory=1T", alone if no two jobs share a node, and racks if the nodes of a rack have a leaf switch; processors are those of the machine`, shortened(part))
		r, words := nodeRange{-1, -1}, part
		if name, text, ranged := strings.Cut(part, ":"); ranged {
			var ok bool
			if r, ok = rangeOf(strings.TrimSpace(name)); !ok {
				return nil, bad
			}
			words = text
			for _, o := range n.ranges {
				if r.first <= o.last && o.first <= r.last {
					return nil, fmt.Errorf("settings: batch.nodes lists node %d twice: let no two ranges have a node in common", max(r.first, o.first))
				}
			}
		}
		n.on = true
		var has batch.Node
		var memory, gpus bool
		for word := range strings.FieldsSeq(words) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "memory":
				var ok bool
				if has.Memory, ok = bytesOf(value); !ok {
					return nil, bad
				}
				memory, n.memory = true, true
			case "gpus":
				g, err := strconv.ParseInt(value, 10, 16)
				if err != nil || g < 0 {
					return nil, bad
				}
				has.GPUs, gpus, n.gpus = int32(g), true, true
			case "racks":
				var ok bool
				if n.switchWait, ok = switchWaitOf(value); !ok || r.first >= 0 {
					return nil, bad
				}
				n.racks = true
			case "alone", "shared":
				if value != "" || r.first >= 0 {
					return nil, bad
				}
				n.alone = key == "alone"
			default:
				return nil, bad
			}
		}
		if r.first >= 0 {
			n.ranges, n.of = append(n.ranges, r), append(n.of, has)
			n.memoryOf, n.gpuOf = append(n.memoryOf, memory), append(n.gpuOf, gpus)
			continue
		}
		if memory {
			n.all.Memory = has.Memory
		}
		if gpus {
			n.all.GPUs = has.GPUs
		}
	}
	return n, nil
}

// rangeOf reads nodes such as 0-15 or 7.
func rangeOf(text string) (nodeRange, bool) {
	first, last, two := strings.Cut(text, "-")
	if !two {
		last = first
	}
	a, err := strconv.ParseInt(first, 10, 31)
	b, wrong := strconv.ParseInt(last, 10, 31)
	return nodeRange{unit.NodeID(a), unit.NodeID(b)}, errors.Join(err, wrong) == nil && 0 <= a && a <= b
}

// bytesOf reads an amount of memory such as 256G; units are powers of 1,024, as those of batch systems.
func bytesOf(text string) (unit.Bytes, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "i")
	shift := 0
	if text != "" {
		if i := strings.IndexByte("KMGTP", text[len(text)-1]); i >= 0 {
			text, shift = text[:len(text)-1], 10*(i+1)
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || v > float64(int64(1)<<(60-shift)) {
		return 0, false
	}
	return unit.Bytes(v * float64(int64(1)<<shift)), true
}

// node returns the resources of a node with a number of processors: those of all nodes, or of the last
// range that lists it. A node without processors has nothing.
func (n *nodeNeeds) node(id unit.NodeID, processors int32) batch.Node {
	has := n.all
	for i, r := range n.ranges {
		if r.first <= id && id <= r.last {
			if n.memoryOf[i] {
				has.Memory = n.of[i].Memory
			}
			if n.gpuOf[i] {
				has.GPUs = n.of[i].GPUs
			}
		}
	}
	has.Processors = processors
	if processors == 0 {
		return batch.Node{}
	}
	return has
}

// switchWaitOf reads how long jobs may wait for few switches, such as 600s: that is Slurm's max_switch_wait.
func switchWaitOf(text string) (unit.Time, bool) {
	if text == "" {
		return 300 * unit.Second, true
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(text, "s"), 10, 31)
	return unit.Time(n) * unit.Second, err == nil
}

// played reduces a job's needs to those that the system simulates. left reports whether needs were
// dropped; scattered, whether a limit on switches was dropped.
func (n *nodeNeeds) played(j *batch.Job) (left, scattered bool) {
	keep := func(need *workload.Need) {
		if need.SwitchWait = min(need.SwitchWait, n.switchWait); !n.racks && need.Switches > 0 {
			need.Switches, scattered = 0, true
		}
		if !n.on {
			left = left || need.Memory > 0 || need.GPUs > 0 || need.Alone
			*need = workload.Need{}
			return
		}
		if need.Memory > 0 && !n.memory {
			need.Memory, left = 0, true
		}
		if need.GPUs > 0 && !n.gpus {
			need.GPUs, left = 0, true
		}
		need.Alone = need.Alone || n.alone
	}
	keep(&j.Need)
	if len(j.Components) == 0 {
		return left, scattered
	}
	parts := make([]workload.Component, len(j.Components))
	for i := range parts {
		parts[i] = j.Components[i]
		keep(&parts[i].Need)
	}
	j.Components, j.Need = parts, workload.Need{}
	return left, scattered
}

// partsOf returns the parts of a job that a site with nodes placed.
func partsOf(to []cluster.Part, site *batch.Site, h batch.Handle) []cluster.Part {
	for _, p := range site.Parts(h) {
		to = append(to, cluster.Part{Node: unit.NodeID(p.Node), Processors: p.Processors})
	}
	return to
}
