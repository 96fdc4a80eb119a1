package dump

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// quota reads the limits of a ResourceQuota on pods and their resources and adds it to the cluster; limits
// on other objects are left out. HasUsed is set for a limit that the status counts.
// (pkg/quota/v1/evaluator/core/pods.go)
func (r *reader) quota(m *meta, doc gjson.Result) {
	spec := doc.Get("spec")
	q := kube.Quota{Namespace: m.namespace, Name: m.name}
	used := doc.Get("status.used")
	r.fields(spec.Get("hard"), "spec.hard", func(name string, v gjson.Result) {
		l := kube.QuotaLimit{Name: r.keep(name)}
		resource, requests := strings.CutPrefix(name, "requests.")
		if !requests {
			resource, l.Limits = strings.CutPrefix(name, "limits.")
		}
		switch {
		case name == "count/pods":
			resource = "pods"
		case !requests && !l.Limits && name != "cpu" && name != "memory" && name != "ephemeral-storage" && name != "pods", resource == "storage":
			return // objects of other kinds
		}
		if l.Resource = r.place(resource); r.err != nil || l.Resource < 0 {
			return
		}
		amount := func(v gjson.Result, at string) int64 {
			return amounts{l.Resource: r.quantity(v, at+name)}.vector().At(l.Resource)
		}
		l.Max = amount(v, "spec.hard.")
		used.ForEach(func(key, v gjson.Result) bool { // not Get: names have dots
			if l.HasUsed = key.Str == name; l.HasUsed {
				l.Used = amount(v, "status.used.")
			}
			return !l.HasUsed
		})
		q.Hard = append(q.Hard, l)
	})
	for _, name := range r.textList(spec.Get("scopes"), "spec.scopes") {
		q.Scopes = append(q.Scopes, kube.QuotaScope{Name: name, Op: kube.Exists})
	}
	r.list(spec.Get("scopeSelector.matchExpressions"), "spec.scopeSelector.matchExpressions", func(v gjson.Result, at string) {
		s := kube.QuotaScope{Name: r.text(v.Get("scopeName"), at+".scopeName"), Values: r.textList(v.Get("values"), at+".values")}
		op := slices.Index(operators[:labelOperators], v.Get("operator").Str)
		if op < 0 {
			r.odd(at+".operator", v.Get("operator"))
			return
		}
		s.Op = kube.Operator(op)
		q.Scopes = append(q.Scopes, s)
	})
	if r.err == nil {
		r.cluster.Quotas = append(r.cluster.Quotas, q)
	}
}
