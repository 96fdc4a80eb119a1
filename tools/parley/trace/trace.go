// Package trace is parley trace: it summarises recorded files.
package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/feed"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// Command returns parley trace.
func Command(c *console.Console) *cobra.Command {
	var t load.Trace
	asJSON := false
	var set []string
	cmd := &cobra.Command{
		Use:   "trace FILE…",
		Short: "Read recorded files and summarise them",
		Long: `Detects the format of the files by their content, reads every row and prints a summary. The files are of one trace, plain or gzip, in any order.

Of a trace of tasks, --set workload.jobs.from and to, every, users and classes read a part: no more than that is kept in memory. The same settings let parley run play it.

A row that breaks the format ends the reading with its file, line, column and value; with --skip-bad such rows are counted and the first ones listed.`,
		Example: `  parley trace task_events/*.csv machine_events/*.csv
  parley trace --skip-bad --json task_events/part-00000-of-00500.csv
  parley trace task_events/*.csv --set workload.jobs.to=2h --set workload.jobs.every=10`,
		Args: console.Args(1, -1, "one FILE or more"),
		RunE: func(_ *cobra.Command, args []string) error {
			t.Names = args
			return summarise(c, &t, set, asJSON)
		},
	}
	t.AddReading(cmd)
	cmd.Flags().StringArrayVar(&set, "set", nil, "read a part of a trace of tasks, as in workload.jobs.from=2d")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// sliceIn returns the part of a trace that settings name.
func sliceIn(set []string, systems run.Registry) (trace.Slice, error) {
	for _, field := range set {
		name, _, _ := strings.Cut(field, "=")
		switch strings.TrimPrefix(name, "workload.jobs.") {
		case "from", "to", "every", "users", "classes":
		default:
			return trace.Slice{},
				console.NewUsageError(
					fmt.Errorf(
						"--set %s: a summary reads workload.jobs.from, to, every, users and classes; parley run takes every setting", field,
					),
				)
		}
	}
	s, err := (&scenario.Scenario{V: scenario.Version, System: systems[0].ID}).Set(set)
	if err != nil {
		return trace.Slice{}, console.NewUsageError(fmt.Errorf("--set: %w", err))
	}
	return feed.SliceOf(&s.Workload.Jobs), nil
}

func summarise(c *console.Console, t *load.Trace, set []string, asJSON bool) error {
	slice, err := sliceIn(set, c.Systems)
	if err != nil {
		return err
	}
	files, err := t.Files()
	if err != nil {
		return err
	}
	b := console.NewBar(c)
	o := t.Options()
	o.Slice = slice
	began := c.Now()
	o.Progress = func(p trace.Progress) error {
		seconds := max(c.Now().Sub(began).Seconds(), 1e-9)
		b.Show("%.1f of %.1f MB, %s rows, %.0f MB/s unpacked, %s", float64(p.Total)/1e6, float64(p.Sum)/1e6,
			console.Grouped(p.Rows), float64(p.Text)/1e6/seconds, filepath.Base(p.File))
		return nil
	}
	known, err := t.Formats()
	if err != nil {
		return err
	}
	report, err := trace.Summarise(files, known, o)
	b.Clear()
	if err != nil {
		return err
	}
	if asJSON {
		return console.PrintJSON(c.Out, report)
	}
	return printTrace(c.Out, report)
}

// printTrace writes a report on files for people.
func printTrace(w io.Writer, r trace.Report) error {
	var t console.Table
	t.Add("file", "format", "rows", "from", "to", "bad rows")
	for _, f := range r.Files {
		t.Add(f.File, f.Format, console.Grouped(f.Rows), console.Number(f.FirstS)+" s", console.Number(f.LastS)+" s",
			console.Grouped(f.BadRows))
	}
	t.Print(w)
	fmt.Fprintln(w)
	for _, f := range r.Files {
		for _, note := range f.Notes {
			fmt.Fprintf(w, "%s: %s\n", escape.Line(f.File), escape.Line(note))
		}
		for _, b := range f.Bad {
			where := fmt.Sprintf("%s, line %d", escape.Line(f.File), b.Line)
			if b.Column != "" {
				where += fmt.Sprintf(", column %q: %q", b.Column, b.Value)
			}
			fmt.Fprintf(w, "%s %s\n", where, escape.Line(b.Reason))
		}
	}
	raw, err := json.Marshal(r.Summary)
	if err != nil {
		return err
	}
	var summary console.Table
	if err := flatten(&summary, json.NewDecoder(strings.NewReader(string(raw))), ""); err != nil {
		return err
	}
	summary.Print(w)
	return nil
}

// flatten adds a row for every member of a JSON object that is not 0, in its
// order; those of an object within it carry its name before their own.
func flatten(t *console.Table, d *json.Decoder, name string) error {
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		for d.More() {
			inner := name
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				inner = strings.TrimSpace(name + " " + console.Words(fmt.Sprint(key)))
			}
			if err := flatten(t, d, inner); err != nil {
				return err
			}
		}
		_, err = d.Token() // its end
		return err
	case json.Number:
		x, err := strconv.ParseFloat(v.String(), 64)
		if x != 0 {
			t.Add(name, console.Number(x))
		}
		return err
	default:
		t.Add(name, fmt.Sprint(v))
	}
	return nil
}
