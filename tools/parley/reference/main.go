// Command reference writes the parts of the manual whose source is the code: docs/reference
// (fields of a scenario, settings, metrics, faults, formats, keys of a link, exit codes)
// and docs/systems (a page for each system, from its description and its how.json).
//
//	go run ./tools/parley/reference
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace/formats"
	"parley/tools/parley/exits"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// write writes the pages into the checkout at root.
func write(root string) error {
	all, err := pages(root)
	if err != nil {
		return err
	}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(root, "docs", filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages returns the text of each page by its place below docs.
func pages(root string) (map[string]string, error) {
	systems := full.Systems().Descriptions()
	own := make([]system.Description, len(systems)) // without the words of all systems
	for i, e := range full.Systems() {
		own[i] = e.Description
	}
	all, err := systemPages(root, own)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"scenario.md":   scenarioPage(),
		"settings.md":   settingsPage(systems),
		"metrics.md":    metricsPage(systems),
		"faults.md":     faultsPage(systems),
		"formats.md":    formatsPage(),
		"link.md":       linkPage(),
		"programs.md":   programsPage(),
		"exit-codes.md": exitsPage(),
	} {
		all["reference/"+name] = text
	}
	return all, nil
}

func scenarioPage() string {
	return `# Fields of a scenario

A scenario is a JSON document: what is left out has its default, and an unknown field is an error. ` + "`parley fields`" + ` prints this table. ` +
		"`--set PATH=VALUE`" + ` of ` + "`parley run`" + ` and the axes of a sweep take the same paths. A duration is written as in ` + "`90s`, `6h12m40s` or `29d`" + `.

` + fieldTable(scenario.Fields()) + `
What is under ` + "`settings`" + ` belongs to the system: see [settings](settings.md). Kinds of faults: see [faults](faults.md).
`
}

func settingsPage(systems []system.Description) string {
	var b strings.Builder
	b.WriteString(
		"# Settings of the systems\n\n`parley fields SYSTEM` prints one of these tables, `parley systems SYSTEM` the same with agents and layers.\n",
	)
	for _, d := range systems {
		fmt.Fprintf(&b, "\n## %s\n\n%s Its id is `%s`.\n\n%s", d.Name, sentence(d.About),
			d.ID, fieldTable(run.SettingFields(d)))
	}
	return b.String()
}

// metricsPage returns the page of metrics: those of every run, of rigid jobs, of graphs, then of each system.
func metricsPage(systems []system.Description) string {
	var b strings.Builder
	b.WriteString(`# Metrics

Sweeps name these metrics in ` + "`metrics`, `stop` and `search`" + `; an unknown name is refused before the first run. ` + "`parley metrics SYSTEM`" + ` prints all that a run of a system can have.
A figure over time is reported as its mean over the window of the run, and by its last value at the end; what counts from the beginning of the run (its name ends with _sum) by that last value alone. In the formulas, *sample* means one minute, and * in a name stands for the name of a group.

## Of every run

`)
	every := run.Figures(system.Description{})
	b.WriteString(metricTable(every))
	b.WriteString("\n## Of rigid jobs\n\nOnly jobs that ended count.\n\n" +
		metricTable(append(metric.JobColumns(), metric.JobFigures()...)))
	b.WriteString(
		"\n## Of task graphs\n\n*Ideal* is the length of the critical path on the fastest machines, without transfers.\n\n" + metricTable(append(metric.GraphColumns(), metric.GraphFigures()...)),
	)
	for _, d := range systems {
		fmt.Fprintf(&b, "\n## Of %s\n\n%s", d.Name,
			metricTable(append(append([]metric.Column{}, d.Metrics...), d.Figures...)))
	}
	return b.String()
}

// faultsPage returns the page of faults: those of every cluster, then those of each system by agent.
func faultsPage(systems []system.Description) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Faults

A fault of a scenario has a time (%[1]sat%[1]s), a %[1]skind%[1]s, a %[1]starget%[1]s and, where the kind takes one, a %[1]svalue%[1]s. Faults happen before the other events of their moment. %[1]schaos%[1]s of a scenario makes
nodes and racks fail at random.

## Of every cluster

| kind | target | value |
|---|---|---|
`, "`")
	for _, kind := range scenario.PhysicalFaults {
		target, _, _ := strings.Cut(kind, "_")
		if kind == scenario.Grow {
			fmt.Fprintf(&b, "| `%s` | `cluster` | whole number of nodes that join, 1 to %d |\n",
				kind, scenario.MaxGrown)
			continue
		}
		fmt.Fprintf(&b, "| `%s` | `%s.14` | |\n", kind, target)
	}
	for _, d := range systems {
		rows := ""
		for _, role := range d.Agents {
			for _, kind := range role.Faults {
				target := kind.Target
				if !kind.Unique {
					target += ".14"
				}
				value, revert := "", ""
				if kind.Value != nil {
					value = strings.TrimSpace(kind.Value.String() + " " + kind.Unit)
				}
				if kind.Revert != "" {
					revert = "`" + kind.Revert + "`"
				} else if kind.Setting == "" {
					revert = "value 0"
				}
				rows += row("`"+kind.ID+"`", revert, "`"+target+"`", value, role.Name+": "+kind.Name)
			}
		}
		if rows != "" {
			fmt.Fprintf(&b,
				"\n## Of %s\n\n| kind | undone by | target | value | agent and effect |\n|---|---|---|---|---|\n%s",
				d.Name, rows)
		}
	}
	return b.String()
}

