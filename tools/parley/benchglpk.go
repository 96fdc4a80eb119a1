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
	"parley/tools/parley/measure"
)

// glpkLimit is how many seconds glpsol may take for one instance: what it does
// not finish counts as long, so that the ratios are at least what they say.
const glpkLimit = 2

// glpk solves instances of the paper's small set to the optimum with GLPK and
// here, in turn, and tells both times and their ratios. It fails where glpsol is
// not installed, and where the two do not agree.
func (m *measurer) glpk() ([]benchRow, error) {
	if _, err := exec.LookPath("glpsol"); err != nil {
		return nil, errors.New("glpsol is not installed (glpk-utils)")
	}
	dir, err := os.MkdirTemp("", "parley-glpk-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left lies in the folder for such things
	model := filepath.Join(dir, "instance.mod")
	var theirs, ratios []sample
	for i, in := range measure.SmallSet() {
		if i%4 != i/16%4 { // one of four of each slack, number of jobs and spread
			continue
		}
		ms, ours, err := measure.Exact(in, m.console.Now)
		if err != nil {
			return nil, err
		}
		seconds, err := m.glpsol(in, ours, model)
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, sample{Value: seconds * 1000})
		ratios = append(ratios, sample{Value: seconds * 1000 / ms})
	}
	return []benchRow{
		summed(fmt.Sprintf("glpsol on the small set, at most %d s each", glpkLimit), "ms", theirs),
		summed("exact on the small set, ratio to glpsol", "times as fast", ratios),
	}, nil
}

// glpsol returns how many seconds GLPK takes, after comparing the answers.
func (m *measurer) glpsol(in solve.Instance, ours solve.Result, model string) (float64, error) {
	var text strings.Builder
	if err := solve.WriteMathProg(&text, in); err != nil {
		return 0, err
	}
	if err := os.WriteFile(model, []byte(text.String()), 0o600); err != nil {
		return 0, err
	}
	began := m.console.Now()
	said, err := output(exec.Command("glpsol", "--tmlim", strconv.Itoa(glpkLimit), "--math", model))
	seconds := m.console.Now().Sub(began).Seconds()
	if err != nil {
		return 0, fmt.Errorf("glpsol failed: %w", err)
	}
	if found := solvedByGLPK.FindStringSubmatch(said); found != nil && strings.Contains(said, "INTEGER OPTIMAL SOLUTION FOUND") {
		if y, err := strconv.ParseFloat(found[1], 64); err != nil || math.Abs(y-ours.MinYield) > 1e-6 {
			return 0, fmt.Errorf("glpsol finds a smallest yield of %s, we %v", found[1], ours.MinYield)
		}
	}
	return seconds, nil
}

var solvedByGLPK = regexp.MustCompile(`(?m)^yield (\S+)$`)
