// Command fuzz runs all fuzz targets in turn and keeps the inputs that it finds, so that each run
// continues the previous one.
//
//	go run ./tools/fuzz --minutes 60
//
// Inputs that reach code which no other one reached go to testdata/fuzz of their package, the shortest
// first and a limited number, where go test plays them. An input that fails is there as well, and the
// command ends with 1.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits of the inputs kept for a target.
const (
	maxKept  = 40   // inputs
	maxBytes = 2048 // of one of them, as a file
)

// target is a fuzz test.
type target struct{ dir, name string }

var declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// targetsIn finds the fuzz tests below a folder.
func targetsIn(root string) (all []target, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "node_modules" || d.Name() == "testdata" ||
			strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			all = append(all, target{filepath.Dir(path), string(m[1])})
		}
		return err
	})
	return all, err
}

// keep copies inputs from the cache to the package: the shortest first, as long as there is room. It
// returns the number of new ones and of all.
func keep(cache, corpus string) (added, kept int, err error) {
	have := map[string]bool{}
	entries, err := os.ReadDir(corpus)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(corpus, e.Name()))
		if err != nil {
			return 0, 0, err
		}
		have[string(text)] = true
	}
	kept = len(entries)
	found, err := os.ReadDir(cache)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, kept, nil
	} else if err != nil {
		return 0, kept, err
	}
	type input struct {
		name string
		text []byte
	}
	var fresh []input
	for _, e := range found {
		text, err := os.ReadFile(filepath.Join(cache, e.Name()))
		if err != nil {
			return 0, kept, err
		}
		if len(text) <= maxBytes && !have[string(text)] {
			fresh = append(fresh, input{e.Name(), text})
		}
	}
	slices.SortFunc(fresh, func(a, b input) int {
		return cmp.Or(cmp.Compare(len(a.text), len(b.text)), bytes.Compare(a.text, b.text))
	})
	for _, one := range fresh[:min(len(fresh), max(0, maxKept-kept))] {
		if err := os.MkdirAll(corpus, 0o755); err != nil {
			return added, kept, err
		}
		if err := os.WriteFile(filepath.Join(corpus, one.name), one.text, 0o644); err != nil {
			return added, kept, err
		}
		added, kept = added+1, kept+1
	}
	return added, kept, nil
}

// run fuzzes each target for its share of the time and moves the inputs that reach new code to the corpus. It fails
// at the end if a target did.
func run() error {
	minutes := flag.Float64("minutes", 60, "how long all targets take together")
	only := flag.String("only", "", "targets whose package and name contain this")
	flag.Parse()
	all, err := targetsIn(".")
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(t target) bool { return !strings.Contains(t.dir+"."+t.name, *only) })
	if len(all) == 0 || !(*minutes > 0) {
		return fmt.Errorf("there is nothing to do: %d targets in %v minutes", len(all), *minutes)
	}
	home, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	share := max(time.Second, time.Duration(*minutes*float64(time.Minute))/time.Duration(len(all)))
	failed := 0
	for _, t := range all {
		began := time.Now()
		cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", share.String(),
			"-fuzzminimizetime", "100x", "-timeout", (2*share + 10*time.Minute).String(), "./"+filepath.ToSlash(t.dir))
		text, wrong := cmd.CombinedOutput()
		path, err := exec.Command("go", "list", "./"+filepath.ToSlash(t.dir)).Output()
		if err != nil {
			return err
		}
		cache := filepath.Join(strings.TrimSpace(string(home)),
			"fuzz", filepath.FromSlash(strings.TrimSpace(string(path))), t.name)
		added, kept, err := keep(cache, filepath.Join(t.dir, "testdata", "fuzz", t.name))
		if err != nil {
			return err
		}
		verdict := "ok"
		if wrong != nil {
			failed++
			verdict = "FAILS"
		}
		fmt.Printf("%-40s %-14s %-6s %3.0f s, %d new inputs of %d\n", t.dir, t.name,
			verdict, time.Since(began).Seconds(), added, kept)
		if wrong != nil {
			fmt.Printf("%s\n", text)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d targets fail", failed, len(all))
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}
