package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"parley/core/system/yield/solve"
	"parley/tools/bench/measure"
)

// glpkLimit is glpsol's time limit for one instance, in seconds.
const glpkLimit = 2

// glpk solves instances of the paper's small set to the optimum, in turn with GLPK and here, and
// reports both times and their ratios. Instances on which glpsol reached its time limit are counted
// and left out of the ratios. It fails if glpsol is not installed, and if the results differ.
func (m *measurer) glpk() ([]benchRow, error) {
	if _, err := exec.LookPath("glpsol"); err != nil {
		return nil, errors.New("glpsol is not installed (glpk-utils)")
	}
	dir, err := os.MkdirTemp("", "parley-glpk-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a failure leaves a folder among the temporary files
	model := filepath.Join(dir, "instance.mod")
	var theirs, ours, ratios []sample
	cut := 0
	for i, in := range measure.SmallSet() {
		if i%4 != i/16%4 { // one of four of each slack, number of jobs and spread
			continue
		}
		ms, answer, err := measure.Exact(in, m.console.Now)
		if err != nil {
			return nil, err
		}
		seconds, finished, err := m.glpsol(in, answer, model)
		if err != nil {
			return nil, err
		}
		if !finished {
			cut++
			continue
		}
		theirs = append(theirs, sample{Value: seconds * 1000})
		ours = append(ours, sample{Value: ms})
		ratios = append(ratios, sample{Value: seconds * 1000 / ms})
	}
	if len(theirs) == 0 {
		return nil, fmt.Errorf("glpsol was cut off after %d s at each of %d instances", glpkLimit, cut)
	}
	return []benchRow{
		summed("the small set, where glpsol finished", "glpsol", "ms", theirs),
		summed("the small set, where glpsol finished", nativeHost, "ms", ours),
		summed("exact against glpsol, where it finished", nativeHost, "times as fast", ratios),
		{
			Figure: fmt.Sprintf("glpsol was cut off after %d s", glpkLimit), Host: "glpsol", Value: float64(cut),
			Unit: fmt.Sprintf("of %d instances", cut+len(theirs)),
			Runs: 1, Min: float64(cut), Max: float64(cut),
		},
	}, nil
}

// glpsol solves in with GLPK, written to the file model, and fails if its smallest yield differs from ours.
// It returns GLPK's seconds and whether it proved the optimum within glpkLimit.
func (m *measurer) glpsol(in solve.Instance, ours solve.Result, model string) (seconds float64, finished bool,
	err error,
) {
	var text strings.Builder
	if err := solve.WriteMathProg(&text, in); err != nil {
		return 0, false, err
	}
	if err := os.WriteFile(model, []byte(text.String()), 0o600); err != nil {
		return 0, false, err
	}
	began := m.console.Now()
	printed, err := output(exec.Command("glpsol", "--tmlim", strconv.Itoa(glpkLimit), "--math", model))
	seconds = m.console.Now().Sub(began).Seconds()
	if err != nil {
		return 0, false, fmt.Errorf("glpsol failed: %w", err)
	}
	found := solvedByGLPK.FindStringSubmatch(printed)
	if found == nil || !strings.Contains(printed, "INTEGER OPTIMAL SOLUTION FOUND") {
		return seconds, false, nil
	}
	if y, err := strconv.ParseFloat(found[1], 64); err != nil || math.Abs(y-ours.MinYield) > 1e-6 {
		return 0, false, fmt.Errorf("glpsol finds a smallest yield of %s, we %v", found[1], ours.MinYield)
	}
	return seconds, true, nil
}

var solvedByGLPK = regexp.MustCompile(`(?m)^yield (\S+)$`)
