// Package describe has the commands that list systems, fields, metrics, events and the protocol of
// schedulers.
package describe

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/run"
	"parley/core/run/events"
	"parley/core/system"
	"parley/tools/parley/console"
)

// EventsCommand returns parley events.
func EventsCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:     "events",
		Short:   "Print every kind of event in the event log and its fields",
		Long:    "Prints the manual of the event log that run --events writes: each kind of event, each kind of a system's notes, and their fields. docs/events.md is its output.",
		Example: "  parley events",
		Args:    console.Args(0, 0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			return printEvents(c.Out, c.Systems)
		},
	}
}

// printEvents writes the manual of the event log in Markdown.
func printEvents(w io.Writer, systems run.Registry) error {
	fmt.Fprint(w, eventsHead)
	printKinds(w, events.Kinds())
	fmt.Fprint(w, eventsOfWork)
	for _, e := range systems.Offered() {
		notes, err := events.NoteKindsOf(e)
		if err != nil {
			return fmt.Errorf("the notes of %s: %w", e.ID, err)
		}
		if len(notes) > 0 {
			fmt.Fprintf(w, "\n### %s\n\n", e.ID)
			printKinds(w, kindsOfNotes(notes))
		}
	}
	_, err := fmt.Fprint(w, eventsFoot)
	return err
}

// kindsOfNotes returns a system's kinds of notes as kinds of events.
func kindsOfNotes(notes []system.NoteKind) (kinds []events.Kind) {
	for _, n := range notes {
		k := events.Kind{ID: n.ID, About: n.About}
		for _, f := range n.Fields {
			name, about, _ := strings.Cut(f, ": ")
			names := []string{name}
			if name == "node" {
				names = append(names, "machine")
			}
			k.Fields = append(k.Fields, events.Field{Names: names, About: about})
		}
		if k.ID != "" {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// printKinds writes a table of kinds and one of their fields. A field that means the same
// in several kinds is explained once.
func printKinds(w io.Writer, kinds []events.Kind) {
	var fields []meaning
	fmt.Fprint(w, "| kind | what happened | fields |\n|---|---|---|\n")
	for _, k := range kinds {
		var names []string
		for _, f := range k.Fields {
			name := "`" + strings.Join(f.Names, "`, `") + "`"
			names = append(names, name)
			i := slices.IndexFunc(fields, func(m meaning) bool { return m.name == name && m.about == f.About })
			if i < 0 {
				i, fields = len(fields), append(fields, meaning{name: name, about: f.About})
			}
			fields[i].of = append(fields[i].of, "`"+k.ID+"`")
		}
		about := k.About
		if k.OnRequest {
			about += "; only with `--events-also " + k.ID + "`"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", k.ID, about, strings.Join(names, ", "))
	}
	fmt.Fprint(w, "\n| field | meaning |\n|---|---|\n")
	slices.SortStableFunc(fields, func(a, b meaning) int { return strings.Compare(a.name, b.name) })
	for i, m := range fields {
		about := m.about
		if i > 0 && fields[i-1].name == m.name || i+1 < len(fields) && fields[i+1].name == m.name { // it has several
			about = strings.Join(m.of, ", ") + ": " + about
		}
		fmt.Fprintf(w, "| %s | %s |\n", m.name, about)
	}
}

// meaning is the meaning of a field for some kinds of events.
type meaning struct {
	name, about string
	of          []string
}

const eventsHead = `# The event log

<!-- Written by parley events. Do not edit: go run ./tools/parley events > docs/events.md -->

` + "`parley run SCENARIO --events FILE[.gz] [--events-only KIND,KIND] [--events-also KIND,KIND]`" + ` writes one JSON object a line, in the order in which things happened.
` + "`t` is simulated microseconds, `e` the kind of event. A field that does not apply is left out. A field that ends in `_us`" + ` is in microseconds. The log changes nothing: a run
with one has the digest of a run without.

## Events

`

const eventsOfWork = `
## Work

A node that computes work has a ` + "`speed` (work units a second) or `speeds` by type (0: it cannot compute it), a `bandwidth`" + ` for loads (units a second),
a ` + "`channel` (bytes a second that leave it; 0: they take no time), `compute_latency_us` and `send_latency_us`" + `.

- A *subtask* waits until it is assigned. Then it is in its node's queue. It is ready when the results of all arcs to it are on the node. It starts when it is ready and the
  first of the queue, and the node computes nothing. It takes ` + "`compute_latency_us`" + ` plus work / speed for its type, to the nearest microsecond, unless the scenario lets speeds differ.
- What an arc carries is where its subtask was finished (an arc from home: at home), and wherever it was sent since. It stays there.
- A *transfer* takes the port of the node that it leaves or, from home, of the node that it is for, for that node's ` + "`send_latency_us` plus bytes / `channel`" + `. With
  ` + "`cluster.physical.transfers` `one-port` a port carries one at a time; with `contention-free`" + ` it carries any number. Without bytes a transfer needs no port.
- When a node goes down, its queue is lost, and so is what it stores. A finished subtask is lost too (` + "`where` is `store`" + `) if a subtask that is not finished needs its result
  and no other node has it.
- A graph is done when its subtasks are finished and all arcs to home have arrived. What is not finished is withdrawn before ` + "`graph_aborted`" + `.

## Notes

A note is what only the system knows. Beside its fields it has its ` + "`kind` and its `text`" + `, a sentence.
`

const eventsFoot = `
` + "`tools/parley/events_test.go`, `eventsofwork_test.go` and `eventsofmarket_test.go`" + ` hold checkers that know this page and nothing of the program.
`
