package question

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/kube"
)

// Table is prices of machine types an hour.
type Table struct {
	Currency string
	Prices   []Price
}

// Price is what a node costs.
type Price struct {
	Type     string
	Zone     string // "" for all
	Capacity string // spot, on-demand; "" for all
	Hour     float64
}

// HoursOfMonth is the number of hours by which clouds bill a month.
const HoursOfMonth = 730

// ReadPrices reads a table of prices: CSV with the columns type and price (an hour), and, where
// they matter, zone, capacity and currency. name is the file's, for errors.
func ReadPrices(name string, text []byte) (*Table, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.TrimLeadingSpace = true
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s has no line of column names: begin it with type,price", name)
	}
	places := map[string]int{}
	for i, column := range head {
		column = strings.ToLower(strings.TrimSpace(column))
		if !slices.Contains([]string{"type", "price", "zone", "capacity", "currency"}, column) {
			return nil, fmt.Errorf("%s, line 1: there is no column %q: use type, price, zone, capacity and currency", name, column)
		}
		places[column] = i
	}
	for _, column := range []string{"type", "price"} {
		if _, has := places[column]; !has {
			return nil, fmt.Errorf("%s, line 1: the column %s is missing", name, column)
		}
	}
	t := &Table{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return nil, fmt.Errorf("%s, line %d: %w", name, bad.Line, bad.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", name, err)
		}
		line, _ := r.FieldPos(0)
		field := func(column string) string {
			if i, has := places[column]; has {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		hour, err := strconv.ParseFloat(field("price"), 64)
		if err != nil || !(hour >= 0 && hour <= 1e9) { // NaN too
			return nil, fmt.Errorf("%s, line %d, column price: %q is no price an hour; write a number such as 0.384", name, line, field("price"))
		}
		if field("type") == "" {
			return nil, fmt.Errorf("%s, line %d, column type: it is empty; name a machine type", name, line)
		}
		if currency := field("currency"); currency != "" {
			if t.Currency != "" && t.Currency != currency {
				return nil, fmt.Errorf("%s, line %d: the currency is %s, and before it was %s; use one", name, line, currency, t.Currency)
			}
			t.Currency = currency
		}
		t.Prices = append(t.Prices, Price{Type: field("type"), Zone: field("zone"), Capacity: field("capacity"), Hour: hour})
	}
	if len(t.Prices) == 0 {
		return nil, fmt.Errorf("%s has no prices: write a line such as m6i.xlarge,0.192 below the column names", name)
	}
	if t.Currency == "" {
		t.Currency = "credits"
	}
	return t, nil
}

// Of returns the price of a node an hour and whether the table has it: the most specific line
// of its type counts.
func (t *Table) Of(n *kube.Node) (float64, bool) {
	best, most := 0.0, -1
	if t == nil {
		return 0, false
	}
	for _, p := range t.Prices {
		if !p.covers(n) {
			continue
		}
		exact := 0
		if p.Zone != "" {
			exact++
		}
		if p.Capacity != "" {
			exact++
		}
		if exact > most {
			best, most = p.Hour, exact
		}
	}
	return best, most >= 0
}

// notes returns sentences on what the table and the nodes of a cluster do not have in common: rows
// that are the price of no node, and nodes without a price.
func (t *Table) notes(c *kube.Cluster) (notes []string) {
	if t == nil {
		return nil
	}
	var rows []string
	for _, p := range t.Prices {
		if !slices.ContainsFunc(c.Nodes, func(n kube.Node) bool { return p.covers(&n) }) {
			rows = append(rows, escape.Line(strings.Join(slices.DeleteFunc([]string{p.Type, p.Zone, p.Capacity}, func(s string) bool { return s == "" }), " ")))
		}
	}
	if n := len(rows); n > 0 {
		if n > mostNamed {
			rows = append(rows[:mostNamed], "…")
		}
		notes = append(notes, count(n, "row of the prices is", "rows of the prices are")+" the price of no node here: "+strings.Join(rows, ", ")+".")
	}
	if all := t.Cost(pointers(c)); all.Without > 0 {
		notes = append(notes, count(all.Without, "node has", "nodes have")+" no price and "+map[bool]string{true: "is", false: "are"}[all.Without == 1]+" in no sum: "+escape.Line(strings.Join(all.Unpriced, ", "))+".")
	}
	return notes
}

// mostNamed is how many rows a sentence names.
const mostNamed = 10

// covers reports whether a price is that of a node. Letters of either case are equal, clouds'
// words for spot and on-demand too, and a node whose labels say nothing is on demand.
func (p *Price) covers(n *kube.Node) bool {
	capacity := n.CapacityType()
	if capacity == "" {
		capacity = kube.OnDemand
	}
	return strings.EqualFold(p.Type, n.InstanceType()) && (p.Zone == "" || strings.EqualFold(p.Zone, n.Zone())) &&
		(p.Capacity == "" || kube.CapacityOf(p.Capacity) == capacity)
}

// Money is what nodes cost.
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

// against compares what nodes cost, below 0 if m is less. What is not known is the most.
func (m *Money) against(other *Money) int {
	if m == nil || other == nil {
		return 0
	}
	if a, b := m.Without > 0, other.Without > 0; a != b {
		return map[bool]int{true: 1, false: -1}[a]
	}
	return cmp.Compare(m.Hour, other.Hour)
}

// Cost returns what some nodes cost, nil without a table.
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

// Price sets what the emptied nodes cost; without a table nothing changes.
func (d *Drained) Price(c *kube.Cluster, t *Table) {
	var emptied []*kube.Node
	for _, step := range d.Steps {
		emptied = append(emptied, &c.Nodes[step.node])
	}
	d.Saved = t.Cost(emptied)
	d.Method.Assumptions = append(d.Method.Assumptions, t.notes(c)...)
}
