package admit_test

import (
	"testing"

	"parley/core/kube"
	"parley/core/kube/admit"
)

// pod returns a pod of namespace shop that requests an amount of CPU, and may use another.
func pod(request, limit int64) *kube.Pod {
	return &kube.Pod{Namespace: "shop", Spec: &kube.Spec{Requests: kube.Vector{request, 0, 0, 1}, Limits: kube.Vector{limit}}}
}

// cluster returns one with a quota in namespace shop.
func cluster(q kube.Quota, pods ...*kube.Pod) *kube.Cluster {
	q.Namespace, q.Name = "shop", "team"
	c := &kube.Cluster{Resources: kube.BaseResources(), Quotas: []kube.Quota{q}}
	for _, p := range pods {
		c.Pods = append(c.Pods, *p)
	}
	return c
}

// The sentences are those of pkg/quota/v1 and plugin/pkg/admission/resourcequota of Kubernetes 1.33.
func TestForbids(t *testing.T) {
	requests := kube.QuotaLimit{Name: "requests.cpu", Resource: kube.CPU, Max: 2000}
	limits := kube.QuotaLimit{Name: "limits.cpu", Resource: kube.CPU, Limits: true, Max: 2000}
	pods := kube.QuotaLimit{Name: "pods", Resource: kube.Pods, Max: 1}
	used := requests
	used.Used, used.HasUsed = 1800, true
	omits := pod(0, 0)
	omits.Spec.Omits = []kube.Omitted{{Resource: kube.CPU, Limits: true, Containers: []string{"a", "b"}}, {Resource: kube.Memory, Containers: []string{"a"}}}
	refused := pod(100, 0)
	refused.Spec.Refused = "no PriorityClass with name hihg was found"
	foreign := pod(4000, 0)
	foreign.Namespace = "other"
	batch := pod(4000, 0)
	batch.Spec.PriorityClass, batch.Spec.Deadline = "batch", true
	scoped := func(s ...kube.QuotaScope) kube.Quota {
		return kube.Quota{Hard: []kube.QuotaLimit{requests}, Scopes: s}
	}
	const exceeded = "exceeded quota: team, requested: requests.cpu=4, used: requests.cpu=0, limited: requests.cpu=2"
	for _, c := range []struct {
		name  string
		quota kube.Quota
		there []*kube.Pod
		made  *kube.Pod
		want  string
	}{
		{"room", kube.Quota{Hard: []kube.QuotaLimit{requests}}, []*kube.Pod{pod(1500, 0)}, pod(500, 0), ""},
		{"requests", kube.Quota{Hard: []kube.QuotaLimit{requests}}, []*kube.Pod{pod(1500, 0)}, pod(501, 0), "exceeded quota: team, requested: requests.cpu=501m, used: requests.cpu=1500m, limited: requests.cpu=2"},
		{"the status counts", kube.Quota{Hard: []kube.QuotaLimit{used}}, nil, pod(500, 0), "exceeded quota: team, requested: requests.cpu=500m, used: requests.cpu=1800m, limited: requests.cpu=2"},
		{"limits", kube.Quota{Hard: []kube.QuotaLimit{limits}}, []*kube.Pod{pod(0, 1000)}, pod(100, 1500), "exceeded quota: team, requested: limits.cpu=1500m, used: limits.cpu=1, limited: limits.cpu=2"},
		{"pods", kube.Quota{Hard: []kube.QuotaLimit{pods}}, []*kube.Pod{pod(1, 0)}, pod(1, 0), "exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1"},
		{"another namespace", kube.Quota{Hard: []kube.QuotaLimit{requests}}, nil, foreign, ""},
		{"must specify", kube.Quota{Hard: []kube.QuotaLimit{limits}}, nil, omits, "failed quota: team: must specify limits.cpu for: a,b"},
		{"refused", kube.Quota{}, nil, refused, "no PriorityClass with name hihg was found"},
		{"best effort only", scoped(kube.QuotaScope{Name: "BestEffort"}), nil, batch, ""},
		{"not best effort", scoped(kube.QuotaScope{Name: "NotBestEffort"}), nil, batch, exceeded},
		{"with a deadline", scoped(kube.QuotaScope{Name: "Terminating"}), nil, batch, exceeded},
		{"without a deadline", scoped(kube.QuotaScope{Name: "NotTerminating"}), nil, batch, ""},
		{"of a class", scoped(kube.QuotaScope{Name: "PriorityClass", Op: kube.In, Values: []string{"batch"}}), nil, batch, exceeded},
		{"of other classes", scoped(kube.QuotaScope{Name: "PriorityClass", Op: kube.NotIn, Values: []string{"batch"}}), nil, batch, ""},
		{"of no class", scoped(kube.QuotaScope{Name: "PriorityClass", Op: kube.DoesNotExist}), nil, batch, ""},
		{"all scopes hold", scoped(kube.QuotaScope{Name: "Terminating"}, kube.QuotaScope{Name: "BestEffort"}), nil, batch, ""},
	} {
		if got := admit.NewQuotas(cluster(c.quota, c.there...)).Forbids(c.made); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What is counted can be taken away.
func TestCount(t *testing.T) {
	q := admit.NewQuotas(cluster(kube.Quota{Hard: []kube.QuotaLimit{{Name: "cpu", Resource: kube.CPU, Max: 2000}}}))
	p := pod(1500, 0)
	q.Count(p, 1)
	if q.Forbids(p) == "" {
		t.Error("a second pod is let in")
	}
	if q.Count(p, -1); q.Forbids(p) != "" {
		t.Error("a pod counts after it has ended")
	}
}
