package dump

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
	"parley/core/kube/score"
)

// amounts are exact quantities by the place of their resource.
type amounts map[int]kube.Quantity

// add adds other.
func (a amounts) add(other amounts) {
	for place, q := range other {
		a[place] = a[place].Add(q)
	}
}

// raise sets each amount to the greater of a's and other's.
func (a amounts) raise(other amounts) {
	for place, q := range other {
		if has, known := a[place]; !known || q.Above(has) {
			a[place] = q
		}
	}
}

func (a amounts) copied() amounts {
	b := make(amounts, len(a))
	b.add(a)
	return b
}

// counts reports whether the scheduler looks at a resource at all.
func counts(name string) bool {
	return strings.Contains(name, "/") || strings.HasPrefix(name, "hugepages-") || strings.HasPrefix(name, "attachable-volumes-")
}

// place returns the index of a resource in vectors, and adds the resource if it is new; -1 if the scheduler
// ignores it, or, with an error of the reader, if there are too many.
func (r *reader) place(name string) int {
	if at, known := r.places[name]; known {
		return at
	}
	at := -1
	if counts(name) {
		if len(r.cluster.Resources) == maxResources { // each pod and node has a number for every one
			r.fail("", gjson.Result{}, "names another resource, and "+strconv.Itoa(maxResources)+" are known: more are not read", "leave its requests out")
			return -1
		}
		at = len(r.cluster.Resources)
		name = strings.Clone(name)
		r.cluster.Resources = append(r.cluster.Resources, name)
	}
	r.places[r.keep(name)] = at
	return at
}

// maxResources limits the kinds of resources in a dump; clusters have about ten.
const maxResources = 500

// amounts reads a map of quantities. Resources that the scheduler ignores are left out. The result is not
// nil.
func (r *reader) amounts(v gjson.Result, at string) amounts {
	a := amounts{}
	r.fields(v, at, func(name string, v gjson.Result) {
		q := r.quantity(v, at+"."+name)
		if place := r.place(name); place >= 0 {
			a[place] = q
		}
	})
	return a
}

// vector returns amounts as a vector without trailing zeros: milli-CPUs, and whole bytes or pieces of all
// else, rounded up.
func (a amounts) vector() kube.Vector {
	n := 0
	for place, q := range a {
		if q.Value() > 0 {
			n = max(n, place+1)
		}
	}
	v := make(kube.Vector, n)
	for place, q := range a {
		switch {
		case place >= n:
		case place == kube.CPU:
			v[place] = q.MilliValue()
		default:
			v[place] = q.Value()
		}
	}
	return v
}

// container is a container as far as it affects a pod's requests.
type container struct {
	name     string
	requests amounts
	limits   amounts
	init     bool
	sidecar  bool // an init container that runs on
	status   gjson.Result
}

// missing are the requests assumed for resources that a container does not request.
type missing map[int]kube.Quantity

// total returns the effective request of the containers of a pod, without its overhead: the sum of
// all that run at once, or the maximum that an init container needs with the sidecars before it.
// (k8s.io/component-helpers resource/helpers.go, AggregateContainerRequests)
func total(all []container, of func(*container) amounts, stand missing) amounts {
	sum, sidecars, peak := amounts{}, amounts{}, amounts{}
	for i := range all {
		c := &all[i]
		own := of(c)
		for place, q := range stand {
			if _, has := own[place]; !has {
				own = own.copied()
				own[place] = q
			}
		}
		switch {
		case !c.init:
			sum.add(own)
		case c.sidecar:
			sum.add(own)
			sidecars.add(own)
			peak.raise(sidecars)
		default:
			once := own.copied()
			once.add(sidecars)
			peak.raise(once)
		}
	}
	sum.raise(peak)
	return sum
}

// podLevel are the resources whose requests a pod may state as a whole.
func podLevel(name string) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-")
}

// The amounts that total sums up.
func (c *container) requested() amounts { return c.requests }
func (c *container) limited() amounts   { return c.limits }

// demand holds the parts of a pod's requests.
type demand struct {
	containers   []container
	level, limit amounts // requests and limits of the pod as a whole
	overhead     amounts
}

// demand reads the parts of a pod's requests: all are its containers, the requests and limits of the pod as
// a whole, and the overhead are in spec.
func (r *reader) demand(all []container, spec gjson.Result, at string) demand {
	p := demand{containers: all, level: amounts{}, limit: amounts{}}
	for _, of := range []struct {
		field string
		into  amounts
	}{{"requests", p.level}, {"limits", p.limit}} {
		at := at + ".resources." + of.field
		r.fields(spec.Get("resources."+of.field), at, func(name string, v gjson.Result) {
			if q := r.quantity(v, at+"."+name); podLevel(name) {
				of.into[r.place(name)] = q
			}
		})
	}
	p.overhead = r.amounts(spec.Get("overhead"), at+".overhead")
	return p
}

// requests sets in s a pod's effective requests, the CPU and memory that scores assume for it, and its
// limits. Requests of the pod as a whole take the place of the sums over its containers; a limit of the
// whole counts as its request if neither it nor a container has one.
func (p *demand) requests(s *kube.Spec) {
	level := p.level.copied()
	runs := total(p.containers, (*container).requested, nil)
	for place, q := range p.limit {
		_, requested := level[place]
		if _, has := runs[place]; !requested && !has {
			level[place] = q
		}
	}
	whole := func(stand missing) amounts {
		a := total(p.containers, (*container).requested, stand)
		for place, q := range level {
			a[place] = q
		}
		a.add(p.overhead)
		return a
	}
	exact := whole(nil)
	stand := missing{}
	for place, q := range map[int]kube.Quantity{
		kube.CPU:    kube.Milli(score.DefaultMilliCPU),
		kube.Memory: kube.Whole(score.DefaultMemory),
	} {
		if _, has := exact[place]; len(level) == 0 || !has {
			stand[place] = q
		}
	}
	scored := whole(stand)
	exact[kube.Pods] = kube.Whole(1)
	s.Requests = exact.vector()
	s.ScoredCPU, s.ScoredMemory = scored[kube.CPU].MilliValue(), scored[kube.Memory].Value()
	limits := total(p.containers, (*container).limited, nil)
	for place, q := range p.limit {
		limits[place] = q
	}
	s.Limits = limits.vector()
}

// resized raises or replaces the requests of a container that is being resized in place, that is,
// whose status has other requests.
// (k8s.io/component-helpers resource/helpers.go, determineContainerReqs)
func (r *reader) resized(c *container, infeasible bool, at string) {
	resources := c.status.Get("resources")
	if !resources.IsObject() || c.init && !c.sidecar {
		return
	}
	now := r.amounts(resources.Get("requests"), at+".resources.requests")
	now.raise(r.amounts(c.status.Get("allocatedResources"), at+".allocatedResources"))
	if !infeasible {
		now.raise(c.requests)
	}
	c.requests = now
}
