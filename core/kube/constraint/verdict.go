package constraint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
)

// Unselected is the reason against a node that a pod's node selector or required affinity does not match.
const Unselected = "node(s) didn't match Pod's node affinity/selector"

// Reason is why a node does not take a pod, in the scheduler's own words.
type Reason struct {
	Plugin string
	Texts  []string // several if several resources are short
	// Final reports that preempting pods would not help (UnschedulableAndUnresolvable).
	Final bool
}

// Verdict is the filters' result for a pod.
type Verdict struct {
	Nodes []int // that pass, rising
	// Reasons has a Reason for each node that does not pass; nil of one that passes and of one
	// that was removed.
	Reasons []*Reason
	// Stop is a reason that stops the pod before any node is checked, "" if there is none.
	Stop string
	// Gated reports that the pod has scheduling gates: the scheduler does not look at it.
	Gated      bool
	TotalNodes int // nodes of the cluster
	// Preemption is the scheduler's message about preemption, see State.Preempt; "" if there is
	// none.
	Preemption string
}

// Message returns the text of the event FailedScheduling, in the scheduler's own words; "" if a node
// passes. (framework/types.go, FitError)
func (v *Verdict) Message() string {
	if len(v.Nodes) > 0 {
		return ""
	}
	if v.Gated {
		return "Scheduling is blocked due to non-empty scheduling gates"
	}
	text := fmt.Sprintf("0/%d nodes are available:", v.TotalNodes)
	if v.Stop != "" {
		text += " " + v.Stop + "."
	} else if counts := histogram(v.Reasons); counts != "" {
		text += " " + counts + "."
	}
	if v.Preemption != "" {
		text += " " + v.Preemption
	}
	return text
}

// Counts returns the number of nodes that each reason excludes, the largest first, then by text.
func (v *Verdict) Counts() []Count {
	return countOf(v.Reasons)
}

// Count is a reason with the number of nodes that it stops.
type Count struct {
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}

// countOf returns the number of nodes that each text of the reasons excludes, the largest first. Reasons
// are compared by address, which is what makes it fast: a State has one Reason for each text.
func countOf(reasons []*Reason) []Count {
	// Few reasons stop many nodes: each is counted before its texts are.
	type group struct {
		reason *Reason
		nodes  int
	}
	var groups []group
	for _, r := range reasons {
		if r == nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.reason == r })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{reason: r})
		}
		groups[i].nodes++
	}
	counts := map[string]int{}
	for _, g := range groups {
		for _, text := range g.reason.Texts {
			counts[text] += g.nodes
		}
	}
	return Ranked(counts)
}

