package central_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/batch/gang"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// TestGangs plays random logs on a cluster of uneven nodes under every policy and placement of
// gangs: each job ends when it does on the bare site. In every second log nodes fail and come
// back, and what the site believes still has to be what the cluster holds.
func TestGangs(t *testing.T) {
	for _, policy := range gang.PolicyNames() {
		for _, place := range gang.PlaceNames() {
			if _, err := batch.ParsePolicy(policy); err == nil && place == "pool" {
				continue // the batch system has them
			}
			t.Run(policy+" "+place, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { playGangs(t, policy, place) })
			})
		}
	}
}

func playGangs(t *rapid.T, policyName, placeName string) {
	policy, _ := gang.ParsePolicy(policyName)
	place, _ := gang.ParsePlace(placeName)
	s := gang.Settings{Policy: policy, Place: place}
	own := map[string]any{"place": placeName}
	if policy.Preemptive() {
		s.Restart = unit.Time(rapid.IntRange(0, 3).Draw(t, "restart"))
		own["restart_us"] = s.Restart
		if place != gang.Pool && rapid.Bool().Draw(t, "stay") {
			s.KeepNodes, own["running"] = true, "stay"
		}
	}
	if policy.Queues() {
		s.Levels = gang.Levels{Limits: []unit.Time{3 * unit.Second, 9 * unit.Second}, Promote: rapid.SampledFrom([]float64{0, 0.5, 2}).Draw(t, "promote"), Exact: rapid.Bool().Draw(t, "exact")}
		own["limits"], own["promote"], own["demote"] = "3s 9s", s.Levels.Promote, map[bool]string{false: "late", true: "exact"}[s.Levels.Exact]
	}
	if policy == gang.Gittins {
		s.Gittins = gang.Samples{Times: []unit.Time{2 * unit.Second, 3 * unit.Second, 8 * unit.Second}, Delta: 2 * unit.Second}
		own["samples"], own["delta_us"] = "2s 3s 8s", s.Gittins.Delta
	}
	if slow := rapid.SampledFrom([]int64{1000, 1500, 2333}).Draw(t, "slow"); slow > 1000 {
		s.Slow, own["slowdown"] = slow, float64(slow)/1000
	}
	settings, _ := json.Marshal(map[string]any{"policy": policyName, "gang": own})

	nodes := rapid.SliceOfN(rapid.Int32Range(1, 5), 1, 5).Draw(t, "nodes")
	var log []batch.Logged
	at := unit.Time(0)
	for range rapid.IntRange(1, 15).Draw(t, "jobs") {
		at += unit.Time(rapid.IntRange(0, 3).Draw(t, "gap")) * unit.Second
		run := unit.Time(rapid.IntRange(1, 12).Draw(t, "run")) * unit.Second
		log = append(log, batch.Logged{Job: batch.Job{Processors: int(rapid.Int32Range(1, 6).Draw(t, "gpus")), Estimate: run}, Submit: at, Run: run})
	}
	faults := rapid.Bool().Draw(t, "faults")

	site := gang.NewSite(s)
	for i, gpus := range nodes {
		site.SetNode(0, i, gpus)
	}
	log = slices.DeleteFunc(log, func(l batch.Logged) bool { return !site.Fits(int32(l.Processors)) })
	want := make([]unit.Time, len(log))
	for i, p := range gang.Play(site, log, nil) {
		want[i] = p.End
	}
	got := endsOf(t, settings, nodes, log, faults)
	if !faults && !slices.Equal(got, want) {
		t.Fatalf("%s: jobs end at %d, on the bare site at %d", settings, got, want)
	}
	if faults && slices.Contains(got, -1) {
		t.Fatalf("%s: jobs end at %d: one never does", settings, got)
	}
}

