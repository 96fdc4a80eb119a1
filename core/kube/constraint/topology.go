package constraint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley/core/kube"
)

// topology groups nodes by the value of a label.
type topology struct {
	of     []int // the domain of each node, -1 if it has no such label
	values []string
	size   int // number of domains; the nodes without the label are one
}

// whole reports whether every node has the label.
func (t *topology) whole() bool { return t.size == len(t.values) }

// topology returns the topology of a label, over all nodes, removed ones included. It is made once, since
// labels do not change.
func (s *State) topology(key string) *topology {
	if t, known := s.topologies[key]; known {
		return t
	}
	t := &topology{of: make([]int, len(s.c.Nodes))}
	places := map[string]int{}
	for i := range s.c.Nodes {
		t.of[i] = -1
		if v, has := s.c.Nodes[i].Labels.Get(key); has {
			at, known := places[v]
			if !known {
				at = len(t.values)
				places[v] = at
				t.values = append(t.values, v)
			}
			t.of[i] = at
		}
	}
	t.size = len(t.values)
	if slices.Contains(t.of, -1) {
		t.size++
	}
	s.topologies[key] = t
	return t
}

// term is a selector of pods with its namespaces.
type term struct {
	selector   *kube.Selector
	namespaces []string
	where      *kube.Selector // adds namespaces by their labels; nil adds none
}

// termOf returns a term of a pod in a namespace, with the namespaces that it is about written out: without
// any, the pod's own.
func termOf(t *kube.PodTerm, namespace string) term {
	r := term{selector: t.Selector, namespaces: t.Namespaces, where: t.NamespaceSelector}
	if len(r.namespaces) == 0 && r.where == nil {
		r.namespaces = []string{namespace}
	}
	return r
}

// matches reports whether a term matches the pods of a class. Labels of a namespace that the
// dump does not have are empty.
func (s *State) matches(t *term, c *class) bool {
	if !slices.Contains(t.namespaces, c.namespace) && (t.where == nil || !t.where.Matches(s.namespaces[c.namespace])) {
		return false
	}
	return t.selector.Matches(c.labels)
}

// key returns a text that is the same for terms that match the same pods.
func (t *term) key(b *strings.Builder) {
	fmt.Fprintf(b, "%q", t.namespaces)
	selectorKey(b, t.where)
	selectorKey(b, t.selector)
}

func selectorKey(b *strings.Builder, s *kube.Selector) {
	if s == nil {
		b.WriteString("!")
		return
	}
	for i := range s.Requirements {
		r := &s.Requirements[i]
		fmt.Fprintf(b, "%d%q%q", r.Op, r.Key, r.Values)
	}
	b.WriteString(";")
}

// tally is a number of pods on each node. It has an entry for each node on which the number is
// not 0: most of thousands of tallies are about few nodes.
type tally struct {
	where  []int32 // nodes, rising
	counts []int32 // of pods on them
	total  int
	// version counts changes, but those of a trial that are put back.
	version uint64
}

// add changes the number on a node, and the total, by by. version is the caller's.
func (t *tally) add(at, by int) {
	t.total += by
	i, has := slices.BinarySearch(t.where, int32(at))
	switch {
	case !has && by != 0:
		t.where, t.counts = slices.Insert(t.where, i, int32(at)), slices.Insert(t.counts, i, int32(by))
	case has && t.counts[i]+int32(by) == 0:
		t.where, t.counts = slices.Delete(t.where, i, i+1), slices.Delete(t.counts, i, i+1)
	case has:
		t.counts[i] += int32(by)
	}
}

func (t *tally) clone() tally {
	return tally{slices.Clone(t.where), slices.Clone(t.counts), t.total, 0}
}

// matcher counts, on each node, the pods that match all of its terms.
type matcher struct {
	tally
	terms []term
	live  bool // terminating pods do not count
	// lowest is the lowest priority of the pods that it may count.
	lowest int32
}

// matcher returns the index of the matcher of terms, which it makes if there is none: it counts the pods
// that match all of them where they are now, and Bind and Unbind keep it up to date. With live, terminating
// pods do not count.
func (s *State) matcher(terms []term, live bool) int {
	var b strings.Builder
	for i := range terms {
		terms[i].key(&b)
	}
	fmt.Fprint(&b, live)
	key := b.String()
	if i, known := s.byKey[key]; known {
		return i
	}
	m := &matcher{terms: terms, live: live, lowest: math.MaxInt32}
	for _, i := range s.candidates(terms) {
		if !s.matchesAll(terms, &s.classes[i]) {
			continue
		}
		s.matching[i] = append(s.matching[i], len(s.matchers))
		m.lowest = min(m.lowest, s.lowestOf[i])
		for _, pod := range s.ofClass[i] {
			if at := s.on[pod]; at != kube.Nowhere && !(live && s.c.Pods[pod].Terminating()) {
				m.add(at, 1)
			}
		}
	}
	s.matchers = append(s.matchers, m)
	s.byKey[key] = len(s.matchers) - 1
	return len(s.matchers) - 1
}

