package dump

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// nodePool reads a NodePool of Karpenter and adds it to the cluster. A kind of this name in another API
// group is ignored. A consolidateAfter that is not a duration is listed as odd and counts as 0.
func (r *reader) nodePool(m *meta, doc gjson.Result) {
	if api := doc.Get("apiVersion").Str; api != "" && !strings.HasPrefix(api, "karpenter.sh/") {
		return
	}
	p := kube.NodePool{Name: m.name, Fixed: doc.Get("spec.replicas").Type == gjson.Number}
	at := "spec.disruption"
	disruption := doc.Get(at)
	p.Policy = r.text(disruption.Get("consolidationPolicy"), at+".consolidationPolicy")
	switch after := r.text(disruption.Get("consolidateAfter"), at+".consolidateAfter"); after {
	case "":
	case "Never":
		p.Never = true
	default:
		d, err := time.ParseDuration(after)
		if err != nil {
			r.odd(at+".consolidateAfter", disruption.Get("consolidateAfter"))
		}
		p.After = int64(d.Seconds())
	}
	r.list(disruption.Get("budgets"), at+".budgets", func(v gjson.Result, at string) {
		b := kube.NodeBudget{Schedule: r.text(v.Get("schedule"), at+".schedule"), Reasons: r.textList(v.Get("reasons"), at+".reasons")}
		if d, err := time.ParseDuration(r.text(v.Get("duration"), at+".duration")); err == nil {
			b.Duration = int64(d.Seconds())
		}
		if nodes := r.intOrPercent(v.Get("nodes"), at+".nodes"); nodes != nil {
			b.Nodes = *nodes
			p.Budgets = append(p.Budgets, b)
		}
	})
	template, at := doc.Get("spec.template"), "spec.template"
	p.Labels = r.labels(template.Get("metadata.labels"), at+".metadata.labels")
	p.Taints = r.taints(template.Get("spec.taints"), at+".spec.taints")
	p.Requirements = r.requirements(template.Get("spec.requirements"), at+".spec.requirements", nodeOperators)
	for i := range p.Requirements {
		if q := &p.Requirements[i]; q.Key == kube.KarpenterCapacity && q.Op == kube.In {
			p.Capacities = q.Values
		}
	}
	r.fields(doc.Get("spec.limits"), "spec.limits", func(name string, v gjson.Result) {
		limit := kube.PoolLimit{Resource: r.keep(name), Max: r.quantity(v, "spec.limits."+name)}
		doc.Get("status.resources").ForEach(func(key, v gjson.Result) bool {
			if key.Str == name {
				limit.Used = r.quantity(v, "status.resources."+name)
			}
			return true
		})
		p.Limits = append(p.Limits, limit)
	})
	if r.err == nil {
		r.cluster.NodePools = append(r.cluster.NodePools, p)
	}
}

// isDuration reports whether a text is a duration as NodePools have it.
func isDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil || text == "Never"
}

// isSchedule reports whether a text is a schedule of cron.
func isSchedule(text string) bool {
	text = strings.ToLower(text)
	for _, name := range strings.Fields("sun mon tue wed thu fri sat jan feb mar apr may jun jul aug sep oct nov dec") {
		text = strings.ReplaceAll(text, name, "")
	}
	return strings.Trim(text, "0123456789*/,-? ") == "" || strings.HasPrefix(text, "@")
}
