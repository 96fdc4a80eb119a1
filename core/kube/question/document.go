package question

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/escape"
)

// Document is an answer for people: command line, page and report show the same one.
type Document struct {
	Title, Sentence string
	Grids           []Grid
	Script          string // "" if there is nothing to run
	Method          Method
	Watch           *Watch // nil if nothing was played
}

// Grid is a table of an answer. Columns of numbers are right-aligned.
type Grid struct {
	Heading string
	Columns []string
	Rows    [][]string
	// More is how many rows were left out.
	More int
}

// grid returns a table with at most a number of rows, and counts those that it leaves out.
func grid(heading string, columns []string, rows [][]string, limit int) Grid {
	g := Grid{Heading: heading, Columns: columns, Rows: rows}
	if len(rows) > limit {
		g.Rows, g.More = rows[:limit], len(rows)-limit
	}
	return g
}

// maxRows is how many rows of a long list are for people; all are in the JSON.
const maxRows = 40

func reasonGrid(heading, unit string, reasons []Reason) Grid {
	rows := make([][]string, len(reasons))
	for i, r := range reasons {
		rows[i] = []string{r.Reason, strconv.Itoa(r.Count)}
	}
	return grid(heading, []string{"reason", unit}, rows, maxRows)
}

// Document returns the answer for people, with the script if a node can be emptied. dump is the name that
// the script gives as its source.
func (d *Drained) Document(dump string) Document {
	var steps, moves, gone [][]string
	for i, s := range d.Steps {
		budget := "–"
		if s.Budget != "" {
			budget = fmt.Sprintf("%s: %d", s.Budget, s.Allowed)
		}
		steps = append(steps, []string{strconv.Itoa(i + 1), s.Node, s.Zone, strconv.Itoa(len(s.Moves)), budget})
		for _, m := range s.Moves {
			moves = append(moves, []string{m.Pod, m.From, m.To})
		}
		for _, name := range s.LostPods {
			gone = append(gone, []string{name, s.Node, "the pod: it has no controller"})
		}
		for i, name := range s.Data {
			gone = append(gone, []string{name, s.Node, "its local volumes (emptyDir): " + strings.Join(s.volumes[i], ", ")})
		}
		for _, name := range s.Preempted {
			gone = append(gone, []string{name, s.Node, "its place: it is preempted and stays pending"})
		}
	}
	doc := Document{Title: "Which nodes can be emptied?", Sentence: d.Sentence() + d.timed, Method: d.Method, Watch: d.watch}
	var kept [][]string
	for _, k := range d.Kept {
		kept = append(kept, []string{k.Node, k.Reason, k.Pod, k.Budget})
	}
	var stalls [][]string
	for _, x := range d.Stalls {
		stalls = append(stalls, []string{x.Node, x.Pod, x.Budget, durationText(x.Seconds), x.Text})
	}
	if len(d.Steps) > 0 {
		doc.Script = d.Script(dump)
	}
	if d.Saved != nil {
		doc.Sentence += " " + d.Saved.sentence()
	}
	doc.Grids = []Grid{
		caveats(&d.Method, nil),
		reasonGrid("Why not more?", "nodes", d.WhyNotMore),
		grid("Nodes that are kept", []string{"node", "reason", "pod", "disruption budget"}, kept, maxRows),
		grid("In this order", []string{"step", "node", "zone", "pods that move", "tightest budget: evictions left"}, steps, maxRows),
		grid("Evictions that budgets hold up, with median times", []string{"node", "pod", "disruption budget", "for", "in the API server's words"}, stalls, maxRows),
		grid("What is lost", []string{"pod", "when this node is drained", "what"}, gone, maxRows),
		grid("New nodes", []string{"pod", "from", "to"}, moves, maxRows),
	}
	return doc
}

// sentence describes the cost of the emptied nodes. A missing price is never counted as 0.
func (m *Money) sentence() string {
	if !m.Known() {
		return "What the emptied nodes cost is unknown." + unpriced(m)
	}
	which := "The emptied nodes cost"
	if m.Without > 0 {
		which = fmt.Sprintf("%d of the %d emptied nodes cost", m.nodes-m.Without, m.nodes)
	}
	return fmt.Sprintf("%s %.2f %s a month.%s", which, m.Month, m.Currency, unpriced(m))
}

func unpriced(m *Money) string {
	if len(m.Unpriced) == 0 {
		return ""
	}
	return " Without a price: " + strings.Join(m.Unpriced, ", ") + "."
}

