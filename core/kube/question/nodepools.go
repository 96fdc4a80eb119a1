package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
)

// PoolAdmits is a NodePool of Karpenter, with how many of the pods that wait it lets in.
type PoolAdmits struct {
	Name   string `json:"name"`
	Nodes  int    `json:"nodes"`  // of the dump
	Admits int    `json:"admits"` // pods that its labels, requirements and taints let in, and its limits
	// Sizes reports whether the dump has a node that this NodePool could make: how large others are is not known.
	Sizes   bool     `json:"sizes_known"`
	Reasons []Reason `json:"reasons"` // what keeps the other pods out, in Karpenter's words
}

// admits returns what each NodePool lets in of some pods.
// (sigs.k8s.io/karpenter/pkg/scheduling/requirements.go, taints.go; controllers/provisioning/scheduling/scheduler.go)
func (a *asked) admits(pods []int) []PoolAdmits {
	out, usable := make([]PoolAdmits, 0, len(a.c.NodePools)), a.usable()
	for k := range a.c.NodePools {
		p := &a.c.NodePools[k]
		one := PoolAdmits{Name: p.Name, Sizes: len(a.templates(p)) > 0}
		for at := range a.c.Nodes {
			if name, own := a.c.Nodes[at].Labels.Get(kube.KarpenterPool); own && name == p.Name {
				one.Nodes, one.Sizes = one.Nodes+1, true
			}
		}
		full := used(p)
		var reasons []string
		for _, i := range pods {
			why := a.refusal(p, i, usable)
			if why == "" {
				why = full
			}
			if why == "" {
				one.Admits++
			} else {
				reasons = append(reasons, why)
			}
		}
		one.Reasons = tally(reasons)
		out = append(out, one)
	}
	return out
}

// used returns that a NodePool may make no more nodes, "" if it may.
func used(p *kube.NodePool) string {
	for _, l := range p.Limits {
		if !l.Most.Above(l.Used) {
			return exceedsLimits + ": its limit of " + l.Resource + " is used up"
		}
	}
	return ""
}

// refusal returns why a NodePool takes no pod like one, "" if it takes it.
func (a *asked) refusal(p *kube.NodePool, pod int, usable map[[2]string]*kube.NodeSelector) string {
	s := a.c.Pods[pod].Spec
	for i := range p.Taints {
		t := &p.Taints[i]
		if t.Effect != kube.PreferNoSchedule && !s.Tolerates(t) {
			return fmt.Sprintf("did not tolerate %s=%s:%s", t.Key, t.Value, map[kube.Effect]string{kube.NoSchedule: "NoSchedule", kube.NoExecute: "NoExecute"}[t.Effect])
		}
	}
	wants := make([]kube.Requirement, 0, len(s.NodeSelector))
	for _, l := range s.NodeSelector {
		wants = append(wants, kube.Requirement{Key: l.Key, Op: kube.In, Values: []string{l.Value}})
	}
	var selectors []*kube.NodeSelector
	if s.NodeRequired != nil {
		selectors = append(selectors, s.NodeRequired)
	}
	for _, claim := range a.c.Pods[pod].Claims {
		if where := usable[[2]string{a.c.Pods[pod].Namespace, claim}]; where != nil {
			selectors = append(selectors, where)
		}
	}
	return provides(offered(p), wants, selectors)
}

// usable returns where the volumes of claims may be used, by namespace and name of the claim.
func (a *asked) usable() map[[2]string]*kube.NodeSelector {
	volumes, all := map[string]*kube.NodeSelector{}, map[[2]string]*kube.NodeSelector{}
	for i := range a.c.Volumes {
		volumes[a.c.Volumes[i].Name] = a.c.Volumes[i].NodeAffinity
	}
	for i := range a.c.Claims {
		if c := &a.c.Claims[i]; volumes[c.Volume] != nil {
			all[[2]string{c.Namespace, c.Name}] = volumes[c.Volume]
		}
	}
	return all
}

// offered returns the requirements that hold for all nodes of a NodePool, by their keys.
func offered(p *kube.NodePool) map[string][]kube.Requirement {
	all := map[string][]kube.Requirement{kube.KarpenterPool: {{Key: kube.KarpenterPool, Op: kube.In, Values: []string{p.Name}}}}
	for _, l := range p.Labels {
		key := newName(l.Key)
		all[key] = append(all[key], kube.Requirement{Key: key, Op: kube.In, Values: []string{l.Value}})
	}
	for _, q := range p.Requirements {
		q.Key = newName(q.Key)
		all[q.Key] = append(all[q.Key], q)
	}
	return all
}

