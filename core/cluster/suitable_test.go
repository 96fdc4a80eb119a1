package cluster_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// TestSuitable: the set has the nodes that Satisfies says, whatever the task asks for and whatever
// others hold of supplies, used again for one task after the other.
func TestSuitable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cluster.New(cluster.Default(), des.New())
		draw := func(limit int, name string) int { return rapid.IntRange(0, limit).Draw(t, name) }
		nodes := 1 + draw(20, "nodes")
		for n := range nodes {
			d := workload.Node{Capacity: unit.Vec{1, 1}, Rack: -1, Site: -1}
			for range draw(2, "attributes") {
				d.Attributes = append(d.Attributes, workload.Attribute{Name: workload.AttributeName(draw(3, "name")), Value: int64(draw(2, "value"))})
			}
			c.Join(uint64(n), d)
		}
		var set cluster.Suitable
		placed := map[unit.NodeID][]workload.Constraint{}
		for range 1 + draw(5, "tasks") {
			var task workload.Task
			for range draw(3, "constraints") {
				task.Constraints = append(task.Constraints, workload.Constraint{
					Name: workload.AttributeName(draw(4, "name")), Op: workload.Operator(draw(4, "operator")), Value: int64(draw(2, "value")),
				})
			}
			id := c.Submit(workload.Key{}, &task)
			c.View().Suitable(id, &set)
			if set.Constrained() != (len(task.Constraints) > 0) {
				t.Fatalf("%+v asks for something: %v", task.Constraints, set.Constrained())
			}
			var all []unit.NodeID
			for n := range unit.NodeID(nodes) {
				if got, want := set.Has(n), c.View().Satisfies(id, n); got != want {
					t.Fatalf("%+v on node %d: %v, want %v", task.Constraints, n, got, want)
				}
				if set.Has(n) {
					all = append(all, n)
				}
			}
			for n := range unit.NodeID(nodes) {
				for _, want := range task.Constraints {
					if want.Op == workload.Takes && set.Has(n) && taken(placed[n], want.Name)+want.Value > c.View().Attribute(n, want.Name) {
						t.Fatalf("node %d has %d, tasks hold %+v, and yet it suits %+v", n, c.View().Attribute(n, want.Name), placed[n], want)
					}
				}
			}
			limit := draw(nodes, "few")
			list, few := set.Few(limit, nil)
			if few != (set.Constrained() && len(all) <= limit) || few && !slices.Equal(list, all) {
				t.Fatalf("of %d nodes %v satisfy %+v: at most %d, %v: %v", nodes, all, task.Constraints, limit, few, list)
			}
			for n := range unit.NodeID(nodes) { // somebody knows all of them the other way round
				set.Believe(n, !set.Has(n))
			}
			list, few = set.Few(limit, nil)
			if few != (set.Constrained() && nodes-len(all) <= limit) || few && len(list) != nodes-len(all) {
				t.Fatalf("of %d nodes %v satisfied %+v, and are believed not to: at most %d, %v: %v", nodes, all, task.Constraints, limit, few, list)
			}
			for n := range unit.NodeID(nodes) {
				if set.Constrained() && set.Has(n) == slices.Contains(all, n) {
					t.Fatalf("node %d is not believed to be otherwise", n)
				}
			}
			if n := unit.NodeID(draw(nodes-1, "place")); c.Place(id, n, cluster.ByUse) == nil {
				placed[n] = append(placed[n], task.Constraints...)
				if !c.View().Satisfies(id, n) && len(task.Constraints) < 2 {
					t.Fatalf("node %d does not suit %+v, which runs there", n, task.Constraints)
				}
				if c.View().Suitable(id, &set); set.Has(n) != c.View().Satisfies(id, n) {
					t.Fatalf("the set has node %d, where %+v runs: %v", n, task.Constraints, set.Has(n))
				}
				switch draw(2, "then") {
				case 0:
					c.End(id, workload.Finished)
				case 1:
					_ = c.Preempt(id)
				default:
					id = unit.NoTask
				}
				if id != unit.NoTask {
					placed[n] = placed[n][:len(placed[n])-len(task.Constraints)]
				}
			}
			for n := range unit.NodeID(nodes) {
				for name := range workload.AttributeName(5) {
					if got, want := c.View().Taken(n, name), taken(placed[n], name); got != want {
						t.Fatalf("tasks of node %d hold %d of attribute %d, want %d", n, got, name, want)
					}
				}
			}
			if err := c.Audit(); err != nil {
				t.Fatal(err)
			}
			if draw(1, "another") == 1 { // a node joins, or changes
				name, value := workload.AttributeName(draw(4, "name")), int64(draw(2, "value"))
				c.SetAttribute(c.Join(uint64(draw(nodes, "machine")), workload.Node{Capacity: unit.Vec{1, 1}, Rack: -1, Site: -1}),
					workload.Attribute{Name: name, Value: value, Absent: draw(3, "absent") == 0})
				nodes = c.View().Nodes()
			}
		}
		if c.View().Suitable(unit.NoTask, &set); set.Constrained() || !set.Has(0) {
			t.Fatal("no task asks for something")
		}
	})
}

// taken returns how much of an attribute tasks with these constraints hold.
func taken(placed []workload.Constraint, name workload.AttributeName) (sum int64) {
	for _, want := range placed {
		if want.Op == workload.Takes && want.Name == name {
			sum += want.Value
		}
	}
	return sum
}
