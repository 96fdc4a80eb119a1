package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every operator that can be mutated once, in places where the rewriting has to
// take care: nested, without spaces, in a loop, on a map, on constants.
const sampleSource = `package sample

type meters int

const size = 3 * 4

func Nested(a, b meters, ok bool) bool { return a<b == ok && a+b*2 > -a }

func Count(m map[string]int) (n int) {
	for i := 0; i < size; i++ {
		m["x"]++
		n += i
	}
	return n
}

func Text(a, b string) string {
	if a != b { return a + b }
	return a
}

func Unreached(a float64) float64 { return a / 2 }
`

const sampleTests = `package sample

import "testing"

func TestNested(t *testing.T) {
	if !Nested(1, 2, true) || Nested(2, 2, true) || Nested(2, 1, true) || !Nested(2, 1, false) {
		t.Error("nested")
	}
}

func TestCount(t *testing.T) {
	m := map[string]int{}
	if Count(m) != 66 || m["x"] != 12 {
		t.Error("count")
	}
}

func TestText(t *testing.T) { Text("a", "b") }
`

// The mutants of a small package: what its tests kill, what they miss, and what
// they do not come to. The constant 3 * 4 and the text a + b are none.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds a program and its mutants")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module sample\n\ngo 1.26\n", "inner/sample.go": sampleSource, "inner/sample_test.go": sampleTests} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tool := filepath.Join(t.TempDir(), "mutate")
	if stated, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, stated)
	}
	cmd := exec.Command(tool, "-v", "inner")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	stated, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("exit %d, %v\n%s", cmd.ProcessState.ExitCode(), err, stated)
	}
	got := strings.Builder{}
	for line := range strings.Lines(string(stated)) {
		if subject, rest, ok := strings.Cut(line, " inner/sample.go:"); ok && !strings.HasSuffix(subject, ":") {
			place, _, _ := strings.Cut(rest, ": ")
			got.WriteString(subject + " " + place + "\n")
		}
	}
	const want = `killed 7:53 CONDITIONALS_NEGATION#2
killed 7:50 CONDITIONALS_BOUNDARY
killed 7:50 CONDITIONALS_NEGATION
lived 7:68 CONDITIONALS_BOUNDARY#2
killed 7:68 CONDITIONALS_NEGATION#3
killed 7:63 ARITHMETIC_BASE
lived 7:65 ARITHMETIC_BASE#2
lived 7:70 INVERT_NEGATIVES
killed 10:16 CONDITIONALS_BOUNDARY
killed 10:16 CONDITIONALS_NEGATION
killed 10:25 INCREMENT_DECREMENT
killed 11:9 INCREMENT_DECREMENT
lived 18:7 CONDITIONALS_NEGATION
not covered 22:46 ARITHMETIC_BASE
`
	if got.String() != want {
		t.Errorf("got\n%s\nfrom\n%s", got.String(), stated)
	}
}
