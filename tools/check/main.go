// Command check runs every check of the project, several at the same time, and
// ends with a table and the plain line "N passed, N failed": the tests of Go and
// of Node, counted one by one in each environment they run in, and one for each
// check that is no test. It exits with 1 when anything failed.
//
//	go run ./tools/check
//	go run ./tools/check --only "go,vet"
//	go run ./tools/check --fix
//
// A check whose programs are not installed says that it is skipped; with CI in
// the environment it fails. What failed is shown in full when it ends.
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
	"text/tabwriter"
	"time"

	"parley/tools/check/tally"
)

func main() {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	only := flags.String("only", "", "the `names` of checks to run, with commas between; --list shows them")
	list := flags.Bool("list", false, "list the checks and end")
	fix := flags.Bool("fix", false, "rewrite the Go files in the one format and end")
	jobs := flags.Int("jobs", min(max(runtime.NumCPU(), 1), 4), "how many checks run at the same time")
	if err := flags.Parse(os.Args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		os.Exit(2)
	}
	if flags.NArg() > 0 || *jobs < 1 {
		fmt.Fprintln(os.Stderr, "check: there are no arguments besides flags, and --jobs is at least 1; see --help")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := check(ctx, os.Stdout, *only, *list, *fix, *jobs)
	if err != nil && !errors.Is(err, errFailed) {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

// errFailed says that checks failed, which the report has told already.
var errFailed = errors.New("not everything passed")

func check(ctx context.Context, out io.Writer, only string, list, fix bool, jobs int) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	h, err := survey(root)
	if err != nil {
		return err
	}
	if fix {
		return h.fix(ctx)
	}
	steps, err := choose(h.steps(), only)
	if err != nil {
		return err
	}
	if list {
		for _, s := range steps {
			fmt.Fprintf(out, "%-12s %s\n", s.name, s.about)
		}
		return nil
	}
	started := time.Now()
	var outcomes []outcome
	schedule(ctx, root, steps, jobs, os.Getenv("CI") != "", func(o outcome) {
		outcomes = append(outcomes, o)
		show(out, o)
	})
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return summarise(out, outcomes, time.Since(started))
}

// choose keeps the steps that are asked for.
func choose(steps []step, only string) ([]step, error) {
	if only == "" {
		return steps, nil
	}
	var chosen []step
	for name := range strings.SplitSeq(only, ",") {
		at := slices.IndexFunc(steps, func(s step) bool { return s.name == strings.TrimSpace(name) })
		if at < 0 {
			return nil, fmt.Errorf("there is no check %q; --list shows them", name)
		}
		chosen = append(chosen, steps[at])
	}
	return chosen, nil
}

// fix rewrites the Go files in the one format.
func (h house) fix(ctx context.Context) error {
	format := command{args: append([]string{h.tool(gofumpt), "-l", "-w"}, goDirectories...)}
	o := step{commands: append(h.install(gofumpt), format)}.run(ctx, h.root)
	if o.counts.Failed > 0 {
		return errors.New(o.output)
	}
	fmt.Print(o.output)
	return nil
}

// show tells how a step ended, with the whole of what explains a failure.
func show(out io.Writer, o outcome) {
	switch {
	case o.skipped != "":
		fmt.Fprintf(out, "skip  %-12s %s\n", o.step.name, o.skipped)
	case o.counts.Failed > 0:
		fmt.Fprintf(out, "FAIL  %-12s %6.1f s\n%s\n", o.step.name, o.took.Seconds(), indent(o.output))
	default:
		fmt.Fprintf(out, "ok    %-12s %6.1f s\n%s", o.step.name, o.took.Seconds(), indent(o.output))
	}
}

func indent(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return "      " + strings.ReplaceAll(text, "\n", "\n      ") + "\n"
}

// summarise ends the report; the last line is for machines too.
func summarise(out io.Writer, outcomes []outcome, took time.Duration) error {
	var total tally.Counts
	var cpu time.Duration
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "check\tpassed\tfailed\tskipped\tseconds\tof CPU\t")
	for _, o := range outcomes {
		total = total.Add(o.counts)
		cpu += o.cpu
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f\t%.1f\t\n",
			o.step.name, o.counts.Passed, o.counts.Failed, o.counts.Skipped, o.took.Seconds(), o.cpu.Seconds())
	}
	w.Flush()
	fmt.Fprintln(out)
	for _, o := range outcomes {
		if o.skipped != "" {
			fmt.Fprintf(out, "skipped: %s: %s\n", o.step.name, o.skipped)
		}
		for _, skip := range o.skips {
			fmt.Fprintf(out, "skipped: %s: %s\n", o.step.name, skip)
		}
	}
	fmt.Fprintf(out, "%.0f seconds, %.0f of CPU\n%d passed, %d failed\n", took.Seconds(), cpu.Seconds(), total.Passed, total.Failed)
	if total.Failed > 0 {
		return errFailed
	}
	return nil
}
