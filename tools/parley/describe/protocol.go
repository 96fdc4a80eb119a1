package describe

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/protocol"
	"parley/core/system/recorded"
	"parley/tools/parley/console"
)

// ProtocolCommand returns parley protocol.
func ProtocolCommand(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:     "protocol",
		Short:   "Describe the messages of a scheduler of your own",
		Long:    "Prints every message that parley run --scheduler exchanges with a process, with its fields, as Markdown: docs/protocol.md is its output.",
		Example: "  parley protocol",
		Args:    console.Args(0, 0, "no argument"),
		RunE:    func(*cobra.Command, []string) error { return printProtocol(c.Out) },
	}
}

// printProtocol writes the manual of the protocol in Markdown.
func printProtocol(w io.Writer) error {
	fmt.Fprint(w, protocolHead)
	for _, m := range []struct {
		title, about string
		value        any
	}{
		{"First line to the scheduler", "", protocol.Hello{}},
		{"A node", "In `nodes` of the first line, and in `is` of facts.", protocol.Node{}},
		{"First line of the scheduler", "", protocol.Welcome{}},
		{"A moment, to the scheduler", "", protocol.Moment{}},
		{"Its answer", "", protocol.Answer{}},
		{"An act", "A field that the act does not take is an error.", protocol.Act{}},
	} {
		fmt.Fprintf(w, "\n### %s\n\n", m.title)
		if m.about != "" {
			fmt.Fprintf(w, "%s\n\n", m.about)
		}
		fmt.Fprint(w, "| field | JSON | meaning |\n|---|---|---|\n")
		for i := range reflect.TypeOf(m.value).NumField() {
			f := reflect.TypeOf(m.value).Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fmt.Fprintf(w, "| `%s` | %s | %s |\n", name, jsonForm(f.Type), f.Tag.Get("about"))
		}
	}
	fmt.Fprint(w,
		"\n### Facts\n\n`e` says what happened. A field that does not apply is left out.\n\n| `e` | what happened | fields |\n|---|---|---|\n")
	for _, k := range protocol.FactKinds() {
		fields := make([]string, len(k.Fields))
		for i, f := range k.Fields {
			name, about, _ := strings.Cut(f, ": ")
			fields[i] = fmt.Sprintf("`%s` %s", name, about)
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", k.Event, k.About, strings.Join(fields, "; "))
	}
	fmt.Fprint(w, "\n### Verdicts\n\nAn act that is refused changes nothing.\n\n| verdict | meaning |\n|---|---|\n")
	for _, v := range recorded.Verdicts() {
		fmt.Fprintf(w, "| `%s` | %s |\n", v[0], v[1])
	}
	_, err := fmt.Fprint(w, protocolFoot)
	return err
}

// jsonForm names the JSON type of a field.
func jsonForm(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonForm(t.Elem())
	case reflect.Slice, reflect.Array:
		return "list of " + plural(jsonForm(t.Elem()))
	case reflect.Struct:
		return "object"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	}
	return "whole number"
}

// plural returns the plural of a word of jsonForm.
func plural(form string) string {
	if first, rest, found := strings.Cut(form, " of "); found {
		return first + "s of " + rest
	}
	return form + "s"
}

const protocolHead = `# A scheduler of your own: the protocol

<!-- Written by parley protocol. Do not edit: go run ./tools/parley protocol > docs/protocol.md -->

` + "`parley run SCENARIO --scheduler \"COMMAND\"`" + ` starts a process of yours and lets it schedule. It reads lines from its standard input and writes lines to its standard output; each line is one
JSON object in UTF-8, of at most 16 MB. What it writes to standard error is printed. In Python, the module of tools/python does all of this: a policy is a class with a method for each kind of fact.

1. Parley sends the first line, and the scheduler answers with its first line.
2. Then Parley sends one line for each simulated moment at which something happens, or for which the scheduler wished to be woken. The scheduler answers each with one line. Simulated time stands still meanwhile.
3. At the end of the run the input ends. The scheduler has two seconds to end by itself.

Both sides read strictly: a field that is unknown, given twice or in other letters is an error. Times are whole microseconds of simulated time. Resources are whole numbers, in millionths of the
reference machine, so that sums are exact. A moment with more than 4,096 facts takes several lines with one ` + "`at`" + `. Acts are done in their order, each whole or not at all, and the verdicts come with the
next line. What an act causes (a task is placed, a job starts) is not sent as a fact: its verdict says so.

An answer that means nothing ends the run: an unknown field, a task that never arrived, a node that does not exist, a time in the past. So does a process that ends, sends half a line, or does not answer within
` + "`--scheduler-patience`" + ` (one minute). The report is then of what was played until then. An act on a task that has ended, or on a node that is down, is refused and the run goes on.

With ` + "`--out FOLDER`" + ` all answers are written to ` + "`recorded.jsonl`" + `, and its SHA-256 to the scenario. ` + "`parley run FOLDER/scenario.json --trace FOLDER/recorded.jsonl`" + ` plays the run again without the scheduler, to the
same digest; the page opens the two files likewise, and ` + "`parley artefact FOLDER --out run.zip`" + ` packs them.

## An exchange

` + "```" + `
> {"parley":1,"engine":"0.1.0","seed":13628477394857543171,"at":0,"options":"","resources":["cpu","memory"],"nodes":[{"node":0,"machine":0,"rack":0,"capacity":[500000,250000]}]}
< {"parley":1,"name":"mine"}
> {"at":0,"facts":[{"e":"task_submitted","task":1,"name":"1-0","request":[62500,31800],"priority":9,"production":true,"user":3}],"verdicts":[]}
< {"acts":[{"do":"place","task":1,"node":0,"by":"request"}],"wake_at":60000000}
> {"at":60000000,"facts":[],"verdicts":["ok"]}
< {"acts":[]}
` + "```" + `

## The messages
`

const protocolFoot = `
## Schedulers of Batsim's protocol

` + "`--scheduler batsim:tcp://127.0.0.1:28000`" + ` connects to a scheduler that was written for Batsim 3 or 4: it binds a ZeroMQ socket of type REP there, and Parley sends ` + "`SIMULATION_BEGINS`" + `,
` + "`JOB_SUBMITTED`, `JOB_COMPLETED`, `JOB_KILLED`, `NOTIFY`, `REQUESTED_CALL` and `SIMULATION_ENDS`" + ` and does ` + "`EXECUTE_JOB`, `REJECT_JOB`, `KILL_JOB` and `CALL_ME_LATER`" + ` at their times. The workload is a log of
rigid jobs. A resource is a processor. A job's profile is a delay of its requested time: how long it will run is not told. A job that is rejected or killed waits until the end of the run. A node that fails under a
job, dynamic jobs and energy have no counterpart: they end the run with a sentence.

## Examples

- In Go: ` + "`tools/parley/external/leastloaded`" + `, which uses the standard library alone.
- In Python: ` + "`tools/python/examples`" + `, with the module ` + "`parley`" + ` of tools/python.
`
