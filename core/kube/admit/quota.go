// Package admit decides, like the API server's admission, whether a pod may exist before the
// scheduler sees it: by quotas, limit ranges and classes. Defaults of admission are set where
// manifests are read (core/kube/dump).
//
//	quotas := admit.NewQuotas(cluster)
//	if text := quotas.Forbids(pod); text == "" {
//		quotas.Count(pod, 1)
//	}
package admit

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
)

// Quotas track the requests and limits of the pods of each namespace, terminating pods included.
// (plugin/pkg/admission/resourcequota, pkg/quota/v1/evaluator/core/pods.go)
type Quotas struct {
	c    *kube.Cluster
	in   map[string][]int // quotas by namespace
	used [][]int64        // by quota and its limits
}

// NewQuotas returns the quotas of a cluster. The used amounts are those of a quota's status, or, if it has
// none, those of the cluster's pods; manifests, which the API server has not seen, do not count.
func NewQuotas(c *kube.Cluster) *Quotas {
	q := &Quotas{c: c, in: map[string][]int{}, used: make([][]int64, len(c.Quotas))}
	for i := range c.Quotas {
		q.used[i] = make([]int64, len(c.Quotas[i].Hard))
		q.in[c.Quotas[i].Namespace] = append(q.in[c.Quotas[i].Namespace], i)
	}
	for i := range c.Pods {
		if !c.Pods[i].Manifest {
			q.Count(&c.Pods[i], 1)
		}
	}
	for i := range c.Quotas {
		for k, l := range c.Quotas[i].Hard {
			if l.HasUsed {
				q.used[i][k] = l.Used
			}
		}
	}
	return q
}

// Count adds the usage of by pods like p; a negative by subtracts it.
func (q *Quotas) Count(p *kube.Pod, by int64) {
	for _, i := range q.in[p.Namespace] {
		x := &q.c.Quotas[i]
		if !counts(x, p) {
			continue
		}
		for k := range x.Hard {
			q.used[i][k] += by * of(&x.Hard[k], p)
		}
	}
}

// of returns a pod's use of a limit.
func of(l *kube.QuotaLimit, p *kube.Pod) int64 {
	if l.Limits {
		return p.Spec.Limits.At(l.Resource)
	}
	return p.Spec.Requests.At(l.Resource)
}

// Forbids returns the reason, in the API server's words, why it refuses to make a pod; "" if it makes it.
// The pod is not counted: call Count if it is made.
func (q *Quotas) Forbids(p *kube.Pod) string {
	if p.Spec.Refused != "" {
		return p.Spec.Refused
	}
	for _, i := range q.in[p.Namespace] {
		x := &q.c.Quotas[i]
		if !counts(x, p) {
			continue
		}
		if missing := unset(x, p); missing != "" {
			return fmt.Sprintf("failed quota: %s: must specify %s", x.Name, missing)
		}
		var wants, used, limited []string
		for k := range x.Hard {
			l := &x.Hard[k]
			want, has := of(l, p), q.used[i][k]
			if want > 0 && has+want > l.Max {
				write := func(n int64) string { return l.Name + "=" + Quantity(l.Resource, n) }
				wants, used, limited = append(wants, write(want)), append(used, write(has)),
					append(limited, write(l.Max))
			}
		}
		if len(wants) > 0 {
			return fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", x.Name, strings.Join(wants, ","), strings.Join(used, ","), strings.Join(limited, ","))
		}
	}
	return ""
}

// unset returns the requests and limits that a quota bounds and containers of a pod leave out, with the
// names of these containers: "limits.memory for: web"; "" if there are none. The API server refuses such a
// pod.
func unset(x *kube.Quota, p *kube.Pod) string {
	var all []string
	for _, u := range p.Spec.Omits {
		bound := func(l kube.QuotaLimit) bool { return l.Limits == u.Limits && l.Resource == u.Resource }
		if at := slices.IndexFunc(x.Hard, bound); at >= 0 {
			all = append(all, x.Hard[at].Name+" for: "+strings.Join(u.Containers, ","))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// counts reports whether a quota counts a pod: all its scopes hold.
func counts(x *kube.Quota, p *kube.Pod) bool {
	for i := range x.Scopes {
		if !holds(&x.Scopes[i], p) {
			return false
		}
	}
	return true
}

// holds reports whether a scope of a quota holds for a pod. A scope that is not known, or that is for
// claims, never holds.
func holds(s *kube.QuotaScope, p *kube.Pod) bool {
	switch s.Name {
	case "Terminating":
		return p.Spec.Deadline
	case "NotTerminating":
		return !p.Spec.Deadline
	case "BestEffort":
		return bestEffort(p.Spec)
	case "NotBestEffort":
		return !bestEffort(p.Spec)
	case "CrossNamespacePodAffinity":
		return slices.ContainsFunc(slices.Concat(p.Spec.PodRequired, p.Spec.AntiRequired, p.Spec.PodPreferred,
			p.Spec.AntiPreferred), func(t kube.PodTerm) bool {
			return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
		})
	case "PriorityClass":
		class := p.Spec.PriorityClass
		switch s.Op {
		case kube.In:
			return slices.Contains(s.Values, class)
		case kube.NotIn:
			return !slices.Contains(s.Values, class)
		case kube.DoesNotExist:
			return class == ""
		}
		return class != ""
	}
	return false // a scope of claims, or an unknown one
}

// bestEffort reports whether a pod has the class of quality BestEffort: neither requests nor limits of CPU and memory.
func bestEffort(s *kube.Spec) bool {
	return s.Requests.At(kube.CPU)+s.Requests.At(kube.Memory)+s.Limits.At(kube.CPU)+s.Limits.At(kube.Memory) == 0
}

// Quantity formats an amount of a resource as the API server does: n is in milli-CPUs, bytes or pieces;
// bytes get the largest unit that divides them.
func Quantity(resource int, n int64) string {
	switch {
	case resource == kube.CPU && n%1000 != 0:
		return fmt.Sprintf("%dm", n)
	case resource == kube.CPU:
		return fmt.Sprint(n / 1000)
	case resource != kube.Memory && resource != kube.EphemeralStorage || n == 0:
		return fmt.Sprint(n)
	}
	for _, u := range []struct {
		name string
		size int64
	}{{"Ti", 1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}} {
		if n%u.size == 0 {
			return fmt.Sprintf("%d%s", n/u.size, u.name)
		}
	}
	return fmt.Sprint(n)
}
