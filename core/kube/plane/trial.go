package plane

import (
	"slices"

	"parley/core/kube/constraint"
)

// trial changes a State and takes the changes back.
type trial struct {
	s        *constraint.State
	done     []change
	cordoned map[int]bool
}

type change struct {
	subject uint8
	pod, at int
}

const (
	bound uint8 = iota
	unbound
	removed
	restored
	cordoned
)

func (t *trial) bind(pod, at int) {
	t.s.Bind(pod, at)
	t.done = append(t.done, change{bound, pod, at})
}

func (t *trial) unbind(pod int) {
	t.done = append(t.done, change{unbound, pod, t.s.NodeOf(pod)})
	t.s.Unbind(pod)
}

// cordon cordons a node that is not.
func (t *trial) cordon(at int) {
	t.s.Cordon(at, true)
	t.done = append(t.done, change{cordoned, -1, at})
	if t.cordoned == nil {
		t.cordoned = map[int]bool{}
	}
	t.cordoned[at] = true
}

// removeWithPods takes a node away with all its pods.
func (t *trial) removeWithPods(at int) {
	for _, pod := range slices.Clone(t.s.PodsOn(at)) {
		t.s.Unbind(pod)
		t.done = append(t.done, change{unbound, pod, at})
	}
	t.s.Remove(at)
	t.done = append(t.done, change{removed, -1, at})
}

func (t *trial) restore(at int) {
	t.s.Restore(at)
	t.done = append(t.done, change{restored, -1, at})
}

// back undoes all changes of the trial but the first n, in reverse order, and with n 0 all.
func (t *trial) back(n int) {
	for _, c := range slices.Backward(t.done[n:]) {
		switch c.subject {
		case bound:
			t.s.Unbind(c.pod)
		case unbound:
			t.s.Bind(c.pod, c.at)
		case removed:
			t.s.Restore(c.at)
		case restored:
			t.s.Remove(c.at)
		case cordoned:
			t.s.Cordon(c.at, false)
			delete(t.cordoned, c.at)
		}
	}
	t.done = t.done[:n]
}
