package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/play"
	"parley/core/play/files"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
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

// What run, compare and sweep print of a log is about its jobs: how many of how many, what
// they feel, by size and user; and nothing of memory, idle nodes or classes of load, which
// a log does not have. The three have the same figures.
func TestLogsAreReportedAsJobs(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.swf")
	write(t, log, someLog(300))
	run := shell(t, dir)
	var report struct {
		Jobs struct {
			BoundedSlowdown struct{ Mean float64 } `json:"bounded_slowdown"`
			UtilisationPct  float64                `json:"utilisation_pct"`
			Backfilled      int
		}
		Metrics map[string]float64
		System  map[string]any
		Played  struct{ Jobs, JobsInFiles int }
		Window  struct {
			FromS float64 `json:"from_s"`
		}
	}
	call(t, "", &report, "run", log, "--json")
	if report.Jobs.Backfilled == 0 || report.Window.FromS != 3600 {
		t.Errorf("%d jobs backfilled, means from %v s", report.Jobs.Backfilled, report.Window.FromS)
	}
	if _, has := report.Metrics["idle_pct"]; has || report.System["sta_pct"] != nil {
		t.Errorf("classes of load in a log of jobs: %v, %v", report.Metrics, report.System)
	}
	out, complaints, code := run("parley run log.swf --until 1d12h; parley compare log.swf '#x.policy=fcfs' '#x.policy=easy' --seeds 2 --jobs 1")
	if code != 0 || complaints != "" {
		t.Fatalf("exits with %d and says %q", code, complaints)
	}
	mean := fmt.Sprintf("%.1f", report.Jobs.BoundedSlowdown.Mean)
	for _, want := range []string{
		" of 300 jobs, 1.5 of 7.0 days", "300 of 300 jobs, 7.0 of 7.0 days", "wait [s]", "response [s]", "bounded slowdown (runs of 10 s at least)", "median", "95 % at most", "maximum",
		"utilisation", "makespan", "killed", "backfilled", "\n3-4 ", "\nuser ", "at the end", "means from 1h to 1d12h", "had not ended when the run did",
		"Seeds change nothing here", " policy=easy  difference\n", "\npolicy=easy: '#x.policy=easy'\n", mean, fmt.Sprintf("%.1f", report.Jobs.UtilisationPct),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, alien := range []string{"Idle", "tight", "Memory", "Migra", "tasks", "±"} {
		if strings.Contains(out, alien) {
			t.Errorf("%q in a report of a log:\n%s", alien, out)
		}
	}

	write(t, filepath.Join(dir, "sweep.json"), `{"v":1,"base":{"v":1,"system":"central","settings":{"policy":"easy"}},"axes":{"window.warm_up":["0s","2d"]},"seeds":[0,1],"metrics":["jobs.ended","jobs.bounded_slowdown.mean"]}`)
	out, complaints, code = run("parley sweep log.swf sweep.json --jobs 2")
	if code != 0 || complaints != "" || strings.Contains(out, " [") || !strings.Contains(out, "Seeds change nothing here") || !strings.Contains(out, mean) || !strings.Contains(out, "300 jobs") {
		t.Errorf("exits with %d, says %q, wants %s and prints\n%s", code, complaints, mean, out)
	}
	out, complaints, code = run("parley run log.swf --set window.warm_up=3d --set window.cool_down=20d")
	if code != 1 || !strings.Contains(complaints, "window: 3d of warm-up and 20d of cool-down leave nothing of the 7d") {
		t.Errorf("exits with %d, says %q and prints %q", code, complaints, out)
	}
}

// A log's load is changed by the gaps between its arrivals or by its number of jobs. The
// report names which, and the load that is offered.
func TestLoadIsNamed(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	write(t, log, someLog(300))
	type loaded struct {
		Jobs struct {
			Submitted int
			Offered   float64 `json:"offered_load"`
		}
		Warnings []string
	}
	play := func(args ...string) (r loaded) {
		call(t, "", &r, append([]string{"run", log, "--json"}, args...)...)
		return r
	}
	plain, faster, cloned, thinned := play(), play("--set", "workload.rate=1.25"), play("--set", "workload.scale=1.25"), play("--set", "workload.scale=0.5")
	if ratio := faster.Jobs.Offered / plain.Jobs.Offered; ratio < 1.2499 || ratio > 1.2501 || faster.Jobs.Submitted != 300 {
		t.Errorf("arrivals 1.25 times as fast offer %v times the load with %d jobs", ratio, faster.Jobs.Submitted)
	}
	if cloned.Jobs.Submitted < 340 || thinned.Jobs.Submitted > 180 {
		t.Errorf("%d jobs cloned, %d thinned", cloned.Jobs.Submitted, thinned.Jobs.Submitted)
	}
	for _, c := range []struct {
		of   loaded
		want string
	}{{plain, ""}, {faster, "by the gaps between arrivals: each is divided by 1.25"}, {cloned, "by cloning"}, {thinned, "by thinning"}} {
		if stated := strings.Join(c.of.Warnings, "\n"); strings.Contains(stated, "load changed") != (c.want != "") || !strings.Contains(stated, c.want) {
			t.Errorf("%q does not say %q", stated, c.want)
		}
	}
	for _, load := range []string{"0.5", "0.9"} {
		set := play("--set", "workload.load="+load)
		if got := fmt.Sprintf("%.1f", set.Jobs.Offered); got != load || set.Jobs.Submitted != 300 || !strings.Contains(strings.Join(set.Warnings, "\n"), "the offered load is "+load) {
			t.Errorf("workload.load=%s gives %v with %d jobs: %q", load, set.Jobs.Offered, set.Jobs.Submitted, set.Warnings)
		}
	}
	out, complaints, code := shell(t, t.TempDir())("parley run central-best-fit --until 1m --set workload.rate=2")
	if code != 1 || !strings.Contains(complaints, "workload.rate is about logs of rigid jobs") {
		t.Errorf("exits with %d, says %q and prints %q", code, complaints, out)
	}
}

// With a resample the seeds draw weeks of the log, the same ones for each policy: compare and
// sweep have intervals, and each run ends with its own jobs, as at other loads.
func TestResamplesHaveIntervals(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "log.swf"), someLog(900))
	run := shell(t, dir)
	var all struct {
		Metrics []struct {
			ID             string
			Values, Deltas []struct{ Mean, Spread, Low, High float64 }
		}
		Scenarios []struct{ Digests []string }
	}
	call(t, "", &all, "compare", filepath.Join(dir, "log.swf"), "#x.policy=fcfs", "#x.policy=easy", "--set", "workload.jobs.resample=weeks", "--seeds", "4", "--json")
	if d := all.Scenarios[0].Digests; d[0] == d[1] {
		t.Errorf("two seeds draw one resample: %v", d)
	}
	for _, m := range all.Metrics {
		switch v, d := m.Values, m.Deltas; m.ID {
		case "jobs.offered_load":
			if v[0].Spread == 0 || d[0].Mean != 0 || d[0].Spread != 0 {
				t.Errorf("the policies play other jobs: %+v, difference %+v", v, d)
			}
		case "jobs.wait_s.mean":
			if !(d[0].Low < d[0].Mean && d[0].Mean < d[0].High && d[0].High < 0) || d[0].Mean != v[1].Mean-v[0].Mean && d[0].Spread == 0 {
				t.Errorf("the wait of EASY less that of FCFS is %+v", d[0])
			}
		}
	}

	write(t, filepath.Join(dir, "sweep.json"), `{"v":1,"base":{"v":1,"system":"central","settings":{"policy":"easy"}},"axes":{"workload.rate":[0.5,1,2],"workload.jobs.every":[1,3]},"seeds":[0],"metrics":["jobs.submitted","jobs.ended"]}`)
	text, err := program(t, dir, "sweep", "log.swf", "sweep.json", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Rows []map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		var every int
		var ended struct{ Mean float64 }
		if err := errors.Join(json.Unmarshal(r["workload.jobs.every"], &every), json.Unmarshal(r["jobs.ended"], &ended)); err != nil {
			t.Fatal(err)
		}
		if want := 900 / every; ended.Mean != float64(want) {
			t.Errorf("of %d jobs %v ended: %s", want, ended.Mean, r)
		}
	}
	out, complaints, code := run("parley run log.swf --set workload.jobs.resample=users --seed 7; parley compare log.swf '#x.policy=fcfs' '#x.policy=easy' --set workload.jobs.resample=weeks --seeds 3 --jobs 1")
	for _, want := range []string{"users drawn at random and shifted by whole weeks, with seed 7", "the 95 % interval of the mean difference", " ["} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exits with %d, says %q, and no %q in\n%s", code, complaints, want, out)
		}
	}
	out, complaints, code = run("parley run log.swf --set workload.jobs.resample=weeks --set workload.jobs.block_weeks=9")
	if code != 1 || !strings.Contains(complaints, "weeks in full, and a resample of blocks of 9 weeks needs at least 18") {
		t.Errorf("exits with %d, says %q and prints %q", code, complaints, out)
	}
}

