package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"parley/core/testkit/cases"
)

// count returns how many cases are tried: 60 with -short, else 1,200, or what CASES says.
func count() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("CASES"), 10, 64); err == nil {
		return n
	}
	if testing.Short() {
		return 60
	}
	return 1200
}

// ask returns the scheduler's answers about the first n cases, under configurations if there are any. A scheduler waits more than
// it works while it starts, so several start at a time.
func ask(t *testing.T, n uint64, dump, configuration func(uint64) []byte) [][]Answer {
	t.Helper()
	out := make([][]Answer, n)
	var group sync.WaitGroup
	next := make(chan uint64)
	for range 8 {
		group.Go(func() {
			for seed := range next {
				var profiles []config.KubeSchedulerProfile
				var err error
				if configuration != nil {
					if profiles, err = Profiles(configuration(seed)); err != nil {
						t.Errorf("configuration %d: %v", seed, err)
					}
				}
				answers, err := Answers(dump(seed), profiles)
				if err != nil {
					t.Errorf("case %d: %v", seed, err)
				}
				out[seed] = answers
			}
		})
	}
	for seed := range n {
		next <- seed
	}
	close(next)
	group.Wait()
	return out
}

// wanted are what stops pods in the cases, and the scorers that tell nodes apart.
var wanted = []string{
	"NodeUnschedulable: node(s) were unschedulable", "TaintToleration: node(s) had untolerated taint {team: x}", "TaintToleration: node(s) had untolerated taint {gpu: }",
	"NodeAffinity: node(s) didn't match Pod's node affinity/selector", "NodePorts: node(s) didn't have free ports for the requested pod ports",
	"NodeResourcesFit: Insufficient cpu", "NodeResourcesFit: Insufficient memory", "NodeResourcesFit: Insufficient ephemeral-storage", "NodeResourcesFit: Insufficient nvidia.com/gpu", "NodeResourcesFit: Too many pods",
	"VolumeRestrictions: node(s) had no available disk", "VolumeRestrictions: node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
	"NodeVolumeLimits: node(s) exceed max volume count", "VolumeZone: node(s) had no available volume zone",
	"VolumeBinding: node(s) didn't match PersistentVolume's node affinity", "VolumeBinding: node(s) didn't find available persistent volumes to bind", "VolumeBinding: node(s) did not have enough free storage",
	"PodTopologySpread: node(s) didn't match pod topology spread constraints", "PodTopologySpread: node(s) didn't match pod topology spread constraints (missing required label)",
	"InterPodAffinity: node(s) didn't match pod affinity rules", "InterPodAffinity: node(s) didn't match pod anti-affinity rules", "InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules",
	"PreFilter VolumeBinding: pod has unbound immediate PersistentVolumeClaims", "preempts",
	"scores TaintToleration", "scores NodeAffinity", "scores PodTopologySpread", "scores InterPodAffinity", "scores NodeResourcesFit", "scores NodeResourcesBalancedAllocation", "scores ImageLocality",
}

// TestCasesReachEveryReason holds the generated cases to their purpose: each reason that
// stops pods, and each scorer that tells nodes apart, must come often.
func TestCasesReachEveryReason(t *testing.T) {
	const enough = 400
	if count() < enough {
		t.Skipf("%d cases are too few for rare reasons: CASES=%d", count(), enough)
	}
	seen, n := map[string]int{}, uint64(enough)
	for _, answers := range ask(t, n, cases.Dump, nil) {
		for _, a := range answers {
			if a.PreFilter != "" {
				seen["PreFilter "+a.StoppedBy+": "+a.PreFilter]++
			}
			if len(a.Candidates) > 0 {
				seen["preempts"]++
			}
			scores := map[string]map[int64]bool{}
			for _, on := range a.Nodes {
				for _, f := range on.Filters {
					for _, r := range f.Reasons {
						seen[f.Plugin+": "+r]++
					}
				}
				for _, s := range on.Scores {
					if scores[s.Plugin] == nil {
						scores[s.Plugin] = map[int64]bool{}
					}
					scores[s.Plugin][s.Normalised] = true
				}
			}
			for plugin, values := range scores {
				if len(values) > 1 {
					seen["scores "+plugin]++
				}
			}
		}
	}
	for _, w := range wanted {
		if seen[w] < 5 {
			t.Errorf("%d times in %d cases: %s", seen[w], n, w)
		}
	}
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		lines = append(lines, fmt.Sprintf("%6d %s", seen[k], k))
	}
	t.Log("what the scheduler says in the cases:\n" + strings.Join(lines, "\n"))
}
