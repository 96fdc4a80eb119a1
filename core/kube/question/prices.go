package question

import (
	"cmp"
	"slices"
	"strings"

	"parley/core/escape"
	"parley/core/kube"
)

// Table is prices of machine types an hour.
type Table struct {
	Currency string
	Prices   []Price
	ignored  []string // columns that say nothing here
	unpriced int      // rows that name a type and no price
	machines []machine
	// unsized is why the sizes of a row cannot be read, of the first of them; unread is their number.
	unsized error
	unread  int
}

// Price is the price of nodes of a type.
type Price struct {
	Type     string
	Zone     string // "" for all
	Region   string // "" for all
	Capacity string // spot, on-demand; "" for all
	System   string // linux, windows; "" for all
	Hour     float64
}

// HoursOfMonth is the number of hours by which clouds bill a month.
const HoursOfMonth = 730

// Of returns the price of a node per hour, and whether the table has it: of the rows that cover the node,
// the one that names most of zone, region, capacity and system counts; the first of several. A nil table
// has no prices.
func (t *Table) Of(n *kube.Node) (float64, bool) {
	best, largest := 0.0, -1
	if t == nil {
		return 0, false
	}
	for _, p := range t.Prices {
		if !p.covers(n) {
			continue
		}
		exact := 0
		for _, told := range []string{p.Zone, p.Region, p.Capacity, p.System} {
			if told != "" {
				exact++
			}
		}
		if exact > largest {
			best, largest = p.Hour, exact
		}
	}
	return best, largest >= 0
}

// notes returns sentences on mismatches between the table and the nodes of a cluster: rows that
// price no node, and nodes without a price.
func (t *Table) notes(c *kube.Cluster) (notes []string) {
	if t == nil {
		return nil
	}
	if len(t.ignored) > 0 {
		notes = append(notes, "Columns of the prices that say nothing here: "+escape.Line(quoted(t.ignored))+".")
	}
	if t.unpriced > 0 {
		notes = append(notes, count(t.unpriced, "row of the prices has no price and is left out.", "rows of the prices have no price and are left out."))
	}
	var rows []string
	for _, p := range t.Prices {
		if len(t.machines) > 0 { // a list to choose from
			break
		}
		if !slices.ContainsFunc(c.Nodes, func(n kube.Node) bool { return p.covers(&n) }) {
			rows = append(rows,
				escape.Line(strings.Join(slices.DeleteFunc([]string{p.Type, p.Region, p.Zone, p.Capacity, p.System},
					func(s string) bool { return s == "" }), " ")))
		}
	}
	if n := len(rows); n > 0 {
		if n > maxNamed {
			rows = append(rows[:maxNamed], "…")
		}
		notes = append(notes, count(n, "row of the prices is", "rows of the prices are")+" the price of no node here: "+strings.Join(rows, ", ")+".")
	}
	if all := t.Cost(pointers(c)); all.Without > 0 {
		notes = append(notes, count(all.Without, "node has", "nodes have")+" no price and "+map[bool]string{
			true:  "is",
			false: "are",
		}[all.Without == 1]+" in no sum: "+escape.Line(strings.Join(all.Unpriced, ", "))+".")
	}
	return notes
}

// maxNamed is how many rows a sentence names.
const maxNamed = 10

// covers reports whether a price is that of a node. Case is ignored, and clouds' words for spot and
// on-demand are equal. A node whose labels name neither is on demand, and one without a system runs Linux.
func (p *Price) covers(n *kube.Node) bool {
	capacity := n.CapacityType()
	if capacity == "" {
		capacity = kube.OnDemand
	}
	os := n.OS()
	if os == "" {
		os = "linux"
	}
	return strings.EqualFold(p.Type, n.InstanceType()) && (p.Zone == "" || strings.EqualFold(p.Zone, n.Zone())) &&
		(p.Region == "" || strings.EqualFold(p.Region, n.Region())) &&
		(p.Capacity == "" || kube.CapacityOf(p.Capacity) == capacity) && (p.System == "" || p.System == os)
}

// Money is the cost of nodes.
type Money struct {
	Currency string  `json:"currency"`
	Hour     float64 `json:"hour"`
	Month    float64 `json:"month"`
	// Unpriced are machine types that the table does not have.
	Unpriced []string `json:"unpriced,omitempty"`
	// Without is how many nodes have no price: they are not in the sum.
	Without int `json:"without_price,omitempty"`
	nodes   int
}

// Known reports whether any node has a price.
func (m *Money) Known() bool { return m.Without < m.nodes || m.nodes == 0 }

// against compares the costs of nodes, below 0 if m is less. A cost with an unpriced node is the greatest;
// if one of the two is nil, they are equal.
func (m *Money) against(other *Money) int {
	if m == nil || other == nil {
		return 0
	}
	if a, b := m.Without > 0, other.Without > 0; a != b {
		return map[bool]int{true: 1, false: -1}[a]
	}
	return cmp.Compare(m.Hour, other.Hour)
}

// Cost returns the cost of some nodes, nil without a table. Nodes without a price are counted in Without
// and are not in the sum.
func (t *Table) Cost(nodes []*kube.Node) *Money {
	if t == nil {
		return nil
	}
	m := &Money{Currency: t.Currency, nodes: len(nodes)}
	for _, n := range nodes {
		hour, known := t.Of(n)
		if !known {
			m.Without++
			kind := n.InstanceType()
			if kind == "" {
				kind = "nodes without a label " + kube.InstanceTypeLabel
			}
			if !slices.Contains(m.Unpriced, kind) {
				m.Unpriced = append(m.Unpriced, kind)
			}
		}
		m.Hour += hour
	}
	m.Month = m.Hour * HoursOfMonth
	return m
}

// Price sets the cost of the emptied nodes; without a table it changes nothing.
func (d *Drained) Price(c *kube.Cluster, t *Table) {
	var emptied []*kube.Node
	for _, step := range d.Steps {
		emptied = append(emptied, &c.Nodes[step.node])
	}
	d.Saved = t.Cost(emptied)
	d.Method.Assumptions = append(d.Method.Assumptions, t.notes(c)...)
}