// Ranked returns texts with their counts, the highest first, then by text.
func Ranked(counts map[string]int) []Count {
	all := make([]Count, 0, len(counts))
	for text, n := range counts {
		all = append(all, Count{text, n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		if a.Nodes != b.Nodes {
			return b.Nodes - a.Nodes
		}
		return strings.Compare(a.Reason, b.Reason)
	})
	return all
}

// histogram lists reasons with their counts as the scheduler does: sorted as texts.
func histogram(reasons []*Reason) string {
	var parts []string
	for _, c := range countOf(reasons) {
		parts = append(parts, strconv.Itoa(c.Nodes)+" "+c.Reason)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Names of the plugins, in the order of the default profile.
const (
	NodeUnschedulable = "NodeUnschedulable"
	NodeName          = "NodeName"
	TaintToleration   = "TaintToleration"
	NodeAffinity      = "NodeAffinity"
	NodePorts         = "NodePorts"
	NodeResourcesFit  = "NodeResourcesFit"
	VolumeRestriction = "VolumeRestrictions"
	NodeVolumeLimits  = "NodeVolumeLimits"
	VolumeBinding     = "VolumeBinding"
	VolumeZone        = "VolumeZone"
	PodTopologySpread = "PodTopologySpread"
	InterPodAffinity  = "InterPodAffinity"
	Balanced          = "NodeResourcesBalancedAllocation"
	ImageLocality     = "ImageLocality"
	DefaultPreemption = "DefaultPreemption"
)

// reasons has one Reason for each text, so that a verdict on many nodes allocates nothing.
type reasons struct {
	unschedulable, affinity, enforced, notNamed, ports       *Reason
	disk, once, limits                                       *Reason
	zone, spread, unlabelled, podAffinity, anti, existingAnt *Reason
	taints                                                   map[kube.Taint]*Reason
	lastTaint                                                kube.Taint
	last                                                     *Reason // of lastTaint
	short                                                    []shortOf
	volumes                                                  [16]*Reason
}

// newReasons returns the reasons whose texts are fixed, in the scheduler's own words. The others are made
// when they first occur.
func newReasons() reasons {
	one := func(plugin, text string, final bool) *Reason { return &Reason{plugin, []string{text}, final} }
	return reasons{
		unschedulable: one(NodeUnschedulable, "node(s) were unschedulable", true),
		affinity:      one(NodeAffinity, Unselected, true),
		enforced:      one(NodeAffinity, "node(s) didn't match scheduler-enforced node affinity", true),
		notNamed:      one(NodeAffinity, "node(s) didn't satisfy plugin(s) [NodeAffinity]", true),
		ports:         one(NodePorts, "node(s) didn't have free ports for the requested pod ports", false),
		disk:          one(VolumeRestriction, "node(s) had no available disk", false),
		once:          one(VolumeRestriction, "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode", false),
		limits:        one(NodeVolumeLimits, "node(s) exceed max volume count", false),
		zone:          one(VolumeZone, "node(s) had no available volume zone", true),
		spread:        one(PodTopologySpread, "node(s) didn't match pod topology spread constraints", false),
		unlabelled:    one(PodTopologySpread, "node(s) didn't match pod topology spread constraints (missing required label)", true),
		podAffinity:   one(InterPodAffinity, "node(s) didn't match pod affinity rules", true),
		anti:          one(InterPodAffinity, "node(s) didn't match pod anti-affinity rules", false),
		existingAnt:   one(InterPodAffinity, "node(s) didn't satisfy existing pods anti-affinity rules", false),
		taints:        map[kube.Taint]*Reason{},
	}
}

// taint returns the reason of a taint that is not tolerated. Equal taints have the same Reason.
func (r *reasons) taint(t kube.Taint) *Reason {
	if r.lastTaint == t && r.last != nil { // neighbours often have the same
		return r.last
	}
	known, found := r.taints[t]
	if !found {
		known = &Reason{TaintToleration, []string{"node(s) had untolerated taint {" + t.Key + ": " + t.Value + "}"}, true}
		r.taints[t] = known
	}
	r.lastTaint, r.last = t, known
	return known
}

// resources returns the reason of resources that are short, which are indices of names, in the order of its
// texts. Equal sets have the same Reason.
func (r *reasons) resources(short []int, names []string) *Reason {
	for _, x := range r.short {
		if slices.Equal(x.resources, short) {
			return x.reason
		}
	}
	var texts []string
	for _, at := range short {
		text := "Insufficient " + names[at]
		if at == kube.Pods {
			text = "Too many pods"
		}
		texts = append(texts, text)
	}
	known := &Reason{NodeResourcesFit, texts, false}
	r.short = append(r.short, shortOf{slices.Clone(short), known})
	return known
}

// shortOf is the reason of resources that are short. Few sets of them occur.
type shortOf struct {
	resources []int
	reason    *Reason
}

// bound returns the reason of a set of troubles with volumes, one text for each bit of t.
func (r *reasons) bound(t blocker) *Reason {
	if r.volumes[t] == nil {
		var texts []string
		for i, text := range []string{
			"node(s) didn't match PersistentVolume's node affinity", "node(s) didn't find available persistent volumes to bind",
			"node(s) did not have enough free storage", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
		} {
			if t&(1<<i) != 0 {
				texts = append(texts, text)
			}
		}
		r.volumes[t] = &Reason{VolumeBinding, texts, true}
	}
	return r.volumes[t]
}

// MainReason returns the reason that excludes the pod from most nodes, or the one that stops it before any node
// is checked; "no nodes" if there is neither.
func (v *Verdict) MainReason() string {
	switch {
	case v.Gated:
		return "scheduling gates"
	case v.Stop != "":
		return v.Stop
	}
	if counts := v.Counts(); len(counts) > 0 {
		return counts[0].Reason
	}
	return "no nodes"
}
