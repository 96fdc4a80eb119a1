package plane_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/unit"
)

// shared is a node whose two pods share a claim, and one with room for their successors.
const shared = `node a0 {}
node a1 {}
PersistentVolumeClaim data {annotations: {pv.kubernetes.io/bind-completed: "yes"}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, volumeName: pv, resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}
PersistentVolume pv {spec: {accessModes: [ReadWriteOnce], storageClassName: fast, capacity: {storage: 1Gi}, csi: {driver: d, volumeHandle: h}, claimRef: {namespace: default, name: data}}, status: {phase: Bound}}
StatefulSet db {replicas: 1, nodes: [a0], pod: {volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}
StatefulSet log {replicas: 1, nodes: [a0], pod: {volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}}`

// TestSharedVolumeIsDetachedAfterItsLastPod: two pods of one claim on a machine that does not answer are removed at
// different times. The attach/detach controller first asks for the volume when the second one is gone, and detaches it
// by force 6 minutes after that: once. (pkg/controller/volume/attachdetach/reconciler/reconciler.go, reconcile)
func TestSharedVolumeIsDetachedAfterItsLastPod(t *testing.T) {
	for _, x := range []struct{ db, log unit.Time }{
		{2 * unit.Minute, 4 * unit.Minute}, {4 * unit.Minute, 2 * unit.Minute}, {2 * unit.Minute, 9 * unit.Minute}, {3 * unit.Minute, 3 * unit.Minute},
	} {
		c := cluster(t, &datadriven.TestData{Pos: "shared", Input: shared})
		p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
		p.Lose([]int{0}, false)
		place := func(name string) int {
			return slices.IndexFunc(c.Pods, func(q kube.Pod) bool { return q.Name == name })
		}
		p.GoneAfter(place("db-0"), x.db)
		p.GoneAfter(place("log-0"), x.log)
		p.Run(plane.Day, func() bool { return false })
		detached, ready := []string{}, unit.Forever
		for _, f := range p.Facts() {
			switch f.Kind {
			case plane.Detached:
				detached = append(detached, fmt.Sprint(f.At, " ", f.Name))
			case plane.Ready:
				ready = min(ready, f.At)
			}
		}
		last := max(x.db, x.log) + 6*unit.Minute
		if want := fmt.Sprint(last, " default/data"); strings.Join(detached, "; ") != want || ready != last+10*unit.Second {
			t.Errorf("gone after %v and %v: detached %q, want %q; the first pod is ready at %v", x.db, x.log, detached, want, ready)
		}
	}
}

// TestVolumeOfASuccessorOnTheSameMachineStays: before the controllers know that a machine has stopped, the scheduler
// places successors there. They want the volume again, which is not detached.
func TestVolumeOfASuccessorOnTheSameMachineStays(t *testing.T) {
	c := cluster(t, &datadriven.TestData{Pos: "shared", Input: strings.Replace(shared, "a1 {}", "a1 {unschedulable: true}", 1)})
	p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
	p.Lose([]int{0}, false)
	p.GoneAfter(0, unit.Second)
	p.GoneAfter(1, unit.Second)
	p.Run(plane.Day, func() bool { return false })
	bound := 0
	for _, f := range p.Facts() {
		if f.Kind == plane.Bound && f.Node == "a0" {
			bound++
		}
		if f.Kind == plane.Detached {
			t.Errorf("at %v %s is detached from %s: %s", f.At, f.Name, f.Node, f.Text)
		}
	}
	if bound != 2 {
		t.Errorf("%d successors are bound to the stopped machine, want 2", bound)
	}
}
