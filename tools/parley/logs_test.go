package main_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// someLog is a log of rigid jobs on 16 processors over some days, the same each time: users
// submit in bursts, so that a queue forms and jobs pass others.
func someLog(jobs int) string {
	var b strings.Builder
	b.WriteString("; MaxProcs: 16\n; MaxNodes: 16\n")
	seed, at := uint32(1), 3600
	next := func(n uint32) int {
		seed = seed*1664525 + 1013904223
		return int((seed >> 8) % n)
	}
	for i := range jobs {
		if next(4) == 0 {
			at += 600 + next(12000)
		}
		run := 1 + next(7200)
		fmt.Fprintf(&b, "%d %d -1 %d %d -1 -1 %d %d -1 1 %d 1 -1 1 -1 -1 -1\n", i+1, at, run, 1<<next(5), -1, run+next(3600), 1+next(3))
	}
	return b.String()
}

// oneResult is what a run of a log comes to, without what a spelling may change.
func oneResult(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var report map[string]any
	call(t, "", &report, append(args, "--json")...)
	for _, name := range []string{"wall_s", "speedup", "warnings"} {
		delete(report, name)
	}
	return report
}

// With files of a trace only what was written for this run counts: nothing of a scenario
// of the gallery leaks into it, and each spelling of a run has the same result, from run,
// compare and sweep.
func TestFilesCountAlone(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.swf")
	write(t, log, someLog(300))
	text := func(report map[string]any) string {
		all, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	first := oneResult(t, "run", log, "--system", "central", "--set", "settings.policy=easy")
	jobs := first["jobs"].(map[string]any)
	if jobs["submitted"] != 300.0 || jobs["ended"] != 300.0 {
		t.Fatalf("300 jobs are in the log: %v came and %v ended", jobs["submitted"], jobs["ended"])
	}
	for _, args := range [][]string{
		{"run", "#sys=central&x.policy=easy", "--trace", log},
		{"run", "#x.policy=easy", "--trace", log},
		{"run", "google-cell", "--system", "central", "--set", "settings.policy=easy", "--trace", log},
		{"run", "#s=google-cell&sys=central&x.policy=easy", "--trace", log},
		{"run", log, "--set", "settings.policy=easy"},
	} {
		if again := oneResult(t, args...); text(again) != text(first) {
			t.Errorf("%q:\n%s\nand not\n%s", args, text(again), text(first))
		}
	}

	var all struct {
		Scenarios []struct{ Digests []string }
	}
	call(t, "", &all, "compare", log, "#x.policy=fcfs", "#sys=central&x.policy=easy", "--seeds", "1", "--json")
	if got := all.Scenarios[1].Digests[0]; got != first["digest"] {
		t.Errorf("compare plays easy with the digest %s, run %s", got, first["digest"])
	}

	sweep := filepath.Join(dir, "sweep.json")
	for _, base := range []string{`"google-cell"`, `{"v":1,"system":"central"}`} {
		write(t, sweep, `{"v":1,"base":`+base+`,"axes":{"system":["central"],"settings.policy":["easy"]},"seeds":[0],"metrics":["jobs.bounded_slowdown.mean","jobs.ended"]}`)
		if base == `"google-cell"` {
			write(t, sweep, `{"v":1,"base":"central-best-fit","axes":{"settings.policy":["easy"]},"seeds":[0],"metrics":["jobs.bounded_slowdown.mean","jobs.ended"]}`)
		}
		var table struct {
			Rows []map[string]any
		}
		text, err := program(t, dir, "sweep", log, sweep, "--json").Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &table); err != nil {
			t.Fatal(err)
		}
		slow := table.Rows[0]["jobs.bounded_slowdown.mean"].(map[string]any)["mean"]
		if want := jobs["bounded_slowdown"].(map[string]any)["mean"]; slow != want {
			t.Errorf("sweep from %s: bounded slowdown %v, run %v", base, slow, want)
		}
	}
}

// A scenario of the gallery beside files is named with what of it does not count.
func TestGalleryBesideFiles(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	write(t, log, someLog(20))
	var report struct {
		Warnings []string
		Scenario map[string]any
	}
	call(t, "", &report, "run", "google-cell", "--system", "central", "--trace", log, "--json")
	if !strings.Contains(strings.Join(report.Warnings, "\n"), "only the system and its settings count") {
		t.Errorf("nothing says what of google-cell counts: %q", report.Warnings)
	}
	if report.Scenario["name"] != "log.swf" || report.Scenario["faults"] != nil || report.Scenario["seed"] != nil {
		t.Errorf("the scenario is %v", report.Scenario)
	}
}
