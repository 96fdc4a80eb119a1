package plane

import (
	"fmt"
	"strings"

	"parley/core/kube"
	"parley/core/unit"
)

// quotas count what the pods of a namespace request, those that are terminating included.
// (plugin/pkg/admission/resourcequota, pkg/quota/v1/evaluator/core/pods.go)
type quotas struct {
	in   map[string][]int // quotas by namespace
	used []kube.Vector    // by quota
}

func newQuotas(c *kube.Cluster) quotas {
	q := quotas{in: map[string][]int{}, used: make([]kube.Vector, len(c.Quotas))}
	for i := range c.Quotas {
		q.used[i] = make(kube.Vector, len(c.Resources))
		if !c.Quotas[i].Scoped {
			q.in[c.Quotas[i].Namespace] = append(q.in[c.Quotas[i].Namespace], i)
		}
	}
	for i := range c.Pods {
		q.count(&c.Pods[i], 1)
	}
	return q
}

// count adds what a pod requests, or takes it away.
func (q *quotas) count(p *kube.Pod, by int64) {
	for _, i := range q.in[p.Namespace] {
		for r, amount := range p.Spec.Requests {
			q.used[i][r] += by * amount
		}
	}
}

// forbids returns why the API server refuses to make a pod, "" if it makes it.
func (q *quotas) forbids(p *Plane, made *kube.Pod) string {
	for _, i := range q.in[made.Namespace] {
		x := &p.c.Quotas[i]
		var wants, used, limited []string
		for _, l := range x.Hard {
			want, has := made.Spec.Requests.At(l.Resource), q.used[i].At(l.Resource)
			if want > 0 && has+want > l.Most {
				write := func(n int64) string { return l.Name + "=" + quantity(l.Resource, n) }
				wants, used, limited = append(wants, write(want)), append(used, write(has)), append(limited, write(l.Most))
			}
		}
		if len(wants) > 0 {
			return fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", x.Name, strings.Join(wants, ","), strings.Join(used, ","), strings.Join(limited, ","))
		}
	}
	return ""
}

// Forbidden is a workload whose pods the API server refuses to make.
type Forbidden struct {
	Workload string // NAMESPACE/NAME of what makes the pods
	Missing  int    // pods
	Text     string
	group    int
}

// Forbidden returns the workloads that lack pods since a quota forbids them.
func (p *Plane) Forbidden() (all []Forbidden) {
	for _, r := range p.sets {
		if n := r.want - len(r.active()); n > 0 && r.refused != "" {
			all = append(all, Forbidden{r.namespace + "/" + r.owner.Name, n, r.refused, r.group})
		}
	}
	return all
}

// later returns after what time a controller tries again what has failed a number of times.
// (client-go util/workqueue/default_rate_limiters.go)
func later(fails int) unit.Time {
	return min(5*unit.Millisecond<<min(fails-1, 30), 1000*unit.Second)
}

// quantity writes an amount of a resource as the API server does.
func quantity(resource int, n int64) string {
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
