package dump

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"sigs.k8s.io/yaml"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/score"
	"parley/core/strict"
	"parley/core/trace"
)

// Profiles reads a KubeSchedulerConfiguration, YAML or JSON, and returns its profiles with the defaults of
// kube-scheduler v1.33; at least one, the default one if the file names none. Others of each profile are
// all the other profiles. Extenders and plugins of other projects are listed in Profile.Unmodelled. Errors
// are an *Error.
func Profiles(name string, text []byte) ([]*constraint.Profile, error) {
	if yamlTooDeep(text) {
		return nil, &Error{File: name, Reason: strict.TooDeep, Hint: hintConfig}
	}
	document, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, &Error{File: name, Reason: "is no YAML (" + trace.Shorten(strings.ReplaceAll(err.Error(), "\n", " ")) +
			")", Hint: hintConfig}
	}
	r := &reader{file: name, hint: hintConfig, texts: map[string]string{}, labelled: map[string]kube.Labels{}}
	doc := gjson.ParseBytes(document)
	if !doc.IsObject() || len(bytes.TrimSpace(text)) == 0 {
		return nil, &Error{File: name, Reason: "is no KubeSchedulerConfiguration", Hint: hintConfig}
	}
	if kind := doc.Get("kind"); kind.Str != "KubeSchedulerConfiguration" {
		r.fail("kind", kind, "is not KubeSchedulerConfiguration", hintConfig)
	}
	if version := doc.Get("apiVersion"); version.Str != "kubescheduler.config.k8s.io/v1" {
		r.fail("apiVersion", version, "is not kubescheduler.config.k8s.io/v1", "convert the configuration to v1, which kube-scheduler has read since 1.25")
	}
	var all []*constraint.Profile
	var notes []string
	if n := len(doc.Get("extenders").Array()); n > 0 {
		notes = append(notes, strconv.Itoa(n)+" of the scheduler's extenders")
	}
	percent := int(r.whole(doc.Get("percentageOfNodesToScore"), "percentageOfNodesToScore", 0, 100))
	r.list(doc.Get("profiles"), "profiles", func(v gjson.Result, at string) {
		p := constraint.Default()
		p.Percentage, p.Unmodelled = percent, slices.Clone(notes)
		r.profile(p, v, at)
		all = append(all, p)
	})
	if r.err != nil {
		return nil, r.err
	}
	if len(all) == 0 {
		p := constraint.Default()
		p.Percentage, p.Unmodelled = percent, notes
		all = append(all, p)
	}
	if len(all) > maxProfiles { // each refers to all others
		return nil, &Error{File: name, Field: "profiles", Reason: "has " + strconv.Itoa(len(all)) + " profiles: at most " +
			strconv.Itoa(maxProfiles) + " are read", Hint: hintConfig}
	}
	for i, p := range all {
		p.Others = slices.Concat(all[:i], all[i+1:])
	}
	return all, nil
}

const maxProfiles = 100

const hintConfig = "give the file that kube-scheduler --config reads"

// plugin is a plugin that a configuration enables at a point.
type plugin struct {
	name   string
	weight int64 // 0 if the configuration has none
}

// multiPoint are the plugins that kube-scheduler enables everywhere they can be, in its order.
var multiPoint = []plugin{
	{"SchedulingGates", 0},
	{"PrioritySort", 0},
	{"NodeUnschedulable", 0},
	{"NodeName", 0},
	{"TaintToleration", 3},
	{"NodeAffinity", 2},
	{"NodePorts", 0},
	{"NodeResourcesFit", 1},
	{"VolumeRestrictions", 0},
	{"NodeVolumeLimits", 0},
	{"VolumeBinding", 0},
	{"VolumeZone", 0},
	{"PodTopologySpread", 2},
	{"InterPodAffinity", 2},
	{"DefaultPreemption", 0},
	{"NodeResourcesBalancedAllocation", 1},
	{"ImageLocality", 1},
	{"DefaultBinder", 0},
}

// scoring are the plugins of kube-scheduler that score without further feature gates.
var scoring = []string{
	constraint.TaintToleration, constraint.NodeAffinity, constraint.NodeResourcesFit, constraint.PodTopologySpread,
	constraint.InterPodAffinity,
	constraint.Balanced, constraint.ImageLocality,
}

