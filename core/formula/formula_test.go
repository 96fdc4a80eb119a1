package formula_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"pgregory.net/rapid"

	"parley/core/formula"
	_ "parley/core/testkit/scripttest/seed"
)

// The columns of the tests: two shares, two times, two plain numbers.
var columns = []formula.Column{
	{Name: "cpu.used", Kind: formula.Kind{Share: 1}},
	{Name: "cpu.free", Kind: formula.Kind{Share: 1}},
	{Name: "job.wait", Kind: formula.Kind{Seconds: 1}},
	{Name: "job.estimate", Kind: formula.Kind{Seconds: 1}},
	{Name: "tasks"},
	{Name: "rack"},
}

// at evaluates a formula for one row.
func at(t testing.TB, text string, want formula.Result, row ...float64) float64 {
	t.Helper()
	f, err := formula.Compile(text, columns, want)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	out := make([]float64, 1)
	new(formula.Evaluator).Eval(f, split(row), out)
	return out[0]
}

// split makes columns of one row.
func split(row []float64) [][]float64 {
	all := make([][]float64, len(columns))
	for i := range all {
		all[i] = []float64{row[i]}
	}
	return all
}

func TestValues(t *testing.T) {
	row := []float64{500_000, 2_000_000, 60, 3600, 7, -3}
	for text, want := range map[string]float64{
		"1 + 2 * 3":                        7,
		"-2 ** 2":                          -4,
		"(1 - 3) ** 3":                     -8,
		"7 // 2 + -7 // 2":                 -1,
		"rack % 2":                         1,
		"tasks % rack":                     -2,
		"cpu.used / cpu.free":              0.25,
		"cpu.free + 1":                     3_000_000, // a bare number counts machines
		"1 - cpu.used":                     500_000,   // on the left too
		"max(1, cpu.free, 2.5)":            2_500_000,
		"clamp(0.75, cpu.used, 1)":         750_000,
		"clamp(0, 1, cpu.used)":            500_000,
		"min(1, 2, cpu.free)":              1_000_000,
		"value(cpu.free) + tasks":          9,
		"value(job.wait)":                  60,
		"1 if cpu.used < 0.6 else 2":       1,
		"1 if job.wait > 60 else 2":        2,
		"tasks if not rack >= 0 else rack": 7,
		"(1 if rack < 0 and tasks == 7 or 1 > 2 else 0) + (0 if tasks != 7 else 1)": 2,
		"sqrt(job.estimate * job.estimate)":                                         3600,
		"sqrt(value(job.estimate))":                                                 60,
		"log2(8) + log10(value(job.wait)/6)":                                        4,
		"percent(cpu.used, cpu.free * 3)":                                           8,
		"abs(rack) + .5e1":                                                          8,
		"cpu.used ** 2 / cpu.free":                                                  125_000,
		"job.wait / job.estimate":                                                   1.0 / 60,
	} {
		if got := at(t, text, formula.Number, row...); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s = %v, want %v", text, got, want)
		}
	}
	if at(t, "cpu.used > 0.4 and tasks > 6", formula.Condition, row...) != 1 || at(t, "not tasks > 6", formula.Condition, row...) != 0 {
		t.Error("conditions give 1 and 0")
	}
}

