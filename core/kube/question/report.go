package question

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/core/formula"
	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/usage"
	"parley/core/strict"
)

// ReportOptions are the options of a report.
type ReportOptions struct {
	Drain  DrainOptions
	Prices *Table
	Usage  *usage.Usage // of pods; nil if unknown. Samples of one moment are not enough: see RightSize
	Seed   uint64
	Config string // name of the scheduler's configuration, "" for the default
	// Step receives the name of the next question; it may be nil.
	Step func(name string)
}

// Report is the answers that are compared from week to week, with their figures by name.
type Report struct {
	Figures []Figure `json:"figures"`
	// Settings lists the settings on which the questions depend: reports are compared only if they are
	// equal.
	Settings []string `json:"asked"`
	Drain    *Drained `json:"drain"`
	Zone     *Lost    `json:"zone_loss"` // of the zone whose loss leaves most pods pending; nil without zones
	Node     *Lost    `json:"node_loss"` // of the node with the largest requests
	Mix      *Fits    `json:"mix"`
	Grow     *Grown   `json:"grow"`
	// Requests are all requests by namespace.
	Requests *Requested `json:"requests"`
	Size     *Sized     `json:"right_size,omitempty"` // nil without samples of use
}

// Figure is a number of a report with its name, as conditions have it.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	About string  `json:"about"`
}

// NewReport answers the questions of a weekly report: a drain, the loss of each zone (the worst one is
// kept) and of the node with the largest CPU requests, today's mix, and nodes for pending pods. The cluster
// must have a node. Usage that RightSize refuses is left out.
func NewReport(c *kube.Cluster, p *constraint.Profile, o ReportOptions) *Report {
	if o.Step == nil {
		o.Step = func(string) {}
	}
	r := &Report{Settings: o.settings()}
	o.Drain.Seed = o.Seed
	o.Step("drain")
	r.Drain = Drain(c, p, o.Drain)
	r.Drain.Price(c, o.Prices)
	for _, g := range Groups(c, "zone") {
		o.Step(g.Name)
		if l := Lose(c, p, g.Name, g.Nodes, LoseOptions{PlayOptions: PlayOptions{Seed: o.Seed}}); r.Zone == nil ||
			l.Pending+l.NotRecreated > r.Zone.Pending+r.Zone.NotRecreated {
			r.Zone = l
		}
	}
	s := constraint.New(c, p)
	largest := 0
	for at := range c.Nodes {
		if s.Requested(at).At(kube.CPU) > s.Requested(largest).At(kube.CPU) {
			largest = at
		}
	}
	o.Step("node")
	r.Node = Lose(c, p, "node "+c.Nodes[largest].Name, []int{largest}, LoseOptions{PlayOptions: PlayOptions{Seed: o.Seed}})
	o.Step("fit")
	r.Mix = FitMix(c, p, 3, FitOptions{Seed: o.Seed})
	o.Step("grow")
	r.Grow = Grow(c, p, GrowOptions{Prices: o.Prices, Seed: o.Seed})
	if o.Usage != nil {
		o.Step("right-size")
		if s, err := RightSize(c, o.Usage); err == nil {
			r.Size = s
			r.Size.Price(c, o.Prices)
		}
	}
	r.Requests, _ = Requests(c, "namespace", kube.Nowhere)
	r.figures(c, o.Prices)
	return r
}

// figures adds the numbers of all answers with their names, which conditions use: a name once given must
// stay. Figures of an answer that the report lacks, and prices that are not fully known, are left out.
func (r *Report) figures(c *kube.Cluster, prices *Table) {
	add := func(name string, value float64, about string) {
		r.Figures = append(r.Figures, Figure{name, value, about})
	}
	add("nodes", float64(len(c.Nodes)), "nodes of the cluster")
	add("pods", float64(len(c.Pods)), "pods that have not ended")
	add("pending", float64(r.Grow.Pending), "pods that wait for a node")
	for _, x := range r.Requests.Total.Resources {
		if x.Allocatable > 0 {
			add("requested."+word(x.Resource)+"_pct", 100*float64(x.Requested)/float64(x.Allocatable), "requested part of the allocatable amount of "+x.Resource+", in percent")
		}
	}
	add("drain.emptied", float64(r.Drain.Emptied), "nodes that can be emptied")
	add("drain.bound", float64(r.Drain.Bound), "no plan empties more nodes")
	if r.Zone != nil {
		add("zone_loss.pending", float64(r.Zone.Pending), "pods that stay pending if the worst zone is gone")
		add("zone_loss.pending_at_least", float64(r.Zone.PendingBound), "of these in any order")
		add("zone_loss.services", float64(len(r.Zone.Services)), "services without a ready pod then")
	}
	add("node_loss.pending", float64(r.Node.Pending), "pods that stay pending if the node with the largest requests is gone")
	add("mix.more", float64(r.Mix.More), "more pods of today's mix that fit")
	nodes, left, cost := 0, r.Grow.Pending-r.Grow.Without, &Money{}
	switch {
	case r.Grow.Mix != nil:
		nodes, left, cost = r.Grow.Mix.Nodes, r.Grow.Mix.Left, r.Grow.Mix.Cost
	case len(r.Grow.Shapes) > 0:
		nodes, left, cost = r.Grow.Shapes[0].Nodes, r.Grow.Shapes[0].Left, r.Grow.Shapes[0].Cost
	}
	add("grow.nodes", float64(nodes), "nodes to add for the pending pods")
	add("grow.left", float64(left), "pending pods that no such node takes")
	if prices != nil {
		// An unknown price is not a figure: a condition on it is an error.
		price := func(name string, m *Money, about string) {
			if m.Known() {
				add(name, m.Month, about)
			}
		}
		all := prices.Cost(pointers(c))
		add("price.nodes_without", float64(all.Without), "nodes without a price, which are in no sum")
		price("price.month", all, "price of all nodes a month")
		price("price.drain", r.Drain.Saved, "price of the nodes that can be emptied, a month")
		price("price.grow", cost, "price of the nodes to add, a month")
	}
	if r.Size != nil {
		for _, t := range r.Size.Totals {
			add("right_size."+t.Resource+"_nodes", t.Nodes, "nodes of the mean size by which requests exceed the 95th percentile of use")
		}
		add("right_size.nodes", r.Size.Nodes, "nodes that could go if requests fell to that: both their CPU and their memory would be free")
		if r.Size.Saved != nil && r.Size.Saved.Known() {
			add("right_size.price", r.Size.Saved.Month, "price of these nodes a month")
		}
	}
}

