package plane

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
)

// The pods that NodePools of Karpenter admit, and the nodes that they could make.
// (sigs.k8s.io/karpenter/pkg/scheduling/requirements.go, taints.go; controllers/provisioning/scheduling/scheduler.go)

// ExceedsLimits is why a NodePool makes no more nodes, in its words.
const ExceedsLimits = "all available instance types exceed limits for nodepool"

// Exhausted returns the reason why a NodePool may make no more nodes, "" if it may: nothing is left of a
// limit, or too little for each of the machine types that its requirements name. A type that no node of the
// cluster has counts as possible, since its size is not known.
func Exhausted(c *kube.Cluster, p *kube.NodePool) string {
	for _, l := range p.Limits {
		if !l.Max.Above(l.Used) {
			return ExceedsLimits + ": its limit of " + l.Resource + " is used up"
		}
	}
	for _, q := range p.Requirements {
		if newName(q.Key) == kube.InstanceTypeLabel && q.Op == kube.In &&
			!slices.ContainsFunc(q.Values, func(name string) bool { return mayMake(c, p, name) }) {
			return ExceedsLimits + ": what is left of its limits is less than a machine of the types that it names has"
		}
	}
	return ""
}

// mayMake reports whether the limits of a NodePool leave room for a machine of a type; true if the cluster
// has none, because its size is then not known.
func mayMake(c *kube.Cluster, p *kube.NodePool, name string) bool {
	at := slices.IndexFunc(c.Nodes, func(n kube.Node) bool { return n.InstanceType() == name })
	return at < 0 || spare(c, p, &c.Nodes[at], 1) > 0
}