// provides returns "" if a NodePool can make a node that meets some requirements and one term of each selector, else
// why not by the first terms.
func provides(offer map[string][]kube.Requirement, wants []kube.Requirement, selectors []*kube.NodeSelector) (why string) {
	if len(selectors) == 0 {
		return clash(offer, wants)
	}
	for i := range selectors[0].Terms {
		t := &selectors[0].Terms[i]
		reason := "the pod names its node"
		if len(t.Fields) == 0 {
			reason = provides(offer, slices.Concat(wants, t.Labels), selectors[1:])
		}
		if reason == "" {
			return ""
		}
		if why == "" {
			why = reason
		}
	}
	return why
}

// clash returns which requirement no node of a NodePool meets, "" if none.
func clash(offer map[string][]kube.Requirement, wants []kube.Requirement) string {
	byKey := map[string][]kube.Requirement{}
	var keys []string
	for _, q := range wants {
		q.Key = newName(q.Key)
		if byKey[q.Key] == nil {
			keys = append(keys, q.Key)
		}
		byKey[q.Key] = append(byKey[q.Key], q)
	}
	slices.Sort(keys)
	for _, key := range keys {
		has, want := offer[key], byKey[key]
		negative := !slices.ContainsFunc(want, func(q kube.Requirement) bool { return q.Op != kube.NotIn && q.Op != kube.DoesNotExist })
		switch {
		case len(has) == 0 && !negative && !wellKnown(key):
			return fmt.Sprintf("label %q does not have known values", key)
		case len(has) > 0 && !meet(has, want, negative):
			return "incompatible requirements, key " + key + ", " + written(want) + " not in " + written(has)
		}
	}
	return ""
}

// meet reports whether a value meets the requirements of both sides.
func meet(has, want []kube.Requirement, negative bool) bool {
	all := slices.Concat(has, want)
	if at := slices.IndexFunc(all, func(q kube.Requirement) bool { return q.Op == kube.In }); at >= 0 {
		return slices.ContainsFunc(all[at].Values, func(value string) bool {
			labels := kube.Labels{{Key: all[at].Key, Value: value}}
			return !slices.ContainsFunc(all, func(q kube.Requirement) bool { return !q.Matches(labels) })
		})
	}
	if !slices.ContainsFunc(all, func(q kube.Requirement) bool { return q.Op == kube.DoesNotExist }) {
		return true
	}
	return negative && !slices.ContainsFunc(has, func(q kube.Requirement) bool { return q.Op != kube.NotIn && q.Op != kube.DoesNotExist })
}

// written writes requirements as Karpenter does.
func written(all []kube.Requirement) string {
	ops := map[kube.Operator]string{kube.In: "In", kube.NotIn: "NotIn", kube.Exists: "Exists", kube.DoesNotExist: "DoesNotExist", kube.Gt: ">", kube.Lt: "<"}
	parts := make([]string, len(all))
	for i, q := range all {
		parts[i] = q.Key + " " + ops[q.Op]
		if len(q.Values) > 0 {
			parts[i] += " [" + strings.Join(q.Values, " ") + "]"
		}
	}
	return strings.Join(parts, ", ")
}

// newName returns the name that Karpenter uses for a label that has an older one.
func newName(key string) string {
	switch key {
	case "beta.kubernetes.io/os":
		return kube.OSLabel
	case "beta.kubernetes.io/arch":
		return kube.ArchLabel
	case "beta.kubernetes.io/instance-type":
		return kube.InstanceTypeLabel
	case "failure-domain.beta.kubernetes.io/zone", "topology.ebs.csi.aws.com/zone":
		return kube.ZoneLabel
	case "failure-domain.beta.kubernetes.io/region":
		return kube.RegionLabel
	}
	return key
}

// wellKnown reports whether a label says something of the machine: a NodePool that does not name it may have any value.
func wellKnown(key string) bool {
	known := []string{kube.OSLabel, kube.ArchLabel, kube.InstanceTypeLabel, kube.ZoneLabel, kube.RegionLabel, kube.KarpenterCapacity, "node.kubernetes.io/windows-build", "topology.k8s.aws/zone-id"}
	return slices.Contains(known, key) || strings.HasPrefix(key, "karpenter.k8s.") || strings.HasPrefix(key, "karpenter.azure.com/")
}

