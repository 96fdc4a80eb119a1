package dump

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// event keeps the newest warning about a pod or a workload, and the cluster autoscaler's message about a pod for
// which it adds no node. Those of the scheduler are left out: the answers have its reasons for the moment of the
// dump.
func (r *reader) event(m *meta, doc gjson.Result) {
	of, from := doc.Get("involvedObject"), cmp.Or(doc.Get("source.component").Str, doc.Get("reportingComponent").Str)
	if !of.Exists() { // of events.k8s.io/v1
		of, from = doc.Get("regarding"), doc.Get("reportingController").Str
	}
	e := kube.Event{
		Object: kube.Owned{Namespace: of.Get("namespace").Str, Owner: kube.Owner{Kind: of.Get("kind").Str, Name: of.Get("name").Str}},
		Reason: doc.Get("reason").Str, From: from,
		Message: strings.TrimSpace(cmp.Or(doc.Get("message").Str, doc.Get("note").Str)),
	}
	warns := doc.Get("type").Str == "Warning" || e.Reason == "NotTriggerScaleUp"
	if !warns || e.Reason == "FailedScheduling" && !strings.Contains(from, "karpenter") || e.Message == "" {
		return
	}
	for _, at := range []string{"series.lastObservedTime", "lastTimestamp", "eventTime", "metadata.creationTimestamp", "deprecatedLastTimestamp"} {
		e.At = max(e.At, when(doc, at))
	}
	key := [3]string{e.Object.Kind, e.Object.Namespace, e.Object.Name}
	at, known := r.events[key]
	switch all := r.cluster.Events; {
	case known && all[at].At >= e.At:
		return
	case known:
		at = r.events[key]
	default:
		at = len(all)
		r.cluster.Events = append(all, kube.Event{})
	}
	e.Object = kube.Owned{
		Namespace: r.keep(e.Object.Namespace),
		Owner:     kube.Owner{Kind: r.keep(e.Object.Kind), Name: strings.Clone(e.Object.Name)},
	}
	e.Reason, e.From, e.Message = r.keep(e.Reason), r.keep(e.From), strings.Clone(e.Message)
	r.events[[3]string{e.Object.Kind, e.Object.Namespace, e.Object.Name}] = at
	r.cluster.Events[at] = e
}

// resizer notes the workload whose new pods a VerticalPodAutoscaler gives other requests.
func (r *reader) resizer(m *meta, doc gjson.Result) {
	if mode := doc.Get("spec.updatePolicy.updateMode").Str; mode != "Off" {
		of := doc.Get("spec.targetRef")
		r.vertical = append(r.vertical, kube.Owned{
			Namespace: m.namespace, Owner: kube.Owner{Kind: r.keep(of.Get("kind").Str), Name: r.keep(of.Get("name").Str)},
		})
	}
}

// resizers marks the workloads that VerticalPodAutoscalers resize.
func (r *reader) resizers() {
	for i := range r.cluster.Workloads {
		w := &r.cluster.Workloads[i]
		own := kube.Owned{Namespace: w.Namespace, Owner: kube.Owner{Kind: w.Kind, Name: w.Name}}
		w.Resized = slices.Contains(r.vertical, own)
	}
}
