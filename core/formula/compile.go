package formula

import (
	"fmt"
	"slices"
)

// Result is the kind of value that a formula must have.
type Result uint8

const (
	Number    Result = iota // of any kind
	Condition               // true or false
)

// Compile parses a formula over columns and checks its units. Its errors are *Error.
func Compile(text string, columns []Column, want Result) (*Formula, error) {
	if len(text) > MaxText {
		return nil, &Error{MaxText + 1, fmt.Sprintf("the formula has %d bytes: at most %d are read", len(text),
			MaxText)}
	}
	c := compiler{
		lexer: lexer{text: text}, columns: columns,
		formula: &Formula{text: text, columns: len(columns), used: make([]bool, len(columns))},
	}
	v := c.whole(want)
	if c.err != nil {
		return nil, c.err
	}
	return c.finish(v), nil
}

// compiler parses and emits operations in one pass. Until finish gives registers their
// places, those of constants count from firstConstant, and each operation has one of its
// own from firstComputed on.
type compiler struct {
	lexer
	columns []Column
	formula *Formula
	depth   int
}

const (
	firstConstant = 1 << 20
	firstComputed = 1 << 21
)

// value is the result of a part of a formula. A bare value is a number without a column in it: it
// has no register yet, and takes the kind of the value with which it is combined.
type value struct {
	is       float64 // of a bare value
	at       int32   // character
	register int32
	kind     Kind
	bare     bool
	truth    bool
}

func (v value) describe() string {
	if v.truth {
		return "a condition"
	}
	return v.kind.String()
}

// whole parses all of the text.
func (c *compiler) whole(want Result) value {
	c.next()
	if c.token.kind == end {
		c.fail(1, "the formula is empty: write an expression such as -job.estimate or cpu.used / cpu.capacity")
	}
	v := c.conditional()
	switch {
	case c.token.kind != end:
		c.fail(c.token.at, c.token.quoted()+" stands where the formula should end")
	case want == Condition && !v.truth:
		c.fail(1, "the formula gives "+v.describe()+
			" and should be a condition: compare it with something, as in cpu.used < 0.5")
	case want == Number && v.truth:
		c.fail(1, "the formula is a condition and should give a number: write 1 if … else 0")
	}
	return v
}

// finish gives registers their places. An operation takes the register of a value that
// nothing reads after it. The last operation computes the result.
func (c *compiler) finish(v value) *Formula {
	f := c.formula
	result := c.load(v)
	constants := int32(len(c.columns))
	computed := constants + int32(len(f.constants))
	place := func(r int32) int32 { return r - firstConstant + constants }
	last := make([]int, len(f.code)) // operation that reads a value last
	for i := range f.code {
		for _, r := range f.code[i].from {
			if r >= firstComputed {
				last[r-firstComputed] = i
			}
		}
	}
	at := make([]int32, len(f.code)) // places of the operations' values
	var free []int32
	for i := range f.code {
		o := &f.code[i]
		for j, r := range o.from {
			switch {
			case r >= firstComputed:
				value := r - firstComputed
				o.from[j] = at[value]
				if last[value] == i {
					free = append(free, at[value])
					last[value] = -1 // the operation may read it twice, and frees it once
				}
			case r >= firstConstant:
				o.from[j] = place(r)
			}
		}
		if n := len(free); n > 0 {
			o.to, free = free[n-1], free[:n-1]
		} else {
			o.to = computed
			computed++
		}
		at[i] = o.to
	}
	switch {
	case result >= firstComputed:
		f.result, f.direct = int(at[result-firstComputed]), true
	case result >= firstConstant:
		f.result = int(place(result))
	default:
		f.result = int(result)
	}
	f.registers, f.kind = int(computed), v.kind
	return f
}

// load returns the register of a value; a bare one becomes a constant.
func (c *compiler) load(v value) int32 {
	if !v.bare {
		return v.register
	}
	for i, known := range c.formula.constants {
		if known == v.is {
			return firstConstant + int32(i)
		}
	}
	c.formula.constants = append(c.formula.constants, v.is)
	return firstConstant + int32(len(c.formula.constants)-1)
}

// emit appends an operation on up to three values, unless the same one is there. An operation on
// bare values only is computed at once.
func (c *compiler) emit(o code, kind Kind, isTruth bool, operands ...value) value {
	v := value{at: operands[0].at, kind: kind, truth: isTruth}
	bare := o != choose
	for i := range operands {
		bare = bare && operands[i].bare
	}
	if bare {
		v.bare, v.is = true, o.of(operands[0].is, operands[len(operands)-1].is)
		return v
	}
	var next op
	next.code = o
	for i := range next.from {
		if i >= len(operands) {
			next.from[i] = next.from[0]
			continue
		}
		next.from[i] = c.load(operands[i])
	}
	known := slices.Index(c.formula.code, next)
	if known < 0 {
		known = len(c.formula.code)
		c.formula.code = append(c.formula.code, next)
	}
	v.register = firstComputed + int32(known)
	return v
}

// meet gives two numbers one kind: a bare one takes that of the other; two bare ones stay bare. It fails
// for a condition and for two different kinds. sign is the operator or the function, for the message.
func (c *compiler) meet(sign string, a, b *value) {
	c.number(sign, *a)
	c.number(sign, *b)
	switch {
	case a.bare == b.bare:
		if !a.bare && a.kind != b.kind {
			c.fail(b.at, sign+" has "+a.kind.String()+" on its left and "+b.kind.String()+
				" here: both sides must count the same; value(x) takes the unit away")
		}
	case a.bare:
		a.is, a.kind = a.is*b.kind.Scale(), b.kind
	default:
		b.is, b.kind = b.is*a.kind.Scale(), a.kind
	}
}
