package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	saved := equivalent
	defer func() { equivalent = saved }()
	equivalent = "core/x/a.go | CONDITIONALS_BOUNDARY#2 | if a < b { | equal ones are alike\n"
	judged := judgements()
	boundaryOf := func(kind string) mutant { return mutant{1, "core/x/a.go", 2, 5, kind, "if a < b {"} }
	c := count{folder: "core/x", all: 9}
	c.add(boundaryOf(boundary), killed, judged)
	c.add(boundaryOf(boundary), killed, judged)
	c.add(boundaryOf(boundary), lived, judged)
	c.add(boundaryOf(negation), uncovered, judged)
	c.add(boundaryOf(boundary+"#2"), lived, judged)
	var b strings.Builder
	below := report(&b, []count{c}, 95)
	const want = `lived: core/x/a.go:2:5 CONDITIONALS_BOUNDARY: if a < b {
not covered: core/x/a.go:2:5 CONDITIONALS_NEGATION: if a < b {
core/x: 5 of 9 mutants, 2 killed, 1 lived, 1 equivalent, 1 not covered, efficacy 66.7 %, below the aim of 95 %
`
	if !below || b.String() != want {
		t.Errorf("below %v:\n%s", below, b.String())
	}
	if report(&b, []count{c}, 60) {
		t.Error("66.7 % is below 60 %")
	}
}

// Rows keep their order, and those of other packages and tables stay.
func TestRenew(t *testing.T) {
	const table = "# T\n\n| package |\n|---|\n| `core/b` | old |\n| `core/c` | not run yet |\n\n| rule |\n|---|\n| `a` | 1 |\n"
	got := renew(table, []count{{folder: "core/b", all: 7, killed: 3, lived: 1, judged: 1, uncovered: 2}, {folder: "core/a", all: 9, uncovered: 1}}, "day, commit")
	const want = "# T\n\n| package |\n|---|\n| `core/a` | 1 of 9 | 0 | 0 | 0 | 1 | no test comes there | day, commit |\n" +
		"| `core/b` | 7 | 3 | 1 | 1 | 2 | 75.0 % | day, commit |\n| `core/c` | not run yet |\n\n| rule |\n|---|\n| `a` | 1 |\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// A sample is the same every time, in the order of the file, and does not
// change when lines move.
func TestSample(t *testing.T) {
	all := []mutant{}
	for i := range 40 {
		all = append(all, mutant{id: i + 1, file: "a.go", line: i, kind: boundary, text: fmt.Sprint("if a < ", i)})
	}
	chosen := sample(all, 10)
	moved := []mutant{}
	for _, m := range all {
		m.line += 100
		moved = append(moved, m)
	}
	again := sample(moved, 10)
	if len(chosen) != 10 || len(again) != 10 {
		t.Fatalf("%d and %d, not 10", len(chosen), len(again))
	}
	for i := range chosen {
		if chosen[i].id != again[i].id {
			t.Errorf("mutant %d became %d when the lines moved", chosen[i].id, again[i].id)
		}
		if i > 0 && chosen[i].id <= chosen[i-1].id {
			t.Error("out of order")
		}
	}
	if chosen[9].id-chosen[0].id < 15 {
		t.Errorf("all of one place: %v", chosen)
	}
	if len(sample(all, 0)) != 40 || len(sample(all, 99)) != 40 {
		t.Error("0, and more than there are, mean all")
	}
}
