package dump

import (
	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// Effects by their names.
var effects = map[string]kube.Effect{
	"": kube.AnyEffect, "NoSchedule": kube.NoSchedule, "PreferNoSchedule": kube.PreferNoSchedule, "NoExecute": kube.NoExecute,
}

// effect reads the effect of a taint or toleration. An unknown one is listed as odd and is NoEffect; a
// missing one is AnyEffect.
func (r *reader) effect(v gjson.Result, at string) kube.Effect {
	e, known := effects[r.text(v, at)]
	if !known {
		r.odd(at, v)
		return kube.NoEffect
	}
	return e
}

// toleration reads a toleration. One with an unknown operator tolerates nothing (NoEffect). Without
// tolerationSeconds it holds for ever (-1); negative seconds count as 0.
func (r *reader) toleration(v gjson.Result, at string) kube.Toleration {
	t, nothing := kube.Toleration{Seconds: -1}, false
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "key":
			t.Key = r.text(v, at)
		case "value":
			t.Value = r.text(v, at)
		case "effect":
			t.Effect = r.effect(v, at)
		case "tolerationSeconds":
			if v.Type != gjson.Null {
				t.Seconds = max(0, r.whole(v, at, -maxInt64-1, maxInt64))
			}
		case "operator":
			switch r.text(v, at) {
			case "", "Equal":
			case "Exists":
				t.Exists = true
			default:
				r.odd(at, v)
				nothing = true
			}
		}
	})
	if nothing {
		t.Effect = kube.NoEffect
	}
	return t
}

// spread reads a topologySpreadConstraint with the API server's defaults for the fields that it leaves out.
func (r *reader) spread(v gjson.Result, at string) kube.Spread {
	s := kube.Spread{MinDomains: 1, Hard: true}
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "maxSkew":
			s.MaxSkew = int32(r.whole(v, at, 1, maxInt32))
		case "minDomains":
			if v.Type != gjson.Null {
				s.MinDomains = int32(r.whole(v, at, 1, maxInt32))
			}
		case "topologyKey":
			s.Key = r.text(v, at)
		case "labelSelector":
			s.Selector = r.selector(v, at)
		case "matchLabelKeys":
			s.Match = r.textList(v, at)
		case "whenUnsatisfiable":
			s.Hard = r.text(v, at) == "DoNotSchedule"
		case "nodeAffinityPolicy":
			s.IgnoreNodes = r.text(v, at) == "Ignore"
		case "nodeTaintsPolicy":
			s.HonourTaints = r.text(v, at) == "Honor"
		}
	})
	return s
}

// Fields of affinities.
const (
	required  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferred = "preferredDuringSchedulingIgnoredDuringExecution"
)

// affinity reads a pod's required and preferred affinities into s. For a manifest that admission has not
// seen, labels are the pod's own: matchLabelKeys take values from them. Otherwise labels is nil, because
// the API server has merged them already.
func (r *reader) affinity(s *kube.Spec, v gjson.Result, at string, labels kube.Labels) {
	pods := map[string]*[]kube.PodTerm{
		"podAffinity/" + required: &s.PodRequired, "podAffinity/" + preferred: &s.PodPreferred,
		"podAntiAffinity/" + required: &s.AntiRequired, "podAntiAffinity/" + preferred: &s.AntiPreferred,
	}
	r.fields(v, at, func(of string, v gjson.Result) {
		at := at + "." + of
		r.fields(v, at, func(name string, v gjson.Result) {
			at := at + "." + name
			switch {
			case v.Type == gjson.Null:
			case of == "nodeAffinity" && name == required:
				s.NodeRequired = r.nodeSelector(v, at)
			case of == "nodeAffinity" && name == preferred:
				r.list(v, at, func(v gjson.Result, at string) {
					s.NodePreferred = append(s.NodePreferred, kube.PreferredTerm{
						Weight: int32(r.whole(v.Get("weight"), at+".weight", 0, 100)), Term: r.nodeTerm(v.Get("preference"), at+".preference"),
					})
				})
			default:
				if terms := pods[of+"/"+name]; terms != nil {
					*terms = r.podTerms(v, at, name == preferred, labels)
				}
			}
		})
	})
}

// nodeSelector reads {nodeSelectorTerms: […]}.
func (r *reader) nodeSelector(v gjson.Result, at string) *kube.NodeSelector {
	n := &kube.NodeSelector{}
	r.list(v.Get("nodeSelectorTerms"), at+".nodeSelectorTerms", func(v gjson.Result, at string) { n.Terms = append(n.Terms, r.nodeTerm(v, at)) })
	return n
}

// nodeTerm reads one term of a node selector. A term without requirements matches no node.
func (r *reader) nodeTerm(v gjson.Result, at string) (t kube.NodeTerm) {
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "matchExpressions":
			t.Labels = r.requirements(v, at, nodeOperators)
		case "matchFields":
			t.Fields = r.requirements(v, at, nodeOperators)
		}
	})
	return t
}

// podTerms reads terms of inter-pod affinity, weighted ones if they are preferences. Like the API server
// for a new pod, it adds the requirements of matchLabelKeys and mismatchLabelKeys to the selectors, for the
// keys that labels have. A term without a selector stays without one and matches no pod.
// (pkg/registry/core/pod/strategy.go)
func (r *reader) podTerms(v gjson.Result, at string, weighted bool, labels kube.Labels) (all []kube.PodTerm) {
	r.list(v, at, func(v gjson.Result, at string) {
		weight := int32(0)
		if weighted {
			weight = int32(r.whole(v.Get("weight"), at+".weight", 0, 100))
			v, at = v.Get("podAffinityTerm"), at+".podAffinityTerm"
		}
		t := kube.PodTerm{Weight: weight}
		var more []kube.Requirement
		keys := func(v gjson.Result, at string, op kube.Operator) {
			for _, key := range r.textList(v, at) {
				if value, has := labels.Get(key); has {
					more = append(more, kube.Requirement{Key: key, Op: op, Values: []string{value}})
				}
			}
		}
		r.fields(v, at, func(name string, v gjson.Result) {
			switch at := at + "." + name; name {
			case "labelSelector":
				t.Selector = r.selector(v, at)
			case "topologyKey":
				t.Key = r.text(v, at)
			case "namespaces":
				t.Namespaces = r.textList(v, at)
			case "namespaceSelector":
				t.NamespaceSelector = r.selector(v, at)
			case "matchLabelKeys":
				keys(v, at, kube.In)
			case "mismatchLabelKeys":
				keys(v, at, kube.NotIn)
			}
		})
		if t.Selector != nil {
			t.Selector.Requirements = append(t.Selector.Requirements, more...)
		}
		all = append(all, t)
	})
	return all
}