// endsOf plays a log with the system and returns when its jobs end.
func endsOf(t *rapid.T, settings []byte, nodes []int32, log []batch.Logged, faults bool) []unit.Time {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	s, err := central.Entry().New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(string) *rng.Stream { return nil }}, settings)
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]unit.Time, len(log))
	for i := range ends {
		ends[i] = -1
	}
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error {
			if e.Kind == cluster.JobEnded {
				ends[keys[e.Job()]] = e.At
			}
			return s.On(e)
		}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.Audit(), s.(system.Auditor).Audit(), devicesOf(s, c.View())); err != nil {
			t.Fatalf("%s: %v", settings, err)
		}
	}
	clear(keys)
	for i, gpus := range nodes {
		c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: gpus})
	}
	settle()
	jobs := make([]workload.Job, len(log))
	for i, l := range log {
		jobs[i] = workload.Job{Processors: int32(l.Processors), Run: l.Run, Estimate: l.Estimate}
		k.At(l.Submit, ganged{c, jobs}, uint64(i))
	}
	if faults {
		for i := range nodes {
			k.At(unit.Time(2+i)*unit.Second, faulty{c}, uint64(i))
			k.At(unit.Time(4+i)*unit.Second, faulty{c}, uint64(i)|1<<32)
		}
	}
	for k.Step(unit.Day) {
		settle()
	}
	return ends
}

// keys are the indices of the jobs of the log that is played.
var keys = map[unit.JobID]int{}

// ganged submits jobs.
type ganged struct {
	c    *cluster.Cluster
	jobs []workload.Job
}

func (g ganged) Fire(_ unit.Time, i uint64) {
	keys[g.c.SubmitJob(workload.Key{Job: i}, &g.jobs[i])] = int(i)
}

// faulty lets nodes fail and come back.
type faulty struct{ c *cluster.Cluster }

func (f faulty) Fire(_ unit.Time, arg uint64) {
	if n := unit.NodeID(uint32(arg)); arg>>32 == 0 {
		f.c.Leave(n)
	} else {
		f.c.Restore(n)
	}
}

// TestGangSettings holds what is said of settings that do nothing, or that lack something.
func TestGangSettings(t *testing.T) {
	for settings, want := range map[string]string{
		`{"policy":"easy","gang":{"restart_us":5}}`:                         "gang.… does nothing with the policy easy",
		`{"policy":"conservative","gang":{"place":"spread"}}`:               "only the placement pool goes with it",
		`{"policy":"easy","gang":{"place":"spread","restart_us":5}}`:        "gang.restart_us does nothing",
		`{"policy":"srtf","gang":{"limits":"5s"}}`:                          "gang.limits, promote or demote does nothing",
		`{"policy":"srtf","gang":{"running":"stay"}}`:                       "gang.running does nothing",
		`{"policy":"srtf","batch":{"order":"sjf"}}`:                         "batch.order does nothing",
		`{"policy":"fit-first","batch":{"order":"formula"}}`:                "batch.order=formula does nothing",
		`{"policy":"fit-first","batch":{"queues":"0: tier=2"}}`:             "batch.queues does nothing",
		`{"policy":"fit-first","batch":{"reservations":"4 from 1h to 2h"}}`: "batch.reservations does nothing",
		`{"policy":"2d-las","gang":{"limits":"1h 5m"}}`:                     "in rising order",
		`{"policy":"2d-las","gang":{"limits":"soon"}}`:                      `has "soon"`,
		`{"policy":"2d-las","gang":{"limits":""}}`:                          "in rising order",
		`{"policy":"2d-gittins","gang":{"samples":""}}`:                     "gang.samples is empty",
		`{"policy":"2d-las","gang":{"samples":"5s"}}`:                       "gang.samples or delta_us does nothing",
		`{"policy":"2d-las","gang":{"place":"neat"}}`:                       `gang.place is "neat"`,
		`{"policy":"2d-las","gang":{"limits":"1h 8h","promote":2}}`:         "",
		`{"policy":"easy","gang":{"place":"consolidated"}}`:                 "",
	} {
		s := central.Default()
		err := system.Decode(json.RawMessage(settings), &s)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", settings, fmt.Sprint(err), want)
		}
	}
}