// candidates returns the classes that terms may match: those of a namespace if one term names only that,
// otherwise all.
func (s *State) candidates(terms []term) []int {
	for i := range terms {
		if t := &terms[i]; t.where == nil && len(t.namespaces) == 1 {
			return s.inNamespace[t.namespaces[0]]
		}
	}
	return s.allClasses
}

// selectorIn is a selector of pods of one namespace.
type selectorIn struct {
	selector  *kube.Selector
	namespace string
}

// termsIn is a list of terms of pods of one namespace, all of them or one.
type termsIn struct {
	first     *kube.PodTerm
	n         int
	namespace string
}

// termMatcher returns the matcher of terms of a pod in a namespace, which all must match. terms must not be
// empty. They are identified by their address: a Spec must not change.
func (s *State) termMatcher(terms []kube.PodTerm, namespace string) *matcher {
	in := termsIn{&terms[0], len(terms), namespace}
	i, known := s.ofTerms[in]
	if !known {
		all := make([]term, len(terms))
		for k := range terms {
			all[k] = termOf(&terms[k], namespace)
		}
		i = s.matcher(all, false)
		s.ofTerms[in] = i
	}
	return s.matchers[i]
}

// matchesAll reports whether all terms match the pods of a class; it is false if there are no
// terms.
func (s *State) matchesAll(terms []term, c *class) bool {
	for i := range terms {
		if !s.matches(&terms[i], c) {
			return false
		}
	}
	return len(terms) > 0
}

// Kinds of carriers.
type kind uint8

const (
	antiRequired kind = iota
	podRequired
	podPreferred
	antiPreferred
)

// carrier counts, on each node, the pods with a term of inter-pod affinity, which also affects pods
// that arrive later.
type carrier struct {
	tally
	key    string
	kind   kind
	term   term
	at     string // the term's topology key
	weight int64
}

// carriersOf returns the indices of the carriers of a pod's terms, of all four kinds; nil if it has none.
// Pods that share a Spec and a namespace share the result.
func (s *State) carriersOf(p *kube.Pod) []int {
	sp := p.Spec
	if len(sp.PodRequired)+len(sp.AntiRequired)+len(sp.PodPreferred)+len(sp.AntiPreferred) == 0 {
		return nil
	}
	in := specIn{sp, p.Namespace}
	if all, known := s.carried[in]; known {
		return all
	}
	var all []int
	for _, list := range []struct {
		kind  kind
		terms []kube.PodTerm
	}{
		{antiRequired, sp.AntiRequired},
		{podRequired, sp.PodRequired},
		{podPreferred, sp.PodPreferred},
		{antiPreferred, sp.AntiPreferred},
	} {
		for i := range list.terms {
			all = append(all, s.carrier(list.kind, &list.terms[i], p.Namespace))
		}
	}
	s.carried[in] = all
	return all
}

// carrier returns the index of the carrier of a term, which it makes, empty, if there is none. The caller
// counts the pods.
func (s *State) carrier(kind kind, t *kube.PodTerm, namespace string) int {
	own := termOf(t, namespace)
	var b strings.Builder
	own.key(&b)
	fmt.Fprintf(&b, "%d %q %d", kind, t.Key, t.Weight)
	key := b.String()
	for i, c := range s.carriers {
		if c.key == key {
			return i
		}
	}
	s.carriers = append(s.carriers, &carrier{key: key, kind: kind, term: own, at: t.Key, weight: int64(t.Weight)})
	return len(s.carriers) - 1
}

// concerned are the carriers whose terms match the pods of a class, of those that were looked
// at.
type concerned struct {
	looked   int // carriers that were visited
	carriers []int
}

// concerning returns the indices of the carriers whose terms match the pods of a class. Carriers made since
// the last call are looked at now.
func (s *State) concerning(class int) []int {
	x := &s.concerned[class]
	for ; x.looked < len(s.carriers); x.looked++ {
		if s.matches(&s.carriers[x.looked].term, &s.classes[class]) {
			x.carriers = append(slices.Clip(x.carriers), x.looked) // copies of a State share the list before
		}
	}
	return x.carriers
}