// word returns the name of a resource as conditions may have it: nvidia_com_gpu.
func word(resource string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, resource)
}

// ReadReport reads the figures of a report that was kept as JSON. name is the file's.
func ReadReport(name string, text []byte) (*Report, error) {
	var kept Report
	if err := strict.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("%s is no report: %w; give the JSON of a report", name, err)
	}
	if len(kept.Figures) == 0 {
		return nil, fmt.Errorf("%s is no report, it has no figures: give the JSON of a report", name)
	}
	return &kept, nil
}

// Figure returns a figure by its name, NaN if the report has none of it.
func (r *Report) Figure(name string) float64 {
	if r != nil {
		for _, f := range r.Figures {
			if f.Name == name {
				return f.Value
			}
		}
	}
	return math.NaN()
}

// Condition is a condition on the figures of a report, of the one before (last.NAME) and on
// their differences (change.NAME). Create one with NewCondition.
type Condition struct{ f *formula.Formula }

// NewCondition compiles a condition such as zone_loss.pending > 0. Names of the report before are
// known only if there is one. Errors describe the fault and its place.
func NewCondition(text string, r, last *Report) (*Condition, error) {
	columns, _ := columns(r, last)
	f, err := formula.Compile(text, columns, formula.Condition)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	for i := range columns {
		if f.Uses(i) {
			return &Condition{f}, nil
		}
	}
	return nil, fmt.Errorf("%q: it names no figure of the report, so that it is always or never so; name one, such as %s", text, columns[0].Name)
}

// Holds reports whether the condition holds, and lists the figures that it uses as NAME is VALUE. decided
// is false if a comparison has no result, as with 0/0. r and last must have the figures with which the
// condition was made.
func (c *Condition) Holds(r, last *Report) (holds, decided bool, figures string) {
	names, values := columns(r, last)
	table := make([][]float64, len(values))
	var used []string
	for i, v := range values {
		table[i] = []float64{v}
		if c.f.Uses(i) {
			used = append(used, fmt.Sprintf("%s is %s", names[i].Name, plain(v)))
		}
	}
	holds, decided = new(formula.Evaluator).Decide(c.f, table)
	return holds, decided, strings.Join(used, ", ")
}

// columns returns the names and values that a condition may use: the figures of r and, for those that last
// has too, last.NAME and change.NAME. A nil last has none.
func columns(r, last *Report) (names []formula.Column, values []float64) {
	for _, f := range r.Figures {
		names = append(names, formula.Column{Name: f.Name, About: f.About})
		values = append(values, f.Value)
		if before := last.Figure(f.Name); !math.IsNaN(before) {
			names = append(names, formula.Column{Name: "last." + f.Name, About: f.About},
				formula.Column{Name: "change." + f.Name, About: f.About})
			values = append(values, before, f.Value-before)
		}
	}
	return names, values
}

// plain writes a number without needless digits.
func plain(x float64) string {
	if x == math.Trunc(x) {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// Documents returns the report for people: the figures, with their changes since last if that is not nil,
// and then the answers. dump is the name in the title.
func (r *Report) Documents(dump string, last *Report) []Document {
	rows := make([][]string, len(r.Figures))
	columns := []string{"figure", "now"}
	changed := 0
	for i, f := range r.Figures {
		rows[i] = []string{f.Name, plain(f.Value)}
		if last != nil {
			before := last.Figure(f.Name)
			change, was := "–", "–"
			if !math.IsNaN(before) {
				was = plain(before)
				if change = "the same"; f.Value != before {
					change = fmt.Sprintf("%+.1f", f.Value-before)
					changed++
				}
			}
			rows[i] = append(rows[i], was, change)
		}
		rows[i] = append(rows[i], f.About)
	}
	sentence := count(len(rows), "figure", "figures") + " of the cluster. A later report compares them, and --fail-if takes their names."
	if last != nil {
		columns = append(columns, "before", "change")
		sentence = fmt.Sprintf("%s since the report before.", count(changed, "figure has changed", "figures have changed"))
	}
	first := Document{
		Title: "Report of " + dump, Sentence: sentence, Grids: []Grid{grid("Figures", append(columns, "meaning"), rows, len(rows))},
		Method: Method{How: "Each answer below names its own method.", Bound: "Figures with a bound have it beside them."},
	}
	all := []Document{first, r.Drain.Document(dump)}
	if r.Zone != nil {
		all = append(all, r.Zone.Document())
	}
	all = append(all, r.Node.Document(), r.Mix.Document())
	if r.Grow.Pending > 0 {
		all = append(all, r.Grow.Document())
	}
	all = append(all, r.Requests.Document())
	if r.Size != nil {
		all = append(all, r.Size.Document())
	}
	return slices.Clip(all)
}
