package main

import (
	"fmt"
	"strings"

	"parley/core/formula"
	"parley/core/score"
	"parley/core/system/program"
)

// programsPage lists the functions that a user's program can define and call.
func programsPage() string {
	var b strings.Builder
	b.WriteString(`# Hooks and acts of a program

A [scheduler of your own](../programs.md) is a text in Starlark, a dialect of Python. This page lists all that a run adds to the
[language](https://github.com/bazelbuild/starlark/blob/master/spec.md).

## Hooks

A run calls these functions where a program defines them, with these parameters.

`)
	fields := func(all []program.Field) {
		b.WriteString("| written | what it is |\n|---|---|\n")
		for _, f := range all {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(f.Usage, "|", "\\|"),
				sentence(strings.ToUpper(f.About[:1])+f.About[1:]))
		}
	}
	fields(program.Hooks())
	b.WriteString("\n## Functions\n\n")
	fields(program.Functions())
	b.WriteString(
		"\n## The cluster\n\n`by` says which sums a task must fit: `\"use\"` what is used, `\"request\"` what is requested, `\"total\"` the capacity alone, whatever else runs there.\n\n",
	)
	fields(program.ClusterFields())
	b.WriteString("\n## A node\n\n")
	fields(program.NodeFields())
	b.WriteString("\n## A task\n\n")
	fields(program.TaskFields())
	b.WriteString("\n## A rigid job\n\n")
	fields(program.JobFields())
	b.WriteString(
		"\n## State\n\n`state.name = value` keeps a value from one call to the next: numbers, texts, lists, dicts, sets and tuples. Functions, tasks and nodes are refused: keep their `id`.\n\n",
	)
	b.WriteString(
		"## Formulas\n\nThe score of `formula(\"…\")` has the [grammar](../formula.md) of the policy `formula` and these names.\n\n| name | what it is |\n|---|---|\n",
	)
	for _, c := range score.Columns() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, sentence(strings.ToUpper(c.About[:1])+c.About[1:]))
	}
	fmt.Fprintf(&b, "\nFunctions: `%s`.\n", strings.Join(formula.Functions(), "`, `"))
	fmt.Fprintf(&b, `
## Limits

| what | at most |
|---|---|
| bytes of a program | %d |
| steps of a call | %d |
| bytes of a text | %d |
| values in a tuple | %d |
| bits of a whole number | %d |
| values in state | %d |
| calls of on_wake that are to come | %d |

A step is a step of the interpreter; what grows or looks through values counts what it touches. Limits count, so a run ends at the same place everywhere.
`, program.MaxText, program.MaxSteps, program.MaxString, program.MaxTuple, program.MaxBits,
		program.MaxState, program.MaxWakes)
	return b.String()
}
