//go:build linux

package question_test

import (
	"io"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"parley/core/kube/constraint"
	"parley/core/question"
	"parley/core/trace"
	"parley/core/trace/kubernetes"
)

// TestLarge measures each question on the dump that LARGE names:
//
//	parley cluster generate --nodes 5000 --pods 150000 > /tmp/large.json
//	LARGE=/tmp/large.json go test -run TestLarge -v -timeout 30m ./core/question
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
	lap := func(what, answer string) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("%6.1f s of processor %6.1f s %5d MB  %s: %s", (used() - before).Seconds(), time.Since(began).Seconds(), m.HeapAlloc>>20, what, answer)
		began, before = time.Now(), used()
	}
	c, err := kubernetes.Read([]trace.File{{Name: name, Size: -1, Open: func() (io.ReadCloser, error) { return os.Open(name) }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	lap("read", "")
	p := constraint.Default()
	constraint.New(c, p)
	lap("state", "")
	zone := question.Groups(c, "zone")[0]
	lost := question.Lose(c, p, zone.Name, zone.Nodes, question.LoseOptions{})
	lap("lose a zone", lost.Sentence())
	lost = question.Lose(c, p, zone.Name, zone.Nodes, question.LoseOptions{NotReady: true})
	lap("zone not ready", lost.Sentence())
	node := question.Groups(c, "node")[0]
	lap("lose a node", question.Lose(c, p, node.Name, node.Nodes, question.LoseOptions{}).Sentence())
	pod := c.Pods[len(c.Pods)/2]
	lap("fit", question.Fit(c, p, pod.Full(), pod, question.FitOptions{}).Sentence())
	lap("today's mix", question.FitMix(c, p, 1, question.FitOptions{}).Sentence())
	lap("grow", question.Grow(c, p, question.GrowOptions{}).Sentence())
	lap("drain", question.Drain(c, p, question.DrainOptions{DeleteEmptyDir: true}).Sentence())
	most := constraint.Default()
	most.Strategy.Type = constraint.MostAllocated
	lap("score, 1 order of 2 configurations", question.Score(c, []question.Configured{{"default", p}, {"most-allocated", most}}, question.ScoreOptions{Orders: 1}).Sentence())
}
