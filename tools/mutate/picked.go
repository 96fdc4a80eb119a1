package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// picked is a mutant chosen by hand: a rule whose removal some test must notice.
type picked struct {
	file, about  string
	has, without string   // the text in the file, which occurs once, and its replacement
	tests        []string // folders of packages; the tests of one must fail
}

//go:embed picked.txt
var pickedList string

// pickedByHand is the kind of these mutants.
const pickedByHand = "PICKED"

// picks reads picked.txt, which describes its format at its head.
func picks(text string) (all []picked, err error) {
	var tests []string
	for line := range strings.Lines(text) {
		last := len(all) - 1
		switch {
		case line == "\n", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "tests "):
			tests = strings.Fields(line)[1:]
		case last >= 0 && line[0] == '-':
			all[last].has += line[1:]
		case last >= 0 && line[0] == '+':
			all[last].without += line[1:]
		default:
			file, rule, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if !ok || len(tests) == 0 {
				return nil, fmt.Errorf("picked.txt has %q where FILE: RULE stands below a line that begins with tests",
					strings.TrimSpace(line))
			}
			all = append(all, picked{file: file, about: rule, tests: tests})
		}
	}
	for i := range all { // a piece may end within a line
		all[i].has, all[i].without = strings.TrimSuffix(all[i].has, "\n"), strings.TrimSuffix(all[i].without, "\n")
	}
	return all, nil
}

// change returns the mutant, and its file with the replacement. The text to replace must occur once
// in the file.
func (k picked) change(root string) (mutant, string, error) {
	source, err := os.ReadFile(filepath.Join(root, k.file))
	if err != nil {
		return mutant{}, "", err
	}
	text := string(source)
	if n := strings.Count(text, k.has); n != 1 || k.has == "" {
		return mutant{}, "",
			fmt.Errorf(
				"%s has %d times what keeps the rule %q, not once: correct tools/mutate/picked.txt. It looks for\n%s",
				k.file, n, k.about, k.has,
			)
	}
	before, _, _ := strings.Cut(text, k.has)
	column := len(before) - strings.LastIndex(before, "\n")
	m := mutant{file: k.file, line: 1 + strings.Count(before, "\n"), column: column, kind: pickedByHand, text: k.about}
	return m, strings.Replace(text, k.has, k.without, 1), nil
}

// tryPicked tries the mutants of picked.txt: those of the folders, or all. It counts them by the
// package whose tests have to notice.
func tryPicked(folders []string, at string, verbose bool) ([]count, error) {
	all, err := picks(pickedList)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	var counts []count
	known := map[string]*judge{}
	for _, k := range all {
		if len(folders) > 0 && !slices.Contains(folders, k.tests[0]) {
			continue
		}
		m, text, err := k.change(".")
		if err != nil {
			return nil, err
		}
		if !strings.Contains(fmt.Sprintf("%s:%d", m.file, m.line), at) {
			continue
		}
		file := filepath.Join(work, path.Base(k.file))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
		began, o, by := time.Now(), lived, ""
		for _, folder := range k.tests {
			if known[folder] == nil {
				if known[folder], err = newJudge(folder, work); err != nil {
					return nil, err
				}
			}
			if o, by, err = known[folder].try(map[string]string{absolute(k.file): file}, work); err != nil {
				return nil, fmt.Errorf("%s: %w", m, err)
			}
			if o == killed {
				break
			}
		}
		if verbose {
			fmt.Printf("%s %s %s (%.1f s)\n", []string{"killed", "lived", "not covered"}[o], m, by,
				time.Since(began).Seconds())
		}
		c := slices.IndexFunc(counts, func(c count) bool { return c.folder == k.tests[0] })
		if c < 0 {
			c = len(counts)
			counts = append(counts, count{folder: k.tests[0]})
		}
		counts[c].all++
		counts[c].add(m, o, nil)
	}
	if len(counts) == 0 && at != "" {
		return nil, fmt.Errorf("picked.txt has no mutant at %s", at)
	}
	return counts, nil
}

// judge is the tests of a package, with the cost of each without a mutant.
type judge struct {
	folder string
	rapid  bool
	tests  []reached
}

func newJudge(folder, work string) (*judge, error) {
	p := &program{folder: folder, binary: filepath.Join(work, "original.test")}
	var err error
	if p.rapid, err = usesRapid(folder); err != nil {
		return nil, err
	}
	if complaint, err := p.link(work, nil); err != nil || complaint != "" {
		return nil, errors.Join(err, errors.New(complaint))
	}
	tests, err := p.tests(work)
	return &judge{folder, p.rapid, tests}, err
}

// try runs the tests with other files in place of some.
func (j *judge) try(replaced map[string]string, work string) (outcome, string, error) {
	p := &program{folder: j.folder, rapid: j.rapid, binary: filepath.Join(work, "mutated.test")}
	if complaint, err := p.link(work, replaced); err != nil || complaint != "" {
		return lived, "", errors.Join(err, errors.New(complaint))
	}
	o, by := p.play(nil, slices.Clone(j.tests))
	return o, by, nil
}
