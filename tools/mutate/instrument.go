package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// mutant is one changed operator. Its kind has "#2" behind it when it is the
// second of its kind in a line.
type mutant struct {
	id           int // from 1
	file         string
	line, column int
	kind, text   string
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d:%d %s: %s", m.file, m.line, m.column, m.kind, m.text)
}

// The kinds of mutants, in the words of gremlins and of pitest.
const (
	arithmetic = "ARITHMETIC_BASE"       // + and -, * and /, % becomes *
	boundary   = "CONDITIONALS_BOUNDARY" // < and <=, > and >=
	negation   = "CONDITIONALS_NEGATION" // == and !=, < and >=, > and <=
	step       = "INCREMENT_DECREMENT"   // ++ and --
	sign       = "INVERT_NEGATIVES"      // -x becomes x
)

// instrumented is a source file with all its mutants in it, each behind a
// switch: x < y became mutantLSS(7, 8, x, y). Lines keep their numbers.
type instrumented struct {
	source  []byte
	mutants []mutant
}

// instrumenter rewrites one file.
type instrumenter struct {
	name    string // of the file, from the root of the module
	files   *token.FileSet
	info    *types.Info
	lines   []string
	next    int             // id of the next mutant
	dropped map[string]bool // mutants that do not compile, by place
	edits   []edit
	mutants []mutant
}

// edit replaces bytes of the source. At equal offsets, closing edits precede opening ones.
type edit struct {
	from, to int
	text     string
	rank     int
}

// instrument returns the source of a file with all of its mutants in it, switched by their ids from first on,
// except on the lines of dropped, which did not compile.
func instrument(name string, files *token.FileSet, tree *ast.File, info *types.Info, source []byte, first int,
	dropped map[string]bool,
) instrumented {
	in := &instrumenter{
		name: name, files: files, info: info, lines: strings.Split(string(source), "\n"),
		next: first, dropped: dropped,
	}
	ast.Inspect(tree, in.visit)
	slices.SortStableFunc(in.edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.rank - b.rank
	})
	var out strings.Builder
	at := 0
	for _, e := range in.edits {
		out.Write(source[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(source[at:])
	number(in.mutants)
	return instrumented{[]byte(out.String()), in.mutants}
}

// number distinguishes mutants of one kind in one line by their column: the second gets the kind with #2.
func number(mutants []mutant) {
	seen := map[string]int{}
	byColumn := slices.Clone(mutants)
	slices.SortStableFunc(byColumn, func(a, b mutant) int { return a.column - b.column })
	kinds := map[int]string{}
	for _, m := range byColumn {
		key := fmt.Sprint(m.line, m.kind)
		if seen[key]++; seen[key] > 1 {
			m.kind += fmt.Sprintf("#%d", seen[key])
		}
		kinds[m.id] = m.kind
	}
	for i := range mutants {
		mutants[i].kind = kinds[mutants[i].id]
	}
}

// visit mutates one node of the tree and reports whether its children may be mutated. Constants are left alone,
// because only another build could change them.
func (in *instrumenter) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.BinaryExpr:
		in.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.SUB && !in.constant(n) {
			if id, ok := in.add(sign, n.OpPos); ok {
				in.open(n.Pos(), n.X.Pos(), fmt.Sprintf("mutantNEG(%d, ", id))
				in.close(n.End())
			}
		}
	case *ast.IncDecStmt:
		in.step(n)
	}
	return true
}

// binary mutates an operation: comparisons at their boundary and by negation, arithmetic of numbers by another
// operation.
func (in *instrumenter) binary(n *ast.BinaryExpr) {
	if in.constant(n) {
		return
	}
	switch n.Op {
	case token.EQL, token.NEQ:
		if id, ok := in.add(negation, n.OpPos); ok {
			in.open(n.Pos(), n.Pos(), fmt.Sprintf("mutantFlip(%d, ", id))
			in.close(n.End())
		}
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		edge, ok := in.add(boundary, n.OpPos)
		not, alsoOk := in.add(negation, n.OpPos)
		if ok && alsoOk {
			in.call(n, fmt.Sprintf("%d, %d", edge, not))
		}
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
		if basic, ok := in.info.TypeOf(n).Underlying().(*types.Basic); ok && basic.Info()&types.IsNumeric == 0 {
			return
		}
		if id, ok := in.add(arithmetic, n.OpPos); ok {
			in.call(n, fmt.Sprint(id))
		}
	}
}

// call makes a call of an operation: x < y becomes mutantLSS(ids, x, y).
func (in *instrumenter) call(n *ast.BinaryExpr, ids string) {
	names := map[token.Token]string{
		token.LSS: "LSS", token.LEQ: "LEQ", token.GTR: "GTR", token.GEQ: "GEQ",
		token.ADD: "ADD", token.SUB: "SUB", token.MUL: "MUL", token.QUO: "QUO", token.REM: "REM",
	}
	in.open(n.Pos(), n.Pos(), "mutant"+names[n.Op]+"("+ids+", ")
	at := in.offset(n.OpPos)
	in.edits = append(in.edits, edit{at, at + len(n.Op.String()), ", ", 1})
	in.close(n.End())
}

// step mutates x++ or x--. The element of a map has no address, so it becomes an addition.
func (in *instrumenter) step(n *ast.IncDecStmt) {
	id, ok := in.add(step, n.TokPos)
	if !ok {
		return
	}
	at := in.offset(n.TokPos)
	if element, isElement := n.X.(*ast.IndexExpr); isElement {
		if _, isMap := in.info.TypeOf(element.X).Underlying().(*types.Map); isMap {
			source := strings.Join(in.lines, "\n")[in.offset(n.X.Pos()):in.offset(n.X.End())]
			operator := map[token.Token]string{token.INC: "+=", token.DEC: "-="}[n.Tok]
			in.edits = append(in.edits, edit{at, at + 2, fmt.Sprintf(" %s mutantOne(%d, %s)", operator, id, source), 1})
			return
		}
	}
	in.open(n.Pos(), n.Pos(), fmt.Sprintf("mutant%s(%d, &",
		map[token.Token]string{token.INC: "INC", token.DEC: "DEC"}[n.Tok], id))
	in.edits = append(in.edits, edit{at, at + 2, ")", 1})
}

// add makes a mutant and returns its id; false if mutants of its line did not compile.
func (in *instrumenter) add(kind string, at token.Pos) (int, bool) {
	place := in.files.Position(at)
	m := mutant{in.next, in.name, place.Line, place.Column, kind, strings.TrimSpace(in.lines[place.Line-1])}
	if in.dropped[fmt.Sprintf("%s:%d", path.Base(in.name), place.Line)] {
		return 0, false
	}
	in.next++
	in.mutants = append(in.mutants, m)
	return m.id, true
}

// open replaces the text between two positions, usually none.
func (in *instrumenter) open(from, to token.Pos, text string) {
	in.edits = append(in.edits, edit{in.offset(from), in.offset(to), text, 2})
}

func (in *instrumenter) close(at token.Pos) {
	in.edits = append(in.edits, edit{in.offset(at), in.offset(at), ")", 0})
}

func (in *instrumenter) offset(at token.Pos) int { return in.files.Position(at).Offset }

// constant reports whether the value is a compile-time constant.
func (in *instrumenter) constant(e ast.Expr) bool { return in.info.Types[e].Value != nil }
