// Command mutate measures how good the tests of a package are. It changes one operator of the
// code at a time and runs the package's own quick tests. A change that no test notices has
// survived.
//
//	go run ./tools/mutate ./core/des
//	go run ./tools/mutate --sample 60 --table docs/mutation.md ./core/cluster
//	go run ./tools/mutate --at events.go:120 ./core/cluster
//	go run ./tools/mutate --picked
//
// All mutants of a package are compiled at once, each behind a switch that an environment
// variable sets, so a mutant costs only the tests that reach it. With --picked the mutants are
// those of picked.txt instead, which people chose: each takes a rule out, and is compiled by
// itself. The exit status is 0 if every
// package reaches the aim, 1 if one does not, and 2 if the tests did not run.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	aim := flag.Float64("aim", 95, "`percent` of the mutants that tests must kill")
	size := flag.Int("sample", 0, "try `N` mutants of a package, the same ones every time; 0 means all")
	at := flag.String("at", "", "try only mutants whose `file:line` contains this")
	table := flag.String("table", "", "a Markdown `file` whose rows are renewed")
	byHand := flag.Bool("picked", false, "try the mutants of picked.txt; without a PACKAGE all of them")
	verbose := flag.Bool("v", false, "print what became of every mutant")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(),
			"mutate [--sample N] [--at PLACE] [--aim PERCENT] [--table FILE] [-v] PACKAGE…\nmutate --picked [--at PLACE] [--aim PERCENT] [-v] [PACKAGE…]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 && !*byHand || *table != "" && (*at != "" || *byHand) || *size != 0 && *byHand {
		flag.Usage()
		os.Exit(2)
	}
	below := false
	if *byHand {
		counts, err := tryPicked(folders(flag.Args()), *at, *verbose)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(2)
		}
		if report(os.Stdout, counts, *aim) {
			os.Exit(1)
		}
		return
	}
	for _, name := range flag.Args() {
		c, err := mutate(name, *size, *at, *verbose)
		if err == nil {
			below = report(os.Stdout, []count{c}, *aim) || below
			if *table != "" {
				err = renewFile(*table, []count{c})
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(2)
		}
	}
	if below {
		os.Exit(1)
	}
}

// folders returns the folders of packages.
func folders(names []string) []string {
	all := slices.Clone(names)
	for i, name := range all {
		all[i] = path.Clean(filepath.ToSlash(name))
	}
	return all
}

// mutate tries mutants of a package, size of them (0: all), as far as their place FILE:LINE contains at. None at
// such a place is an error.
func mutate(name string, size int, at string, verbose bool) (count, error) {
	folder := path.Clean(filepath.ToSlash(name))
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || !filepath.IsLocal(folder) {
		return count{}, fmt.Errorf("%q is no folder here: give a package such as ./core/des", name)
	}
	work, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return count{}, err
	}
	defer os.RemoveAll(work)
	p, err := build(folder, work)
	if err != nil {
		return count{}, err
	}
	for _, place := range p.broken {
		fmt.Fprintln(os.Stderr, "not compiled:", place)
	}
	tests, err := p.tests(work)
	if err != nil {
		return count{}, err
	}
	chosen := sample(p.mutants, size)
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(m mutant) bool {
		return !strings.Contains(fmt.Sprintf("%s:%d", m.file, m.line), at)
	})
	if len(chosen) == 0 {
		return count{}, fmt.Errorf("%s has nothing there that can be mutated", name)
	}
	c, judged := count{folder: folder, all: len(p.mutants)}, judgements()
	began := time.Now()
	for i, m := range chosen {
		o, by := p.try(m, tests)
		c.add(m, o, judged)
		switch {
		case verbose:
			fmt.Println([]string{"killed", "lived", "not covered"}[o], m, by)
		case time.Since(began) > time.Minute:
			began = time.Now()
			fmt.Fprintf(os.Stderr, "%s: %d of %d tried\n", folder, i+1, len(chosen))
		}
	}
	return c, nil
}

// renewFile puts new counts into a table, with the day and the commit.
func renewFile(name string, counts []count) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return errors.Join(errors.New("asking git for the commit"), err)
	}
	stamp := time.Now().UTC().Format(time.DateOnly) + ", " + strings.TrimSpace(string(commit))
	return os.WriteFile(name, []byte(renew(string(text), counts, stamp)), 0o644)
}
