package constraint

import (
	"parley/core/kube"
	"parley/core/kube/score"
)

// Profile is one profile of a scheduler's configuration: which plugins filter and score, and
// their settings. Create one with Default.
type Profile struct {
	Name    string
	Filters []string // plugins in their order
	Scores  []Weight
	Preempt bool // DefaultPreemption is enabled

	Strategy         Strategy
	BalancedOf       []string // resources of NodeResourcesBalancedAllocation
	IgnoredResources []string // extended resources that the fit filter ignores
	IgnoredGroups    []string // of extended resources, before the slash

	AddedAffinity  *kube.NodeSelector // from NodeAffinity's arguments, for all pods
	AddedPreferred []kube.PreferredTerm

	DefaultSpreads []kube.Spread // of pods without constraints of their own
	SystemDefaults bool          // they are the scheduler's own

	HardPodAffinityWeight int64
	IgnorePreferred       bool // of existing pods, for pods without preferences

	Percentage                          int // of nodes to score; 0 adapts to the size of the cluster
	MinCandidates, MinCandidatesPercent int // of preemption

	Unmodelled []string // settings that no answer uses, each as the subject of a sentence
	// Others are the other profiles of the scheduler: each places the pods that name it. Pods that
	// name none of all are placed by this one.
	Others []*Profile
}

// Of returns the profile of a scheduler's name, nil if there is none.
func (p *Profile) Of(name string) *Profile {
	if p.Name == name {
		return p
	}
	for _, other := range p.Others {
		if other.Name == name {
			return other
		}
	}
	return nil
}

// Weight is a plugin that scores nodes with its weight in the sum.
type Weight struct {
	Plugin string
	Weight int64
}

// Strategy is how NodeResourcesFit scores.
type Strategy struct {
	Type      string // LeastAllocated, MostAllocated or RequestedToCapacityRatio
	Resources []WeightedResource
	Shape     score.Shape // of RequestedToCapacityRatio
}

// WeightedResource is a resource with its weight in a strategy, 1 … 100.
type WeightedResource struct {
	Name   string
	Weight int64
}

// Strategies of NodeResourcesFit.
const (
	LeastAllocated = "LeastAllocated"
	MostAllocated  = "MostAllocated"
	CapacityRatio  = "RequestedToCapacityRatio"
)

// Default returns the default profile of kube-scheduler.
// (apis/config/v1/default_plugins.go)
func Default() *Profile {
	return &Profile{
		Name: "default-scheduler",
		Filters: []string{
			NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodePorts, NodeResourcesFit, VolumeRestriction,
			NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity,
		},
		Scores: []Weight{
			{TaintToleration, 3},
			{NodeAffinity, 2},
			{NodeResourcesFit, 1},
			{PodTopologySpread, 2},
			{InterPodAffinity, 2},
			{Balanced, 1},
			{ImageLocality, 1},
		},
		Preempt:        true,
		Strategy:       Strategy{Type: LeastAllocated, Resources: []WeightedResource{{"cpu", 1}, {"memory", 1}}},
		BalancedOf:     []string{"cpu", "memory"},
		DefaultSpreads: SystemSpreads(), SystemDefaults: true,
		HardPodAffinityWeight: 1, MinCandidates: 100, MinCandidatesPercent: 10,
	}
}

// SystemSpreads returns the scheduler's own default constraints: they only score.
func SystemSpreads() []kube.Spread {
	return []kube.Spread{
		{Key: kube.HostnameLabel, MaxSkew: 3, MinDomains: 1},
		{Key: kube.ZoneLabel, MaxSkew: 5, MinDomains: 1},
	}
}
