package formula

import (
	"fmt"

	"parley/core/strict"
)

// function is a name that may be called.
type function struct {
	name        string
	usage       string
	least, most int // operands
	code        code
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

// call parses the operands of a function, from the parenthesis on.
func (c *compiler) call(t token) (value, error) {
	var f *function
	var names []string
	for i := range functions {
		if functions[i].name == t.text {
			f = &functions[i]
		}
		names = append(names, functions[i].name)
	}
	if f == nil {
		return value{}, &Error{t.at, fmt.Sprintf("%q is no function: did you mean %s?", t.text, strict.Nearest(t.text, names))}
	}
	var operands []value
	for {
		if err := c.next(); err != nil {
			return value{}, err
		}
		if len(operands) == 0 && c.isSign(")") {
			break
		}
		v, err := c.nested(c.conditional)
		if err != nil {
			return v, err
		}
		if v.truth {
			return v, &Error{v.at, f.name + " wants numbers and this is a condition"}
		}
		operands = append(operands, v)
		if c.isSign(",") {
			continue
		}
		if !c.isSign(")") {
			return v, &Error{t.at, fmt.Sprintf("the parenthesis of %s is not closed", f.name)}
		}
		break
	}
	if n := len(operands); n < f.least || n > f.most {
		return value{}, &Error{t.at, fmt.Sprintf("%s has %d operands: write %s", f.name, n, f.usage)}
	}
	if err := c.next(); err != nil {
		return value{}, err
	}
	return c.applied(f, t.at, operands)
}

func (c *compiler) applied(f *function, at int, operands []value) (value, error) {
	x := operands[0]
	x.at = at
	switch f.name {
	case "abs":
		return c.emit(f.code, x.kind, false, at, x), nil
	case "sqrt":
		if x.kind.Share%2 != 0 || x.kind.Seconds%2 != 0 {
			return x, &Error{at, fmt.Sprintf("sqrt of %s has no unit: write sqrt(value(x))", x.kind)}
		}
		return c.emit(f.code, Kind{x.kind.Share / 2, x.kind.Seconds / 2}, false, at, x), nil
	case "value":
		return c.value(x), nil
	case "log2", "log10":
		return c.emit(f.code, Kind{}, false, at, c.value(x)), nil
	}
	if err := c.agree(f, operands); err != nil {
		return x, err
	}
	x = operands[0]
	x.at = at
	switch f.name {
	case "percent":
		return c.emit(f.code, Kind{}, false, at, x, operands[1]), nil
	case "clamp":
		return c.emit(least, x.kind, false, at, c.emit(most, x.kind, false, at, x, operands[1]), operands[2]), nil
	}
	for _, other := range operands[1:] {
		x = c.emit(f.code, x.kind, false, at, x, other)
	}
	return x, nil
}

// agree gives all operands of a function one kind, that of the first which has one.
func (c *compiler) agree(f *function, operands []value) error {
	for i := range operands {
		if operands[i].bare {
			continue
		}
		for j := range operands {
			if err := c.meet(f.name, &operands[i], &operands[j]); err != nil {
				return err
			}
		}
		break
	}
	return nil
}

// value returns the plain number of a value in its unit.
func (c *compiler) value(x value) value {
	if x.bare || x.kind == (Kind{}) {
		x.kind = Kind{}
		return x
	}
	if scale := x.kind.scale(); scale != 1 {
		return c.emit(divide, Kind{}, false, x.at, x, value{at: x.at, bare: true, is: scale})
	}
	x.kind = Kind{}
	return x
}
