package program

import (
	"fmt"
	"math/big"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// rewriter changes a program's tree before it is compiled, so that an operation that grows or scans
// a value is charged for its size before it runs. The interpreter counts steps alone, and "x" * (1
// << 29) is one step.
//
// Operators become calls of functions that no program can name, because their names are not
// identifiers: a + b is "+"(a, b), and x.extend(y) is ".extend"(x, y). Tuples are made by "()", and
// slicing is charged by "[:]". Positions stay as they were.
type rewriter struct {
	methods []string // that are called by the guard
	err     *Error   // the first
}

// binary are the operators that the guard does; of assignments the operator is binary.
var binary = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE,
	syntax.CIRCUMFLEX,
	syntax.LTLT, syntax.GTGT, syntax.IN, syntax.NOT_IN, syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT,
	syntax.GE,
}

// inPlace are the assignments that compute, with their operators.
var inPlace = [][2]syntax.Token{
	{syntax.PLUS_EQ, syntax.PLUS},
	{syntax.MINUS_EQ, syntax.MINUS},
	{syntax.STAR_EQ, syntax.STAR},
	{syntax.SLASH_EQ, syntax.SLASH},
	{syntax.SLASHSLASH_EQ, syntax.SLASHSLASH},
	{syntax.PERCENT_EQ, syntax.PERCENT},
	{syntax.AMP_EQ, syntax.AMP},
	{syntax.PIPE_EQ, syntax.PIPE},
	{syntax.CIRCUMFLEX_EQ, syntax.CIRCUMFLEX},
	{syntax.LTLT_EQ, syntax.LTLT},
	{syntax.GTGT_EQ, syntax.GTGT},
}

func (r *rewriter) fail(at syntax.Position, format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Line: int(at.Line), Column: int(at.Col), Message: fmt.Sprintf(format, args...)}
	}
}

func (r *rewriter) statements(all []syntax.Stmt) {
	for _, s := range all {
		r.statement(s)
	}
}

// statement rewrites a statement and those inside it; load is refused.
func (r *rewriter) statement(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		r.assignment(s)
	case *syntax.DefStmt:
		r.parameters(s.Params)
		r.statements(s.Body)
	case *syntax.ExprStmt:
		r.visit(&s.X)
	case *syntax.ForStmt:
		r.target(s.Vars)
		r.visit(&s.X)
		r.statements(s.Body)
	case *syntax.WhileStmt:
		r.visit(&s.Cond)
		r.statements(s.Body)
	case *syntax.IfStmt:
		r.visit(&s.Cond)
		r.statements(s.True)
		r.statements(s.False)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			r.visit(&s.Result)
		}
	case *syntax.LoadStmt:
		r.fail(s.Load, "a program stands alone: it cannot load another file")
	}
}

// assignment rewrites x += y to x = "+="(x, y), which changes lists in place; other assignments keep
// their form. The target is read twice then, so one whose reading may have side effects is refused.
func (r *rewriter) assignment(s *syntax.AssignStmt) {
	r.target(s.LHS)
	r.visit(&s.RHS)
	for _, pair := range inPlace {
		if s.Op != pair[0] {
			continue
		}
		if smallNumber(s.RHS) && cheapWithNumber(pair[1]) {
			return
		}
		twice := again(s.LHS)
		if twice == nil {
			r.fail(s.OpPos, "%s changes what a call returned: give that a name first", s.Op)
			return
		}
		s.RHS = guarded(s.OpPos, pair[1].String()+"=", twice, s.RHS)
		s.Op = syntax.EQ
	}
}

// again returns a copy of the target of an assignment that can be read once more without side effects;
// nil if it may have some.
func again(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
	case *syntax.Literal:
		return x
	case *syntax.ParenExpr:
		return again(x.X)
	case *syntax.DotExpr:
		if inner := again(x.X); inner != nil {
			return &syntax.DotExpr{
				X: inner, Dot: x.Dot, NamePos: x.NamePos,
				Name: &syntax.Ident{NamePos: x.Name.NamePos, Name: x.Name.Name},
			}
		}
	case *syntax.IndexExpr:
		inner, index := again(x.X), again(x.Y)
		if inner != nil && index != nil {
			return &syntax.IndexExpr{X: inner, Lbrack: x.Lbrack, Y: index, Rbrack: x.Rbrack}
		}
	}
	return nil
}

// target rewrites the expressions inside the target of an assignment.
func (r *rewriter) target(x syntax.Expr) {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		r.target(x.X)
	case *syntax.TupleExpr:
		for _, one := range x.List {
			r.target(one)
		}
	case *syntax.ListExpr:
		for _, one := range x.List {
			r.target(one)
		}
	case *syntax.IndexExpr:
		r.visit(&x.X)
		r.visit(&x.Y)
	case *syntax.DotExpr:
		r.visit(&x.X)
	case *syntax.SliceExpr:
		r.fail(x.Lbrack, "a slice cannot be assigned to: assign to its places one by one")
	}
}

// parameters rewrites the defaults of parameters; *args and **kwargs are refused, because their sizes
// would not be charged.
func (r *rewriter) parameters(all []syntax.Expr) {
	for _, p := range all {
		switch p := p.(type) {
		case *syntax.BinaryExpr:
			r.visit(&p.Y)
		case *syntax.UnaryExpr:
			r.fail(p.OpPos, "parameters with %s are not read here: write each parameter", p.Op)
		}
	}
}

