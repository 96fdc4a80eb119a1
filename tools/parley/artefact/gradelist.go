package artefact

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/study"
	"parley/core/unit"
	"parley/core/workload"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// handIns grades the work that a class hands in: a list of links.
type handIns struct {
	of      string   // the exercise; "": the scenario of the gallery that a link starts from
	figures []string // that the table shows
	json    bool
	csv     bool
	limit   console.Span // of simulated time
}

func (h *handIns) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&h.of, "of", "", "the exercise that a list of links is about: a SCENARIO or a link")
	flags.StringSliceVar(&h.figures, "figures", nil,
		"figures of the table, as in overloaded_pct,tasks_waiting; else the first that the system measures")
	flags.BoolVar(&h.json, "json", false, "print the table of a list of links as JSON")
	flags.BoolVar(&h.csv, "csv", false, "print the table of a list of links as CSV")
}

// handIn is one row of the table.
type handIn struct {
	Name    string             `json:"name"`
	Verdict string             `json:"verdict"` // "reproduced", or the difference
	AtS     float64            `json:"at_s"`
	Changes []string           `json:"changes"`
	Broken  bool               `json:"rules_broken"`       // a change that may_change does not name
	Equal   string             `json:"equal_to,omitempty"` // an earlier hand-in that plays the same scenario
	Figures map[string]float64 `json:"figures"`
	played  *scenario.Scenario
}

// isList reports whether an argument is a text file with a link in it.
func isList(arg string) bool {
	f, err := os.Open(arg)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := console.ReadAll(f)
	if err != nil || bytes.HasPrefix(text, []byte("PK")) {
		return false
	}
	return slices.ContainsFunc(linksIn(string(text)),
		func(one namedLink) bool { return one.link != "" && load.IsLink(one.link) })
}

// given reports whether a flag of lists is given.
func (h *handIns) given() bool { return h.of != "" || len(h.figures) > 0 || h.json || h.csv }

// unused returns an error if a flag is given that only lists have.
func (h *handIns) unused() error {
	if !h.given() {
		return nil
	}
	return console.NewUsageError(errors.New(
		"--of, --figures, --json and --csv are about a list of links, a text file with one a line, and none is given",
	))
}

// namedLink is one line of a list.
type namedLink struct {
	line       int
	name, link string
}

// linksIn returns the lines of a list that are neither empty nor comments. A line is a
// link, or a name, a colon, comma, semicolon or tab, and a link.
func linksIn(text string) (all []namedLink) {
	between := strings.NewReplacer(",", ":", ";", ":", "\t", ":")
	i := -1
	for line := range strings.SplitSeq(text, "\n") {
		if i++; len(all) > strict.Entries {
			break // there are too many
		}
		line = strings.Trim(strings.TrimSpace(line), `"`)
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		one := namedLink{line: i + 1}
		at := slices.IndexFunc([]byte(line), func(b byte) bool { return b == '#' })
		if at >= 0 {
			begin := 1 + strings.LastIndexAny(line[:at], " \t,;\"")
			if scheme := strings.Index(line[:at], "http"); scheme >= begin {
				begin = scheme // Ana:https://…
			}
			one.name, one.link = strings.Trim(line[:begin], " \t,;:\""), line[begin:]
		} else if name, _, found := strings.Cut(between.Replace(line), ":"); found {
			one.name = strings.Trim(name, " \"")
		}
		all = append(all, one)
	}
	return all
}

// grade plays every link of a list and prints their table. It returns the number of links, and the
// number that are not reproduced.
func (h *handIns) grade(c *console.Console, t *load.Trace, file string) (runs, bad int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, console.Unreadable(file, err)
	}
	defer f.Close()
	text, err := console.ReadAll(f)
	if err != nil {
		return 0, 0, console.Unreadable(file, err)
	}
	var exercise *scenario.Scenario
	if h.of != "" {
		d, err := load.ReadScenario(c, h.of, t)
		if err != nil {
			return 0, 0, fmt.Errorf("--of: %w", err)
		}
		exercise = d.Scenario
	}
	g, err := load.Gallery()
	if err != nil {
		return 0, 0, err
	}
	var rows []handIn
	links := linksIn(string(text))
	if len(text) == console.MaxText || len(links) > strict.Entries {
		return 0, 0, fmt.Errorf("%s has more than %d lines or %d MB, which are all that is read of a list: split it",
			file, strict.Entries, console.MaxText>>20)
	}
	for _, one := range links {
		row, err := h.play(c, t, one, exercise, g)
		if err != nil {
			return 0, 0, fmt.Errorf("%s, line %d: %w", file, one.line, err)
		}
		if runs++; row.Verdict != reproduced {
			bad++
		}
		for i := range rows {
			if before := rows[i].played; row.Equal == "" && row.played != nil && before != nil &&
				len(before.Changes(row.played)) == 0 {
				row.Equal = rows[i].Name
			}
		}
		rows = append(rows, row)
	}
	if err := h.measured(rows); err != nil {
		return 0, 0, err
	}
	switch {
	case h.json && h.csv:
		return 0, 0, console.NewUsageError(errors.New("--json and --csv are two forms of the table: give one of them"))
	case h.json:
		return runs, bad, console.PrintJSON(c.Out, rows)
	case h.csv:
		return runs, bad, h.write(c, rows)
	}
	h.print(c, rows)
	return runs, bad, nil
}

