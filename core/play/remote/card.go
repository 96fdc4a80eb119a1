package remote

import (
	"strconv"

	"parley/core/cluster"
	"parley/core/message"
	"parley/core/unit"
	"parley/core/workload"
)

// maxCarded is how many tasks of a node a card holds.
const maxCarded = 60

// Card returns a node of a cluster with its tasks, as it is drawn near. Tasks are in an order that
// their use does not change.
func Card(v cluster.View, n unit.NodeID) message.Card {
	share := func(of unit.Vec) []float64 {
		out := make([]float64, unit.Resources)
		for i, c := range v.Capacity(n) {
			if c > 0 {
				out[i] = float64(of[i]) / float64(c)
			}
		}
		return out
	}
	capacity := make([]float64, unit.Resources)
	for i, c := range v.Capacity(n) {
		capacity[i] = c.Float()
	}
	out := message.Card{
		Node: n, Up: v.Up(n), Class: cluster.LoadClassOf(v, n).String(), Capacity: capacity, Used: share(v.Used(n)),
		Requested: share(v.Requested(n)),
		Tasks:     []message.CardTask{},
	}
	var keys []int64 // sort keys of its tasks, in their order: the negative request, below all others for production
	for id := range v.Tasks(n) {
		t, _ := v.Task(id)
		key := -int64(t.Request[unit.CPU])
		if t.Class == workload.Production {
			key -= 1 << 50
		}
		keys = append(keys, key)
		out.Tasks = append(out.Tasks, message.CardTask{
			ID: strconv.FormatUint(uint64(id), 10), Name: t.Key.TaskName(),
			Production: t.Class == workload.Production, Used: share(t.Usage),
		})
		for at := len(keys) - 1; at > 0 && keys[at-1] > keys[at]; at-- {
			keys[at-1], keys[at] = keys[at], keys[at-1]
			out.Tasks[at-1], out.Tasks[at] = out.Tasks[at], out.Tasks[at-1]
		}
	}
	out.More = max(0, len(out.Tasks)-maxCarded)
	out.Tasks = out.Tasks[:len(out.Tasks)-out.More]
	return out
}