// TestErrors: each sentence says where.
// TestDecide: a condition is not decided if a comparison with what is no number decides it.
func TestDecide(t *testing.T) {
	columns := []formula.Column{{Name: "zero"}, {Name: "one"}}
	for text, want := range map[string]string{
		"zero / zero > 1": "undecided", "not (zero / zero > 1)": "undecided", "zero / zero == zero / zero": "undecided", "zero / zero != 1": "undecided",
		"one > 0 and zero / zero > 1": "undecided", "zero > 0 and zero / zero > 1": "false", "one > 0 or zero / zero > 1": "true",
		"(one / zero if zero > 0 else 0) > 1": "false", "one / zero > 1": "true", "one > zero": "true", "one < zero": "false",
	} {
		f, err := formula.Compile(text, columns, formula.Condition)
		if err != nil {
			t.Fatal(text, err)
		}
		holds, decided := new(formula.Evaluator).Decide(f, [][]float64{{0}, {1}})
		got := map[bool]string{true: "true", false: "false"}[holds]
		if !decided {
			got = "undecided"
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "column 1: the formula is empty",
		"cpu.used +":                    "column 11: the formula ends where a value should be",
		"cpu.user / 2":                  `column 1: "cpu.user" is not known: did you mean cpu.used?`,
		"cpu.used + job.wait":           "column 12: + has a share of a machine on its left and a time in seconds here",
		"tasks + cpu.used":              "column 9: + has a plain number on its left and a share of a machine here",
		"maximum(1, 2)":                 `column 1: "maximum" is no function: did you mean max?`,
		"min":                           "column 1: min is a function: write min(a, b, …)",
		"min(1)":                        "column 1: min has 1 operands: write min(a, b, …)",
		"abs()":                         "column 1: abs has 0 operands",
		"max(tasks, cpu.free)":          "column 12: max has a plain number on its left and a share of a machine here",
		"1 < tasks < 3":                 "column 11: comparisons do not chain",
		"tasks = 3":                     `column 7: '=' does not belong into a formula: a comparison is ==`,
		"tasks && 3":                    "write and, or, not",
		"tasks ^ 2":                     "a power is **",
		"tasks ** 0.5":                  "column 7: ** takes a whole exponent from 1 to 8",
		"tasks ** 9":                    "whole exponent from 1 to 8",
		"tasks > 1":                     "the formula is a condition and should give a number",
		"1 if tasks else 2":             "column 6: if wants a condition and this is a plain number",
		"1 if tasks > 2":                "column 3: if needs an else",
		"not tasks":                     "column 5: not wants a condition",
		"(tasks > 1) + 1":               "column 2: + wants numbers and this is a condition",
		"-(tasks > 1)":                  "- wants numbers",
		"tasks > 1 or tasks":            "column 14: or wants a condition and this is a plain number",
		"(tasks":                        "column 1: this parenthesis is not closed",
		"max(1, 2":                      "the parenthesis of max is not closed",
		"tasks rack":                    `column 7: "rack" stands where the formula should end`,
		"1e999":                         "is no number that can be counted with",
		"sqrt(cpu.used)":                "sqrt of a share of a machine has no unit",
		"job.wait ** 8 * job.wait ** 8": "too large an exponent",
		"größe":                         "column 3: 'ö' does not belong",
		strings.Repeat("(", 60) + "1" + strings.Repeat(")", 60): "nested more than 50 deep",
		strings.Repeat("-", 60) + "1":                           "nested more than 50 deep",
		strings.Repeat("1+", 600) + "1":                         "has 1201 bytes: at most 1000",
	} {
		_, err := formula.Compile(text, columns, formula.Number)
		var e *formula.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	if _, err := formula.Compile("tasks + 1", columns, formula.Condition); err == nil || !strings.Contains(err.Error(), "should be a condition") {
		t.Error(err)
	}
}

// expression draws a formula over plain columns; a condition where asked for.
func expression(condition bool, depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		sub := func(condition bool) string { return expression(condition, depth-1).Draw(t, "part") }
		if condition {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case kind == 0 || depth == 0:
				return "(tasks " + rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "sign") + " " + expression(false, max(0, depth-1)).Draw(t, "right") + ")"
			case kind == 1:
				return "(not " + sub(true) + ")"
			}
			return "(" + sub(true) + rapid.SampledFrom([]string{" and ", " or "}).Draw(t, "word") + sub(true) + ")"
		}
		switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
		case kind <= 1 || depth == 0:
			return rapid.SampledFrom([]string{"tasks", "rack", "2.0", "0.5", "3e2", "1.0"}).Draw(t, "leaf")
		case kind == 2:
			return "-" + sub(false)
		case kind == 3:
			return rapid.SampledFrom([]string{"min", "max"}).Draw(t, "function") + "(" + sub(false) + ", " + sub(false) + ")"
		case kind == 4:
			return "abs(" + sub(false) + ")"
		case kind == 5:
			return "(" + sub(false) + " if " + sub(true) + " else " + sub(false) + ")"
		}
		sign := rapid.SampledFrom([]string{" + ", " - ", " * ", " / ", " // ", " % "}).Draw(t, "sign")
		text := sub(false) + sign + sub(false)
		if rapid.Bool().Draw(t, "parenthesis") {
			text = "(" + text + ")"
		}
		return text
	})
}

