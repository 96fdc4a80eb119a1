// Command mutate asks how good the tests of a package are: it changes one
// operator of the code at a time (gremlins does) and runs the package's own
// quick tests. A change that no test notices has lived.
//
//	go run ./tools/mutate ./core/des
//	go run ./tools/mutate --table docs/mutation.md ./core/system/yield
//
// A folder stands for all packages in it. It exits with 0 when every package
// reaches the aim, 1 when one does not, and 2 when gremlins or the tests did not
// run at all.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// gremlins by exact version: 0.5.1 does not match its checksum.
const gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.5.0"

func main() {
	workers := flag.Int("workers", 1, "how many `mutants` are tested at once")
	aim := flag.Float64("aim", 95, "`percent` of the mutants that tests must kill")
	table := flag.String("table", "", "a Markdown `file` whose rows are renewed")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "mutate [--workers N] [--aim PERCENT] [--table FILE] FOLDER…")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	below := false
	for _, name := range flag.Args() {
		counts, err := mutate(name, *workers)
		if err == nil {
			below = report(os.Stdout, counts, *aim) || below
			if *table != "" {
				err = renewFile(*table, counts)
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

// mutate runs gremlins on a folder. It works on a copy: the checkout is not
// touched.
func mutate(name string, workers int) ([]count, error) {
	folder := path.Clean(filepath.ToSlash(name))
	for _, all := range []string{"/...", "/…"} {
		folder = strings.TrimSuffix(folder, all)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || !filepath.IsLocal(folder) {
		return nil, fmt.Errorf("%q is no folder here: give a package such as ./core/des", name)
	}
	out, err := os.CreateTemp("", "mutate-*.json")
	if err != nil {
		return nil, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd := exec.Command("go", "run", gremlins, "unleash", "./"+folder,
		"--workers", fmt.Sprint(workers), "--timeout-coefficient", "5", "--output", out.Name())
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -vet=off -short"))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: gremlins did not finish: %w; the tests must pass without a mutant first", name, err)
	}
	document, err := io.ReadAll(out)
	if err != nil {
		return nil, err
	}
	var found findings
	if err := json.Unmarshal(document, &found); err != nil {
		return nil, fmt.Errorf("%s: reading what gremlins wrote: %w", name, err)
	}
	counts, err := found.count(folder, os.ReadFile)
	if err == nil && len(counts) == 0 {
		err = fmt.Errorf("%s has nothing that can be mutated", name)
	}
	return counts, err
}

// renewFile puts new counts into a table, with the day and the commit.
func renewFile(name string, counts []count) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("asking git for the commit: %w", err)
	}
	stamp := time.Now().UTC().Format(time.DateOnly) + ", " + strings.TrimSpace(string(commit))
	return os.WriteFile(name, []byte(renew(string(text), counts, stamp)), 0o644)
}