// measured returns an error if no run of the table has a figure of it: runs of other systems may
// have no such figure.
func (h *handIns) measured(rows []handIn) error {
	all := map[string]float64{}
	for _, row := range rows {
		maps.Copy(all, row.Figures)
	}
	for _, name := range h.figures {
		if _, has := all[name]; !has && len(all) > 0 {
			return fmt.Errorf("--figures: no report has a figure %q: they have %s", name,
				strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
	}
	return nil
}

// write writes the table as CSV. Missing values are empty cells.
func (h *handIns) write(c *console.Console, rows []handIn) error {
	w := csv.NewWriter(c.Out)
	_ = w.Write(escape.CSVRow(append(append([]string{"hand_in", "at_s", "run"}, h.figures...), "changes",
		"rules_broken", "equal_to")))
	for _, row := range rows {
		cells := []string{row.Name, console.Plain(row.AtS), row.Verdict}
		for _, name := range h.figures {
			x, has := row.Figures[name]
			cells = append(cells, "")
			if has {
				cells[len(cells)-1] = console.Plain(x)
			}
		}
		_ = w.Write(escape.CSVRow(append(cells, strings.Join(row.Changes, "; "), strconv.FormatBool(row.Broken),
			row.Equal)))
	}
	w.Flush()
	return w.Error()
}

// reproduced is the verdict on a run that is the same here.
const reproduced = "reproduced"

// play plays one link. A link that leads nowhere is an error of its row, and the others
// are played all the same.
func (h *handIns) play(c *console.Console, t *load.Trace, one namedLink, exercise *scenario.Scenario,
	g scenario.Gallery,
) (handIn, error) {
	row := handIn{Name: one.name, Changes: []string{}, Figures: map[string]float64{}}
	if one.link == "" {
		row.Name, row.Verdict = cmp.Or(one.name, fmt.Sprintf("line %d", one.line)),
			fmt.Sprintf("no link in line %d: it has no #", one.line)
		return row, nil
	}
	files := *t
	d, err := load.OpenLink(c, one.link, &files)
	if err != nil {
		row.Name, row.Verdict = cmp.Or(row.Name, fmt.Sprintf("line %d", one.line)), err.Error()
		return row, nil
	}
	row.played = d.Scenario
	row.Name = cmp.Or(row.Name, d.Address.Name, fmt.Sprintf("line %d", one.line))
	original := exercise
	if original == nil && d.Address.Packed == nil {
		if base := g[cmp.Or(d.Address.Base, scenario.DefaultBase)]; base != nil {
			copy := *base
			copy.May = d.Scenario.May
			original = &copy
		}
	}
	if original != nil {
		for _, change := range original.Changes(d.Scenario) {
			row.Changes = append(row.Changes, change.String())
			row.Broken = row.Broken || !change.Allowed
		}
	}
	if d.Address.At == 0 || d.Address.Digest == "" {
		row.Verdict = "no moment: it has no at and d"
		return row, nil
	}
	if err := endless(d.Scenario, d.Address.At, h.limit); err != nil {
		row.Verdict = "it " + err.Error()
		return row, nil
	}
	if limit := max(workload.DefaultGenerated().Nodes, nodesOf(original)); d.Scenario.Cluster.Nodes > limit {
		row.Verdict = fmt.Sprintf("it asks for %d nodes, and at most %d, or those of the exercise, are played",
			d.Scenario.Cluster.Nodes, limit)
		return row, nil
	}
	p, err := files.Prepare(c, d)
	if err != nil {
		row.Verdict = err.Error()
		return row, nil
	}
	played, took, err := load.Play(c, p, min(unit.Time(d.Address.At), p.End()), row.Name)
	if errors.Is(err, console.ErrInterrupted) {
		return row, err
	}
	if err != nil {
		row.Verdict = err.Error()
		return row, nil
	}
	report := load.Report(p, played, took)
	row.AtS = report.SimulatedS
	row.Verdict = reproduced
	if !strings.HasPrefix(report.Digest, d.Address.Digest) {
		row.Verdict = fmt.Sprintf("differs: %s here", report.Digest[:len(d.Address.Digest)])
	}
	encoded, err := json.Marshal(report)
	if err != nil {
		return row, err
	}
	if row.Figures, err = study.Figures(encoded); err != nil {
		return row, err
	}
	if len(h.figures) == 0 {
		h.figures = usualFigures(played)
	}
	return row, nil
}

// nodesOf returns the nodes of an exercise, which may be nil.
func nodesOf(s *scenario.Scenario) int {
	if s == nil {
		return 0
	}
	return s.Cluster.Nodes
}

// usualFigures are the first three that a system measures itself, or of its jobs.
func usualFigures(r *run.Run) (names []string) {
	report := r.Report()
	if report.Jobs != nil {
		return []string{"jobs.wait_s.mean", "jobs.bounded_slowdown.mean", "jobs.utilisation_pct"}
	}
	for _, m := range r.System().Metrics {
		if len(names) < 3 {
			names = append(names, m.ID)
		}
	}
	if len(names) == 0 {
		names = []string{"overloaded_pct", "tasks_waiting"}
	}
	return names
}

// print writes the table for people.
func (h *handIns) print(c *console.Console, rows []handIn) {
	var out console.Table
	out.Add(append(append([]string{"hand-in", "at", "run"}, h.figures...), "changed")...)
	out.Left(2)
	out.Left(3 + len(h.figures))
	for _, row := range rows {
		at := "–"
		if row.AtS > 0 {
			at = scenario.Duration(row.AtS * 1e6).String()
		}
		cells := []string{row.Name, at, row.Verdict}
		for _, name := range h.figures {
			if x, has := row.Figures[name]; has {
				cells = append(cells, console.Number(x))
			} else {
				cells = append(cells, "–")
			}
		}
		changed := strings.Join(row.Changes, "; ")
		if changed == "" {
			changed = "nothing"
		}
		if row.Equal != "" {
			changed += "; equal to " + row.Equal
		}
		out.Add(append(cells, changed)...)
	}
	out.Print(c.Out)
}
