package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"parley/tools/check/tally"
)

// progress prints a line at the beginning and the end of a step, and failures as soon as they are known.
// On a terminal its last line names the running steps.
type progress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	now      func() time.Time
	running  []run
	failures []string // the first line of each, for the end
}

// run is a step that is running.
type run struct {
	name  string
	since time.Time
}

func (p *progress) begin(s step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, run{s.name, p.now()})
	p.print(fmt.Sprintf("begin %-12s %s\n", s.name, s.about))
}

func (p *progress) failure(s step, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, s.name+": "+headline(text))
	p.print(fmt.Sprintf("FAIL  %-12s\n%s", s.name, indent(text)))
}

func (p *progress) end(o outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(r run) bool { return r.name == o.step.name })
	word := "ok"
	switch {
	case o.skipped != "":
		p.print(fmt.Sprintf("skip  %-12s %s\n", o.step.name, o.skipped))
		return
	case o.counts.Failed > 0:
		word = "FAIL"
	}
	p.print(fmt.Sprintf("%-5s %-12s %6.1f s, %.1f of processor time, %s\n%s",
		word, o.step.name, o.took.Seconds(), o.cpu.Seconds(), counted(o), indent(o.report)))
}

// counted returns the number of a step's tests in words.
func counted(o outcome) string {
	tests := o.step.tests()
	if !tests {
		return plural(1, "check")
	}
	text := plural(o.counts.Passed+o.counts.Failed, "test")
	if o.counts.Failed > 0 {
		text += fmt.Sprintf(", %d failed", o.counts.Failed)
	}
	if o.counts.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped", o.counts.Skipped)
	}
	return text
}

// tests reports whether the step runs tests that are counted one by one.
func (s step) tests() bool {
	return slices.ContainsFunc(s.commands, func(c command) bool { return c.read == goTests || c.read == nodeTests })
}

// tick renews the line of running steps.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print("")
}

// print writes text above the line of running steps. Output that cannot be written,
// to a closed pipe, is lost: the exit status remains.
func (p *progress) print(text string) {
	if !p.terminal {
		fmt.Fprint(p.out, text)
		return
	}
	var parts []string
	for _, r := range p.running {
		parts = append(parts, fmt.Sprintf("%s %s", r.name, p.now().Sub(r.since).Round(time.Second)))
	}
	const clear = "\r\x1b[K"
	fmt.Fprint(p.out, clear+text+strings.Join(parts, " · "))
}

// headline returns the line of a failure's text that names it best: the first that
// does not repeat the command.
func headline(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "$ ") {
			return line
		}
	}
	return "no output"
}

func indent(text string) string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return "      " + strings.ReplaceAll(text, "\n", "\n      ") + "\n"
}

// summarise ends the report: a table of the steps, the skipped checks, the failures by name and the
// counts. The last line is for machines too.
func summarise(out io.Writer, outcomes []outcome, failures []string, verified bool, took time.Duration) error {
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "check\tpassed\tfailed\tskipped\tseconds\tof processor\t")
	var cpu time.Duration
	for _, o := range outcomes {
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
		long := 0
		for _, skip := range o.skips {
			if strings.Contains(skip, ": -short: ") {
				long++
				continue
			}
			fmt.Fprintf(out, "skipped: %s: %s\n", o.step.name, skip)
		}
		if long > 0 && o.step.where == "" {
			fmt.Fprintf(out, "skipped: %s: %s left to make verify\n", o.step.name, plural(long, "test"))
		}
	}
	for _, failure := range failures {
		fmt.Fprintf(out, "failed: %s\n", failure)
	}
	if verified {
		slowest(out, outcomes)
		proven(out, outcomes)
	}
	sentence, total := totals(outcomes)
	fmt.Fprintf(out, "%s\n%.0f seconds, %.0f of processor time\n%d passed, %d failed\n",
		sentence, took.Seconds(), cpu.Seconds(), total.Passed, total.Failed)
	if total.Failed > 0 {
		return errFailed
	}
	return nil
}

// slowest lists the ten Go tests that took the longest, where something is to be gained.
func slowest(out io.Writer, outcomes []outcome) {
	type slow struct {
		tally.Time
		step string
	}
	var all []slow
	for _, o := range outcomes {
		for _, t := range o.times {
			all = append(all, slow{t, o.step.name})
		}
	}
	slices.SortStableFunc(all, func(a, b slow) int { return cmp.Compare(b.Seconds, a.Seconds) })
	fmt.Fprintln(out, "Slowest tests, in seconds:")
	for _, s := range all[:min(10, len(all))] {
		fmt.Fprintf(out, "%6.0f  %s: %s\n", s.Seconds, s.step, s.Name)
	}
	fmt.Fprintln(out)
}

// proven lists the statements that the passed steps prove.
func proven(out io.Writer, outcomes []outcome) {
	fmt.Fprintln(out, "Proven:")
	for _, o := range outcomes {
		if o.step.proves != "" && o.skipped == "" && o.counts.Failed == 0 {
			fmt.Fprintf(out, "- %s\n", o.step.proves)
		}
	}
	fmt.Fprintln(out)
}

// totals counts each test once, even if it ran in several environments, and returns the result as a
// sentence too.
func totals(outcomes []outcome) (sentence string, total tally.Counts) {
	native := map[string]bool{}
	for _, o := range outcomes {
		if o.step.where == "" {
			for _, name := range o.names {
				native[name] = true
			}
		}
	}
	parts := []string{plural(len(native), "Go test") + " on this machine"}
	total.Passed = len(native)
	checks := 0
	for _, o := range outcomes {
		total.Failed += o.counts.Failed
		total.Skipped += o.counts.Skipped
		switch {
		case o.skipped != "":
		case !o.step.tests():
			checks += o.counts.Passed
		case o.step.where != "":
			also := 0
			for _, name := range o.names {
				if native[name] {
					also++
				}
			}
			parts = append(parts, fmt.Sprintf("%s of them also %s", grouped(also), o.step.where))
			total.Passed += len(o.names) - also
		case len(o.names) == 0:
			parts = append(parts, fmt.Sprintf("%s of %q", plural(o.counts.Passed, "test"), o.step.name))
			total.Passed += o.counts.Passed
		}
	}
	total.Passed += checks
	parts = append(parts, plural(checks, "other check"))
	return strings.Join(parts, "; "), total
}

// plural returns a count of at least 0 with its noun: "1 test", "1,204 tests".
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// grouped returns a count of at least 0 with a comma before each three digits.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
