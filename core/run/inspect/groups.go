package inspect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// groupLayers describes a layer for each group of tasks that the workload names.
func (r *Inspector) groupLayers() (layers []frame.Layer) {
	for _, g := range r.of.Names.Groups() {
		layers = append(layers, frame.Layer{
			ID: g.ID, Name: g.Kind + " " + g.Title, Unit: "requested, share of the node",
			About: "What the tasks of " + g.Title + " on a node request: the largest of its resources, as a share of the node. A node without such a task shows 0 %; any task shows at least 0.5 %, so the filter " + g.ID + " > 0 keeps the nodes that have one.",
		})
	}
	return layers
}

// groupsOf finds the groups of a task: 1 + a group's place in Names.Groups by number, 0 for none.
type groupsOf struct{ byUser, byJob []int }

func newGroupsOf(groups []workload.Group) (o groupsOf) {
	for i, g := range groups {
		to := &o.byJob
		if g.OfUser {
			to = &o.byUser
		}
		if more := int(g.Number) + 1 - len(*to); more > 0 {
			*to = append(*to, make([]int, more)...)
		}
		(*to)[g.Number] = i + 1
	}
	return o
}

// each calls do with the place of every group of a task.
func (o groupsOf) each(t *cluster.Task, do func(group int)) {
	if n := uint64(t.User); n < uint64(len(o.byUser)) && o.byUser[n] > 0 {
		do(o.byUser[n] - 1)
	}
	if n := t.Key.Job; n < uint64(len(o.byJob)) && o.byJob[n] > 0 {
		do(o.byJob[n] - 1)
	}
}

// fillGroups writes one byte a node to each layer of groupLayers. It visits every task once.
func (r *Inspector) fillGroups(layers [][]byte) {
	if len(layers) == 0 {
		return
	}
	v, of := r.of.View, newGroupsOf(r.of.Names.Groups())
	requested := make([]unit.Vec, len(layers))
	for n := range unit.NodeID(v.Nodes()) {
		clear(requested)
		for _, cells := range layers {
			cells[n] = 0
		}
		for id := range v.Tasks(n) {
			t, _ := v.Task(id)
			of.each(&t, func(group int) {
				requested[group] = requested[group].Add(t.Request)
				layers[group][n] = 1
			})
		}
		capacity := v.Capacity(n)
		for group, sum := range requested {
			if layers[group][n] == 0 {
				continue
			}
			share := 0.0
			for k := range sum {
				if capacity[k] > 0 {
					share = max(share, float64(sum[k])/float64(capacity[k]))
				}
			}
			layers[group][n] = byte(min(max(1, share*frame.FullScale), 255))
		}
	}
}

// groupFacts returns which groups have tasks on a node, those with most tasks first, and how many
// tasks of these groups wait for a node anywhere.
func (r *Inspector) groupFacts(n unit.NodeID) (facts []system.Fact) {
	groups := r.of.Names.Groups()
	if len(groups) == 0 {
		return nil
	}
	v, of := r.of.View, newGroupsOf(groups)
	here, waiting := make([]int, len(groups)), make([]int, len(groups))
	for id := range v.Alive {
		t, _ := v.Task(id)
		of.each(&t, func(group int) {
			switch t.Node {
			case n:
				here[group]++
			case unit.NoNode:
				waiting[group]++
			}
		})
	}
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(here[b], here[a]) })
	listed := map[string]int{} // the fact of a kind
	for _, i := range order {
		if here[i] == 0 {
			break
		}
		g := &groups[i]
		text := g.Title + " " + strconv.Itoa(here[i])
		if waiting[i] > 0 {
			text += " (" + strconv.Itoa(waiting[i]) + " pending)"
		}
		at, known := listed[g.Kind]
		if !known {
			listed[g.Kind] = len(facts)
			facts = append(facts, system.Fact{Name: g.Kind, Value: text})
			continue
		}
		if strings.Count(facts[at].Value, ",") < 7 {
			facts[at].Value += ", " + text
		}
	}
	return facts
}
