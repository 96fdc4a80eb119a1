// Package budget limits the sizes of the page's files, so that a visitor does not wait long. A
// change that exceeds a limit is noticed before it is merged.
//
//	table, err := budget.Check(files, budget.Limits(files))
//	fmt.Print(table)
//
// Sizes are those of gzip at its best, the least that every host can send; KB is
// 1,000 bytes.
package budget

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"text/tabwriter"
)

// Limit limits the sum of the sizes of some files.
type Limit struct {
	Name  string
	Bytes int
	// Holds reports whether a file, by its slash-separated name, counts.
	Holds func(name string) bool
}

// Limits are the budgets of a page. Files that its document preloads count as loaded at the start;
// other scripts in later/ are loaded on demand.
func Limits(files map[string][]byte) []Limit {
	atOnce := map[string]bool{}
	for _, link := range preloaded.FindAllSubmatch(files["index.html"], -1) {
		atOnce[string(link[1])] = true
	}
	panels := func(name string) bool { return strings.HasPrefix(name, "later/") && !atOnce[name] && !editor(name) }
	// later reports whether a file is loaded on demand, or not by the page at all.
	later := func(name string) bool {
		return whole(name) || program(name) || questions(name) || panels(name) || editor(name) ||
			strings.HasPrefix(name, "scenarios/") || choices(name) || pictures(name) ||
			name == "gallery/clusters.json" || name == "offline.js" || results(name) || manual(name) ||
			strings.HasPrefix(name, "_")
	}
	return []Limit{
		{"before the core", 254_000, func(name string) bool {
			return name != "worker.wasm" && !renderer(name) && !later(name)
		}},
		{"recording of the first seconds", 120_000, func(name string) bool { return name == "keyframes.bin" }},
		{"recorded choices", 1_500_000, choices},
		{"page JavaScript", 101_500, func(name string) bool {
			return path.Ext(name) == ".js" && !renderer(name) && !core(name) && !glue(name) && !later(name)
		}},
		{"panels loaded later", 164_000, panels},
		{"core worker", 1_870_000, func(name string) bool { return core(name) || glue(name) }},
		{"core with all systems, readers, planners and experiments", 4_640_000, whole},
		{"questions about a cluster", 2_500_000, questions},
		{
			"programs of all places", 10_800_000,
			func(name string) bool { return path.Ext(name) == ".wasm" && !program(name) },
		},
		{"results of the experiments", 160_000, results},
		{"core with users' programs", 4_545_000, program},
		{"editor of programs", 165_000, editor},
		{"manual", 300_000, func(name string) bool { return manual(name) && !included(name) }},
		{"sources that the manual includes", 300_000, included},
		{"pictures of the gallery", 1_400_000, pictures},
		{"renderer", 1_810_000, func(name string) bool { return renderer(name) || glue(name) }},
	}
}

// preloaded finds the scripts that index.html names for the page's own.
var preloaded = regexp.MustCompile(`<link rel="modulepreload" href="([^"]+)">`)

// The glue runs core and renderer alike, so it counts in each.
func glue(name string) bool      { return name == "wasm_exec.js" }
func core(name string) bool      { return strings.HasPrefix(name, "worker.") }
func whole(name string) bool     { return name == "whole.wasm" }
func program(name string) bool   { return name == "program.wasm" || name == "programs.json" }
func questions(name string) bool { return name == "questions.wasm" }
func editor(name string) bool    { return strings.HasPrefix(name, "later/editor-") }
func results(name string) bool   { return name == "papers.json" || name == "challenge.json" }
func manual(name string) bool    { return strings.HasPrefix(name, "manual/") }
func included(name string) bool  { return strings.HasPrefix(name, "manual/files/") }
func choices(name string) bool   { return strings.HasPrefix(name, "choices/") }
func pictures(name string) bool {
	return strings.HasPrefix(name, "gallery/") && path.Ext(name) == ".png"
}
func renderer(name string) bool { return strings.HasPrefix(name, "view.") }

// Check returns a table of all limits with the bytes used, and an error that names the limits
// exceeded. A limit without files is an error too, because it would check nothing.
func Check(files map[string][]byte, limits []Limit) (table string, err error) {
	sizes := map[string]int{}
	for name, content := range files {
		if sizes[name], err = packedSize(content); err != nil {
			return "", err
		}
	}
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "budget (gzip)\tKB\tlimit\tused\t")
	var over []error
	for _, limit := range limits {
		sum, counted := 0, 0
		for name, size := range sizes {
			if limit.Holds(name) {
				sum += size
				counted++
			}
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.0f %%\t\n", limit.Name, kb(sum), kb(limit.Bytes),
			100*float64(sum)/float64(limit.Bytes))
		switch {
		case counted == 0:
			over = append(over,
				fmt.Errorf("the budget %q counts no file of the page; name its files in tools/build/budget",
					limit.Name))
		case sum > limit.Bytes:
			over = append(over, fmt.Errorf("%s needs %.1f KB with gzip, %.1f KB over its budget of %.1f KB",
				limit.Name, kb(sum), kb(sum-limit.Bytes), kb(limit.Bytes)))
		}
	}
	w.Flush()
	return text.String(), errors.Join(over...)
}

func kb(bytes int) float64 { return float64(bytes) / 1000 }

func packedSize(content []byte) (int, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(content); err != nil {
		return 0, err
	}
	err = w.Close()
	return out.Len(), err
}
