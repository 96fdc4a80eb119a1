package formula

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/strict"
)

// conditional parses a if c else b.
func (c *compiler) conditional() (value, error) {
	a, err := c.logical(0)
	if err != nil || !c.is("if") {
		return a, err
	}
	at := c.token.at
	if err := c.next(); err != nil {
		return a, err
	}
	test, err := c.logical(0)
	if err != nil {
		return a, err
	}
	if !test.truth {
		return a, &Error{test.at, "if wants a condition and this is " + test.what()}
	}
	if !c.is("else") {
		return a, &Error{at, "if needs an else: write a if condition else b"}
	}
	if err := c.next(); err != nil {
		return a, err
	}
	b, err := c.nested(c.conditional)
	if err != nil {
		return a, err
	}
	if a.truth && b.truth {
		return c.emit(choose, Kind{}, true, a.at, test, a, b), nil
	}
	if err := c.meet("if … else", &a, &b); err != nil {
		return a, err
	}
	return c.emit(choose, a.kind, false, a.at, test, a, b), nil
}

// logical parses or (level 0), and (1), not (2) and what is below.
func (c *compiler) logical(level int) (value, error) {
	if level == 2 {
		if !c.is("not") {
			return c.comparison()
		}
		at := c.token.at
		if err := c.next(); err != nil {
			return value{}, err
		}
		v, err := c.nested(func() (value, error) { return c.logical(2) })
		if err == nil && !v.truth {
			err = &Error{v.at, "not wants a condition and this is " + v.what()}
		}
		if err != nil {
			return v, err
		}
		return c.emit(not, Kind{}, true, at, v), nil
	}
	word, o := "or", or
	if level == 1 {
		word, o = "and", and
	}
	a, err := c.logical(level + 1)
	for err == nil && c.is(word) {
		if err = c.next(); err != nil {
			break
		}
		var b value
		if b, err = c.logical(level + 1); err != nil {
			break
		}
		for _, side := range []value{a, b} {
			if !side.truth {
				return a, &Error{side.at, word + " wants conditions and this is " + side.what()}
			}
		}
		a = c.emit(o, Kind{}, true, a.at, a, b)
	}
	return a, err
}

func (c *compiler) comparison() (value, error) {
	a, err := c.sum()
	if err != nil || c.token.kind != sign {
		return a, err
	}
	s := c.token.text
	switch s {
	case "<", "<=", ">", ">=", "==", "!=":
	default:
		return a, nil
	}
	if err := c.next(); err != nil {
		return a, err
	}
	b, err := c.sum()
	if err != nil {
		return a, err
	}
	if c.token.kind == sign && strings.ContainsAny(c.token.text, "<>=!") {
		return a, c.fail("comparisons do not chain: write a < b and b < c")
	}
	if err := c.meet(s, &a, &b); err != nil {
		return a, err
	}
	at := a.at
	if s[0] == '>' {
		a, b = b, a
	}
	return c.emit(map[string]code{"<": less, ">": less, "<=": atMost, ">=": atMost, "==": equal, "!=": unequal}[s], Kind{}, true, at, a, b), nil
}

func (c *compiler) sum() (value, error) {
	a, err := c.product()
	for err == nil && (c.isSign("+") || c.isSign("-")) {
		s, o := c.token.text, add
		if s == "-" {
			o = subtract
		}
		if err = c.next(); err != nil {
			break
		}
		var b value
		if b, err = c.product(); err != nil {
			break
		}
		if err = c.meet(s, &a, &b); err != nil {
			break
		}
		a = c.emit(o, a.kind, false, a.at, a, b)
	}
	return a, err
}

func (c *compiler) product() (value, error) {
	a, err := c.prefix()
	for err == nil && (c.isSign("*") || c.isSign("/") || c.isSign("//") || c.isSign("%")) {
		s := c.token.text
		if err = c.next(); err != nil {
			break
		}
		var b value
		if b, err = c.prefix(); err != nil {
			break
		}
		a, err = c.multiplied(s, a, b)
	}
	return a, err
}

