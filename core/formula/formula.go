// Package formula compiles and evaluates expressions over columns of numbers: the score
// of a node, the order of a queue.
//
// The grammar is that of Python's expressions: numbers, names of columns,
// + - * / // % **, comparisons without chains, and, or, not, a if c else b, and calls of
// min, max, abs, sqrt, clamp, log2, log10, percent and value. Units are checked when a
// formula is compiled: cpu.free + job.wait is an error with its place. A bare number
// takes the unit of the other side, so that cpu.free > 0.5 means half a machine.
//
// A formula computes the same bits on every platform: each operation is a loop of its
// own, which leaves nothing to fuse, and logarithms are computed here. Only NaN has other
// bits elsewhere; a value that is not finite therefore counts as none.
package formula

import (
	"fmt"
	"math"

	"parley/core/unit"
)

// Limits of a formula: they bound the time and the memory of every evaluation.
const (
	MaxText  = 1000 // bytes
	maxDepth = 50   // of parentheses and prefixes within one another

	maxExponent = 12 // of a unit
)

// Kind is the unit of a number: exponents of its base units. The zero Kind is a plain number.
type Kind struct {
	Share   int8 // parts of the reference machine; a column has millionths, as package unit
	Seconds int8
}

// String returns the kind in words, as errors have it.
func (k Kind) String() string {
	switch k {
	case Kind{}:
		return "a plain number"
	case Kind{Share: 1}:
		return "a share of a machine"
	case Kind{Seconds: 1}:
		return "a time in seconds"
	}
	return fmt.Sprintf("machines^%d × seconds^%d", k.Share, k.Seconds)
}

// times returns the kind of a product, if the other factor's exponents count sign
// times.
func (k Kind) times(other Kind, sign int8) Kind {
	return Kind{k.Share + sign*other.Share, k.Seconds + sign*other.Seconds}
}

// Scale returns what 1 of a kind is in columns: of a share, the millionths of a machine.
func (k Kind) Scale() float64 {
	whole := float64(unit.Whole)
	s := 1.0
	for range max(k.Share, -k.Share) {
		s *= whole
	}
	if k.Share < 0 {
		return 1 / s
	}
	return s
}

// Column is a name that formulas may use.
type Column struct {
	Name  string // lower case, with dots
	Kind  Kind
	About string // one sentence part, for completion and reference
}

// Formula is a compiled expression. It does not change and may be shared.
type Formula struct {
	text      string
	code      []op
	constants []float64
	columns   int // of the list that it was compiled for
	used      []bool
	registers int
	result    int
	direct    bool // the result is computed, so that its register can be the caller's memory
	kind      Kind
}

// op is one operation on whole columns: to = code(from…). The operands count registers; the columns
// come first, then the constants, then results of operations.
type op struct {
	code code
	to   int32
	from [3]int32
}

// String returns the text of the formula.
func (f *Formula) String() string { return f.text }

// Operations returns how many operations an evaluation of one row takes. A part that is
// repeated counts once.
func (f *Formula) Operations() int { return len(f.code) }

// Kind returns the kind of the formula's values; a condition has none.
func (f *Formula) Kind() Kind { return f.kind }

// Uses reports whether the formula reads the column of a number in the list that it was
// compiled for.
func (f *Formula) Uses(column int) bool { return f.used[column] }

// An Error describes an error in a formula and its place.
type Error struct {
	Column  int // the character, from 1
	Message string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Message) }

// rows is how many rows an operation takes at a time: the registers of a usual formula
// stay in the nearest cache.
const rows = 512

// Evaluator evaluates formulas and keeps the memory for it. The zero value is ready. It
// serves one goroutine.
type Evaluator struct {
	space []float64
	table [][]float64
}

// Eval computes a formula for each row and writes the values to out. The columns are in the order
// of the list that the formula was compiled for and are at least as long as out, and share no
// memory with it; columns that the formula does not use may be nil. Conditions give 1 and 0.
func (e *Evaluator) Eval(f *Formula, columns [][]float64, out []float64) {
	if need := f.registers * rows; len(e.space) < need {
		e.space = make([]float64, need)
	}
	if len(e.table) < f.registers {
		e.table = make([][]float64, f.registers)
	}
	for i := f.columns; i < f.registers; i++ {
		e.table[i] = e.space[i*rows : (i+1)*rows]
	}
	for i, c := range f.constants {
		register := e.table[f.columns+i][:min(rows, len(out))]
		for j := range register {
			register[j] = c
		}
	}
	for from := 0; from < len(out); from += rows {
		n := min(rows, len(out)-from)
		for i, column := range columns {
			if f.used[i] {
				e.table[i] = column[from : from+n]
			}
		}
		if f.direct {
			e.table[f.result] = out[from : from+n]
		}
		for i := range f.code {
			f.code[i].run(e.table, n)
		}
		if !f.direct {
			copy(out[from:from+n], e.table[f.result])
		}
	}
}

// Decide computes a condition for one row. It is not decided if it depends on the result of a
// comparison with something that is not a number, such as 0/0.
func (e *Evaluator) Decide(f *Formula, columns [][]float64) (holds, decided bool) {
	out := make([]float64, 1)
	e.Eval(f, columns, out)
	holds = out[0] != 0
	for i := range f.code {
		o := &f.code[i]
		a, b := e.table[o.from[0]][0], e.table[o.from[1]][0]
		if o.run(e.table, 1); o.code >= less && o.code <= unequal && (a != a || b != b) {
			e.table[o.to][0] = truth(e.table[o.to][0] == 0) // the other answer
		}
	}
	return holds, (e.table[f.result][0] != 0) == holds
}

// Finite reports whether a value counts: NaN and infinities do not.
func Finite(x float64) bool { return x-x == 0 }

// Log2 returns the logarithm of x to the base of 2 with the same bits on all platforms,
// by the series of the inverse hyperbolic tangent; NaN if x is not positive and finite.
func Log2(x float64) float64 {
	if !(x > 0) || !Finite(x) {
		return math.NaN()
	}
	fraction, exponent := math.Frexp(x) // 0.5 to 1
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	z := (fraction - 1) / (fraction + 1) // at most 0.1716 from 0: 12 terms are exact
	square, sum := z*z, 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(exponent) + float64(float64(2/math.Ln2*z)*sum)
}

// Log10 is Log2 to the base of 10.
func Log10(x float64) float64 { return Log2(x) * (math.Ln2 / math.Ln10) }
