package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/kube/admit"
)

// late is a Spec of a manifest or a template: admission decides of it when the whole dump has been read.
type late struct {
	spec      *kube.Spec
	namespace string
	runtime   string // runtimeClassName
	demand    demand
}

// runtimeClass has the overhead and placement that a RuntimeClass adds to its pods.
type runtimeClass struct {
	overhead    amounts
	selector    kube.Labels
	tolerations []kube.Toleration
}

func (r *reader) runtimeClass(m *meta, doc gjson.Result) {
	c := runtimeClass{overhead: r.amounts(doc.Get("overhead.podFixed"), "overhead.podFixed"), selector: r.labels(doc.Get("scheduling.nodeSelector"), "scheduling.nodeSelector")}
	r.list(doc.Get("scheduling.tolerations"), "scheduling.tolerations",
		func(v gjson.Result, at string) { c.tolerations = append(c.tolerations, r.toleration(v, at)) })
	r.runtimes[m.name] = c
}

// limitRange has the defaults and limits of a LimitRange for containers, or for pods.
type limitRange struct {
	of                                string // Container or Pod
	max, min, limit, request, largest amounts
}

// limitRange reads a LimitRange with the defaults that the API server gives it.
// (pkg/apis/core/v1/defaults.go, SetDefaults_LimitRangeItem)
func (r *reader) limitRange(m *meta, doc gjson.Result) {
	r.list(doc.Get("spec.limits"), "spec.limits", func(v gjson.Result, at string) {
		field := func(name string) amounts { return r.amounts(v.Get(name), at+"."+name) }
		l := limitRange{
			of: r.text(v.Get("type"), at+".type"), max: field("max"), min: field("min"),
			limit: field("default"), request: field("defaultRequest"), largest: field("maxLimitRequestRatio"),
		}
		if l.of == "Container" {
			l.limit.fill(l.max)
			l.request.fill(l.limit)
			l.request.fill(l.min)
		}
		if l.of == "Container" || l.of == "Pod" {
			r.ranges[m.namespace] = append(r.ranges[m.namespace], l)
		}
	})
}

// fill sets the amounts that a does not have.
func (a amounts) fill(other amounts) {
	for place, q := range other {
		if _, has := a[place]; !has {
			a[place] = q
		}
	}
}

// admit applies the API server's admission to the specs and templates of manifests: priority and runtime
// classes, and the defaults and bounds of LimitRanges. Call it once, after all objects have been read. A
// class that the dump lacks refuses the pod if the dump has others of its kind; otherwise it is listed as
// Unknown. (plugin/pkg/admission/priority, runtimeclass, limitranger)
func (r *reader) admit() {
	classes := map[string]kube.PriorityClass{
		"system-cluster-critical": {Value: 2_000_000_000}, "system-node-critical": {Value: 2_000_001_000},
	}
	var byDefault kube.PriorityClass
	for _, class := range r.cluster.PriorityClasses {
		classes[class.Name] = class
		if class.Default {
			byDefault = class
		}
	}
	for _, s := range r.unranked {
		class := byDefault
		if s.PriorityClass != "" {
			known := false
			if class, known = classes[s.PriorityClass]; !known {
				if len(r.cluster.PriorityClasses) > 0 {
					s.Refused = "no PriorityClass with name " + s.PriorityClass + " was found"
				} else {
					s.Unknown = append(s.Unknown, "spec.priorityClassName "+strconv.Quote(shown(s.PriorityClass))+", counted as priority 0: fetch priorityclasses too")
				}
			}
		}
		s.Priority, s.NeverPreempts = class.Value, s.NeverPreempts || class.Never
	}
	for i := range r.late {
		r.late[i].admit(r)
	}
	r.late = nil
}

// admit sets the requests, limits, node selector and tolerations of a late Spec as admission does, and
// Refused if a rule forbids its pods: the first reason counts. Omits lists the requests and limits of CPU
// and memory that are then still missing, which a quota may require.
func (l *late) admit(r *reader) {
	s, p := l.spec, &l.demand
	if class, known := r.runtimes[l.runtime]; known {
		if len(p.overhead) == 0 {
			p.overhead = class.overhead
		}
		s.NodeSelector = merged(s.NodeSelector, class.selector)
		s.Tolerations = append(slices.Clip(s.Tolerations), class.tolerations...)
	} else if l.runtime != "" && len(r.runtimes) > 0 {
		s.Refused = cmp.Or(s.Refused, fmt.Sprintf("pod rejected: RuntimeClass %q not found", shown(l.runtime)))
	} else if l.runtime != "" && len(p.overhead) == 0 {
		s.Unknown = append(s.Unknown, "spec.runtimeClassName "+strconv.Quote(shown(l.runtime))+", whose overhead is not counted: fetch runtimeclasses too")
	}
	for _, want := range r.selectors[l.namespace] { // (plugin/pkg/admission/podnodeselector/admission.go)
		if has, clash := s.NodeSelector.Get(want.Key); clash && has != want.Value {
			s.Refused = cmp.Or(s.Refused, "pod node label selector conflicts with its namespace node label selector")
		}
	}
	s.NodeSelector = merged(s.NodeSelector, r.selectors[l.namespace])
	for _, lr := range r.ranges[l.namespace] {
		if lr.of == "Container" {
			for i := range p.containers {
				c := &p.containers[i]
				c.limits.fill(lr.limit)
				c.requests.fill(lr.request)
			}
		}
	}
	p.requests(s)
	for _, lr := range r.ranges[l.namespace] {
		s.Refused = cmp.Or(s.Refused, lr.bound(r.cluster, p))
	}
	for _, resource := range []int{kube.CPU, kube.Memory} {
		for _, limits := range []bool{false, true} {
			if o := p.omitted(resource, limits); len(o.Containers) > 0 {
				s.Omits = append(s.Omits, o)
			}
		}
	}
}