// formatsPage returns the page of formats that are read.
func formatsPage() string {
	var b strings.Builder
	b.WriteString(
		"# Formats of traces\n\nFormats are detected by content; file names only break ties. A row that breaks its format is reported with its file, line, column and value; `parley trace FILE` reads a file to its end\nand lists what it holds and what was repaired.\n\n| name in reports | format |\n|---|---|\n",
	)
	for _, f := range formats.All {
		if f.Title == "" { // recognised, and never read
			continue
		}
		b.WriteString(row("`"+f.Name+"`", f.Title))
	}
	b.WriteString(
		"\nRules of the readers: [Standard Workload Format](../../core/trace/swf/README.md), [tables of jobs and Slurm's sacct](../../core/trace/jobtable/README.md), [Google's trace of 2011](../../core/trace/google2011/README.md), [published traces](../../core/trace/field/README.md).\n",
	)
	return b.String()
}

func linkPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Keys of a link

The address of the page holds the run after #, as keys and values. A link starts from a scenario of the gallery and holds the differences; %[1]sx.NAME%[1]s is the setting NAME
of the system. Keys that a version does not know stay in the link. %[1]sparley link%[1]s turns a scenario into a link and back. Links above %[2]d characters may be cut by other programs; above %[3]d, send the scenario as a file.

| key | value | meaning |
|---|---|---|
`, "`", scenario.PlainLink, scenario.MaxLink)
	for _, k := range scenario.LinkKeys() {
		b.WriteString(row("`"+k.Path+"`", k.Allowed, k.About))
	}
	return b.String()
}

func exitsPage() string {
	var b strings.Builder
	b.WriteString(
		"# Exit codes of the command line\n\nResults go to standard output, errors as one sentence to standard error.\n\n| code | meaning | example |\n|---|---|---|\n",
	)
	for _, c := range exits.All() {
		b.WriteString(row(fmt.Sprint(c.Code), c.When, c.Example))
	}
	return b.String()
}

func fieldTable(fields []scenario.Field) string {
	var b strings.Builder
	b.WriteString("| field | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n")
	for _, f := range fields {
		b.WriteString(row("`"+f.Path+"`", f.Type, f.Unit, f.Default, f.Allowed, f.About))
	}
	return b.String()
}

func metricTable(metrics []metric.Column) string {
	if len(metrics) == 0 {
		return "None.\n"
	}
	var b strings.Builder
	b.WriteString("| metric | unit | name | formula |\n|---|---|---|---|\n")
	for _, m := range metrics {
		b.WriteString(row("`"+m.ID+"`", m.Unit, m.Name, m.About))
	}
	return b.String()
}

// row returns a line of a Markdown table.
func row(cells ...string) string {
	for i, c := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(c)
		if !strings.HasPrefix(c, "`") {
			cells[i] = strings.ReplaceAll(cells[i], "*", `\*`)
		}
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// sentence ends a text with a full stop.
func sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }
