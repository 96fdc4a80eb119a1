package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"
)

// outcome is the result of testing a mutant.
type outcome int

const (
	killed    outcome = iota // a test failed, or ran for five times as long
	lived                    // no test noticed
	uncovered                // no test reaches it
)

// count has the results of a package's mutants.
type count struct {
	folder string
	all    int // mutants of the package; the next fields count the tried ones

	// A judged one was not noticed and means the same program.
	killed, lived, uncovered, judged int
	survivors                        []string
}

// mutants is the number of mutants that a test reaches.
func (c count) mutants() int { return c.killed + c.lived }

// tried is the number of mutants that were tried.
func (c count) tried() int { return c.killed + c.lived + c.uncovered + c.judged }

// efficacy is the percentage killed of the mutants that a test reaches.
func (c count) efficacy() float64 { return 100 * float64(c.killed) / float64(max(1, c.mutants())) }

// add counts one mutant.
func (c *count) add(m mutant, o outcome, judged map[judgement]bool) {
	switch {
	case o == killed:
		c.killed++
	case judged[judgement{m.file, m.kind, m.text}]:
		c.judged++
	case o == uncovered:
		c.uncovered++
		c.survivors = append(c.survivors, "not covered: "+m.String())
	default:
		c.lived++
		c.survivors = append(c.survivors, "lived: "+m.String())
	}
}

// sample picks n of the mutants, the same ones every time: those with the
// smallest hashes of file, kind and source line. It keeps their order; 0 means all.
func sample(all []mutant, n int) []mutant {
	if n <= 0 || n >= len(all) {
		return all
	}
	hash := func(m mutant) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, m.file, "\n", m.kind, "\n", m.text)
		// FNV alone leaves the order of similar texts: mix its bits.
		x := h.Sum64()
		x ^= x >> 33
		x *= 0xff51afd7ed558ccd
		return x ^ x>>33
	}
	chosen := slices.Clone(all)
	slices.SortStableFunc(chosen, func(a, b mutant) int { return cmp.Compare(hash(a), hash(b)) })
	chosen = chosen[:n]
	slices.SortFunc(chosen, func(a, b mutant) int { return a.id - b.id })
	return chosen
}

// judgement is a mutant that a person found to be equivalent.
type judgement struct{ file, kind, line string }

//go:embed equivalent.txt
var equivalent string

// judgements reads equivalent.txt: file, kind and source line of a mutant, and the reason why it is
// equivalent. The line is identified by its text, which changes less often than its number.
func judgements() map[judgement]bool {
	all := map[judgement]bool{}
	for line := range strings.Lines(equivalent) {
		if f := strings.Split(strings.TrimSpace(line), " | "); len(f) == 4 && line[0] != '#' {
			all[judgement{f[0], f[1], f[2]}] = true
		}
	}
	return all
}

// report prints the survivors and one row a package, and reports whether one of
// them is below the aim.
func report(w io.Writer, counts []count, aim float64) (below bool) {
	for _, c := range counts {
		for _, s := range c.survivors {
			fmt.Fprintln(w, s)
		}
	}
	for _, c := range counts {
		verdict := ""
		if c.efficacy() < aim {
			verdict = fmt.Sprintf(", below the aim of %g %%", aim)
			below = true
		}
		fmt.Fprintf(w, "%s: %d of %d mutants, %d killed, %d lived, %d equivalent, %d not covered, efficacy %.1f %%%s\n",
			c.folder, c.tried(), c.all, c.killed, c.lived, c.judged, c.uncovered, c.efficacy(), verdict)
	}
	return below
}

// row is a package in the table.
func (c count) row(stamp string) string {
	tried, efficacy := fmt.Sprint(c.all), "no test comes there"
	if c.tried() < c.all {
		tried = fmt.Sprintf("%d of %d", c.tried(), c.all)
	}
	if c.mutants() > 0 {
		efficacy = fmt.Sprintf("%.1f %%", c.efficacy())
	}
	return fmt.Sprintf("| `%s` | %s | %d | %d | %d | %d | %s | %s |\n",
		c.folder, tried, c.killed, c.lived, c.judged, c.uncovered, efficacy, stamp)
}

// renew replaces or adds the rows of packages in the first Markdown table whose rows
// begin with a package in backquotes, and keeps them in order.
func renew(text string, counts []count, stamp string) string {
	rows := map[string]string{}
	for _, c := range counts {
		rows[c.folder] = c.row(stamp)
	}
	var before, after strings.Builder
	known := false // the table was found
	for line := range strings.Lines(text) {
		if rest, isRow := strings.CutPrefix(line, "| `"); isRow && after.Len() == 0 {
			if name, _, _ := strings.Cut(rest, "`"); rows[name] == "" {
				rows[name] = line
			}
			known = true
			continue
		}
		if known {
			after.WriteString(line)
		} else {
			before.WriteString(line)
		}
	}
	names := slices.SortedFunc(maps.Keys(rows), cmp.Compare[string])
	for _, name := range names {
		before.WriteString(rows[name])
	}
	return before.String() + after.String()
}