// profile reads one profile over the defaults that are in p. at is its path in error messages.
func (r *reader) profile(p *constraint.Profile, v gjson.Result, at string) {
	if name := v.Get("schedulerName"); name.Exists() {
		p.Name = r.text(name, at+".schedulerName")
	}
	if percent := v.Get("percentageOfNodesToScore"); percent.Exists() && percent.Type != gjson.Null {
		p.Percentage = int(r.whole(percent, at+".percentageOfNodesToScore", 0, 100))
	}
	points := map[string]pluginSet{}
	r.fields(v.Get("plugins"), at+".plugins", func(name string, v gjson.Result) { points[name] = r.pluginSet(v, at+".plugins."+name) })
	multi := points["multiPoint"].over(multiPoint)
	filters, scorers := points["filter"].expand(multi, constraint.Default().Filters), points["score"].expand(multi, scoring)
	p.Filters, p.Scores = nil, nil
	for _, f := range filters {
		p.Filters = append(p.Filters, f.name)
	}
	for _, s := range scorers {
		p.Scores = append(p.Scores, constraint.Weight{Plugin: s.name, Weight: max(1, s.weight)})
	}
	p.Preempt = len(points["postFilter"].expand(multi, []string{constraint.DefaultPreemption})) > 0
	p.Unmodelled = append(p.Unmodelled, foreign(points, multi)...)
	r.list(v.Get("pluginConfig"), at+".pluginConfig", func(v gjson.Result, at string) {
		r.arguments(p, r.text(v.Get("name"), at+".name"), v.Get("args"), at+".args")
	})
}

// pluginSet lists the plugins of a profile at one extension point.
type pluginSet struct {
	enabled  []plugin
	disabled []string
}

// pluginSet reads the plugins that a profile enables and disables at one extension point. A plugin without
// a name is an error.
func (r *reader) pluginSet(v gjson.Result, at string) (s pluginSet) {
	r.fields(v, at, func(name string, v gjson.Result) {
		r.list(v, at+"."+name, func(v gjson.Result, at string) {
			one := plugin{r.text(v.Get("name"), at+".name"), r.whole(v.Get("weight"), at+".weight", 0, maxInt32)}
			switch {
			case one.name == "":
				r.fail(at+".name", v.Get("name"), "is missing", hintConfig)
			case name == "enabled":
				s.enabled = append(s.enabled, one)
			case name == "disabled":
				s.disabled = append(s.disabled, one.name)
			}
		})
	})
	return s
}

func (s *pluginSet) disables(name string) bool {
	return slices.Contains(s.disabled, name) || slices.Contains(s.disabled, "*")
}

// over returns the plugins of defaults as the set changes them: those that it disables are left out, those
// that it names again are replaced in place, the others that it enables follow. A weight of 0 becomes 1 for
// plugins that the set names. (apis/config/v1/default_plugins.go, mergePluginSet)
func (s pluginSet) over(defaults []plugin) (all []plugin) {
	replaced := map[string]bool{}
	for _, d := range defaults {
		if s.disables(d.name) {
			continue
		}
		for _, own := range s.enabled {
			if own.name == d.name {
				d, replaced[d.name] = own, true
				d.weight = max(1, d.weight)
			}
		}
		all = append(all, d)
	}
	for _, own := range s.enabled {
		if !replaced[own.name] {
			own.weight = max(1, own.weight)
			all = append(all, own)
		}
	}
	return all
}

// expand returns the plugins of a point: first those that the point itself enables in place of
// multiPoint's, then the others of multiPoint, then the rest. can are the plugins that implement the
// point.
// (framework/runtime/framework.go, expandMultiPointPlugins)
func (s pluginSet) expand(multi []plugin, can []string) (all []plugin) {
	var later []plugin
	for _, own := range s.enabled {
		if !slices.Contains(can, own.name) {
			continue
		}
		own.weight = max(1, own.weight)
		again := slices.ContainsFunc(multi, func(m plugin) bool { return m.name == own.name })
		if again && !s.disables(own.name) {
			all = append(all, own)
		} else {
			later = append(later, own)
		}
	}
	named := func(name string) bool {
		return slices.ContainsFunc(s.enabled, func(own plugin) bool { return own.name == name })
	}
	for _, m := range multi {
		if slices.Contains(can, m.name) && !s.disables(m.name) && !named(m.name) {
			all = append(all, m)
		}
	}
	return append(all, later...)
}

// foreign returns the plugins that a profile enables and no answer looks at, and those that it disables at
// points at which disabling has no effect here. points are the plugin sets by extension point, multi the
// plugins of multiPoint after its changes.
func foreign(points map[string]pluginSet, multi []plugin) (notes []string) {
	known := func(name string) bool {
		return slices.ContainsFunc(multiPoint, func(m plugin) bool { return m.name == name })
	}
	seen := map[string]bool{}
	for _, m := range multi {
		if !known(m.name) && !seen[m.name] {
			seen[m.name] = true
			notes = append(notes, "the plugin "+m.name)
		}
	}
	for _, point := range []string{"preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit"} {
		for _, own := range points[point].enabled {
			if !known(own.name) && !seen[own.name] {
				seen[own.name] = true
				notes = append(notes, "the plugin "+own.name)
			}
		}
		if set := points[point]; (point == "preFilter" || point == "preScore") && len(set.disabled) > 0 {
			notes = append(notes, "the plugins that "+point+" disables: "+strings.Join(set.disabled, ", "))
		}
	}
	return notes
}

