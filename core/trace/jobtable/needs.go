package jobtable

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"parley/core/unit"
	"parley/core/workload"
)

// needs are the columns of a job's requests other than processors.
type needs struct {
	found bool
	nodes int // column; -1: there is none
	gpus  int // likewise, beside one of processors
	tres  []int
}

// needNames are the columns of nodes, and those of Slurm's lists of resources, granted resources first.
var (
	nodesNames = []string{"allocnodes", "nnodes", "nodesalloc", "reqnodes", "numnodes", "nodecount"}
	tresNames  = []string{"alloctres", "tres", "reqtres"}
)

// find finds the columns in a line of names.
func (n *needs) find(header []string, taken []int) {
	n.found, n.nodes, n.gpus = true, -1, -1
	words := make([]string, len(header))
	for i, name := range header {
		words[i], _ = folded(name)
	}
	for _, name := range nodesNames {
		if i := slices.Index(words, name); i >= 0 && n.nodes < 0 && !slices.Contains(taken, i) {
			n.nodes = i
		}
	}
	for i, word := range words {
		if n.gpus < 0 && countsGPUs(word) && !slices.Contains(taken, i) {
			n.gpus = i
		}
	}
	for _, name := range tresNames {
		if i := slices.Index(words, name); i >= 0 {
			n.tres = append(n.tres, i)
		}
	}
}

// needs reads the requests of the present row's job. A request that cannot be read is left out: the
// columns are not those without which there is no job.
func (r *textReader) needs(j *job) {
	p := r.plan
	if !r.need.found {
		r.need.find(p.header, p.at[:])
	}
	if at := p.at[memory]; at >= 0 && j.memory > 0 {
		cell := bytes.TrimSpace(r.cells[at])
		switch processor, node := perOf(cell); {
		case processor:
			j.memoryPer = 'c'
		case node:
			j.memoryPer = 'n'
		}
	}
	if at := r.need.nodes; at >= 0 {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(r.cells[at])), 10, 32); err == nil && n > 0 {
			j.nodes = int32(n)
		}
	}
	if at := r.need.gpus; at >= 0 {
		if n, err := strconv.ParseFloat(string(bytes.TrimSpace(r.cells[at])), 64); err == nil &&
			n > 0 && n <= maxProcessors {
			j.gpus = int32(math.Ceil(n)) // no other job holds a part of it
		}
	}
	for _, at := range r.need.tres {
		if r.resources(j, r.cells[at]) {
			return
		}
	}
}

// resources reads a list such as cpu=8,mem=16G,node=2,gres/gpu=2 and reports whether there is one.
func (r *textReader) resources(j *job, list []byte) (is bool) {
	gpus, typed := int64(0), int64(0)
	for part := range bytes.SplitSeq(list, []byte{','}) {
		key, value, ok := bytes.Cut(part, []byte{'='})
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(string(value), 10, 31)
		switch {
		case string(key) == "mem":
			if m, why := r.plan.styles[memory].bytesOf(value); why == "" {
				j.memory, j.memoryPer = m, 0
			}
		case string(key) == "node" && err == nil && j.nodes == 0:
			j.nodes = int32(n)
		case string(key) == "gres/gpu" && err == nil:
			gpus = n
		case bytes.HasPrefix(key, []byte("gres/gpu:")) && err == nil:
			typed += n
		}
		is = true
	}
	j.gpus = max(j.gpus, int32(min(max(gpus, typed), math.MaxInt32)))
	return is
}

// perOf reports whether an amount of memory, as sacct wrote it before version 21.08, is of each
// processor or of each node. An amount beyond 2^31 MB is Slurm's mark of the first.
func perOf(cell []byte) (processor, node bool) {
	last := len(cell) - 1
	if last < 1 || cell[last] != 'c' && cell[last] != 'n' {
		return false, false
	}
	n, err := strconv.ParseInt(string(cell[:last-1]), 10, 64)
	processor = cell[last] == 'c' || err == nil && cell[last-1] == 'M' && n > 1<<31
	return processor, !processor
}

// need returns the requests of a job beside its processors.
func (j *job) need() workload.Need {
	n := workload.Need{
		Nodes: j.nodes, GPUs: j.gpus, Memory: max(0, j.memory), Alone: j.alone,
		Switches: j.switches, SwitchWait: j.switchWait,
	}
	times := unit.Bytes(1)
	switch j.memoryPer {
	case 'c':
		times = unit.Bytes(j.processors)
	case 'n':
		times = unit.Bytes(max(1, j.nodes))
	}
	if n.Memory > math.MaxInt64/times/2 {
		n.Memory = 0
	}
	n.Memory *= times
	return n
}
