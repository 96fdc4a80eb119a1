//go:build linux

package question_test

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/trace"
)

// TestLarge measures each question, or one of them, on the dump that LARGE names: its processor time, and the
// most memory of the process meanwhile, with the dump:
//
//	parley cluster generate --nodes 5000 --pods 150000 > /tmp/large.json
//	LARGE=/tmp/large.json go test -run TestLarge/zone -v -timeout 30m ./core/kube/question
func TestLarge(t *testing.T) {
	name := os.Getenv("LARGE")
	if name == "" {
		t.Skip("LARGE names no dump")
	}
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began, before := time.Now(), used()
	lap := func(t *testing.T, answer string) {
		t.Logf("%6.1f s of processor %6.1f s %5d MB at most  %s", (used() - before).Seconds(), time.Since(began).Seconds(), maxResident(t)>>10, answer)
	}
	c, err := dump.Read([]trace.File{{Name: name, Size: -1, Open: func() (io.ReadCloser, error) { return os.Open(name) }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lap(t, "read")
	deployment := slices.IndexFunc(c.Workloads, func(w kube.Workload) bool { return w.Kind == "Deployment" && w.Replicas > 0 })
	p, largest := constraint.Default(), constraint.Default()
	largest.Strategy.Type = constraint.MostAllocated
	zone, node, pod := question.Groups(c, "zone")[0], question.Groups(c, "node")[0], c.Pods[len(c.Pods)/2]
	lose := func(g question.Group, o question.LoseOptions) string {
		return question.Lose(c, p, g.Name, g.Nodes, o).Sentence()
	}
	score := func(o question.ScoreOptions) string {
		return question.Score(c, []question.Configured{{"default", p}, {"most-allocated", largest}}, o).Sentence()
	}
	for _, q := range []struct {
		name string
		ask  func() string
	}{
		{"zone", func() string { return lose(zone, question.LoseOptions{}) }},
		{"notready", func() string { return lose(zone, question.LoseOptions{NotReady: true}) }},
		{"node", func() string { return lose(node, question.LoseOptions{}) }},
		{"fit", func() string { return question.Fit(c, p, pod.Full(), pod, question.FitOptions{}).Sentence() }},
		{"mix", func() string { return question.FitMix(c, p, 1, question.FitOptions{}).Sentence() }},
		{"grow", func() string { return question.Grow(c, p, question.GrowOptions{}).Sentence() }},
		{"drain", func() string { return question.Drain(c, p, question.DrainOptions{DeleteEmptyDir: true}).Sentence() }},
		{"pending", func() string { return question.Pending(c, p, 1).Sentence() }},
		{"blockers", func() string { return question.Blockers(c).Sentence() }},
		{"rollout", func() string {
			return question.Rollout(c, p, c.Workloads[deployment].Namespace+"/"+c.Workloads[deployment].Name, question.RolloutOptions{}).Sentence()
		}},
		{"upgrade", func() string { return question.Upgrade(c, p, question.UpgradeOptions{}).Sentence() }},
		{"consolidate", func() string { return question.Consolidate(c, p, question.ConsolidateOptions{}).Sentence() }},
		{"draintime", func() string {
			o := question.DrainOptions{DeleteEmptyDir: true}
			d := question.Drain(c, p, o)
			d.Time(c, p, question.PlayOptions{})
			return d.Sentence()
		}},
		{"score", func() string { return score(question.ScoreOptions{}) }},
		{"scorezones", func() string { return score(question.ScoreOptions{ZoneLoss: true}) }},
	} {
		t.Run(q.name, func(t *testing.T) {
			debug.FreeOSMemory()
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
				t.Log("the memory is that of all questions before too:", err)
			}
			began, before = time.Now(), used()
			lap(t, q.ask())
		})
	}
}

// maxResident returns the most memory that the process has had in use, in KiB.
func maxResident(t *testing.T) (peak int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &peak); err != nil {
		t.Fatal(err)
	}
	return peak
}
