package formula

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/strict"
)

// The grammar. A method returns the value of the text that it has read. After the first error
// everything else reads as the end of the formula, so that all loops end.

// conditional parses a if c else b, which binds loosest. Both sides must have one kind, or be
// conditions.
func (c *compiler) conditional() value {
	a := c.logical(0)
	if !c.is("if") {
		return a
	}
	at := c.token.at
	c.next()
	test := c.logical(0)
	if !test.truth {
		c.fail(test.at, "if wants a condition and this is "+test.describe())
	}
	if !c.is("else") {
		c.fail(at, "if needs an else: write a if condition else b")
	}
	c.next()
	b := c.nested((*compiler).conditional)
	if !a.truth || !b.truth {
		c.meet("if … else", &a, &b)
	}
	return c.emit(choose, a.kind, a.truth, test, a, b)
}

// logical parses or (level 0), and (1), not (2) and all that binds tighter. Both sides must be
// conditions. There is no short circuit: all parts are computed.
func (c *compiler) logical(level int) value {
	word, o := "or", or
	switch level {
	case 1:
		word, o = "and", and
	case 2:
		return c.negated()
	}
	a := c.logical(level + 1)
	for c.is(word) {
		c.condition(word, a)
		c.next()
		b := c.logical(level + 1)
		c.condition(word, b)
		a = c.emit(o, Kind{}, true, a, b)
	}
	return a
}

// negated parses not a, or a comparison.
func (c *compiler) negated() value {
	if !c.is("not") {
		return c.comparison()
	}
	c.next()
	v := c.nested((*compiler).negated)
	c.condition("not", v)
	return c.emit(not, Kind{}, true, v)
}

func (c *compiler) condition(word string, v value) {
	if !v.truth {
		c.fail(v.at, word+" wants a condition and this is "+v.describe())
	}
}

// comparisons are the signs with the operation for each; those that begin with > swap
// their sides.
var comparisons = []struct {
	sign string
	code code
}{{"<", less}, {"<=", atMost}, {">", less}, {">=", atMost}, {"==", equal}, {"!=", unequal}}

// comparison parses a sum, or one comparison of two sums; a chain such as a < b < c is an error. > and
// >= are emitted as < and <= with the sides swapped.
func (c *compiler) comparison() value {
	a := c.sum()
	for _, comparison := range comparisons {
		if s := comparison.sign; c.isSign(s) {
			c.next()
			b := c.sum()
			if c.token.kind == sign && strings.ContainsAny(c.token.text, "<>=!") {
				c.fail(c.token.at, "comparisons do not chain: write a < b and b < c")
			}
			c.meet(s, &a, &b)
			at := a.at
			if s[0] == '>' {
				a, b = b, a
			}
			a = c.emit(comparison.code, Kind{}, true, a, b)
			a.at = at
			break
		}
	}
	return a
}

// sum parses a + b - …, from left to right. The two sides must have one kind.
func (c *compiler) sum() value {
	a := c.product()
	for c.isSign("+") || c.isSign("-") {
		s, o := c.token.text, add
		if s == "-" {
			o = subtract
		}
		c.next()
		b := c.product()
		c.meet(s, &a, &b)
		a = c.emit(o, a.kind, false, a, b)
	}
	return a
}

// product parses a * b / c // d % …, from left to right. * and / combine the units of both sides. // and
// % need one kind on both sides; // gives a plain number.
func (c *compiler) product() value {
	a := c.prefix()
	for c.isSign("*") || c.isSign("/") || c.isSign("//") || c.isSign("%") {
		s := c.token.text
		c.next()
		b := c.prefix()
		switch s {
		case "*", "/":
			o, exponent := multiply, int8(1)
			if s == "/" {
				o, exponent = divide, -1
			}
			c.number(s, a)
			c.number(s, b)
			a = c.emit(o, c.times(a.kind, b.kind, exponent, a.at), false, a, b)
		case "//":
			c.meet(s, &a, &b)
			a = c.emit(floorDivide, Kind{}, false, a, b)
		case "%":
			c.meet(s, &a, &b)
			a = c.emit(remainder, a.kind, false, a, b)
		}
	}
	return a
}

