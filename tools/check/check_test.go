package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/tools/check/tally"
)

// TestMain makes the test program stand in for the programs of the checks: with
// SAY it prints that, with STATUS it fails, with SLEEP it takes a moment.
func TestMain(m *testing.M) {
	if report, stands := os.LookupEnv("SAY"); stands {
		fmt.Print(report)
		if os.Getenv("SLEEP") != "" {
			time.Sleep(30 * time.Millisecond)
		}
		if os.Getenv("STATUS") != "" {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func says(read reading, text string, env ...string) command {
	return command{env: append(env, "SAY="+text), args: []string{os.Args[0]}, read: read}
}

func fails(read reading, text string) command { return says(read, text, "STATUS=1") }

func TestOutcomeOfEachReading(t *testing.T) {
	const goPass = `{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Package":"p","Test":"T"}` + "\n"
	for name, c := range map[string]struct {
		commands []command
		want     tally.Counts
		output   string // part of it
	}{
		"status":             {[]command{says(status, "table")}, tally.Counts{Passed: 1}, "table"},
		"two commands":       {[]command{says(status, ""), says(status, "")}, tally.Counts{Passed: 1}, ""},
		"failed status":      {[]command{fails(status, "boom")}, tally.Counts{Failed: 1}, "boom"},
		"stops at the first": {[]command{fails(status, "boom"), fails(status, "")}, tally.Counts{Failed: 1}, "boom"},
		"silence":            {[]command{says(silence, "")}, tally.Counts{Passed: 1}, ""},
		"broken silence":     {[]command{says(silence, "a.go\n")}, tally.Counts{Failed: 1}, "a.go"},
		"go tests":           {[]command{says(goTests, goPass)}, tally.Counts{Passed: 1}, ""},
		"go fails to start":  {[]command{fails(goTests, "no such package")}, tally.Counts{Failed: 1}, "no such package"},
		"node tests":         {[]command{says(nodeTests, "# pass 7\n# fail 0\n# skipped 1\n")}, tally.Counts{Passed: 7, Skipped: 1}, ""},
		"node fails":         {[]command{fails(nodeTests, "# pass 7\n# fail 2\n")}, tally.Counts{Passed: 7, Failed: 2}, "# fail 2"},
		"node dies":          {[]command{fails(nodeTests, "# pass 7\n# fail 0\n")}, tally.Counts{Passed: 7, Failed: 1}, "(exit status 1)"},
		"node without tests": {[]command{says(nodeTests, "")}, tally.Counts{Failed: 1}, "it ran no test"},
		"no program":         {[]command{{args: []string{"no-such-program-anywhere"}}}, tally.Counts{Failed: 1}, "no-such-program-anywhere"},
	} {
		var failures string
		o := step{name: name, commands: c.commands}.run(context.Background(), ".", func(text string) { failures += text })
		if o.counts != c.want || !strings.Contains(o.report+failures, c.output) {
			t.Errorf("%s: %+v, %q, %q; want %+v, %q", name, o.counts, o.report, failures, c.want, c.output)
		}
		if (c.want.Failed > 0) != (failures != "") {
			t.Errorf("%s: the failures are reported as %q", name, failures)
		}
	}
}

// watched keeps what a schedule reports.
type watched struct {
	mu    sync.Mutex
	lines []string
	ended map[string]outcome
}

func (w *watched) line(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *watched) begin(s step)                { w.line("begin %s", s.name) }
func (w *watched) failure(s step, text string) { w.line("failure %s: %s", s.name, text) }
func (w *watched) end(o outcome) {
	w.line("end %s", o.step.name)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = map[string]outcome{}
	}
	w.ended[o.step.name] = o
}

func TestScheduleOrdersAndSkips(t *testing.T) {
	steps := []step{
		{name: "late", after: "page", commands: []command{says(status, "")}},
		{name: "page", commands: []command{fails(status, "")}},
		{name: "lacking", needs: []string{"no-such-program-anywhere"}},
		{name: "unable", unable: "no such processor"},
		{name: "free", after: "not asked for", commands: []command{says(status, "")}},
	}
	for _, strict := range []bool{false, true} {
		var w watched
		schedule(context.Background(), ".", steps, 2, strict, &w)
		got := w.ended
		if len(got) != len(steps) {
			t.Fatalf("%d of %d steps ended", len(got), len(steps))
		}
		if !strings.Contains(got["late"].skipped, `"page", which did not pass`) {
			t.Errorf("late: %+v; want it skipped after the failed page", got["late"])
		}
		if (got["lacking"].skipped == "") != strict || got["lacking"].counts.Failed > 0 != strict {
			t.Errorf("strict %v: lacking %+v; want skipped, and failed in strict mode", strict, got["lacking"])
		}
		if got["unable"].skipped != "no such processor" {
			t.Errorf("unable: %+v", got["unable"])
		}
		if got["free"].counts.Passed != 1 {
			t.Errorf("free: %+v; want it run, nobody asked for what it follows", got["free"])
		}
	}
}

// A step that measures runs while nothing else does.
func TestScheduleLeavesAStepAlone(t *testing.T) {
	var steps []step
	for i := range 6 {
		steps = append(steps, step{name: fmt.Sprint(i), alone: i%2 == 0, commands: []command{says(status, "", "SLEEP=1")}})
	}
	var w watched
	if outcomes := schedule(context.Background(), ".", steps, 4, false, &w); len(outcomes) != len(steps) {
		t.Fatalf("%d of %d steps ended", len(outcomes), len(steps))
	}
	running := map[string]bool{}
	for _, line := range w.lines {
		word, name, _ := strings.Cut(line, " ")
		if word == "end" {
			delete(running, name)
			continue
		}
		running[name] = true
		at, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(running) > 1 && (at%2 == 0 || running["0"] || running["2"] || running["4"]) {
			t.Errorf("%s began while %v ran", name, running)
		}
	}
}

// A failure is reported when it happens and not when its step ends.
func TestFailuresAreReportedAtOnce(t *testing.T) {
	const failed = `{"Action":"run","Package":"p","Test":"T"}` + "\n" + `{"Action":"fail","Package":"p","Test":"T"}` + "\n"
	var w watched
	schedule(context.Background(), ".", []step{{name: "go", commands: []command{fails(goTests, failed)}}}, 1, false, &w)
	if len(w.lines) != 3 || w.lines[0] != "begin go" || !strings.Contains(w.lines[1], "--- p T") || w.lines[2] != "end go" {
		t.Errorf("reported %q", w.lines)
	}
}

func TestReportEndsWithTheTotals(t *testing.T) {
	tests := []command{{read: goTests}}
	outcomes := []outcome{
		{
			step: step{name: "go", commands: tests, proves: "every test passes"}, counts: tally.Counts{Passed: 3, Failed: 1, Skipped: 1},
			names: []string{"x A", "x B", "y A"}, times: []tally.Time{{Name: "x A", Seconds: 2}, {Name: "x B", Seconds: 31}}, skips: []string{"parley/x TestY: no traces", "parley/x TestL: -short: takes minutes"},
		},
		{step: step{name: "wasm", commands: tests, where: "under WebAssembly", proves: "the bits agree"}, counts: tally.Counts{Passed: 2}, names: []string{"x A", "x B"}},
		{step: step{name: "browser"}, skipped: "the program \"chromium\" is not installed"},
		{step: step{name: "unit", commands: []command{{read: nodeTests}}}, counts: tally.Counts{Passed: 2}},
		{step: step{name: "vet"}, counts: tally.Counts{Passed: 1}},
	}
	var out bytes.Buffer
	err := summarise(&out, outcomes, []string{"go: --- parley/x TestZ"}, true, time.Second)
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if !errors.Is(err, errFailed) || lines[len(lines)-1] != "6 passed, 1 failed" {
		t.Errorf("%v, last line %q; want an error and the totals", err, lines[len(lines)-1])
	}
	for _, want := range []string{
		"skipped: go: parley/x TestY: no traces", "skipped: go: 1 test left to make verify", `skipped: browser: the program "chromium" is not installed`,
		"failed: go: --- parley/x TestZ", "- the bits agree", "    31  go: x B",
		`3 Go tests on this machine; 2 of them also under WebAssembly; 2 tests of "unit"; 1 other check`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "every test passes") {
		t.Errorf("a failed step proves nothing:\n%s", out.String())
	}
	if err := summarise(&out, outcomes[1:], nil, false, time.Second); err != nil {
		t.Errorf("nothing failed: %v", err)
	}
}

// All counts of the report are written alike.
func TestCountsAreGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0 tests", 1: "1 test", 2: "2 tests", 999: "999 tests", 1000: "1,000 tests", 1_204_007: "1,204,007 tests"} {
		if got := plural(n, "test"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	names := make([]string, 1090)
	for i := range names {
		names[i] = fmt.Sprint("x ", i)
	}
	tests := []command{{read: goTests}}
	sentence, _ := totals([]outcome{{step: step{name: "go", commands: tests}, names: names}, {step: step{name: "wasm", commands: tests, where: "under WebAssembly"}, names: names}})
	if want := "1,090 Go tests on this machine; 1,090 of them also under WebAssembly; 0 other checks"; sentence != want {
		t.Errorf("%q, want %q", sentence, want)
	}
}

// A terminal has a line of the running steps below what was printed.
func TestProgress(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		clock := time.Unix(0, 0)
		var out bytes.Buffer
		p := &progress{out: &out, terminal: terminal, now: func() time.Time { return clock }}
		s := step{name: "go", about: "tests", commands: []command{{read: goTests}}}
		p.begin(s)
		clock = clock.Add(90 * time.Second)
		p.failure(s, "$ go test\n--- p T\nwrong\n")
		p.end(outcome{step: s, counts: tally.Counts{Passed: 1_203, Failed: 1}, took: 90 * time.Second, cpu: time.Minute})
		p.tick()
		want := "begin go           tests\nFAIL  go          \n      $ go test\n      --- p T\n      wrong\nFAIL  go             90.0 s, 60.0 of processor time, 1,204 tests, 1 failed\n"
		if terminal {
			want = "\r\x1b[Kbegin go           tests\ngo 0s\r\x1b[KFAIL  go          \n      $ go test\n      --- p T\n      wrong\ngo 1m30s" +
				"\r\x1b[KFAIL  go             90.0 s, 60.0 of processor time, 1,204 tests, 1 failed\n\r\x1b[K"
		}
		if out.String() != want {
			t.Errorf("terminal %v: printed\n%q\nwant\n%q", terminal, out.String(), want)
		}
		if !slices.Equal(p.failures, []string{"go: --- p T"}) {
			t.Errorf("failures %q", p.failures)
		}
	}
}

// What a change reaches is its package, those made of it or tested with it, the package
// that reads all sources, and the page where it is of the page.
func TestReach(t *testing.T) {
	packages := map[string]pkg{}
	for name, p := range map[string]pkg{
		"parley/core":          {Dir: "/p/core"},
		"parley/core/rng":      {Dir: "/p/core/rng"},
		"parley/core/run":      {Dir: "/p/core/run", Deps: []string{"parley/core/rng"}},
		"parley/core/study":    {Dir: "/p/core/study", XTestImports: []string{"parley/core/run"}},
		"parley/core/graph":    {Dir: "/p/core/graph"},
		"parley/tools/parley":  {Dir: "/p/tools/parley", Deps: []string{"parley/core/run", "parley/core/rng"}},
		"parley/tools/desktop": {Dir: "/p/tools/desktop"},
	} {
		p.ImportPath = name
		packages[name] = p
	}
	for changed, want := range map[string]string{
		"":                                   "[] false",
		"core/rng/testdata/a.txt":            "[parley/core parley/core/rng parley/core/run parley/core/study parley/tools/parley] true",
		"core/run/README.md":                 "[parley/core parley/core/run parley/core/study parley/tools/parley] true",
		"core/graph/graph.go":                "[parley/core parley/core/graph] true",
		"tools/desktop/main.go":              "[parley/core parley/tools/desktop] false",
		"site/src/view/x.ts":                 "[parley/core] true",
		"README.md":                          "[parley/core parley/tools/parley] false",
		"go.mod":                             fmt.Sprint(slices.Sorted(maps.Keys(packages))) + " true",
		"tools/desktop/main.go,site/main.ts": "[parley/core parley/tools/desktop] true",
	} {
		files := strings.FieldsFunc(changed, func(r rune) bool { return r == ',' })
		r := reach(files, packages, "/p")
		if got := fmt.Sprint(slices.Sorted(maps.Keys(r.packages)), r.page); got != want {
			t.Errorf("%q reaches %s; want %s", changed, got, want)
		}
	}
}

// Each step has a name of its own in either command, and what only make verify runs
// is found from make test too.
func TestSteps(t *testing.T) {
	h := house{plain: []string{"parley/core/rng", "parley/core/play"}, papers: []string{"parley/core/paper"}, window: []string{"parley/core/heatmap"}, core: []string{"parley/core/rng"}, page: true}
	for _, all := range []bool{false, true} {
		names := map[string]bool{}
		for _, s := range h.steps(all) {
			if names[s.name] {
				t.Errorf("two steps are called %q", s.name)
			}
			names[s.name] = true
			if s.after != "" && !names[s.after] {
				t.Errorf("%q follows %q, which is not before it", s.name, s.after)
			}
		}
	}
	chosen, err := choose(h.steps(false), h.steps(true), "go, engines")
	if err != nil || len(chosen) != 2 || chosen[1].name != "engines" {
		t.Errorf("chosen %v, %v", chosen, err)
	}
	if _, err := choose(h.steps(false), h.steps(true), "gone"); err == nil {
		t.Error("a check that does not exist was found")
	}
}

// What a check has started ends with it.
func TestInterruptedStepLeavesNothingBehind(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here to leave something behind")
	}
	dir := t.TempDir()
	ctx, interrupt := context.WithCancel(context.Background())
	// A shell that starts a sleeper and waits for it.
	s := step{commands: []command{{args: []string{"sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $! >" + dir + "/started; wait"}}}}
	ended := make(chan outcome)
	go func() { ended <- s.run(ctx, ".", func(string) {}) }()
	var sleeper []byte
	for len(sleeper) == 0 {
		time.Sleep(time.Millisecond)
		sleeper, _ = os.ReadFile(dir + "/started") // not there yet
	}
	interrupt()
	if o := <-ended; o.counts.Failed != 1 {
		t.Errorf("an interrupted step: %+v; want it failed", o.counts)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(sleeper)))
	if err != nil {
		t.Fatal(err)
	}
	// Killed, it may wait for its new parent to notice; then signal 0 finds it as a
	// zombie, so its state is read.
	for range 500 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d of the interrupted step still runs", pid)
}
