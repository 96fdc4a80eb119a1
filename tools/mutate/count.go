package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// findings is what gremlins writes, as far as it is used.
type findings struct {
	Files []struct {
		Name      string `json:"file_name"` // from the folder that was asked for
		Mutations []struct {
			Type, Status string
			Line, Column int
		}
	}
}

// count is what became of the mutants of a package.
type count struct {
	folder string
	// A killed one broke a test, or made it run for five times as long as all
	// tests take; a lived one broke none; an uncovered one stands where no test
	// comes, constants among them; a judged one lived and means the same program.
	killed, lived, uncovered, judged int
	survivors                        []string
}

// mutants is how many a test could have killed.
func (c count) mutants() int { return c.killed + c.lived }

// efficacy is the percentage of them that a test did kill.
func (c count) efficacy() float64 { return 100 * float64(c.killed) / float64(max(1, c.mutants())) }

// count sums the findings by package, by name. The folder is the one that
// gremlins was given; read returns the source of a file in it.
func (f findings) count(folder string, read func(string) ([]byte, error)) ([]count, error) {
	judged := judgements()
	all := map[string]*count{}
	for _, file := range f.Files {
		name := path.Join(folder, file.Name)
		dir := path.Dir(name)
		c := all[dir]
		if c == nil {
			c = &count{folder: dir}
			all[dir] = c
		}
		source, err := read(name)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(source), "\n")
		for _, m := range file.Mutations {
			line := ""
			if m.Line > 0 && m.Line <= len(lines) {
				line = strings.TrimSpace(lines[m.Line-1])
			}
			switch m.Status {
			case "KILLED", "TIMED OUT":
				c.killed++
			case "NOT COVERED":
				c.uncovered++
			case "LIVED":
				if judged[judgement{name, m.Type, line}] {
					c.judged++
					continue
				}
				c.lived++
				c.survivors = append(c.survivors, fmt.Sprintf("%s:%d:%d %s: %s", name, m.Line, m.Column, m.Type, line))
			}
		}
	}
	list := []count{}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		list = append(list, *all[dir])
	}
	return list, nil
}

// judgement is a mutant that somebody looked at: it means the same program.
type judgement struct{ file, kind, line string }

//go:embed equivalent.txt
var equivalent string

// judgements reads equivalent.txt: file, kind and source line of a mutant, and
// why it is equivalent. The line is by its text, which moves less than its number.
func judgements() map[judgement]bool {
	all := map[judgement]bool{}
	for line := range strings.Lines(equivalent) {
		if f := strings.Split(strings.TrimSpace(line), " | "); len(f) == 4 && line[0] != '#' {
			all[judgement{f[0], f[1], f[2]}] = true
		}
	}
	return all
}

// report prints the survivors and one row a package, and tells whether one of
// them is below the aim.
func report(w io.Writer, counts []count, aim float64) (below bool) {
	for _, c := range counts {
		for _, s := range c.survivors {
			fmt.Fprintln(w, "lived:", s)
		}
	}
	for _, c := range counts {
		verdict := ""
		if c.efficacy() < aim {
			verdict = fmt.Sprintf(", below the aim of %g %%", aim)
			below = true
		}
		fmt.Fprintf(w, "%s: %d mutants, %d killed, %d lived, %d equivalent, %d not covered, efficacy %.1f %%%s\n",
			c.folder, c.mutants(), c.killed, c.lived, c.judged, c.uncovered, c.efficacy(), verdict)
	}
	return below
}

// renew replaces or adds the rows of packages in a Markdown table, whose rows
// begin with a package in backquotes, and keeps them in order.
func renew(text string, counts []count, stamp string) string {
	rows := map[string]string{}
	for _, c := range counts {
		rows[c.folder] = fmt.Sprintf("| `%s` | %d | %d | %d | %d | %d | %.1f %% | %s |\n",
			c.folder, c.mutants(), c.killed, c.lived, c.judged, c.uncovered, c.efficacy(), stamp)
	}
	var before, after strings.Builder
	to := &before
	for line := range strings.Lines(text) {
		if rest, isRow := strings.CutPrefix(line, "| `"); isRow {
			to = &after
			if name, _, _ := strings.Cut(rest, "`"); rows[name] == "" {
				rows[name] = line
			}
			continue
		}
		to.WriteString(line)
	}
	names := slices.SortedFunc(maps.Keys(rows), cmp.Compare[string])
	for _, name := range names {
		before.WriteString(rows[name])
	}
	return before.String() + after.String()
}
