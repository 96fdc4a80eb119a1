package plane

import (
	"slices"

	"parley/core/kube"
)

// Platforms describes on which operating systems and processors workloads run.
type Platforms struct {
	mixed map[string]bool              // labels that have different values on different nodes
	runs  map[owned]map[[2]string]bool // values of labels of nodes where ready pods of a workload are
	keep  *kube.Owners
}

// NewPlatforms records, by workload, the operating systems and processors on which ready pods of a cluster
// run. If all nodes have the same, it records nothing.
func NewPlatforms(c *kube.Cluster) *Platforms {
	f := &Platforms{mixed: map[string]bool{}, runs: map[owned]map[[2]string]bool{}, keep: kube.NewOwners(c)}
	first := map[string]string{}
	for i := range c.Nodes {
		for _, label := range platformLabels {
			if v := label.of(&c.Nodes[i]); v != "" {
				f.mixed[label.key] = f.mixed[label.key] || first[label.key] != "" && first[label.key] != v
				first[label.key] = v
			}
		}
	}
	if len(f.mixed) == 0 {
		return f
	}
	for i := range c.Pods {
		p := &c.Pods[i]
		if p.Node == kube.Nowhere || !p.Ready {
			continue
		}
		w := owned{p.Namespace, f.keep.Of(p)}
		if f.runs[w] == nil {
			f.runs[w] = map[[2]string]bool{}
		}
		for _, label := range platformLabels {
			f.runs[w][[2]string{label.key, label.of(&c.Nodes[p.Node])}] = true
		}
	}
	return f
}

var platformLabels = []struct {
	key, old, subject string
	of                func(*kube.Node) string
}{
	{kube.OSLabel, "beta.kubernetes.io/os", "operating system", (*kube.Node).OS},
	{kube.ArchLabel, "beta.kubernetes.io/arch", "processor architecture", (*kube.Node).Arch},
}

// Foreign returns why a pod would not start on a node that its spec lets it run on: "" if nothing
// speaks against it, else "operating system" or "processor architecture". A pod that selects
// neither runs where ready pods of its workload do; if there are none, under Linux.
func (f *Platforms) Foreign(p *kube.Pod, n *kube.Node) string {
	for _, label := range platformLabels {
		value := label.of(n)
		if !f.mixed[label.key] || value == "" || selects(p.Spec, label.key) || selects(p.Spec, label.old) {
			continue
		}
		runs := f.runs[owned{p.Namespace, f.keep.Of(p)}]
		if runs[[2]string{label.key, value}] {
			continue
		}
		if len(runs) > 0 || label.key == kube.OSLabel && value != "linux" {
			return label.subject
		}
	}
	return ""
}

// selects reports whether a pod requires anything of a label of its node.
func selects(s *kube.Spec, key string) bool {
	if _, has := s.NodeSelector.Get(key); has {
		return true
	}
	if s.NodeRequired == nil {
		return false
	}
	return !slices.ContainsFunc(s.NodeRequired.Terms, func(t kube.NodeTerm) bool {
		return !slices.ContainsFunc(t.Labels, func(r kube.Requirement) bool { return r.Key == key })
	})
}
