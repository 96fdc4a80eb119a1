package inspect

import (
	"fmt"
	"strconv"

	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// supplyLayers describes the layers of the workload's other resources.
func (r *Inspector) supplyLayers() (layers []frame.Layer) {
	for _, s := range r.of.Names.Supplies() {
		layers = append(layers, frame.Layer{
			ID: s.ID, Name: s.Title + " requested", Unit: "by all tasks, share of the node",
			About: "How much of its " + s.Title + " the tasks on a node hold. A node that has none shows 0 %.",
		})
	}
	return layers
}

// fillSupply writes one byte a node: which part of a supply its tasks hold.
func (r *Inspector) fillSupply(s *workload.Supply, cells []byte) {
	for n := range cells {
		has, taken := r.supplied(s, unit.NodeID(n))
		cells[n] = 0
		switch {
		case has > 0:
			cells[n] = byte(min(float64(taken)/float64(has)*frame.FullScale, 255))
		case taken > 0:
			cells[n] = 255
		}
	}
}

// supplied returns a node's capacity of a supply and the amount that its tasks hold; 0 and 0 if the
// supply is not for this node or the node has none of it.
func (r *Inspector) supplied(s *workload.Supply, n unit.NodeID) (has, taken int64) {
	v := r.of.View
	if s.Only != (workload.Attribute{}) && v.Attribute(n, s.Only.Name) != s.Only.Value {
		return 0, 0
	}
	if has = v.Attribute(n, s.Name); has == workload.Unset {
		has = 0
	}
	return has, v.Taken(n, s.Name)
}

// supplyFacts returns the names of a node and of its zone, and the supplies that its tasks
// hold.
func (r *Inspector) supplyFacts(n unit.NodeID) (facts []system.Fact) {
	v := r.of.View
	if name := r.of.Names.Machine(v.Machine(n)); name != "" {
		facts = append(facts, system.Fact{Name: "Name", Value: name})
	}
	if name := r.of.Names.Rack(v.Rack(n)); name != "" {
		facts = append(facts, system.Fact{Name: "Zone", Value: name})
	}
	supplies := r.of.Names.Supplies()
	for i := range supplies {
		s := &supplies[i]
		if has, taken := r.supplied(s, n); has+taken > 0 {
			facts = append(facts, system.Fact{Name: s.Title, Value: written(s, taken) + " of " + written(s, has)})
		}
	}
	return facts
}

// written writes an amount of a supply.
func written(s *workload.Supply, amount int64) string {
	if s.Bytes {
		return fmt.Sprintf("%.1f GiB", float64(amount)/(1<<30))
	}
	return strconv.FormatInt(amount, 10)
}

// Supplies describes a column for each supply, in percent of the capacity of the nodes that are up.
func (r *Inspector) Supplies() (columns []metric.Column) {
	for _, s := range r.of.Names.Supplies() {
		columns = append(columns, metric.Column{
			ID: s.ID + "_requested_pct", Name: s.Title + " requested", Unit: "%", About: "100 × what all placed tasks hold / what the nodes that are up have",
		})
	}
	return columns
}

// Measure implements metric.Measurer: it writes the present values of the columns of Supplies.
func (r *Inspector) Measure(values []float64) {
	v, supplies := r.of.View, r.of.Names.Supplies()
	for i := range supplies {
		var has, taken int64
		for n := range unit.NodeID(v.Nodes()) {
			if v.Up(n) {
				own, held := r.supplied(&supplies[i], n)
				has, taken = has+own, taken+held
			}
		}
		values[i] = 0
		if has > 0 {
			values[i] = 100 * float64(taken) / float64(has)
		}
	}
}