// Document returns the answer for people.
func (l *Lost) Document() Document {
	var stuck, messages [][]string
	stated := map[string]bool{}
	for _, s := range l.Stuck {
		stuck = append(stuck, []string{s.Pod, s.Reason})
		if !stated[s.Reason] {
			stated[s.Reason] = true
			messages = append(messages, []string{s.Pod, s.Message})
		}
	}
	is := " is "
	if strings.Contains(l.Subject, " and ") {
		is = " are "
	}
	doc := Document{
		Title:    "What if " + l.Subject + is + map[bool]string{true: "not ready?", false: "gone?"}[l.NotReady],
		Sentence: l.Sentence(), Method: l.Method, Watch: l.watch,
	}
	doc.Grids = []Grid{
		caveats(&l.Method, l.Caveats),
		addedGrid(l.Added),
		reasonGrid("Which constraint stops the pending pods", "pods", l.Constraints),
		grid("In the scheduler's own words, one pod a constraint", []string{"pod", "message"}, messages, maxRows),
		grid("Pending pods", []string{"pod", "stopped on most nodes by"}, stuck, maxRows),
		list("Pods that do not come back: they have no controller", l.LostPods),
		list("Pods that wait for their node", l.WaitingPods),
		list("Pods that are not made anew yet", l.MissingPods),
		list("Services left without a ready pod", l.Services),
		list("Budgets with fewer healthy pods than they want", l.Budgets),
		eventGrid("What happens, in the play with the median times", l.Events, maxRows),
	}
	return doc
}

func list(heading string, names []string) Grid {
	rows := make([][]string, len(names))
	for i, n := range names {
		rows[i] = []string{n}
	}
	return grid(heading, []string{"name"}, rows, maxRows)
}

// Document returns the answer for people.
func (f *Fits) Document() Document {
	var nodes [][]string
	for _, n := range f.PerNode {
		nodes = append(nodes, []string{n.Node, strconv.Itoa(n.Copies)})
	}
	doc := Document{Title: "How many more of " + f.Subject + " fit?", Sentence: f.Sentence(), Method: f.Method}
	if f.Interval != nil {
		doc.Sentence += fmt.Sprintf(" (95 %% interval of the mean: %.0f … %.0f)", f.Interval.Low, f.Interval.High)
	}
	if len(f.Requests) > 0 {
		doc.Sentence += " Each requests " + strings.Join(f.Requests, ", ") + "."
	}
	doc.Grids = []Grid{
		caveats(&f.Method, nil), reasonGrid("What stops the next one", "nodes", f.Reasons),
		grid("Copies on nodes", []string{"node", "copies"}, nodes, maxRows),
	}
	if f.StopReason != "" {
		doc.Grids = append(doc.Grids, Grid{Heading: "In the scheduler's own words", Columns: []string{"message"}, Rows: [][]string{{f.StopReason}}})
	}
	return doc
}

// Document returns the answer for people.
func (g *Grown) Document() Document {
	var rows [][]string
	for _, s := range g.Shapes {
		cost := "–"
		if s.Cost != nil {
			cost = fmt.Sprintf("%.2f %s", s.Cost.Month, s.Cost.Currency)
			if len(s.Cost.Unpriced) > 0 {
				cost = "no price of " + strings.Join(s.Cost.Unpriced, ", ")
			}
		}
		reason := "–"
		if len(s.Reasons) > 0 {
			reason = s.Reasons[0].Reason
		}
		rows = append(rows, []string{
			likeCell(s.Like, s.Listed), s.Type, s.Zone, s.Group, strings.Join(s.Taints, ", "),
			strconv.Itoa(s.Nodes), strconv.Itoa(s.MinNodes), strconv.Itoa(s.Placed), strconv.Itoa(s.Left), cost, reason,
		})
	}
	var mix [][]string
	if g.Mix != nil {
		for _, p := range g.Mix.Parts {
			mix = append(mix, []string{
				likeCell(p.Like, p.Listed), p.Type, p.Zone, p.Group, strconv.Itoa(p.Nodes), strconv.Itoa(p.Placed),
			})
		}
	}
	return Document{Title: "Which nodes would take the pending pods?", Sentence: g.Sentence(), Method: g.Method, Grids: []Grid{
		caveats(&g.Method, nil),
		grid("A mix of nodes", []string{"like node", "type", "zone", "group", "nodes to add", "pods it takes"}, mix, maxRows),
		grid("Shapes of nodes", []string{"like node", "type", "zone", "group", "taints", "nodes to add", "at least", "pods it takes", "left", "a month", "what stops the others"}, rows, maxRows),
		poolGrid(g.Pools),
	}}
}

// likeCell names the node that a shape is like.
func likeCell(like string, listed bool) string {
	if listed {
		return "none: of the list"
	}
	return like
}

