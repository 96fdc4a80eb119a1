// Package controllers compares core/kube/plane with the real controllers of Kubernetes: each case is played
// by both, and what happens is compared as a multiset of moments and facts. testing/synctest is the clock
// of the real ones, so that hours take milliseconds. It is a module of its own, for it builds the
// controllers; make test-kubernetes runs it.
package controllers

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"parley/core/rng"
)

// count returns how many cases are tried: 20 with -short, else 500, or what CONTROLLERS says.
func count() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("CONTROLLERS"), 10, 64); err == nil {
		return n
	}
	if testing.Short() {
		return 20
	}
	return 500
}

// rollout is a case: a Deployment, StatefulSet or DaemonSet whose template changes at 0. Times are multiples of 11 s, so
// that the scheduler's back-off, 10 s at most, has passed whenever something happens.
type rollout struct {
	replicas           int
	surge, unavailable string // as the API writes them
	recreate           bool
	minReady           int64
	deadline           int64
	start, grace       int64
	room               int    // pods that the only node takes
	sick               int    // old pods that never become ready
	broken             bool   // new pods never become ready
	set, parallel      bool   // a StatefulSet
	daemon             bool   // a DaemonSet, with a node a replica
	drain              bool   // no rollout: the node is drained, and new pods go elsewhere
	least, most        string // minAvailable, maxUnavailable of a budget; "" if it does not name it
	always             bool   // unhealthyPodEvictionPolicy: AlwaysAllow
	partition          int
}

func pick[T any](s *rng.Stream, of ...T) T { return of[s.Intn(len(of))] }

func draw(seed uint64, kind string) rollout {
	s := rng.New(seed, "controllers")
	r := rollout{
		replicas: s.Intn(7), surge: pick(s, "25%", "25%", "1", "2", "50%", "100%"), unavailable: pick(s, "25%", "25%", "0", "1", "2", "50%"),
		recreate: s.Intn(6) == 0, minReady: pick[int64](s, 0, 0, 0, 22), deadline: pick[int64](s, 600, 600, 99), start: pick[int64](s, 11, 22, 44),
		grace: pick[int64](s, 11, 33, 55), broken: s.Intn(6) == 0, set: kind == "StatefulSet", daemon: kind == "DaemonSet",
	}
	if s.Intn(3) == 0 {
		r.surge, r.unavailable = pick(s, "0", "25%"), pick(s, "1", "40%")
	}
	r.room = r.replicas + pick(s, 0, 1, 3, 20)
	if s.Intn(4) == 0 && r.replicas > 0 {
		r.sick = 1 + s.Intn(r.replicas)
	}
	if r.daemon {
		r.replicas, r.room, r.recreate = 1+s.Intn(5), 100, false
		r.unavailable, r.sick = pick(s, "1", "1", "2", "40%", "100%"), min(r.sick, r.replicas)
		if r.surge = pick(s, "0", "0", "1", "2", "50%"); r.surge != "0" {
			r.unavailable = "0"
		}
	}
	if kind == "drain" {
		r.drain, r.room, r.minReady, r.recreate, r.broken, r.always = true, 100, 0, false, false, s.Intn(3) == 0
		if r.least = pick(s, "", "0", "1", "2", "50%", "34%", "80%"); r.least == "" {
			r.most = pick(s, "0", "1", "2", "1%", "30%", "50%", "100%")
		}
		if r.wantsNone() && r.sick < r.replicas {
			r.sick = 0 // whether a pod that is ready or one that is not goes first is a race that decides when the others go
		}
	}
	if r.set {
		r.replicas = min(r.replicas, 4)
		r.sick, r.parallel, r.partition = 0, s.Intn(2) == 0, pick(s, 0, 0, 0, 1, 2)
	}
	return r
}

// wantsNone reports whether the budget wants no healthy pod.
func (r *rollout) wantsNone() bool {
	if r.least != "" {
		return r.least == "0"
	}
	n, percent := strings.CutSuffix(r.most, "%")
	most, err := strconv.Atoi(n)
	if err != nil {
		panic(err)
	}
	if percent {
		most = (most*r.replicas + 99) / 100
	}
	return most >= r.replicas
}

// horizon is until when facts are compared, in seconds.
const horizon = 1200

// facts are moments in tenths of a second with what happened, and how often.
type facts map[string]int

func (f facts) add(tenths int64, what string) {
	if tenths <= horizon*10 {
		f[fmt.Sprintf("%7.1f %s", float64(tenths)/10, what)]++
	}
}

func (f facts) String() string {
	var out strings.Builder
	for _, k := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&out, "%s ×%d\n", k, f[k])
	}
	return out.String()
}

func compare(t *testing.T, kind string) {
	differ := 0
	all := facts{}
	for seed := range count() {
		r := draw(seed, kind)
		ours, theirs := played(t, r), real(t, r)
		for k := range theirs {
			all[k[8:]]++
		}
		if !maps.Equal(ours, theirs) {
			if differ++; differ <= 3 {
				t.Errorf("case %d %+v\nParley:\n%sthe controllers:\n%s", seed, r, ours, theirs)
			}
		}
	}
	t.Logf("%d cases, %d differ; facts: %v", count(), differ, map[string]int(all))
	if differ > 0 {
		t.Errorf("%d of %d cases differ", differ, count())
	}
}

// TestMain keeps the controllers' logs out of the test's.
func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

func TestDeployment(t *testing.T)  { compare(t, "Deployment") }
func TestStatefulSet(t *testing.T) { compare(t, "StatefulSet") }
func TestDaemonSet(t *testing.T)   { compare(t, "DaemonSet") }

// TestDrain drains the node under a disruption budget, with the real disruption controller; evictions are
// answered by the rules of the API server, which are no package by themselves.
func TestDrain(t *testing.T) { compare(t, "drain") }