func (c *compiler) multiplied(s string, a, b value) (value, error) {
	switch s {
	case "//", "%":
		if err := c.meet(s, &a, &b); err != nil {
			return a, err
		}
		if s == "%" {
			return c.emit(remainder, a.kind, false, a.at, a, b), nil
		}
		return c.emit(floorDivide, Kind{}, false, a.at, a, b), nil
	}
	if a.truth || b.truth {
		return a, c.meet(s, &a, &b)
	}
	o, exponent := multiply, int8(1)
	if s == "/" {
		o, exponent = divide, -1
	}
	kind := a.kind.times(b.kind, exponent)
	if max(kind.Share, kind.Seconds, -kind.Share, -kind.Seconds) > mostExponent {
		return a, &Error{a.at, "the units of this product have too large an exponent"}
	}
	return c.emit(o, kind, false, a.at, a, b), nil
}

// prefix parses signs and powers.
func (c *compiler) prefix() (value, error) {
	if c.isSign("-") || c.isSign("+") {
		minus, at := c.token.text == "-", c.token.at
		if err := c.next(); err != nil {
			return value{}, err
		}
		v, err := c.nested(c.prefix)
		if err == nil && v.truth {
			err = &Error{v.at, "a sign wants a number and this is a condition"}
		}
		if err != nil || !minus {
			return v, err
		}
		return c.emit(negate, v.kind, false, at, v), nil
	}
	v, err := c.atom()
	if err != nil || !c.isSign("**") {
		return v, err
	}
	at := c.token.at
	if err := c.next(); err != nil {
		return v, err
	}
	exponent, err := strconv.Atoi(c.token.text)
	if c.token.kind != number || err != nil || exponent < 1 || exponent > 8 {
		return v, &Error{at, "** takes a whole exponent from 1 to 8; for a root write sqrt(x)"}
	}
	if v.truth {
		return v, &Error{v.at, "** wants a number and this is a condition"}
	}
	if err := c.next(); err != nil {
		return v, err
	}
	kind := v.kind
	for range exponent - 1 {
		if kind = kind.times(v.kind, 1); max(kind.Share, kind.Seconds, -kind.Share, -kind.Seconds) > mostExponent {
			return v, &Error{v.at, "the units of this power have too large an exponent"}
		}
	}
	return c.emit(power, kind, false, v.at, v, value{bare: true, is: float64(exponent)}), nil
}

// nested bounds the depth of what is within something.
func (c *compiler) nested(parse func() (value, error)) (value, error) {
	if c.depth++; c.depth > maxDepth {
		return value{}, c.fail("the formula is nested more than %d deep", maxDepth)
	}
	defer func() { c.depth-- }()
	return parse()
}

func (c *compiler) atom() (value, error) {
	t := c.token
	switch {
	case t.kind == number:
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil || !Finite(x) {
			return value{}, c.fail("%q is no number that can be counted with", t.text)
		}
		return value{at: t.at, bare: true, is: x}, c.next()
	case t.kind == sign && t.text == "(":
		if err := c.next(); err != nil {
			return value{}, err
		}
		v, err := c.nested(c.conditional)
		if err != nil {
			return v, err
		}
		if !c.isSign(")") {
			return v, &Error{t.at, "this parenthesis is not closed"}
		}
		return v, c.next()
	case t.kind == name:
		if err := c.next(); err != nil {
			return value{}, err
		}
		if c.isSign("(") {
			return c.call(t)
		}
		return c.column(t)
	case t.kind == end:
		return value{}, c.fail("the formula ends where a value should be")
	}
	return value{}, c.fail("%s stands where a value should be", t.quoted())
}

func (c *compiler) column(t token) (value, error) {
	var names []string
	for i := range c.columns {
		if c.columns[i].Name == t.text {
			c.formula.used[i] = true
			return value{at: t.at, kind: c.columns[i].Kind, register: i}, nil
		}
		names = append(names, c.columns[i].Name)
	}
	for _, f := range functions {
		if f.name == t.text {
			return value{}, &Error{t.at, fmt.Sprintf("%s is a function: write %s", t.text, f.usage)}
		}
	}
	return value{}, &Error{t.at, fmt.Sprintf("%q is not known: did you mean %s?", t.text, strict.Nearest(t.text, names))}
}
