package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/tools/check/tally"
)

// TestMain makes the test program stand in for the programs of the checks: with
// SAY it prints that, with STATUS it fails, with SLEEP it takes a moment.
func TestMain(m *testing.M) {
	if say, stands := os.LookupEnv("SAY"); stands {
		fmt.Print(say)
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
		o := step{name: name, commands: c.commands}.run(context.Background(), ".")
		if o.counts != c.want || !strings.Contains(o.output, c.output) {
			t.Errorf("%s: %+v, %q; want %+v, %q", name, o.counts, o.output, c.want, c.output)
		}
	}
}

// What failed is tried once more, and that alone; both are told.
func TestSecondTry(t *testing.T) {
	const failed = "not ok 1 - a link\n  ---\n  location: '/link.test.js:6:1'\n  ...\nok 2 - fine\n# pass 7\n# fail 2\n"
	for name, c := range map[string]struct {
		second string // what it runs: a script
		want   tally.Counts
		output []string
	}{
		"passes":      {"echo '# pass 2'; echo '# fail 0'", tally.Counts{Passed: 9}, []string{"passed when tried again", "not ok 1 - a link"}},
		"fails again": {"echo '# pass 1'; echo '# fail 1'; exit 1", tally.Counts{Passed: 7, Failed: 2}, []string{"not ok 1 - a link", "tried again:", "# fail 1"}},
		"dies":        {"exit 1", tally.Counts{Passed: 7, Failed: 2}, []string{"not ok 1 - a link", "exit status 1"}},
		"none":        {"", tally.Counts{Passed: 7, Failed: 2}, []string{"not ok 1 - a link"}},
	} {
		first := fails(nodeTests, failed)
		first.again = func(failures string) []string {
			if !strings.Contains(failures, "a link") {
				t.Errorf("%s: the second try is told of %q", name, failures)
			}
			if c.second == "" {
				return nil
			}
			return []string{"sh", "-c", c.second}
		}
		o := step{name: name, commands: []command{first}}.run(context.Background(), ".")
		if o.counts != c.want {
			t.Errorf("%s: %+v; want %+v", name, o.counts, c.want)
		}
		for _, part := range c.output {
			if !strings.Contains(o.output, part) {
				t.Errorf("%s: the report lacks %q: %s", name, part, o.output)
			}
		}
	}
	if got := browserAgain("nothing is known"); got != nil {
		t.Errorf("without a file, %q would be tried", got)
	}
	if got := browserAgain(failed); !slices.Equal(got, []string{"node", "--test", "--test-concurrency=1", "/link.test.js"}) {
		t.Errorf("%q would be tried", got)
	}
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
		got := map[string]outcome{}
		schedule(context.Background(), ".", steps, 2, strict, func(o outcome) { got[o.step.name] = o })
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
	type span struct{ from, to time.Time }
	spans := map[string]span{}
	schedule(context.Background(), ".", steps, 4, false, func(o outcome) {
		spans[o.step.name] = span{time.Now().Add(-o.took), time.Now()}
	})
	if len(spans) != len(steps) {
		t.Fatalf("%d of %d steps ended", len(spans), len(steps))
	}
	for _, s := range steps {
		for _, other := range steps {
			a, b := spans[s.name], spans[other.name]
			if s.alone && other.name != s.name && a.from.Before(b.from) && b.from.Before(a.to) {
				t.Errorf("%s started while %s ran alone", other.name, s.name)
			}
		}
	}
}

func TestReportEndsWithTheTotals(t *testing.T) {
	outcomes := []outcome{
		{step: step{name: "go"}, counts: tally.Counts{Passed: 40, Failed: 1, Skipped: 1}, skips: []string{"parley/x TestY: no traces"}},
		{step: step{name: "browser"}, skipped: "the program \"chromium\" is not installed"},
		{step: step{name: "site"}, counts: tally.Counts{Passed: 2}},
	}
	var out bytes.Buffer
	err := summarise(&out, outcomes, time.Second)
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if !errors.Is(err, errFailed) || lines[len(lines)-1] != "42 passed, 1 failed" {
		t.Errorf("%v, last line %q; want an error and the totals", err, lines[len(lines)-1])
	}
	for _, want := range []string{"skipped: go: parley/x TestY: no traces", `skipped: browser: the program "chromium" is not installed`} {
		if !slices.Contains(lines, want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if err := summarise(&out, outcomes[1:], time.Second); err != nil {
		t.Errorf("nothing failed: %v", err)
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
	go func() { ended <- s.run(ctx, ".") }()
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
