package tally_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/tools/check/tally"
)

// module writes Go files into a module of their own and runs its tests with -json.
func module(t *testing.T, files map[string]string) (result tally.Result, failures string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go here to run tests with")
	}
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.26\n"
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "-vet=off", "-timeout=30s", "-json", "./...")
	cmd.Dir = dir
	out, err := cmd.Output()
	if len(out) == 0 {
		t.Fatalf("go test printed nothing: %v", err)
	}
	result, err = tally.Go(strings.NewReader(string(out)), func(text string) { failures += text })
	if err != nil {
		t.Fatal(err)
	}
	return result, failures
}

// A real run of go test, with every way to end.
func TestGoCountsEveryEnd(t *testing.T) {
	got, failures := module(t, map[string]string{
		"a/a_test.go": `package a
import ("testing"; "time")
func TestPass(t *testing.T) { time.Sleep(20 * time.Millisecond) }
func TestSkip(t *testing.T) { t.Skip("no traces here") }
func TestFail(t *testing.T) { t.Error("wrong sum") }
func TestSubs(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Error("wrong product") })
}
func TestParentOnly(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Error("the parent itself")
}
`,
		"panics/p_test.go": `package panics
import "testing"
func TestFine(t *testing.T) {}
func TestPanic(t *testing.T) { panic("broken invariant") }
`,
		"broken/b_test.go": "package broken\n\nvar x int = \"text\"\n",
		"exits/e_test.go": `package exits
import ("os"; "testing")
func TestMain(m *testing.M) { os.Exit(3) }
`,
		"quiet/q.go": "package quiet\n",
	})
	// passed: Pass, Subs/good, ParentOnly/good, Fine; failed: Fail, Subs/bad,
	// ParentOnly, Panic, the package broken, the package exits.
	if want := (tally.Counts{Passed: 4, Failed: 6, Skipped: 1}); got.Counts != want {
		t.Errorf("counted %+v; want %+v\n%s", got.Counts, want, failures)
	}
	if diff := cmp.Diff([]string{"m/a TestPass", "m/a TestSubs/good", "m/a TestParentOnly/good", "m/panics TestFine"}, got.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, one := range got.Times {
		if strings.Contains(one.Name, "/good") || one.Seconds <= 0 {
			t.Errorf("a time of %+v", one)
		}
	}
	if !slices.ContainsFunc(got.Times, func(one tally.Time) bool { return one.Name == "m/a TestPass" }) {
		t.Errorf("no time of a test that sleeps: %v", got.Times)
	}
	if diff := cmp.Diff([]string{"m/a TestSkip: no traces here"}, got.Skips); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	for _, want := range []string{"wrong sum", "wrong product", "the parent itself", "broken invariant", "cannot use \"text\""} {
		if !strings.Contains(failures, want) {
			t.Errorf("the failures lack %q:\n%s", want, failures)
		}
	}
	if strings.Contains(failures, "TestPass") {
		t.Errorf("the failures show a test that passed:\n%s", failures)
	}
}

func TestNodeCounts(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   tally.Counts
		ran    bool
	}{
		"one run":   {"ok 1 - x\n# tests 9\n# suites 2\n# pass 5\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 1\n# duration_ms 3\n", tally.Counts{Passed: 5, Failed: 2, Skipped: 2}, true},
		"two runs":  {"# pass 2\n# fail 0\n…\n# pass 3\n# fail 0\n", tally.Counts{Passed: 5}, true},
		"no tests":  {"node: cannot find module\n", tally.Counts{}, false},
		"mentioned": {"the log said # pass 7 somewhere\n", tally.Counts{}, false},
	} {
		got, err := tally.Node(strings.NewReader(c.output), func(string) {})
		if got.Counts != c.want || (err == nil) != c.ran {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got.Counts, err, c.want, c.ran)
		}
	}
}

func TestNodeNamesSkippedTests(t *testing.T) {
	const tap = "ok 3 - a link # SKIP this Node cannot\n  ok 4 - within # SKIP\nok 5 - about # hash\n# skipped 2\n"
	got, err := tally.Node(strings.NewReader(tap), func(string) {})
	if diff := cmp.Diff([]string{"a link: this Node cannot", "within: no reason given"}, got.Skips); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A failed test is reported with its details when it ends, without what passed.
func TestNodeReportsFailuresAtOnce(t *testing.T) {
	const fine = "ok 1 - fine\n  ---\n  duration_ms: 1\n  ...\n"
	const link = "not ok 2 - a link\n  ---\n  location: '/site/link.test.js:6:1'\n  error: |-\n    waited for a verdict\n\n    ... and in vain\n  ...\n"
	const inner = "    not ok 1 - inner\n      ---\n      location: '/site/outer.test.js:4:3'\n      ...\n"
	const outer = "not ok 3 - outer\n  ---\n  ...\n"
	reader, writer := io.Pipe()
	failures := make(chan string)
	go func() {
		_, err := tally.Node(reader, func(text string) { failures <- text })
		if err != nil {
			t.Error(err)
		}
		close(failures)
	}()
	for _, part := range []struct{ output, failure string }{
		{fine + "# Subtest: a link\n" + link, link},
		{"# Subtest: outer\n    # Subtest: inner\n" + inner, inner},
		{"    1..1\n" + outer, outer},
	} {
		if _, err := io.WriteString(writer, part.output); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(part.failure, <-failures); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if _, err := io.WriteString(writer, "ok 4 - the last\n# pass 2\n# fail 3\n"); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	if more, some := <-failures; some {
		t.Errorf("a failure too many: %q", more)
	}
}
