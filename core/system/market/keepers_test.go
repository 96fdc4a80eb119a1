package market_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var takeOut = flag.Bool("keepers", false, "take out each line of testdata/keepers.txt and see the tests fail: minutes")

var only = flag.String("keeps", "", "those alone that keep what says this")

// keeper is a piece of code without which an invariant or a rule does not hold.
type keeper struct{ file, what, has, without string }

// keepers reads testdata/keepers.txt: "file: what it keeps", then the lines that stand
// there behind "-", then those that are tried instead behind "+".
func keepers(t *testing.T) (all []keeper) {
	text, err := os.ReadFile("testdata/keepers.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		switch {
		case line == "\n", strings.HasPrefix(line, "#"):
		case line[0] == '-':
			all[len(all)-1].has += line[1:]
		case line[0] == '+':
			all[len(all)-1].without += line[1:]
		default:
			file, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
			all = append(all, keeper{file: file, what: what})
		}
	}
	return all
}

// TestKeepers: every line that is said to keep an invariant stands in its file, once;
// with -keepers the quick tests of the market, its bank and its queues are played without
// each, and have to fail.
func TestKeepers(t *testing.T) {
	all := keepers(t)
	if len(all) < 35 {
		t.Fatalf("%d pieces of code are listed", len(all))
	}
	if *takeOut {
		if said, err := quick(); err != nil {
			t.Fatalf("the tests fail as it is: %s", said)
		}
	}
	for _, k := range all {
		if !strings.Contains(k.what, *only) {
			continue
		}
		source, err := os.ReadFile(k.file)
		if err != nil {
			t.Fatal(err)
		}
		// a piece may end within a line
		has, without := strings.TrimSuffix(k.has, "\n"), strings.TrimSuffix(k.without, "\n")
		if n := strings.Count(string(source), has); n != 1 {
			t.Errorf("%s has %d times what keeps %q:\n%s", k.file, n, k.what, has)
			continue
		}
		if *takeOut {
			fails(t, k, strings.Replace(string(source), has, without, 1))
		}
	}
}

// quick plays the quick tests and returns what they print.
func quick(flags ...string) (string, error) {
	out, err := exec.Command("go", append([]string{"test", "-short", ".", "./bank", "./queue", "-skip", "TestKeepers|TestConformance"}, flags...)...).CombinedOutput()
	return string(out), err
}

// fails plays the tests with another text of a file.
func fails(t *testing.T, k keeper, text string) {
	t.Helper()
	dir := t.TempDir()
	file, err := filepath.Abs(k.file)
	if err != nil {
		t.Fatal(err)
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	table, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{changed: text, overlay: string(table)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	switch said, err := quick("-overlay", overlay); {
	case err == nil:
		t.Errorf("%s: all tests pass without what keeps %q", k.file, k.what)
	case !strings.Contains(said, "--- FAIL"):
		t.Errorf("%s: the tests do not run without what keeps %q: %s", k.file, k.what, said)
	default:
		for line := range strings.Lines(said) {
			if strings.Contains(line, "_test.go:") {
				t.Logf("without %q: %s", k.what, strings.TrimSpace(line))
				break
			}
		}
	}
}
