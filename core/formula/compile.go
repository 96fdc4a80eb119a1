package formula

import "fmt"

// Result is what a formula must give.
type Result uint8

const (
	Number    Result = iota // of any kind
	Condition               // true or false
)

// Compile parses a formula over columns and checks its units. Its errors are *Error.
func Compile(text string, columns []Column, want Result) (*Formula, error) {
	if len(text) > MaxText {
		return nil, &Error{MaxText + 1, fmt.Sprintf("the formula has %d bytes: at most %d are read", len(text), MaxText)}
	}
	c := compiler{
		lexer: lexer{text: text}, columns: columns,
		formula: &Formula{text: text, columns: len(columns), used: make([]bool, len(columns))},
	}
	v, err := c.compile(want)
	if err != nil {
		return nil, err
	}
	return c.finish(v), nil
}

// compiler parses and emits operations in one pass. Until the number of constants is
// known, the registers of constants count from firstConstant and those of operations
// from firstComputed.
type compiler struct {
	lexer
	columns  []Column
	formula  *Formula
	depth    int
	free     []int // registers of operations whose value was used
	computed int
}

const (
	firstConstant = 1 << 20
	firstComputed = 1 << 21
)

// value is what a part of a formula computes. A bare value is a number without a column
// in it: it has no register yet, and takes the kind of what it meets.
type value struct {
	at       int // character
	bare     bool
	is       float64 // of a bare value
	truth    bool
	kind     Kind
	register int
}

func (v *value) what() string {
	if v.truth {
		return "a condition"
	}
	return v.kind.String()
}

func (c *compiler) compile(want Result) (v value, err error) {
	if err = c.next(); err != nil {
		return v, err
	}
	if c.token.kind == end {
		return v, &Error{1, "the formula is empty: write an expression such as -job.estimate or cpu.used / cpu.capacity"}
	}
	if v, err = c.conditional(); err != nil {
		return v, err
	}
	if c.token.kind != end {
		return v, c.fail("%s stands where the formula should end", c.token.quoted())
	}
	if want == Condition && !v.truth {
		return v, &Error{1, "the formula gives " + v.what() + " and should be a condition: compare it with something, as in cpu.used < 0.5"}
	}
	if want == Number && v.truth {
		return v, &Error{1, "the formula is a condition and should give a number: write 1 if … else 0"}
	}
	return v, nil
}

// finish gives registers their places.
func (c *compiler) finish(v value) *Formula {
	f := c.formula
	result := c.load(v)
	place := func(r int) int {
		switch {
		case r >= firstComputed:
			return len(c.columns) + len(f.constants) + r - firstComputed
		case r >= firstConstant:
			return len(c.columns) + r - firstConstant
		}
		return r
	}
	for i := range f.code {
		o := &f.code[i]
		o.to, o.a, o.b, o.c = place(o.to), place(o.a), place(o.b), place(o.c)
	}
	f.result = place(result)
	f.registers = len(c.columns) + len(f.constants) + c.computed
	return f
}

// load returns the register of a value; a bare one becomes a constant.
func (c *compiler) load(v value) int {
	if !v.bare {
		return v.register
	}
	for i, known := range c.formula.constants {
		if known == v.is {
			return firstConstant + i
		}
	}
	c.formula.constants = append(c.formula.constants, v.is)
	return firstConstant + len(c.formula.constants) - 1
}

// emit appends an operation on up to three values. What has only bare operands is
// computed at once.
func (c *compiler) emit(o code, kind Kind, isTruth bool, at int, operands ...value) value {
	bare := true
	for i := range operands {
		bare = bare && operands[i].bare
	}
	if bare && o != choose {
		one, other := operands[0], operands[len(operands)-1]
		return value{at: at, bare: true, is: o.of(one.is, other.is), kind: kind, truth: isTruth}
	}
	var registers [3]int
	for i := range operands {
		registers[i] = c.load(operands[i])
	}
	for i := len(operands); i < len(registers); i++ {
		registers[i] = registers[0]
	}
	for i := range operands {
		if registers[i] >= firstComputed { // each value is used once
			c.free = append(c.free, registers[i])
		}
	}
	to := firstComputed + c.computed
	if n := len(c.free); n > 0 {
		to, c.free = c.free[n-1], c.free[:n-1]
	} else {
		c.computed++
	}
	c.formula.code = append(c.formula.code, op{o, to, registers[0], registers[1], registers[2]})
	return value{at: at, kind: kind, truth: isTruth, register: to}
}

// meet gives two values one kind: a bare one takes that of the other.
func (c *compiler) meet(sign string, a, b *value) error {
	switch {
	case a.truth || b.truth:
		side := a
		if !a.truth {
			side = b
		}
		return &Error{side.at, fmt.Sprintf("%s wants numbers and this is a condition", sign)}
	case a.bare && !b.bare:
		*a = scaled(*a, b.kind)
	case b.bare && !a.bare:
		*b = scaled(*b, a.kind)
	case !a.bare && a.kind != b.kind:
		return &Error{b.at, fmt.Sprintf("%s has %s on its left and %s here: both sides must count the same; value(x) takes the unit away", sign, a.kind, b.kind)}
	}
	return nil
}

// scaled returns a bare value as a column of a kind would have it.
func scaled(v value, k Kind) value {
	v.is, v.kind = v.is*k.scale(), k
	return v
}

func (c *compiler) fail(format string, args ...any) error {
	return &Error{c.token.at, fmt.Sprintf(format, args...)}
}