// templates returns nodes that a NodePool without nodes could make: of each machine type and zone of the cluster that
// its requirements let in, with its labels and taints.
func (a *asked) templates(p *kube.NodePool) (all []kube.Node) {
	offer, known := offered(p), map[[2]string]bool{}
	for at := range a.c.Nodes {
		n := a.c.Nodes[at]
		name, own := n.Labels.Get(kube.KarpenterPool)
		if own && name == p.Name {
			return nil
		}
		if n.ControlPlane() || n.Virtual() || n.InstanceType() == "" || known[[2]string{n.InstanceType(), n.Zone()}] {
			continue
		}
		labels := map[string]string{kube.HostnameLabel: n.Name}
		for _, l := range n.Labels {
			if key := newName(l.Key); wellKnown(key) && key != kube.KarpenterCapacity {
				labels[key] = l.Value
			}
		}
		fits := true
		for key, all := range offer {
			value, has := labels[key]
			if named := slices.IndexFunc(all, func(q kube.Requirement) bool { return q.Op == kube.In }); !has && named >= 0 && (!wellKnown(key) || key == kube.KarpenterCapacity) {
				value, has = all[named].Values[0], true
				if slices.Contains(all[named].Values, kube.Spot) && key == kube.KarpenterCapacity {
					value = kube.Spot // Karpenter takes the cheapest
				}
				labels[key] = value
			}
			one := kube.Labels{}
			if has {
				one = kube.Labels{{Key: key, Value: value}}
			}
			fits = fits && !slices.ContainsFunc(all, func(q kube.Requirement) bool { return !q.Matches(one) })
		}
		if !fits {
			continue
		}
		known[[2]string{n.InstanceType(), n.Zone()}] = true
		n.Labels, n.Taints, n.Unschedulable, n.Ready = kube.NewLabels(labels), p.Taints, false, kube.ReadyTrue
		all = append(all, n)
	}
	return all
}

// spareNodes returns how many nodes like one its NodePool may still make, most if nothing bounds them.
func (a *asked) spareNodes(n *kube.Node, most int) int {
	name, own := n.Labels.Get(kube.KarpenterPool)
	at := slices.IndexFunc(a.c.NodePools, func(p kube.NodePool) bool { return p.Name == name })
	if !own || at < 0 {
		return most
	}
	for _, l := range a.c.NodePools[at].Limits {
		left, each := l.Most.Value()-l.Used.Value(), int64(1)
		switch r := a.c.Resource(l.Resource); {
		case r == kube.CPU:
			left, each = l.Most.MilliValue()-l.Used.MilliValue(), max(n.Capacity.At(r), n.Allocatable.At(r))
		case r >= 0:
			each = max(n.Capacity.At(r), n.Allocatable.At(r))
		case l.Resource != "nodes":
			continue
		}
		if each > 0 {
			most = min(most, int(max(0, left)/each))
		}
	}
	return most
}

// poolGrid lists what NodePools let in.
func poolGrid(pools []PoolAdmits) Grid {
	var rows [][]string
	for _, p := range pools {
		why, sizes := "–", "yes"
		if len(p.Reasons) > 0 {
			why = p.Reasons[0].Reason
		}
		if !p.Sizes {
			sizes = "no"
		}
		rows = append(rows, []string{p.Name, strconv.Itoa(p.Nodes), strconv.Itoa(p.Admits), sizes, why})
	}
	return grid("NodePools of Karpenter, and the pending pods that they let in", []string{"NodePool", "nodes now", "lets in", "sizes known", "what keeps most others out"}, rows, mostRows)
}

// poolSentence says which NodePools let pods in, where no node of the dump does; with a space before it.
func poolSentence(pools []PoolAdmits) string {
	var lets, sizes []string
	for _, p := range pools {
		if p.Admits > 0 {
			lets = append(lets, fmt.Sprintf("%s lets in %s", p.Name, number(p.Admits)))
		}
		if p.Admits > 0 && !p.Sizes {
			sizes = append(sizes, p.Name)
		}
	}
	switch {
	case len(pools) == 0:
		return ""
	case len(lets) == 0:
		return fmt.Sprintf(" NodePool %s lets none in: %s.", pools[0].Name, pools[0].Reasons[0].Reason)
	}
	s := " By taints and requirements NodePool " + strings.Join(lets, ", NodePool ") + "."
	if len(sizes) > 0 {
		s += " How large the machines of " + strings.Join(sizes, ", ") + " are, the dump does not say: it has no node that they could make."
	}
	return s
}
