package sweep

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/feed"
	"parley/core/paper"
	"parley/core/study"
	"parley/core/system"
	"parley/tools/parley/console"
	command "parley/tools/parley/paper"
	"parley/tools/parley/sweeps"
)

// maxColumns is the number of columns with figures in a table for people.
const maxColumns = 8

// printTable writes a sweep's table for people: a row a cell.
func printTable(w io.Writer, t *study.Table, files feed.Extent) {
	interval := " [95 % interval of the mean]"
	if !slices.ContainsFunc(t.Rows, func(r study.Row) bool { return !r.Unmoved }) {
		interval = ""
	}
	fmt.Fprintf(w, "%s of %s; mean%s over n seeds.\n", console.Grouped(int64(t.Done)),
		system.Count(float64(t.Runs), "run"), interval)
	if files.Jobs > 0 {
		fmt.Fprintf(w, "The files hold %s, %s days.\n", system.Count(float64(files.Jobs), "job"),
			console.Days(files.End.Seconds()))
	}
	fmt.Fprintln(w)
	shown := t.Metrics[:min(len(t.Metrics), maxColumns)]
	differs := false
	for _, r := range t.Rows {
		differs = differs || len(r.Differences) > 0
	}
	var out console.Table
	head := append([]string{}, t.Axes...)
	for i := range t.Axes {
		out.Left(i)
	}
	head = append(head, "n")
	for _, m := range shown {
		if head = append(head, m); differs {
			head = append(head, "difference")
		}
	}
	out.Add(head...)
	for _, r := range t.Rows {
		var cells []string
		for _, v := range r.At {
			cells = append(cells, v.Text())
		}
		cells = append(cells, strconv.Itoa(r.N))
		for _, m := range shown {
			if cells = append(cells, figureText(r.Figures, m, "")); differs {
				cells = append(cells, figureText(r.Differences, m, "+"))
			}
		}
		out.Add(cells...)
	}
	out.Print(w)
	if more := len(t.Metrics) - len(shown); more > 0 {
		fmt.Fprintf(w, "\n%d figures more are in --json and in the files of --out; \"metrics\" in the sweep chooses.\n",
			more)
	}
	for _, r := range t.Rows {
		if r.None+r.All > 0 {
			where := ""
			for _, v := range r.At {
				where += v.Path + " " + v.Text() + ", "
			}
			fmt.Fprintf(w,
				"\nNote: %sof %d seeds nothing fits with %d, and everything with %d: the range of the search is too narrow there\n", where, r.N, r.None, r.All)
		}
	}
	for _, note := range t.Notes {
		fmt.Fprintf(w, "\nNote: %s\n", note)
	}
}

// figureText writes a figure, with plus before a positive one.
func figureText(list []study.Figure, name, plus string) string {
	f, has := study.Find(list, name)
	if !has {
		return "–"
	}
	text := console.Number(f.Mean)
	if f.Mean > 0 {
		text = plus + text
	}
	if f.Interval != nil {
		text += " [" + console.Number(f.Low) + ", " + console.Number(f.High) + "]"
	}
	return text
}

// report prints the table, with the rows of a study that has some, and writes the files of
// --out.
func (f *SweepFlags) report(c *console.Console, s *study.Study, t *study.Table, have *study.Results) error {
	if f.Out != "" {
		r := sweeps.Report{Sweep: s, Table: t, Command: f.again()}
		if s.Base != nil {
			for _, file := range s.Base.Workload.Trace {
				r.Files = append(r.Files, fmt.Sprintf("%s, SHA-256 %s", file.Name, file.SHA256))
			}
		}
		if err := r.Write(f.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if f.json {
		text, err := t.Encode()
		if err != nil {
			return err
		}
		_, err = c.Out.Write(text)
		return err
	}
	if s.Judged() && t.Done == t.Runs {
		rows, err := s.Judge(have)
		if err != nil {
			return err
		}
		command.PrintResult(c.Out, s.Name, paper.Result{Source: s.Source, Seeds: len(s.Seeds), Rows: rows})
		return nil
	}
	printTable(c.Out, t, f.extent)
	return nil
}

// again is the command that repeats the sweep.
func (f *SweepFlags) again() string {
	words := []string{"parley", "sweep", "sweep.json", "--out", "again"}
	if len(f.Names) > 0 {
		words = append(words, "--trace")
		for _, name := range f.Names {
			words = append(words, escape.File(name))
		}
	}
	if f.SkipBad {
		words = append(words, "--skip-bad")
	}
	return strings.Join(words, " ")
}
