package usage

import (
	"slices"

	"parley/core/kube"
)

// Levels returns the names of the levels of use that requests may be set to.
func Levels() []string { return []string{"p50", "p95", "max"} }

// Sized returns a cluster whose pods request their measured usage: for each workload and resource
// with samples, the given level of them, at least 1. Templates change too; resources without samples
// keep their requests. workloads is the number of workloads that changed.
func Sized(c *kube.Cluster, u *Usage, level string) (d *kube.Cluster, workloads int) {
	rows, _ := RightSize(c, u)
	amounts := map[of]map[int]int64{}
	for _, row := range rows {
		in := of{row.Namespace, kube.Owner{Kind: row.Kind, Name: row.Name}}
		if amounts[in] == nil {
			amounts[in] = map[int]int64{}
		}
		amounts[in][slices.Index(c.Resources, row.Resource)] = max(1,
			map[string]int64{"p50": row.P50, "p95": row.P95, "max": row.Max}[level])
	}
	type key struct {
		spec *kube.Spec
		in   of
	}
	known := map[key]*kube.Spec{}
	resize := func(sp *kube.Spec, in of) *kube.Spec {
		set := amounts[in]
		if sp == nil || len(set) == 0 {
			return sp
		}
		if one := known[key{sp, in}]; one != nil {
			return one
		}
		one := *sp
		one.Requests = slices.Clone(sp.Requests)
		for r, amount := range set {
			for len(one.Requests) <= r {
				one.Requests = append(one.Requests, 0)
			}
			one.Requests[r] = amount
			if r == kube.CPU {
				one.ScoredCPU = amount
			} else {
				one.ScoredMemory = amount
			}
		}
		known[key{sp, in}] = &one
		return &one
	}
	keep := kube.NewOwners(c)
	own := *c
	own.Pods, own.Workloads = slices.Clone(c.Pods), slices.Clone(c.Workloads)
	for i := range own.Pods {
		own.Pods[i].Spec = resize(own.Pods[i].Spec, of{own.Pods[i].Namespace, keep.Of(&own.Pods[i])})
	}
	for i := range own.Workloads {
		w := &own.Workloads[i]
		in := of{w.Namespace, kube.Owner{Kind: w.Kind, Name: w.Name}}
		if w.Owner.Kind != "" {
			in.owner = w.Owner
		}
		w.Template = resize(w.Template, in)
	}
	return &own, len(amounts)
}
