package dump

import (
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// node reads a Node and adds it to the cluster. Its allocatable amounts must be there. A node that is not
// ready gets the NoSchedule taint of its state, as the control plane would set it.
func (r *reader) node(m *meta, _ gjson.Result) {
	n := kube.Node{
		Name: m.name, Labels: r.labels(m.labels, "metadata.labels"),
		ScaleDownDisabled: m.yes(scaleDownAnnotation), Created: m.created,
		MachineSet: m.annotations[machineSetAnnotation],
	}
	n.DoNotDisrupt = m.annotations[doNotDisruptAnnotation] == "true" // a time is for pods alone
	spec, status := m.spec, m.status
	n.Unschedulable = r.truth(spec.Get("unschedulable"), "spec.unschedulable")
	n.Taints = r.taints(spec.Get("taints"), "spec.taints")
	if allocatable := status.Get("allocatable"); allocatable.Exists() {
		n.Allocatable = r.amounts(allocatable, "status.allocatable").vector()
		allocatable.ForEach(func(name, v gjson.Result) bool {
			if driver, is := strings.CutPrefix(name.Str, "attachable-volumes-"); is {
				n.Attachable = append(n.Attachable,
					kube.Limit{Driver: r.keep(driver), Count: r.quantity(v, "status.allocatable."+name.Str).Value()})
			}
			return r.err == nil
		})
	} else {
		r.fail("status.allocatable", gjson.Result{}, "is missing: it says what the node can hold", "fetch nodes with -o json; a table of columns does not do")
	}
	n.Capacity = r.amounts(status.Get("capacity"), "status.capacity").vector()
	r.list(status.Get("conditions"), "status.conditions", func(v gjson.Result, at string) {
		n.Beat = max(n.Beat, when(v, "lastHeartbeatTime"))
		if r.text(v.Get("type"), at+".type") == "Ready" {
			n.Ready = map[string]kube.Ready{"True": kube.ReadyTrue, "False": kube.ReadyFalse}[r.text(v.Get("status"), at+".status")]
			n.ReadySince = since(v)
		}
	})
	switch { // the control plane taints such nodes; a dump of before it did is read as if it had
	case status.Get(`conditions.#(type=="Ready")`).Exists() && n.Ready == kube.ReadyFalse:
		n.Taints = tainted(n.Taints, kube.NotReadyTaint)
	case status.Get(`conditions.#(type=="Ready")`).Exists() && n.Ready == kube.ReadyUnknown:
		n.Taints = tainted(n.Taints, kube.UnreachableTaint)
	}
	r.list(status.Get("images"), "status.images", func(v gjson.Result, at string) {
		size := r.whole(v.Get("sizeBytes"), at+".sizeBytes", 0, maxInt64)
		r.list(v.Get("names"), at+".names", func(v gjson.Result, _ string) {
			n.Images = append(n.Images, kube.Image{Name: r.image(v.Str), Size: size})
		})
	})
	if r.err == nil {
		r.cluster.Nodes = append(r.cluster.Nodes, n)
	}
}

// taints reads a list of taints. A taint with an unknown effect has no effect.
func (r *reader) taints(v gjson.Result, at string) (all []kube.Taint) {
	r.list(v, at, func(v gjson.Result, at string) {
		t := kube.Taint{
			Key: r.text(v.Get("key"), at+".key"), Value: r.text(v.Get("value"), at+".value"),
			Effect: r.effect(v.Get("effect"), at+".effect"),
		}
		if t.Effect != kube.NoEffect {
			all = append(all, t)
		}
	})
	return all
}

// tainted returns taints with the NoSchedule taint of a key, added if it is missing.
func tainted(taints []kube.Taint, key string) []kube.Taint {
	for _, t := range taints {
		if t.Key == key && t.Effect == kube.NoSchedule {
			return taints
		}
	}
	return append(taints, kube.Taint{Key: key, Effect: kube.NoSchedule})
}

// image returns the number of an image.
func (r *reader) image(name string) int {
	at, known := r.images[name]
	if !known {
		at = len(r.cluster.Images)
		name = strings.Clone(name)
		r.images[name] = at
		r.cluster.Images = append(r.cluster.Images, name)
	}
	return at
}