// Document returns the answer for people.
func (s *Scored) Document() Document {
	columns := []string{"figure"}
	for _, c := range s.Columns {
		columns = append(columns, c.Name)
	}
	var rows [][]string
	for i, figure := range s.Figures {
		row := []string{figure}
		for k, c := range s.Columns {
			cell := strconv.FormatFloat(c.Values[i], 'f', 1, 64)
			if k > 0 {
				switch d := c.Against[i]; {
				case d.SD == 0 && d.Mean == 0:
					cell += " (the same in all orders)"
				case d.Interval == nil:
					cell += fmt.Sprintf(" (%+.1f)", d.Mean)
				case d.Low <= 0 && d.High >= 0:
					cell += " (no difference seen)"
				default:
					cell += fmt.Sprintf(" (%+.1f, 95 %%: %+.1f … %+.1f)", d.Mean, d.Low, d.High)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return Document{Title: "What would another configuration of the scheduler change?", Sentence: s.Sentence(), Method: s.Method, Grids: []Grid{
		caveats(&s.Method, nil),
		grid("Means over "+count(s.Orders, "arrival order", "arrival orders"), columns, rows, maxRows),
	}}
}

// Lines returns the method as sentences: how, the bound, the assumptions, and the features that are not
// modelled, each with its count and the number of touched pods that have it.
func (m *Method) Lines() []string {
	lines := append([]string{m.How, m.Bound}, m.Assumptions...)
	for _, o := range m.NotModelled {
		line := fmt.Sprintf("Not modelled: %s (%d)", o.Feature, o.Count)
		switch {
		case o.whole:
		case o.some:
			line += fmt.Sprintf(", of which at least %s this answer", count(o.Affected, "concerns", "concern"))
		default:
			line += fmt.Sprintf(", of which %s this answer", count(o.Affected, "concerns", "concern"))
		}
		lines = append(lines, line+".")
	}
	return lines
}

// Text returns the document for a terminal: grids as aligned columns, numbers to the right. Control
// characters are escaped, and grids without rows left out.
func (d *Document) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", escape.Line(d.Title), escape.Line(d.Sentence))
	for _, g := range d.Grids {
		if len(g.Rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n", escape.Line(g.Heading))
		widths := make([]int, len(g.Columns))
		rows := [][]string{g.Columns}
		for _, row := range g.Rows {
			one := make([]string, len(row))
			for i, cell := range row {
				one[i] = escape.Line(cell)
			}
			rows = append(rows, one)
		}
		for _, row := range rows {
			for i, cell := range row {
				widths[i] = max(widths[i], len([]rune(cell)))
			}
		}
		for _, row := range rows {
			line := ""
			for i, cell := range row {
				pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
				if g.Number(i) {
					line += "  " + pad + cell
				} else {
					line += "  " + cell + pad
				}
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		if g.More > 0 {
			fmt.Fprintf(&b, "  and %d more: --json has all\n", g.More)
		}
	}
	b.WriteString("\nMethod\n")
	for _, line := range d.Method.Lines() {
		fmt.Fprintf(&b, "  %s\n", escape.Line(line))
	}
	return b.String()
}

// Number reports whether the cells of a column are numbers, perhaps with a unit, or "–", and at
// least one is a number.
func (g *Grid) Number(column int) bool {
	any := false
	for _, row := range g.Rows {
		words := strings.Fields(row[column])
		if len(words) == 1 && words[0] == "–" {
			continue
		}
		if len(words) == 0 || len(words) > 2 {
			return false
		}
		if _, err := strconv.ParseFloat(words[0], 64); err != nil {
			return false
		}
		any = true
	}
	return any
}

// Markdown returns the document as Markdown, with cells escaped. Grids without rows are left out.
func (d *Document) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n**%s**\n", escape.Markdown(d.Title), escape.Markdown(d.Sentence))
	for _, g := range d.Grids {
		if len(g.Rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n|", escape.Markdown(g.Heading))
		for _, c := range g.Columns {
			fmt.Fprintf(&b, " %s |", escape.Markdown(c))
		}
		b.WriteString("\n|")
		for i := range g.Columns {
			b.WriteString(map[bool]string{true: "---:|", false: "---|"}[g.Number(i)])
		}
		b.WriteString("\n")
		for _, row := range g.Rows {
			b.WriteString("|")
			for _, c := range row {
				fmt.Fprintf(&b, " %s |", escape.Markdown(c))
			}
			b.WriteString("\n")
		}
		if g.More > 0 {
			fmt.Fprintf(&b, "\nand %d more\n", g.More)
		}
	}
	if d.Script != "" {
		b.WriteString("\n" + escape.Fence("sh", d.Script))
	}
	b.WriteString("\n<details><summary>Method</summary>\n\n")
	for _, line := range d.Method.Lines() {
		fmt.Fprintf(&b, "- %s\n", escape.Markdown(line))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}