// Refuses returns the reason why a NodePool makes no node for a pod like q, in Karpenter's words, "" if it
// may make one: by taints, labels and requirements, the pod's selector and required affinity, and where its
// volumes may be used. Sizes and limits are not looked at. usable is the result of Usable.
func Refuses(p *kube.NodePool, q *kube.Pod, usable map[[2]string]*kube.NodeSelector) string {
	s := q.Spec
	for i := range p.Taints {
		t := &p.Taints[i]
		if t.Effect != kube.PreferNoSchedule && !s.Tolerates(t) {
			return fmt.Sprintf("did not tolerate %s=%s:%s", t.Key, t.Value,
				map[kube.Effect]string{kube.NoSchedule: "NoSchedule", kube.NoExecute: "NoExecute"}[t.Effect])
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
	for _, claim := range q.Claims {
		if where := usable[[2]string{q.Namespace, claim}]; where != nil {
			selectors = append(selectors, where)
		}
	}
	return provides(offered(p), wants, selectors)
}

// Usable returns, by namespace and name of a claim, the nodes on which its bound volume may be used; claims
// whose volume has no node affinity are left out.
func Usable(c *kube.Cluster) map[[2]string]*kube.NodeSelector {
	volumes, all := map[string]*kube.NodeSelector{}, map[[2]string]*kube.NodeSelector{}
	for i := range c.Volumes {
		volumes[c.Volumes[i].Name] = c.Volumes[i].NodeAffinity
	}
	for i := range c.Claims {
		if x := &c.Claims[i]; volumes[x.Volume] != nil {
			all[[2]string{x.Namespace, x.Name}] = volumes[x.Volume]
		}
	}
	return all
}

// offered returns the requirements that hold for all nodes of a NodePool, by their keys.
func offered(p *kube.NodePool) map[string][]kube.Requirement {
	all := map[string][]kube.Requirement{kube.KarpenterPool: {{
		Key: kube.KarpenterPool, Op: kube.In,
		Values: []string{p.Name},
	}}}
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

// provides returns "" if a NodePool can make a node that meets wants and one term of each selector;
// otherwise the reason against the first combination of terms. It tries all combinations.
func provides(offer map[string][]kube.Requirement, wants []kube.Requirement,
	selectors []*kube.NodeSelector,
) (why string) {
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

// clash returns the first requirement, by key, that no node of a NodePool meets, in Karpenter's words; ""
// if there is none. offer is by key. A label that the pool does not name can have any value only if it is a
// well-known one.
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
		negative := !slices.ContainsFunc(want,
			func(q kube.Requirement) bool { return q.Op != kube.NotIn && q.Op != kube.DoesNotExist })
		switch {
		case len(has) == 0 && !negative && !wellKnown(key):
			return fmt.Sprintf("label %q does not have known values", key)
		case len(has) > 0 && !meet(has, want, negative):
			return "incompatible requirements, key " + key + ", " + written(want) + " not in " + written(has)
		}
	}
	return ""
}

// meet reports whether one value of a label, or its absence, can meet the requirements of both sides.
// negative means that want has only NotIn and DoesNotExist. All requirements must have the same key.
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
	return negative && !slices.ContainsFunc(has,
		func(q kube.Requirement) bool { return q.Op != kube.NotIn && q.Op != kube.DoesNotExist })
}

// written writes requirements as Karpenter does.
func written(all []kube.Requirement) string {
	ops := map[kube.Operator]string{
		kube.In: "In", kube.NotIn: "NotIn", kube.Exists: "Exists",
		kube.DoesNotExist: "DoesNotExist", kube.Gt: ">", kube.Lt: "<",
	}
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

// wellKnown reports whether Karpenter derives a label from the machine or its place: a NodePool that does
// not name it may have any value.
func wellKnown(key string) bool {
	known := []string{
		kube.OSLabel, kube.ArchLabel, kube.InstanceTypeLabel, kube.ZoneLabel, kube.RegionLabel,
		kube.KarpenterCapacity, "node.kubernetes.io/windows-build", "topology.k8s.aws/zone-id",
	}
	return slices.Contains(known, key) || strings.HasPrefix(key, "karpenter.k8s.") || strings.HasPrefix(key, "karpenter.azure.com/")
}

// Templates returns nodes that a NodePool could make, nil if it has a node in the cluster: one for each
// machine type and zone of the cluster that its requirements admit, with its labels and taints. Other types
// are left out, since their size is not known.
func Templates(c *kube.Cluster, p *kube.NodePool) (all []kube.Node) {
	offer, known := offered(p), map[[2]string]bool{}
	for at := range c.Nodes {
		n := c.Nodes[at]
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
			if named := slices.IndexFunc(all, func(q kube.Requirement) bool { return q.Op == kube.In }); !has &&
				named >= 0 && (!wellKnown(key) || key == kube.KarpenterCapacity) {
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

// SpareNodes returns how many nodes like n its NodePool may still make by its limits, at most limit; limit if
// it has no NodePool or no limit.
func SpareNodes(c *kube.Cluster, n *kube.Node, limit int) int {
	name, own := n.Labels.Get(kube.KarpenterPool)
	at := slices.IndexFunc(c.NodePools, func(p kube.NodePool) bool { return p.Name == name })
	if !own || at < 0 {
		return limit
	}
	return spare(c, &c.NodePools[at], n, limit)
}

// spare returns how many nodes like n, at most largest, fit in the limits of a NodePool, by the larger of
// their capacity and allocatable amounts. Limits of resources that the cluster does not have are ignored.
func spare(c *kube.Cluster, p *kube.NodePool, n *kube.Node, largest int) int {
	for _, l := range p.Limits {
		left, each := l.Max.Value()-l.Used.Value(), int64(1)
		switch r := c.Resource(l.Resource); {
		case r == kube.CPU:
			left, each = l.Max.MilliValue()-l.Used.MilliValue(), max(n.Capacity.At(r), n.Allocatable.At(r))
		case r >= 0:
			each = max(n.Capacity.At(r), n.Allocatable.At(r))
		case l.Resource != "nodes":
			continue
		}
		if each > 0 {
			largest = min(largest, int(max(0, left)/each))
		}
	}
	return largest
}
