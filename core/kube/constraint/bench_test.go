package constraint_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/trace"
)

// large returns the cluster of the dump that PARLEY_DUMP names, or an invented one of 500
// nodes and 15,000 pods.
func large(b *testing.B) *kube.Cluster {
	b.Helper()
	name := os.Getenv("PARLEY_DUMP")
	open := func() (io.ReadCloser, error) { return os.Open(name) }
	if name == "" {
		var text bytes.Buffer
		if err := dump.Generate(&text, dump.Size{Nodes: 500, Pods: 15_000, Seed: 1}); err != nil {
			b.Fatal(err)
		}
		open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }
	}
	c, err := dump.Read([]trace.File{{Name: "dump", Size: -1, Open: open}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkState measures what questions do most: a new state, a verdict on every node for
// pods of different workloads, a pod that is moved, and the placement of all pods afresh.
func BenchmarkState(b *testing.B) {
	c := large(b)
	s := constraint.New(c, constraint.Default())
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			constraint.New(c, constraint.Default())
		}
	})
	pod := 0
	b.Run("filter", func(b *testing.B) {
		for b.Loop() {
			pod = (pod + 37) % len(c.Pods)
			s.Filter(pod)
		}
	})
	b.Run("move", func(b *testing.B) {
		for b.Loop() {
			pod = (pod + 37) % len(c.Pods)
			at := s.NodeOf(pod)
			if at == kube.Nowhere {
				continue
			}
			s.Unbind(pod)
			s.Fits(pod, at)
			s.Bind(pod, at)
		}
	})
	b.Run("clone", func(b *testing.B) {
		for b.Loop() {
			s.Clone()
		}
	})
	b.Run("place", func(b *testing.B) {
		for b.Loop() {
			f := constraint.New(c, constraint.Default())
			for pod := range c.Pods {
				f.Unbind(pod)
			}
			pending := 0
			for pod := range c.Pods {
				if at, _ := f.Schedule(pod, func(int) int { return 0 }); at != kube.Nowhere {
					f.Bind(pod, at)
				} else {
					pending++
				}
			}
			b.ReportMetric(float64(pending), "pending")
		}
	})
}