// visit rewrites the expression at a place in the tree, which it may replace by a call of the guard, and
// the expressions inside it.
func (r *rewriter) visit(at *syntax.Expr) {
	switch x := (*at).(type) {
	case *syntax.Literal:
		r.literal(x)
	case *syntax.ParenExpr:
		r.visit(&x.X)
	case *syntax.BinaryExpr:
		r.visit(&x.X)
		r.visit(&x.Y)
		if slices.Contains(binary, x.Op) && !(cheapWithNumber(x.Op) && (smallNumber(x.X) || smallNumber(x.Y))) {
			*at = guarded(x.OpPos, x.Op.String(), x.X, x.Y)
		}
	case *syntax.UnaryExpr:
		if x.X != nil {
			r.visit(&x.X)
		}
	case *syntax.CallExpr:
		r.call(x)
	case *syntax.DotExpr:
		if slices.Contains(r.methods, x.Name.Name) {
			r.fail(x.Name.NamePos, "the method %s has to be called at once, as in x.%s(…)", x.Name.Name, x.Name.Name)
		}
		r.visit(&x.X)
	case *syntax.IndexExpr:
		r.visit(&x.X)
		r.visit(&x.Y)
	case *syntax.SliceExpr:
		r.visit(&x.X)
		for _, part := range []*syntax.Expr{&x.Lo, &x.Hi, &x.Step} {
			if *part != nil {
				r.visit(part)
			}
		}
		x.X = guarded(x.Lbrack, "[:]", x.X)
	case *syntax.TupleExpr:
		plain := true
		for i := range x.List {
			r.visit(&x.List[i])
			_, literal := x.List[i].(*syntax.Literal)
			plain = plain && literal
		}
		if !plain {
			*at = guarded(syntax.Start(x), "()", x.List...)
		}
	case *syntax.ListExpr:
		for i := range x.List {
			r.visit(&x.List[i])
		}
	case *syntax.DictExpr:
		for _, entry := range x.List {
			e := entry.(*syntax.DictEntry)
			r.visit(&e.Key)
			r.visit(&e.Value)
		}
	case *syntax.CondExpr:
		r.visit(&x.Cond)
		r.visit(&x.True)
		r.visit(&x.False)
	case *syntax.LambdaExpr:
		r.parameters(x.Params)
		r.visit(&x.Body)
	case *syntax.Comprehension:
		r.comprehension(x)
	}
}

// comprehension rewrites the body and the clauses of a comprehension. A dict entry is rewritten in its
// two parts, because visit replaces whole expressions.
func (r *rewriter) comprehension(x *syntax.Comprehension) {
	if e, isEntry := x.Body.(*syntax.DictEntry); isEntry {
		r.visit(&e.Key)
		r.visit(&e.Value)
	} else {
		r.visit(&x.Body)
	}
	for _, c := range x.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			r.target(c.Vars)
			r.visit(&c.X)
		case *syntax.IfClause:
			r.visit(&c.Cond)
		}
	}
}

// call rewrites the arguments of a call, and x.method(…) to ".method"(x, …) if the guard does that
// method. In name=value only the value is rewritten. * and ** are refused.
func (r *rewriter) call(x *syntax.CallExpr) {
	for i, arg := range x.Args {
		switch a := arg.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ {
				r.visit(&a.Y)
				continue
			}
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				r.fail(a.OpPos, "arguments with %s are not read here: write each argument", a.Op)
			}
		}
		r.visit(&x.Args[i])
	}
	dot, isMethod := x.Fn.(*syntax.DotExpr)
	if !isMethod || !slices.Contains(r.methods, dot.Name.Name) {
		r.visit(&x.Fn)
		return
	}
	r.visit(&dot.X)
	x.Args = append([]syntax.Expr{dot.X}, x.Args...)
	x.Fn = &syntax.Ident{NamePos: dot.Name.NamePos, Name: "." + dot.Name.Name}
}

// literal refuses bytes, and texts and numbers beyond the limits.
func (r *rewriter) literal(x *syntax.Literal) {
	switch v := x.Value.(type) {
	case string:
		if x.Token == syntax.BYTES {
			r.fail(x.TokenPos, "bytes are not read here: write a text")
		} else if len(v) > MaxString {
			r.fail(x.TokenPos, "%v", errText)
		}
	case *big.Int:
		if v.BitLen() > MaxBits {
			r.fail(x.TokenPos, "%v", errBits)
		}
	}
}

// guarded returns the call of a function of the guard.
func guarded(at syntax.Position, name string, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// smallNumber reports whether an expression is a number in the text that fills no more
// than a word.
func smallNumber(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return smallNumber(x.X)
	case *syntax.UnaryExpr:
		return (x.Op == syntax.MINUS || x.Op == syntax.PLUS) && smallNumber(x.X)
	case *syntax.Literal:
		switch x.Value.(type) {
		case int64, float64:
			return true
		}
	}
	return false
}

// cheapWithNumber reports whether an operator with a small number on one side does no
// more than a step, whatever is on the other: it takes only numbers there, or looks at
// types, and does not make a number grow.
func cheapWithNumber(op syntax.Token) bool {
	switch op {
	case syntax.PLUS, syntax.MINUS, syntax.SLASH, syntax.SLASHSLASH, syntax.LT, syntax.LE, syntax.GT, syntax.GE,
		syntax.EQL, syntax.NEQ:
		return true
	}
	return false
}

// guardedMethods returns the methods of lists, dicts, sets and texts that do more than a
// step.
func guardedMethods() []string {
	var all []string
	quick := []string{"append", "get", "setdefault", "add", "discard", "popitem"}
	for _, v := range []starlark.HasAttrs{
		starlark.NewList(nil), starlark.NewDict(0), starlark.NewSet(0),
		starlark.String(""),
	} {
		for _, name := range v.AttrNames() {
			if !slices.Contains(quick, name) {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
