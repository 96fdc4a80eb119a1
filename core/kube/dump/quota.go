package dump

import (
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// quota reads what a ResourceQuota bounds of the requests of pods.
// (pkg/quota/v1/evaluator/core/pods.go)
func (r *reader) quota(m *meta, doc gjson.Result) {
	spec := doc.Get("spec")
	q := kube.Quota{Namespace: m.namespace, Name: m.name, Scoped: spec.Get("scopes.0").Exists() || spec.Get("scopeSelector").Exists()}
	r.fields(spec.Get("hard"), "spec.hard", func(name string, v gjson.Result) {
		resource, requests := strings.CutPrefix(name, "requests.")
		switch {
		case strings.HasPrefix(name, "limits."):
			q.Others = append(q.Others, r.keep(name))
			return
		case name == "count/pods":
			resource = "pods"
		case !requests && name != "cpu" && name != "memory" && name != "ephemeral-storage" && name != "pods", resource == "storage":
			return // objects of other kinds
		}
		at := r.place(resource)
		if r.err != nil || at < 0 {
			return
		}
		all := amounts{at: r.quantity(v, "spec.hard."+name)}
		q.Hard = append(q.Hard, kube.QuotaLimit{Name: r.keep(name), Resource: at, Most: all.vector().At(at)})
	})
	if r.err == nil {
		r.cluster.Quotas = append(r.cluster.Quotas, q)
	}
}