// arguments reads the arguments of a plugin into the profile; fields that the plugin leaves out keep the
// defaults. An argument that is not known is listed in Unmodelled.
func (r *reader) arguments(p *constraint.Profile, name string, v gjson.Result, at string) {
	r.fields(v, at, func(field string, v gjson.Result) {
		at := at + "." + field
		switch name + "." + field {
		case "NodeResourcesFit.ignoredResources":
			p.IgnoredResources = r.textList(v, at)
		case "NodeResourcesFit.ignoredResourceGroups":
			p.IgnoredGroups = r.textList(v, at)
		case "NodeResourcesFit.scoringStrategy":
			r.strategy(&p.Strategy, v, at)
		case "NodeResourcesBalancedAllocation.resources":
			p.BalancedOf = nil
			for _, w := range r.weighted(v, at) {
				p.BalancedOf = append(p.BalancedOf, w.Name)
			}
		case "PodTopologySpread.defaultingType":
			switch r.text(v, at) {
			case "List":
				if p.SystemDefaults {
					p.DefaultSpreads, p.SystemDefaults = nil, false
				}
			case "System", "":
			default:
				r.fail(at, v, "is no way to choose default constraints", "it is System or List")
			}
		case "PodTopologySpread.defaultConstraints":
			if len(v.Array()) > 0 {
				p.DefaultSpreads, p.SystemDefaults = nil, false
			}
			r.list(v, at, func(v gjson.Result,
				at string,
			) {
				p.DefaultSpreads = append(p.DefaultSpreads, r.spread(v, at))
			})
		case "InterPodAffinity.hardPodAffinityWeight":
			p.HardPodAffinityWeight = r.whole(v, at, 0, 100)
		case "InterPodAffinity.ignorePreferredTermsOfExistingPods":
			p.IgnorePreferred = r.truth(v, at)
		case "NodeAffinity.addedAffinity":
			if need := v.Get(required); need.IsObject() {
				p.AddedAffinity = r.nodeSelector(need, at+"."+required)
			}
			r.list(v.Get(preferred), at+"."+preferred, func(v gjson.Result, at string) {
				p.AddedPreferred = append(p.AddedPreferred, kube.PreferredTerm{
					Weight: int32(r.whole(v.Get("weight"), at+".weight", 0, 100)), Term: r.nodeTerm(v.Get("preference"), at+".preference"),
				})
			})
		case "DefaultPreemption.minCandidateNodesPercentage":
			p.MinCandidatesPercent = int(r.whole(v, at, 0, 100))
		case "DefaultPreemption.minCandidateNodesAbsolute":
			p.MinCandidates = int(r.whole(v, at, 0, maxInt32))
		default:
			if field != "apiVersion" && field != "kind" && field != "bindTimeoutSeconds" {
				p.Unmodelled = append(p.Unmodelled, "the argument "+field+" of "+name)
			}
		}
	})
}

// weighted reads resources with weights; a weight that is missing is 1.
func (r *reader) weighted(v gjson.Result, at string) (all []constraint.WeightedResource) {
	r.list(v, at, func(v gjson.Result, at string) {
		w := constraint.WeightedResource{
			Name:   r.text(v.Get("name"), at+".name"),
			Weight: max(1, r.whole(v.Get("weight"), at+".weight", 0, 100)),
		}
		if w.Name == "" {
			r.fail(at+".name", v.Get("name"), "is missing", hintConfig)
		}
		all = append(all, w)
	})
	return all
}

// strategy reads a scoringStrategy over the default in s. Points of the shape must rise in utilization, and
// the strategy RequestedToCapacityRatio needs a shape.
func (r *reader) strategy(s *constraint.Strategy, v gjson.Result, at string) {
	r.fields(v, at, func(field string, v gjson.Result) {
		at := at + "." + field
		switch field {
		case "type":
			s.Type = r.text(v, at)
			if !slices.Contains([]string{constraint.LeastAllocated, constraint.MostAllocated, constraint.CapacityRatio},
				s.Type) {
				r.fail(at, v, "is no strategy", "it is LeastAllocated, MostAllocated or RequestedToCapacityRatio")
			}
		case "resources":
			if len(v.Array()) > 0 {
				s.Resources = r.weighted(v, at)
			}
		case "requestedToCapacityRatio":
			r.list(v.Get("shape"), at+".shape", func(v gjson.Result, at string) {
				point := score.Point{
					Utilization: r.whole(v.Get("utilization"), at+".utilization", 0, 100),
					Score:       r.whole(v.Get("score"), at+".score", 0, 10),
				}
				if n := len(s.Shape); n > 0 && point.Utilization <= s.Shape[n-1].Utilization {
					r.fail(at+".utilization", v.Get("utilization"), "is not above that of the point before", "let utilization rise from point to point")
				}
				s.Shape = append(s.Shape, point)
			})
		}
	})
	if s.Type == constraint.CapacityRatio && len(s.Shape) == 0 {
		r.fail(at+".requestedToCapacityRatio.shape", gjson.Result{}, "is missing", "give points of utilization and score")
	}
}
