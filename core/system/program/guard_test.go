package program_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/program"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

// once loads a program and calls on_submit for one task of a cluster of three nodes.
func once(text string) error {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	for m := range uint64(3) {
		c.Join(m, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	s, err := program.New(system.Env{
		Clock: k, View: c.View(), Acts: c, Program: text, Note: func(system.Note) {},
		Rand: func(name string) *rng.Stream { return rng.New(1, name) },
	}, json.RawMessage(`{}`))
	if err != nil {
		return err
	}
	c.Submit(workload.Key{Job: 1}, &workload.Task{Request: unit.Vec{unit.Whole / 4, unit.Whole / 4}})
	if err := c.Deliver(s.On); err != nil {
		return err
	}
	return s.(system.Auditor).Audit()
}

// What a call may allocate, and how long it may take where everything else on the machine
// takes its turn too.
const (
	maxBytes = 1500 << 20
	maxTime  = 2 * time.Minute
)

// bounded fails if a program allocates or takes too much, panics, or ends with what is no
// sentence.
func bounded(text string) (wrong string) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := once(text)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	switch bytes := after.TotalAlloc - before.TotalAlloc; {
	case bytes > maxBytes:
		return fmt.Sprintf("it allocates %d MB", bytes>>20)
	case took > maxTime:
		return fmt.Sprintf("it takes %v", took)
	case err != nil && (strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 1500 || err.Error() == ""):
		return fmt.Sprintf("its error is no sentence: %q", err)
	}
	return ""
}

var (
	starts = []string{"1", "3.5", `"ab"`, "[1, 2]", "(1, 2)", `{"k": [1]}`, "set([1, 2])", "range(1000)", "True", "None", "1 << 300", "cluster.nodes", "task"}
	grows  = []string{
		"A = A + B", "A += B", "A = [A, B]", "A = (A, B)", "A = A * 3", "A = A * B", "A *= B", "A = str(A)", "A = list(A)", "A = tuple(A)", "A = sorted(A, key=str)",
		"A.extend(B)", "A.append(B)", "A = A.join(B)", `A = A.replace("a", A)`, `A = A.format(B, B)`, `A = A % B`, "A = zip(A, B)", "A = list(enumerate(A))", "A = A == B",
		"A = B in A", "A = A[1:]", "A = A[0]", "A[0] = B", "A = {str(A): B}", "A.update(B)", "A = A.items()", "A = A.keys()", "A = A | B", "A = set(A)", "A.insert(0, B)", "A.pop(0)",
		"A = max(A)", "A = min(A, B)", "A = repr(B)", "A = int(A)", "A = float(A)", "A = A << 100", "A = -A", "A = A // B", "A = A - B", "A = any(A)", "A = dict(A)", "A = [x for x in A]",
		"A = {x: B for x in A}", "state.A = A", "note(str(A))", "cluster.wake(1, A)", "A = cluster.best(A, f)", "A = hashed(A)", "A = reversed(A)", "A = A.union(B)", "A = A.split(B)", "A = A.index(B)",
	}
)

// TestGuard plays programs of random pieces that make values grow: whatever they do, a
// count ends them before they take much memory or time.
func TestGuard(t *testing.T) {
	systemtest.Cases(t, 1000)
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("f = formula(\"cpu.used\")\ndef hashed(x): return {x: 1}\ndef on_wake(data, cluster, state): pass\ndef on_submit(task, cluster, state):\n")
		names := []string{"a", "b", "c"}
		for _, name := range names {
			fmt.Fprintf(&b, "    %s = %s\n", name, rapid.SampledFrom(starts).Draw(t, name))
		}
		for range rapid.IntRange(1, 4).Draw(t, "loops") {
			fmt.Fprintf(&b, "    for i in range(%d):\n", rapid.SampledFrom([]int{1, 20, 60, 100_000_000}).Draw(t, "times"))
			for range rapid.IntRange(1, 3).Draw(t, "lines") {
				line := rapid.SampledFrom(grows).Draw(t, "line")
				line = strings.ReplaceAll(line, "A", rapid.SampledFrom(names).Draw(t, "A"))
				fmt.Fprintf(&b, "        %s\n", strings.ReplaceAll(line, "B", rapid.SampledFrom(names).Draw(t, "B")))
			}
		}
		if wrong := bounded(b.String()); wrong != "" {
			t.Fatalf("%s:\n%s", wrong, b.String())
		}
	})
}

// TestHoldsItself: what goes through a list that holds itself ends at its depth, in one
// sentence, and does not take the machine's stack.
func TestHoldsItself(t *testing.T) {
	for _, use := range []string{"str(a)", "a == b", "note(str(a))", "[a, a] == [b, b]"} {
		err := once("def on_submit(task, cluster, state):\n    a, b = [], []\n    a.append(a)\n    b.append(b)\n    " + use)
		if err == nil || !strings.Contains(err.Error(), "line 5, column ") || !strings.Contains(err.Error(), "deep") {
			t.Errorf("%s: %v", use, err)
		}
	}
}

// FuzzProgram: no text makes a panic, and each error is a sentence.
func FuzzProgram(f *testing.F) {
	for _, e := range program.Examples() {
		f.Add(e.Text)
	}
	for _, text := range []string{"", "def on_submit(task, cluster, state): cluster.place(task, 0)", "x = [", "\x00", "def on_submit(a, b, c):\n\tlambda: (yield)", "settings = {1: setting(1)}", "on_submit = 3", "def on_submit(a, b, c): a, (b, [c]) = 1, (2, [3])"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if wrong := bounded(text); wrong != "" {
			t.Error(wrong)
		}
	})
}

// TestMethodsAreGuarded: names of a program's own values are none of those that the
// guard takes for methods of lists, dicts, sets and texts.
func TestMethodsAreGuarded(t *testing.T) {
	own := append(append(program.ClusterFields(), program.NodeFields()...), program.TaskFields()...)
	for _, f := range own {
		err := once("def on_submit(task, cluster, state):\n    x = task\n    return x." + f.Name)
		if err != nil && strings.Contains(err.Error(), "at once") {
			t.Errorf("%s is the name of a guarded method", f.Name)
		}
	}
}
