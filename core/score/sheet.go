package score

import (
	"slices"

	"parley/core/formula"
	"parley/core/unit"
)

// Sheet evaluates formulas for lists of nodes and keeps the memory for it. The zero value
// is ready.
type Sheet struct {
	evaluator formula.Evaluator
	columns   [][]float64
	used      []int // columns that the formulas read
	rows      int
}

// Use sets the formulas that the sheet is for. A nil formula reads nothing.
func (s *Sheet) Use(formulas ...*formula.Formula) {
	s.columns, s.used = make([][]float64, columns), s.used[:0]
	for column := range s.columns {
		if Uses(column, formulas...) {
			s.used = append(s.used, column)
		}
	}
}

// Read reads the columns of nodes that the formulas of Use need.
func (s *Sheet) Read(r *Reader, nodes []unit.NodeID) {
	s.rows = len(nodes)
	for _, column := range s.used {
		values := slices.Grow(s.columns[column][:0], len(nodes))[:len(nodes)]
		for i, n := range nodes {
			values[i] = r.Value(column, n)
		}
		s.columns[column] = values
	}
}

// Eval computes one of the formulas of Use for the nodes read last.
// It uses the memory of out and returns one value for each node.
func (s *Sheet) Eval(f *formula.Formula, out []float64) []float64 {
	out = slices.Grow(out[:0], s.rows)[:s.rows]
	s.evaluator.Eval(f, s.columns, out)
	return out
}

// Uses reports whether one of formulas reads a column. A nil formula reads none.
func Uses(column int, formulas ...*formula.Formula) bool {
	return slices.ContainsFunc(formulas, func(f *formula.Formula) bool { return f != nil && f.Uses(column) })
}
