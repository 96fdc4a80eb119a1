package tally_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/tools/check/tally"
)

// module writes Go files into a module of their own and runs its tests with -json.
func module(t *testing.T, files map[string]string) tally.Result {
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
	result, err := tally.Go(strings.NewReader(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A real run of go test, with every way to end.
func TestGoCountsEveryEnd(t *testing.T) {
	got := module(t, map[string]string{
		"a/a_test.go": `package a
import "testing"
func TestPass(t *testing.T) {}
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
		t.Errorf("counted %+v; want %+v\n%s", got.Counts, want, got.Failures)
	}
	if diff := cmp.Diff([]string{"m/a TestSkip: no traces here"}, got.Skips); diff != "" {
		t.Errorf("skips (-want +got):\n%s", diff)
	}
	for _, want := range []string{"wrong sum", "wrong product", "the parent itself", "broken invariant", "cannot use \"text\""} {
		if !strings.Contains(got.Failures, want) {
			t.Errorf("the failures lack %q:\n%s", want, got.Failures)
		}
	}
	if strings.Contains(got.Failures, "TestPass") {
		t.Errorf("the failures show a test that passed:\n%s", got.Failures)
	}
}

func TestNodeReadsBothFormats(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   tally.Counts
		found  bool
	}{
		"tap":       {"ok 1 - x\n# tests 9\n# suites 2\n# pass 5\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 1\n# duration_ms 3\n", tally.Counts{Passed: 5, Failed: 2, Skipped: 2}, true},
		"spec":      {"✔ x (1ms)\nℹ tests 3\nℹ pass 3\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\n", tally.Counts{Passed: 3}, true},
		"two runs":  {"# pass 2\n# fail 0\n…\n# pass 3\n# fail 0\n", tally.Counts{Passed: 5}, true},
		"no tests":  {"node: cannot find module\n", tally.Counts{}, false},
		"mentioned": {"the log said # pass 7 somewhere\n", tally.Counts{}, false},
	} {
		got, found := tally.Node(c.output)
		if got.Counts != c.want || found != c.found {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got.Counts, found, c.want, c.found)
		}
	}
}

func TestNodeNamesWhatItSkips(t *testing.T) {
	const tap = "ok 3 - a link # SKIP this Node cannot\n  ok 4 - within # SKIP\nok 5 - about # hash\n# skipped 2\n"
	const spec = "✔ fine (1.2ms)\n  ﹣ a link (0.11ms) # this is no skip\n﹣ a link (0.11ms) # SKIP\nℹ skipped 1\n"
	for output, want := range map[string][]string{
		tap:  {"a link: this Node cannot", "within: no reason given"},
		spec: {"a link: no reason given"},
	} {
		got, _ := tally.Node(output)
		if diff := cmp.Diff(want, got.Skips); diff != "" {
			t.Errorf("%s(-want +got):\n%s", output, diff)
		}
	}
}

// What failed is told with its details and without what passed, and its file is known.
func TestNodeTellsWhatFailed(t *testing.T) {
	const tap = `ok 1 - fine
  ---
  duration_ms: 1
  ...
# Subtest: a link
not ok 2 - a link
  ---
  location: '/site/build/link.test.js:6:1'
  error: |-
    waited for a verdict

    ... and in vain
  ...
# Subtest: outer
    # Subtest: inner
    not ok 1 - inner
      ---
      location: '/site/build/outer.test.js:4:3'
      ...
    1..1
not ok 3 - outer
  ---
  location: '/site/build/outer.test.js:3:1'
  ...
ok 4 - the last
# pass 2
# fail 3
`
	const spec = "✔ fine (1ms)\nℹ pass 1\nℹ fail 1\n\n✖ failing tests:\n\ntest at build/link.test.js:6:1\n✖ a link (3ms)\n  in vain\n"
	for name, c := range map[string]struct {
		output string
		files  []string
	}{
		"tap":  {tap, []string{"/site/build/link.test.js", "/site/build/outer.test.js"}},
		"spec": {spec, []string{"build/link.test.js"}},
		"fine": {"ok 1 - fine\n  ---\n  duration_ms: 1\n  ...\n# pass 1\n# fail 0\n", nil},
	} {
		result, _ := tally.Node(c.output)
		if diff := cmp.Diff(c.files, tally.Files(result.Failures)); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", name, diff)
		}
		if strings.Contains(result.Failures, "fine") || c.files != nil && !strings.Contains(result.Failures, "in vain") {
			t.Errorf("%s: the failures are told as %q", name, result.Failures)
		}
	}
}