// realLogs are the logs of a folder that PARLEY_TRACES names, and one of someLog.
func realLogs(t *testing.T) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log.swf")
	write(t, log, someLog(300))
	real, err := filepath.Glob(filepath.Join(os.Getenv("PARLEY_TRACES"), "swf", "*.swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return append(real, log)
}

// A log has the same jobs, span, digest and figures from run, compare, sweep and the page,
// whatever runs on the page when the log is dropped.
func TestOneResultEverywhere(t *testing.T) {
	for _, log := range realLogs(t) {
		t.Run(filepath.Base(log), func(t *testing.T) {
			run := oneResult(t, "run", log, "--set", "settings.policy=easy")
			jobs := run["jobs"].(map[string]any)
			slow := jobs["bounded_slowdown"].(map[string]any)["mean"]

			var compared struct {
				Scenarios []struct{ Digests []string }
			}
			call(t, "", &compared, "compare", log, "#x.policy=fcfs", "#x.policy=easy", "--seeds", "1", "--json")
			if got := compared.Scenarios[1].Digests[0]; got != run["digest"] {
				t.Errorf("compare has the digest %s, run %s", got, run["digest"])
			}

			dir := t.TempDir()
			sweep := filepath.Join(dir, "sweep.json")
			write(t, sweep, `{"v":1,"base":{"v":1,"system":"central"},"axes":{"settings.policy":["easy"]},"seeds":[0],"metrics":["jobs.bounded_slowdown.mean","jobs.ended"]}`)
			var table struct {
				Rows []map[string]struct{ Mean float64 }
			}
			text, err := program(t, dir, "sweep", log, sweep, "--json").Output()
			if err != nil {
				t.Fatal(err)
			}
			_ = json.Unmarshal(text, &table) // cells of the axis are texts
			if got := table.Rows[0]["jobs.bounded_slowdown.mean"].Mean; got != slow {
				t.Errorf("sweep: bounded slowdown %v, run %v", got, slow)
			}

			page := onThePage(t, log)
			if got := page.Digest().String(); got != run["digest"] {
				t.Errorf("the page has the digest %s at %v, run %v", got, page.Now(), run["digest"])
			}
			report := page.Report()
			if report.Jobs == nil || float64(report.Jobs.Ended) != jobs["ended"] || report.Jobs.BoundedSlowdown.Mean != slow {
				t.Errorf("the page reports %+v, run %v", report.Jobs, jobs)
			}
		})
	}
}

// onThePage plays a log as the page does that is dropped while a market runs.
func onThePage(t *testing.T, log string) *run.Run {
	t.Helper()
	s, err := scenario.Parse([]byte(`{"v":1,"name":"` + filepath.Base(log) + `","system":"market"}`))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	began, refused := time.Now(), error(nil)
	p := play.New(func() time.Duration { return time.Since(began) }, run.Systems(), files.Reader{}, func(e play.Event) {
		if e.Err != nil {
			refused = e.Err
		}
	})
	p.SetSpeed(0)
	p.Open(play.Opening{Scenario: s, Any: true, Play: true, Once: true, Files: []trace.File{{
		Name: filepath.Base(log), Size: int64(len(content)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}}})
	for p.Run() == nil || !p.Run().Done() {
		p.Slice(100 * time.Millisecond)
		if refused != nil {
			t.Fatal(refused)
		}
	}
	return p.Run()
}
