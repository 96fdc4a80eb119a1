package score

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/core/cluster"
	"parley/core/formula"
	"parley/core/unit"
)

// Figure measures one number of a cluster: the mean, the maximum, the 95th percentile or
// the sum of a formula over the nodes that are up.
//
//	f, err := score.NewFigure("p95(memory.used / memory.capacity)", view)
//	f.Measure(values[:1])
type Figure struct {
	reader  Reader
	sheet   Sheet
	formula *formula.Formula
	over    string
	nodes   []unit.NodeID
	values  []float64
}

const example = "p95(memory.used / memory.capacity)"

// aggregates are the functions over nodes.
var aggregates = [...]string{"mean", "max", "p95", "sum"}

// aggregate returns the aggregate with a name over values, at least one, and may sort them.
// The percentile is the value of the nearest rank.
func aggregate(name string, values []float64) float64 {
	switch name {
	case "max":
		return slices.Max(values)
	case "p95":
		slices.Sort(values)
		return values[(95*len(values)+99)/100-1]
	}
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	if name == "mean" {
		return sum / float64(len(values))
	}
	return sum
}

// NewFigure compiles a text such as "mean(cpu.used / cpu.capacity)". Its error is one
// sentence with the character of the text.
func NewFigure(text string, view cluster.View) (*Figure, error) {
	name, rest, _ := strings.Cut(text, "(")
	inner, closed := strings.CutSuffix(rest, ")")
	if !closed || !slices.Contains(aggregates[:], name) {
		return nil,
			fmt.Errorf(
				"a figure of all nodes is written mean(…), max(…), p95(…) or sum(…), with a formula within, as in %s",
				example,
			)
	}
	columns := Columns()
	f := &Figure{reader: Reader{View: view}, over: name}
	compiled, err := formula.Compile(inner, columns, formula.Number)
	within := len(name) + 1 // characters before the formula
	if at := (*formula.Error)(nil); errors.As(err, &at) {
		return nil, &formula.Error{Column: at.Column + within, Message: at.Message}
	}
	for i, c := range columns {
		if OfTask(i) && compiled.Uses(i) {
			return nil, &formula.Error{
				Column: within + 1,
				Message: c.Name +
					" is about a task that is placed, and a figure of all nodes has none: use columns of nodes, such as cpu.used",
			}
		}
	}
	f.formula = compiled
	f.sheet.Use(compiled)
	return f, nil
}

// Unit returns the unit of the figure: "machines" for a share of the reference machine, ""
// for a plain number.
func (f *Figure) Unit() string {
	switch kind := f.formula.Kind(); kind {
	case formula.Kind{}:
		return ""
	case formula.Kind{Share: 1}:
		return "machines"
	default:
		return kind.String()
	}
}

// Measure writes the present figure into values[0]. Nodes whose value is not finite are
// left out; the figure is 0 if no node is left or if it is itself not finite.
func (f *Figure) Measure(values []float64) {
	f.nodes = f.nodes[:0]
	for n := range unit.NodeID(f.reader.View.Nodes()) {
		if f.reader.View.Up(n) {
			f.nodes = append(f.nodes, n)
		}
	}
	f.sheet.Read(&f.reader, f.nodes)
	f.values = f.sheet.Eval(f.formula, f.values)
	finite := slices.DeleteFunc(f.values, func(x float64) bool { return !formula.Finite(x) })
	values[0] = 0
	if len(finite) == 0 {
		return
	}
	if x := aggregate(f.over, finite) / f.formula.Kind().Scale(); formula.Finite(x) {
		values[0] = x
	}
}