// omitted returns the containers that leave out the request, or with limits the limit, of a resource; none
// if the pod sets it as a whole.
func (p *demand) omitted(resource int, limits bool) kube.Omitted {
	o := kube.Omitted{Resource: resource, Limits: limits}
	whole := p.level
	if limits {
		whole = p.limit
	}
	if _, has := whole[resource]; has {
		return o
	}
	for i := range p.containers {
		of := p.containers[i].requests
		if limits {
			of = p.containers[i].limits
		}
		if _, has := of[resource]; !has {
			o.Containers = append(o.Containers, p.containers[i].name)
		}
	}
	return o
}

// merged returns the labels of both.
func merged(a, b kube.Labels) kube.Labels {
	if len(b) == 0 {
		return a
	}
	all := map[string]string{}
	for _, l := range slices.Concat(a, b) {
		all[l.Key] = l.Value
	}
	return kube.NewLabels(all)
}

// bound returns the first rule of a range that a pod breaks, in the API server's words, "" if it breaks none.
// (plugin/pkg/admission/limitranger/admission.go)
func (l *limitRange) bound(c *kube.Cluster, p *demand) string {
	if l.of == "Pod" {
		return l.breaks(c, total(p.containers, (*container).requested, nil),
			total(p.containers, (*container).limited, nil))
	}
	for i := range p.containers {
		if reason := l.breaks(c, p.containers[i].requests, p.containers[i].limits); reason != "" {
			return reason
		}
	}
	return ""
}

// breaks returns the first rule of the range that requests and limits break, in the API server's words, ""
// if they break none. They are one container's, or a pod's sums; a missing amount breaks a bound too.
func (l *limitRange) breaks(c *kube.Cluster, requests, limits amounts) string {
	write := func(place int, q kube.Quantity) string {
		return admit.Quantity(place, amounts{place: q}.vector().At(place))
	}
	for place, name := range c.Resources {
		request, requested := requests[place]
		limit, bounded := limits[place]
		if lowest, has := l.min[place]; has {
			head := fmt.Sprintf("minimum %s usage per %s is %s", name, l.of, write(place, lowest))
			switch {
			case !requested:
				return head + ".  No request is specified"
			case lowest.Above(request):
				return head + ", but request is " + write(place, request)
			case bounded && lowest.Above(limit):
				return head + ", but limit is " + write(place, limit)
			}
		}
		if highest, has := l.max[place]; has {
			head := fmt.Sprintf("maximum %s usage per %s is %s", name, l.of, write(place, highest))
			switch {
			case !bounded:
				return head + ".  No limit is specified"
			case limit.Above(highest):
				return head + ", but limit is " + write(place, limit)
			case requested && request.Above(highest):
				return head + ", but request is " + write(place, request)
			}
		}
		if largest, has := l.largest[place]; has {
			head := fmt.Sprintf("%s max limit to request ratio per %s is %d", name, l.of, largest.Value())
			switch {
			case !requested || request.MilliValue() == 0:
				return head + ", but no request is specified or request is 0"
			case !bounded || limit.MilliValue() == 0:
				return head + ", but no limit is specified or limit is 0"
			case float64(limit.MilliValue()) > float64(largest.MilliValue())/1000*float64(request.MilliValue()):
				return fmt.Sprintf("%s, but provided ratio is %f", head, float64(limit.MilliValue())/float64(request.MilliValue()))
			}
		}
	}
	return ""
}

// hostPorts adds the ports of a pod in the network of its node to s: there each port of a container without
// a hostPort takes the same port of the node. (pkg/apis/core/v1/defaults.go, defaultHostNetworkPorts)
func (r *reader) hostPorts(s *kube.Spec, spec gjson.Result) {
	spec.Get("containers").ForEach(func(_, c gjson.Result) bool {
		c.Get("ports").ForEach(func(_, v gjson.Result) bool {
			number := v.Get("containerPort")
			if v.Get("hostPort").Int() == 0 && number.Type == gjson.Number && number.Int() > 0 && number.Int() <= 65535 {
				s.Ports = append(s.Ports, kube.Port{
					Number:   int32(number.Int()),
					Protocol: cmp.Or(v.Get("protocol").Str, "TCP"), IP: cmp.Or(v.Get("hostIP").Str, kube.AnyIP),
				})
			}
			return true
		})
		return true
	})
}
