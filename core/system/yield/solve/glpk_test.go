package solve_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/rng"
	"parley/core/system/yield/instance"
	"parley/core/system/yield/solve"
)

// glpk solves an instance with GLPK's mixed integer solver. found is false when
// it proves that there is no solution.
func glpk(t *testing.T, in solve.Instance) (yield float64, found bool) {
	t.Helper()
	path := writeModel(t, in)
	text := glpsol(t, path)
	if regexp.MustCompile(`HAS NO (PRIMAL|INTEGER) FEASIBLE SOLUTION`).MatchString(text) {
		return 0, false
	}
	m := regexp.MustCompile(`(?m)^yield (\S+)$`).FindStringSubmatch(text)
	if m == nil || !strings.Contains(text, "INTEGER OPTIMAL SOLUTION FOUND") {
		t.Fatalf("glpsol neither found an optimum nor ruled one out:\n%s", text)
	}
	yield, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return yield, true
}

func writeModel(t *testing.T, in solve.Instance) (path string) {
	t.Helper()
	var model strings.Builder
	if err := solve.WriteMathProg(&model, in); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "instance.mod")
	if err := os.WriteFile(path, []byte(model.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func glpsol(t *testing.T, path string, arguments ...string) string {
	t.Helper()
	out, err := exec.Command("glpsol", append(arguments, "--math", path)...).CombinedOutput()
	if err != nil {
		t.Fatalf("glpsol: %v\n%s", err, out)
	}
	return string(out)
}

// Every fourth instance has parallel jobs, and slack reaches below zero and down
// to where packing the memory is the problem.
func TestExactEqualsGLPK(t *testing.T) {
	if _, err := exec.LookPath("glpsol"); err != nil {
		t.Skip("glpsol is not installed; the comparison with GLPK is left out")
	}
	random := rng.New(3, "yield/glpk")
	infeasible := 0
	for n := range 200 {
		spec := instance.Spec{
			Hosts: 2 + n%3, Tasks: 3 + n%6, Slack: -.05 + float64(random.Float64()*.4),
			MemSpread: .75, CPUSpread: .75, Parallel: n%4 == 0,
		}
		in := spec.Draw(random)
		for i := range in.Jobs {
			in.Jobs[i].Mem = min(1, in.Jobs[i].Mem)
		}
		r, err := solve.Solve(in, "exact", solve.Default())
		if err != nil || !r.Proven {
			t.Fatalf("%+v: %v, proven %v", in, err, r.Proven)
		}
		want, found := glpk(t, in)
		if found != r.Feasible || math.Abs(want-r.MinYield) > 1e-6 {
			t.Errorf("%+v: feasible %v with %v, GLPK says %v with %v", in, r.Feasible, r.MinYield, found, want)
		}
		if !found {
			infeasible++
		}
	}
	if infeasible < 20 || infeasible > 120 {
		t.Errorf("%d of 200 instances are infeasible: the set no longer tests both sides", infeasible)
	}
}

// TestSpeedAgainstGLPK measures; it judges nothing but the answers. Set
// PARLEY_YIELD_GLPK to the seconds that glpsol may take for one instance of the
// small set, one of each family; what it does not finish counts that long.
func TestSpeedAgainstGLPK(t *testing.T) {
	limit, err := strconv.Atoi(os.Getenv("PARLEY_YIELD_GLPK"))
	if err != nil {
		t.Skip("PARLEY_YIELD_GLPK is not set to a number of seconds; nothing is timed")
	}
	random := rng.New(1, "yield/speed")
	var ours, theirs, ratios []float64
	unfinished := 0
	for _, spec := range instance.Small() {
		in := spec.Draw(random)
		for in.Validate() != nil {
			in = spec.Draw(random)
		}
		const repeats = 20 // of a few microseconds each
		start := time.Now()
		var r solve.Result
		for range repeats {
			if r, err = solve.Solve(in, "exact", solve.Default()); err != nil || !r.Proven {
				t.Fatalf("%+v: %v, proven %v", in, err, r.Proven)
			}
		}
		own := time.Since(start).Seconds() / repeats
		path := writeModel(t, in)
		start = time.Now()
		text := glpsol(t, path, "--tmlim", strconv.Itoa(limit))
		other := time.Since(start).Seconds()
		if strings.Contains(text, "TIME LIMIT EXCEEDED") {
			unfinished++
		} else if m := regexp.MustCompile(`(?m)^yield (\S+)$`).FindStringSubmatch(text); m != nil {
			if y, _ := strconv.ParseFloat(m[1], 64); math.Abs(y-r.MinYield) > 1e-6 {
				t.Errorf("%+v: %v, GLPK %v", in, r.MinYield, y)
			}
		}
		ours, theirs, ratios = append(ours, own), append(theirs, other), append(ratios, other/own)
	}
	for _, list := range [][]float64{ours, theirs, ratios} {
		slices.Sort(list)
	}
	n := len(ours)
	t.Logf("exact: median %.1f µs, mean %.1f µs, longest %.1f µs", 1e6*ours[n/2], 1e6*mean(ours), 1e6*ours[n-1])
	t.Logf("glpsol: median %.3f s, mean %.3f s, longest %.1f s, %d of %d unfinished after %d s", theirs[n/2], mean(theirs), theirs[n-1], unfinished, n, limit)
	t.Logf("glpsol over exact: %.0f in total, median of ratios %.0f, smallest %.0f", mean(theirs)/mean(ours), ratios[n/2], ratios[0])
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
