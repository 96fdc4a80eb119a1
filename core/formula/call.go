package formula

import (
	"fmt"

	"parley/core/strict"
)

// function is a name that may be called.
type function struct {
	name          string
	usage         string
	lowest, limit int // operands
	code          code
}

var functions = []function{
	{"min", "min(a, b, …)", 2, 8, least},
	{"max", "max(a, b, …)", 2, 8, most},
	{"abs", "abs(x)", 1, 1, absolute},
	{"sqrt", "sqrt(x)", 1, 1, root},
	{"clamp", "clamp(x, low, high)", 3, 3, least},
	{"log2", "log2(x)", 1, 1, log2},
	{"log10", "log10(x)", 1, 1, log10},
	{"percent", "percent(part, whole)", 2, 2, percent},
	{"value", "value(x)", 1, 1, divide},
}

// Functions returns how each function is written.
func Functions() []string {
	var all []string
	for _, f := range functions {
		all = append(all, f.usage)
	}
	return all
}

// call parses the operands of a function; the parenthesis is the present token.
func (c *compiler) call(t token) value {
	var f function
	var names []string
	for _, one := range functions {
		if one.name == t.text {
			f = one
		}
		names = append(names, one.name)
	}
	if f.name == "" {
		c.fail(t.at, fmt.Sprintf("%q is no function: did you mean %s?", t.text, strict.Nearest(t.text, names)))
	}
	c.next()
	var operands []value
	for c.err == nil && !(c.isSign(")") && len(operands) == 0) {
		v := c.nested((*compiler).conditional)
		c.number(f.name, v)
		operands = append(operands, v)
		if !c.isSign(",") {
			break
		}
		c.next()
	}
	if !c.isSign(")") {
		c.fail(t.at, "the parenthesis of "+f.name+" is not closed")
	}
	if n := len(operands); n < f.lowest || n > f.limit {
		c.fail(t.at, fmt.Sprintf("%s has %d operands: write %s", f.name, n, f.usage))
	}
	c.next()
	if c.err != nil {
		return value{at: t.at}
	}
	v := c.applied(&f, operands)
	v.at = t.at
	return v
}

// applied emits the operations of a call, whose number of operands was checked, and returns its value.
// Functions of several operands need one kind, which numbers without a unit take from the others.
func (c *compiler) applied(f *function, operands []value) value {
	x := operands[0]
	switch f.name {
	case "abs":
		return c.emit(f.code, x.kind, false, x)
	case "sqrt":
		if x.kind.Share%2 != 0 || x.kind.Seconds%2 != 0 {
			c.fail(x.at, "sqrt of "+x.kind.String()+" has no unit: write sqrt(value(x))")
		}
		return c.emit(f.code, Kind{x.kind.Share / 2, x.kind.Seconds / 2}, false, x)
	case "value":
		return c.value(x)
	case "log2", "log10":
		return c.emit(f.code, Kind{}, false, c.value(x))
	}
	for i := range operands { // all take the kind of the first that is not bare
		if !operands[i].bare {
			for j := range operands {
				c.meet(f.name, &operands[i], &operands[j])
			}
			break
		}
	}
	x = operands[0]
	switch f.name {
	case "percent":
		return c.emit(f.code, Kind{}, false, x, operands[1])
	case "clamp":
		return c.emit(least, x.kind, false, c.emit(most, x.kind, false, x, operands[1]), operands[2])
	}
	for _, other := range operands[1:] {
		x = c.emit(f.code, x.kind, false, x, other)
	}
	return x
}

// value returns the plain number of a value in its unit.
func (c *compiler) value(x value) value {
	scale := x.kind.Scale()
	x.kind = Kind{}
	if x.bare || scale == 1 {
		return x
	}
	return c.emit(divide, Kind{}, false, x, value{bare: true, is: scale})
}
