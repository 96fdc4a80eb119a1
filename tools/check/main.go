// Command check runs the checks of the project, several at the same time. Without flags it runs
// those of make test: the checks that a change is most likely to break. With --verify it runs all of
// them, and ends with a statement of the result.
//
//	go run ./tools/check
//	go run ./tools/check --verify
//	go run ./tools/check --since main
//	go run ./tools/check --only "go,vet"
//	go run ./tools/check --fix
//
// A line is printed when a check begins and when it ends; a failure is printed as soon as it is
// known. The last line is "N passed, N failed"; a test counts once even if it ran in several
// environments. A check whose programs are not installed is skipped, with a line about it; with CI
// in the environment it fails. The exit status is 1 if anything failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	only, since       string
	list, fix, verify bool
	jobs              int
}

func main() {
	var o options
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.BoolVar(&o.verify, "verify", false, "run every check, as before a release")
	flags.StringVar(&o.only, "only", "", "the `names` of checks to run, separated by commas; --list shows them")
	flags.StringVar(&o.since, "since", "", "check only what the files changed since this `revision` of git reach")
	flags.BoolVar(&o.list, "list", false, "list the checks and end")
	flags.BoolVar(&o.fix, "fix", false, "format all Go, TypeScript and CSS files and end")
	flags.IntVar(&o.jobs, "jobs", min(max(runtime.NumCPU(), 1), 4), "how many checks run at the same time")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		os.Exit(2)
	}
	if flags.NArg() > 0 || o.jobs < 1 {
		fmt.Fprintln(os.Stderr, "check: there are no arguments besides flags, and --jobs is at least 1; see --help")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := check(ctx, os.Stdout, o)
	if err != nil && !errors.Is(err, errFailed) {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

// errFailed reports that checks failed, which the report has printed already.
var errFailed = errors.New("not everything passed")

// check chooses the steps by the options, runs them side by side and prints what became of each. It returns
// errFailed if one failed.
func check(ctx context.Context, out io.Writer, o options) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	h, err := survey(root, o.since)
	if err != nil {
		return err
	}
	if o.fix {
		return h.fix(ctx)
	}
	steps, err := choose(h.steps(o.verify), h.steps(!o.verify), o.only)
	if err != nil {
		return err
	}
	if o.list {
		for _, s := range steps {
			fmt.Fprintf(out, "%-12s %s\n", s.name, s.about)
		}
		return nil
	}
	started := time.Now()
	p := &progress{out: out, terminal: terminal(out), now: time.Now}
	if p.terminal {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		go func() {
			for {
				select {
				case <-ticker.C:
					p.tick()
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	outcomes := schedule(ctx, root, steps, o.jobs, os.Getenv("CI") != "", p)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if line := commits(ctx, root); line != "" {
		fmt.Fprintln(out, line)
	}
	return summarise(out, outcomes, p.failures, o.verify, time.Since(started))
}

// terminal reports whether out is a terminal that can rewrite a line.
func terminal(out io.Writer) bool {
	f, is := out.(*os.File)
	if !is || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// choose returns the named steps, or all if none is named. A step that belongs to the
// other command only is found there.
func choose(steps, others []step, only string) ([]step, error) {
	if only == "" {
		return steps, nil
	}
	var chosen []step
	for name := range strings.SplitSeq(only, ",") {
		named := func(s step) bool { return s.name == strings.TrimSpace(name) }
		if at := slices.IndexFunc(steps, named); at >= 0 {
			chosen = append(chosen, steps[at])
		} else if at := slices.IndexFunc(others, named); at >= 0 {
			chosen = append(chosen, others[at])
		} else {
			return nil, fmt.Errorf("there is no check %q; --list and --verify --list show them", name)
		}
	}
	return chosen, nil
}

// fix formats the Go files, and the files of the site if npm has installed its formatter.
func (h house) fix(ctx context.Context) error {
	commands := append(h.install(gofumpt),
		command{args: append([]string{h.tool(gofumpt), "-l", "-w"}, goDirectories...)})
	if _, err := os.Stat(filepath.Join(h.root, "site", "node_modules")); err == nil {
		commands = append(commands, command{dir: "site", args: []string{"npm", "run", "--silent", "format"}})
	}
	var failures string
	o := step{commands: commands}.run(ctx, h.root, func(text string) { failures += text })
	if o.counts.Failed > 0 {
		return errors.New(failures)
	}
	fmt.Print(o.report)
	return nil
}