// times returns the kind of a product or quotient.
func (c *compiler) times(a, b Kind, exponent int8, at int32) Kind {
	a = a.times(b, exponent)
	if max(a.Share, a.Seconds, -a.Share, -a.Seconds) > maxExponent {
		c.fail(at, "the units of this product have too large an exponent")
	}
	return a
}

func (c *compiler) number(sign string, v value) {
	if v.truth {
		c.fail(v.at, sign+" wants numbers and this is a condition")
	}
}

// prefix parses signs and powers. A power binds tighter than a sign before it, and its exponent is a
// plain number from 1 to 8.
func (c *compiler) prefix() value {
	if c.isSign("-") || c.isSign("+") {
		s, at := c.token.text, c.token.at
		c.next()
		v := c.nested((*compiler).prefix)
		c.number(s, v)
		if s == "-" {
			v = c.emit(negate, v.kind, false, v)
		}
		v.at = at
		return v
	}
	v := c.atom()
	if !c.isSign("**") {
		return v
	}
	at := c.token.at
	c.next()
	exponent, err := strconv.Atoi(c.token.text)
	if c.token.kind != number || err != nil || exponent < 1 || exponent > 8 {
		c.fail(at, "** takes a whole exponent from 1 to 8; for a root write sqrt(x)")
	}
	c.number("**", v)
	c.next()
	kind := v.kind
	for i := 1; i < exponent && c.err == nil; i++ {
		kind = c.times(kind, v.kind, 1, v.at)
	}
	return c.emit(power, kind, false, v, value{bare: true, is: float64(exponent)})
}

// nested parses with parse one level deeper, and fails beyond maxDepth, so that no formula exhausts the
// stack.
func (c *compiler) nested(parse func(*compiler) value) value {
	if c.depth++; c.depth > maxDepth {
		c.fail(c.token.at, "the formula is nested more than "+strconv.Itoa(maxDepth)+" deep")
	}
	v := parse(c)
	c.depth--
	return v
}

// atom parses a number, a parenthesis, a call or a column. It always reads one token, so that loops end.
func (c *compiler) atom() value {
	t := c.token
	c.next()
	switch {
	case t.kind == number:
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil || !Finite(x) {
			c.fail(t.at, fmt.Sprintf("%q is no number that can be counted with", t.text))
		}
		return value{at: t.at, bare: true, is: x}
	case t.kind == sign && t.text == "(":
		v := c.nested((*compiler).conditional)
		if !c.isSign(")") {
			c.fail(t.at, "this parenthesis is not closed")
		}
		c.next()
		return v
	case t.kind == name && c.isSign("("):
		return c.call(t)
	case t.kind == name:
		return c.column(t)
	case t.kind == end:
		c.fail(t.at, "the formula ends where a value should be")
	default:
		c.fail(t.at, t.quoted()+" stands where a value should be")
	}
	return value{at: t.at}
}

// column returns the value of the column with the name t, and marks it as used. If there is none, it
// fails with the nearest name or, for a function, its usage.
func (c *compiler) column(t token) value {
	var names []string
	for i := range c.columns {
		if c.columns[i].Name == t.text {
			c.formula.used[i] = true
			return value{at: t.at, kind: c.columns[i].Kind, register: int32(i)}
		}
		names = append(names, c.columns[i].Name)
	}
	for _, f := range functions {
		if f.name == t.text {
			c.fail(t.at, t.text+" is a function: write "+f.usage)
		}
	}
	c.fail(t.at, fmt.Sprintf("%q is not known: did you mean %s?", t.text, strict.Nearest(t.text, names)))
	return value{at: t.at}
}
