package inspect_test

import (
	"slices"
	"testing"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/unit"
)

// touches keeps what the events say of each node: whether it is up, and how many migrations touch it.
type touches struct {
	up      map[unit.NodeID]bool
	touched map[unit.NodeID]int
	moves   map[unit.TaskID][2]unit.NodeID
}

// Observe implements run.Observer.
func (l *touches) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown:
		l.up[e.Node] = e.Kind == cluster.NodeUp
	case cluster.MigrationBegan:
		l.moves[e.Task] = [2]unit.NodeID{e.Node, e.Other}
		l.touched[e.Node]++
		l.touched[e.Other]++
	case cluster.MigrationEnded, cluster.MigrationBroken, cluster.TaskEnded, cluster.TaskDisplaced:
		if at, moves := l.moves[e.Task]; moves {
			l.touched[at[0]]--
			l.touched[at[1]]--
			delete(l.moves, e.Task)
		}
	}
}

// TestLegendIsTheLog: at random moments the states that the legend counts, nodes that are down,
// overloaded or migrating, are those of the events and of what the tasks use.
func TestLegendIsTheLog(t *testing.T) {
	random, seen := rng.New(9, "legend"), [4]int{}
	for _, document := range []string{
		troubled,
		`{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":90},"workload":{"scale":1.5},"chaos":{"node_mtbf":"20h","mttr":"5m"},"until":"40m"}`,
		`{"v":1,"system":"central","seed":2,"cluster":{"nodes":90},"settings":{"rescheduler":{"every_us":60000000}},"workload":{"scale":1.4},"faults":[{"at":"5m","kind":"node_down","target":"node.7"},{"at":"9m","kind":"node_up","target":"node.7"}],"until":"40m"}`,
	} {
		log := &touches{map[unit.NodeID]bool{}, map[unit.NodeID]int{}, map[unit.TaskID][2]unit.NodeID{}}
		r := open(t, document, run.Watch(log))
		state := slices.IndexFunc(r.Layers(), func(l frame.Layer) bool { return l.ID == "state" })
		for range 40 {
			advance(t, r, r.Now()+unit.Time(1+random.Intn(int(unit.Minute))))
			var f frame.Frame
			if err := frame.Decode(r.Frame(nil), &f); err != nil {
				t.Fatal(err)
			}
			v := r.View()
			for n, got := range f.Layers[state] {
				node, want := unit.NodeID(n), frame.StateUp
				over := false // audits hold the sum of what the tasks use to the tasks
				for k, capacity := range v.Capacity(node) {
					over = over || v.Used(node)[k] > capacity
				}
				switch {
				case !log.up[node]:
					want = frame.StateDown
				case over:
					want = frame.StateOverloaded
				case log.touched[node] > 0:
					want = frame.StateMigrating
				}
				if seen[want]++; got != want {
					t.Fatalf("%s at %v: node %d is in state %d, the log has %d", r.Scenario().System, r.Now(), n, got, want)
				}
			}
		}
	}
	if slices.Contains(seen[:], 0) {
		t.Errorf("states seen: %v", seen)
	}
}