// TestStarlarkAgrees holds grammar, precedence and arithmetic to another implementation of
// Python's expressions, on rows of a length that no block divides.
func TestStarlarkAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := expression(false, 4).Draw(t, "text")
		f, err := formula.Compile(text, columns[4:], formula.Number)
		if len(text) > formula.MaxText {
			t.Skip()
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		tasks, rack := make([]float64, 513), make([]float64, 513)
		for i := range tasks {
			tasks[i], rack[i] = float64(i%9-4), float64(i)/7-3
		}
		out := make([]float64, len(tasks))
		new(formula.Evaluator).Eval(f, [][]float64{tasks, rack}, out)
		for _, i := range []int{0, 1, 5, 200, 511, 512} {
			thread := &starlark.Thread{}
			got, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "x", text, starlark.StringDict{
				"tasks": starlark.Float(tasks[i]), "rack": starlark.Float(rack[i]),
				"max": starlark.Universe["max"], "min": starlark.Universe["min"], "abs": starlark.Universe["abs"],
			})
			if err != nil {
				if !strings.Contains(err.Error(), "by zero") {
					t.Fatalf("%s: starlark: %v", text, err)
				}
				continue // here such a value is not finite, and counts as none
			}
			want, _ := starlark.AsFloat(got)
			if want != out[i] && !(math.IsNaN(want) && math.IsNaN(out[i])) && formula.Finite(want) {
				t.Fatalf("%s with tasks %v, rack %v: %v, starlark has %v", text, tasks[i], rack[i], out[i], want)
			}
		}
	})
}

// TestRepeatedParts: what a formula repeats is computed once, also where its value is still
// needed after others took free registers.
func TestRepeatedParts(t *testing.T) {
	const part = "(tasks / rack)"
	row := []float64{0, 0, 0, 0, 7, -3}
	once, twice := at(t, part, formula.Number, row...), at(t, part+" - (tasks + 1) * "+part+" + abs("+part+")", formula.Number, row...)
	if want := once - float64(8*once) + math.Abs(once); twice != want {
		t.Errorf("%v, want %v", twice, want)
	}
	f, err := formula.Compile(part+" * "+part+" + "+part, columns, formula.Number)
	if err != nil || f.Operations() != 3 {
		t.Errorf("%d operations, want 3; %v", f.Operations(), err)
	}
}

// FuzzCompile: no text panics, and what compiles can be evaluated.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{"1 if cpu.used < 0.6 else 2", "clamp(cpu.used, 0, 1) ** 2", "-min(tasks, rack) // 3", "((", "ä", "1e", "0x1", "max(,)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		compiled, err := formula.Compile(text, columns, formula.Number)
		if err != nil {
			var e *formula.Error
			if !errors.As(err, &e) || e.Column < 1 || e.Column > len(text)+1 && len(text) <= formula.MaxText {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		at(t, compiled.String(), formula.Number, 1, 2, 3, 4, 5, 6)
	})
}

func TestLogarithms(t *testing.T) {
	for x := 1e-6; x < 1e12; x *= 1.37 {
		if got, want := formula.Log2(x), math.Log2(x); math.Abs(got-want) > 1e-13*max(1, math.Abs(want)) {
			t.Errorf("log2(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if formula.Finite(formula.Log2(x)) {
			t.Errorf("log2(%v) is finite", x)
		}
	}
}

// BenchmarkEval is about the formulas of make bench NAME=policy, and one of conditions.
func BenchmarkEval(b *testing.B) {
	share := formula.Kind{Share: 1}
	columns := []formula.Column{{Name: "cpu.capacity", Kind: share}, {Name: "cpu.used", Kind: share}, {Name: "memory.capacity", Kind: share}, {Name: "memory.used", Kind: share}}
	for name, text := range map[string]string{
		"4 operations":  "-cpu.used / cpu.capacity",
		"12 operations": "cpu.used - memory.used if cpu.used / cpu.capacity < 0.9 else memory.used - cpu.used",
		"20 operations": "1 - abs(cpu.used / cpu.capacity - memory.used / memory.capacity) * 0.5 + 0.25 * min(1 - cpu.used / cpu.capacity, 1 - memory.used / memory.capacity)",
		"conditions":    "1 if cpu.used / cpu.capacity < 0.9 and not (memory.used > memory.capacity or cpu.used == memory.used) else 0",
	} {
		f, err := formula.Compile(text, columns, formula.Number)
		if err != nil {
			b.Fatal(err)
		}
		const nodes = 12_500
		all, out := make([][]float64, len(columns)), make([]float64, nodes)
		for i := range all {
			all[i] = make([]float64, nodes)
			for n := range all[i] {
				all[i][n] = float64(1 + (n*7919+i*104_729)%1_000_000)
			}
		}
		b.Run(name, func(b *testing.B) {
			var e formula.Evaluator
			b.ReportAllocs()
			for b.Loop() {
				e.Eval(f, all, out)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/nodes, "ns/value")
		})
	}
}
