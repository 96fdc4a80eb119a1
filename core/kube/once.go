package kube

import "slices"

// AttachedOnce returns the claims, by namespace and name, whose volumes only one node at a time can
// attach: those with no other mode than ReadWriteOnce and ReadWriteOncePod. A claim that ready pods
// use on two nodes is left out: its driver attaches nothing.
func (c *Cluster) AttachedOnce() map[[2]string]bool {
	once := map[[2]string]bool{}
	for i := range c.Claims {
		claim := &c.Claims[i]
		if len(claim.Modes) > 0 && !slices.ContainsFunc(claim.Modes,
			func(m AccessMode) bool { return m != ReadWriteOnce && m != ReadWriteOncePod }) {
			once[[2]string{claim.Namespace, claim.Name}] = true
		}
	}
	on := map[[2]string]int{}
	for i := range c.Pods {
		p := &c.Pods[i]
		if !p.Ready || p.Node == Nowhere || p.Terminating() && p.Owner.Kind != "StatefulSet" {
			continue
		}
		for _, name := range p.Claims {
			key := [2]string{p.Namespace, name}
			if at, used := on[key]; used && at != p.Node {
				delete(once, key)
			}
			on[key] = p.Node
		}
	}
	return once
}

// Adopt returns a copy of c that also has the resources and images that s, a Spec of another cluster, names,
// and s with its indices translated to that copy.
func (c *Cluster) Adopt(other *Cluster, s *Spec) (*Cluster, *Spec) {
	d, t := *c, *s
	d.Resources, d.Images = slices.Clone(c.Resources), slices.Clone(c.Images)
	place := func(all *[]string, name string) int {
		at := slices.Index(*all, name)
		if at < 0 {
			at = len(*all)
			*all = append(*all, name)
		}
		return at
	}
	t.Requests = make(Vector, len(d.Resources))
	for r, amount := range s.Requests {
		at := place(&d.Resources, other.Resources[r])
		for len(t.Requests) <= at {
			t.Requests = append(t.Requests, 0)
		}
		t.Requests[at] = amount
	}
	t.Images = nil
	for _, image := range s.Images {
		t.Images = append(t.Images, place(&d.Images, other.Images[image]))
	}
	if t.PriorityClass != "" || t.Priority == 0 {
		for _, class := range c.PriorityClasses {
			if class.Name == t.PriorityClass || t.PriorityClass == "" && class.Default {
				t.Priority, t.NeverPreempts = class.Value, t.NeverPreempts || class.Never
			}
		}
	}
	return &d, &t
}
