package frame

import (
	"parley/core/cluster"
	"parley/core/unit"
)

// States are the values of the "state" layer. If several hold, down wins, then off, then overloaded,
// then migrating.
const (
	StateUp uint8 = iota
	StateDown
	StateOverloaded
	StateMigrating // a migration leaves it or comes to it
	StateOff       // it is switched off, or on its way there or back
)

// Physical lists the layers that every cluster has, in the order Paint writes
// them.
func Physical() []Layer {
	layers := make([]Layer, physicalLayers)
	for r := range unit.Resources {
		layers[usedLayer+r] = Layer{
			ID: r.String(), Name: r.Title() + " used", Unit: "share of the node",
			About: "What the tasks on a node really use of its " + r.Title() +
				". Above 100 % the node is overloaded: its tasks get less than they need.",
		}
		layers[requestedLayer+r] = Layer{
			ID: r.String() + "_requested", Name: r.Title() + " requested",
			Unit: "by all tasks, share of the node",
			About: "What the tasks on a node asked for of its " + r.Title() +
				", whether they use it or not. Above 100 % the node is overcommitted: it is overloaded only if they use it, too.",
		}
	}
	layers[classLayer] = Layer{
		ID: "class", Name: "Allocation class", Unit: "by use",
		About: "Classes of load, by use: above 90 % of some resource a node is super tight, from 70 to 90 % of every resource tight, below 70 % of every resource proportional, and otherwise disproportionate: full in one resource and with room in another.", Names: cluster.LoadClassNames[:],
	}
	layers[tasksLayer] = Layer{
		ID: "tasks", Name: "Tasks", Unit: "tasks a node",
		About: "How many tasks run on a node, whatever their size.", Top: maxTasks,
	}
	layers[stateLayer] = Layer{
		ID: "state", Name: "State", Unit: "",
		About: "An overloaded node uses more than its capacity of some resource. A migrating node sends or receives a task. A node that is off, or on its way there or back, takes no jobs.",
		Names: []string{"up", "down", "overloaded", "migrating", "off"},
	}
	return layers
}

// The physical layers: one a resource for use, one for requests, then the others.
const (
	usedLayer      = unit.Resource(0)
	requestedLayer = usedLayer + unit.Resources
	classLayer     = requestedLayer + unit.Resources
	tasksLayer     = classLayer + 1
	stateLayer     = tasksLayer + 1
	physicalLayers = int(stateLayer) + 1
)

// maxTasks is how many tasks of a node the layer of tasks distinguishes.
const maxTasks = 40

// maxArcs bounds the arcs of one frame: more would hide the picture.
const maxArcs = 400

// Paint fills f with the physical layers of a cluster and the arcs of its running migrations, at most
// maxArcs, and counts f.Seq up; f.Devices stays. It grows f's slices as needed, with room for extra more
// layers. The caller must write every cell of these: they hold old values.
func Paint(v cluster.View, now unit.Time, extra int, f *Frame) {
	n := v.Nodes()
	f.At, f.Cells = now, n
	for len(f.Layers) < physicalLayers+extra {
		f.Layers = append(f.Layers, nil)
	}
	f.Layers = f.Layers[:physicalLayers+extra]
	for i := range f.Layers {
		if cap(f.Layers[i]) < n {
			f.Layers[i] = make([]byte, n, n+n/8)
		}
		f.Layers[i] = f.Layers[i][:n]
	}
	for i := range n {
		id := unit.NodeID(i)
		used, requested, capacity := v.Used(id), v.Requested(id), v.Capacity(id)
		for r := range unit.Resources {
			f.Layers[usedLayer+r][i] = ramp(used[r], capacity[r])
			f.Layers[requestedLayer+r][i] = ramp(requested[r], capacity[r])
		}
		class := cluster.LoadClassOf(v, id)
		f.Layers[classLayer][i] = byte(class)
		f.Layers[tasksLayer][i] = byte(min(v.Count(id)*FullScale/maxTasks, 255))
		state := StateUp
		switch {
		case class == cluster.ClassDown:
			state = StateDown
		case v.Power(id) != cluster.On:
			state = StateOff
		case class == cluster.ClassOverloaded:
			state = StateOverloaded
		case v.Incoming(id) > 0:
			state = StateMigrating
		}
		f.Layers[stateLayer][i] = state
	}
	f.Arcs = f.Arcs[:0]
	for m := range v.Migrations {
		if f.Layers[stateLayer][m.From] == StateUp {
			f.Layers[stateLayer][m.From] = StateMigrating
		}
		if len(f.Arcs) < maxArcs {
			progress := uint8(255)
			if m.Ends > m.Began {
				progress = uint8(min((now-m.Began)*255/(m.Ends-m.Began), 255))
			}
			kind := Moved
			if m.Forced {
				kind = Forced
			}
			f.Arcs = append(f.Arcs, Arc{From: m.From, To: m.To, Progress: progress, Kind: kind})
		}
	}
	f.Seq++
}

// ramp scales part / whole to a byte where FullScale is 1.
func ramp(part, whole unit.Share) byte {
	if whole <= 0 {
		if part > 0 {
			return 255
		}
		return 0
	}
	return byte(min(int64(part)*FullScale/int64(whole), 255))
}
