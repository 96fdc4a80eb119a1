package main

import (
	"encoding/json"
	"strings"
	"testing"
)

const written = `{"files":[
 {"file_name":"a.go","mutations":[
  {"type":"ARITHMETIC_BASE","status":"KILLED","line":1,"column":7},
  {"type":"ARITHMETIC_BASE","status":"TIMED OUT","line":1,"column":7},
  {"type":"CONDITIONALS_BOUNDARY","status":"LIVED","line":2,"column":5},
  {"type":"CONDITIONALS_NEGATION","status":"NOT COVERED","line":2,"column":5},
  {"type":"ARITHMETIC_BASE","status":"NOT VIABLE","line":2,"column":5}]},
 {"file_name":"inner/b.go","mutations":[{"type":"ARITHMETIC_BASE","status":"KILLED","line":1,"column":1}]}]}`

func read(string) ([]byte, error) { return []byte("x := a + b\n\tif a < b {\n"), nil }

func TestCount(t *testing.T) {
	var f findings
	if err := json.Unmarshal([]byte(written), &f); err != nil {
		t.Fatal(err)
	}
	counts, err := f.count("core/x", read)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	below := report(&b, counts, 95)
	const want = `lived: core/x/a.go:2:5 CONDITIONALS_BOUNDARY: if a < b {
core/x: 3 mutants, 2 killed, 1 lived, 0 equivalent, 1 not covered, efficacy 66.7 %, below the aim of 95 %
core/x/inner: 1 mutants, 1 killed, 0 lived, 0 equivalent, 0 not covered, efficacy 100.0 %
`
	if !below || b.String() != want {
		t.Errorf("below %v:\n%s", below, b.String())
	}
	if report(&b, counts, 60) {
		t.Error("66.7 % is below 60 %")
	}
	saved := equivalent
	defer func() { equivalent = saved }()
	equivalent = "core/x/a.go | CONDITIONALS_BOUNDARY | if a < b { | equal ones are alike\n"
	counts, err = f.count("core/x", read)
	if err != nil || counts[0].judged != 1 || counts[0].lived != 0 || counts[0].efficacy() != 100 {
		t.Errorf("judged: %+v, %v", counts, err)
	}
}

// Rows keep their order, and those of other packages stay.
func TestRenew(t *testing.T) {
	const table = "# T\n\n| package |\n|---|\n| `core/b` | old |\n| `core/c` | not run yet |\n\nEnd.\n"
	got := renew(table, []count{{folder: "core/b", killed: 3, lived: 1, judged: 1, uncovered: 2}, {folder: "core/a", killed: 1}}, "day, commit")
	const want = "# T\n\n| package |\n|---|\n| `core/a` | 1 | 1 | 0 | 0 | 0 | 100.0 % | day, commit |\n" +
		"| `core/b` | 4 | 3 | 1 | 1 | 2 | 75.0 % | day, commit |\n| `core/c` | not run yet |\n\nEnd.\n"
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
