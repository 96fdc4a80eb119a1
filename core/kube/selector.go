package kube

import (
	"cmp"
	"slices"
	"strconv"
)

// Label is a key with its value.
type Label struct{ Key, Value string }

// Labels are sorted by key, each key once.
type Labels []Label

// NewLabels returns labels from a map.
func NewLabels(m map[string]string) Labels {
	l := make(Labels, 0, len(m))
	for k, v := range m {
		l = append(l, Label{k, v})
	}
	slices.SortFunc(l, func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	return l
}

// Get returns the value of a key, and whether the key exists.
func (l Labels) Get(key string) (string, bool) {
	low, high := 0, len(l)
	for low < high {
		mid := int(uint(low+high) >> 1)
		switch {
		case l[mid].Key == key:
			return l[mid].Value, true
		case l[mid].Key < key:
			low = mid + 1
		default:
			high = mid
		}
	}
	return "", false
}

// Cover reports whether l has all labels of other.
func (l Labels) Cover(other Labels) bool {
	for _, w := range other {
		if v, has := l.Get(w.Key); !has || v != w.Value {
			return false
		}
	}
	return true
}

// Operator compares a label with values.
type Operator uint8

// The operators of selectors.
const (
	In Operator = iota
	NotIn
	Exists
	DoesNotExist
	Gt
	Lt
	UnknownOperator // of a newer Kubernetes: it matches nothing
)

// Requirement is one condition on a label.
type Requirement struct {
	Key    string
	Op     Operator
	Values []string
}

// Matches reports whether labels meet the requirement. NotIn is met by labels without the key. Gt
// and Lt compare whole numbers; other values do not match.
func (r *Requirement) Matches(l Labels) bool {
	v, has := l.Get(r.Key)
	switch r.Op {
	case In:
		return has && slices.Contains(r.Values, v)
	case NotIn:
		return !has || !slices.Contains(r.Values, v)
	case Exists:
		return has
	case DoesNotExist:
		return !has
	}
	if !has || len(r.Values) != 1 || r.Op == UnknownOperator {
		return false
	}
	left, err := strconv.ParseInt(v, 10, 64)
	right, other := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil || other != nil {
		return false
	}
	if r.Op == Gt {
		return left > right
	}
	return left < right
}

// broken reports whether the scheduler cannot parse the requirement.
func (r *Requirement) broken() bool {
	switch r.Op {
	case In, NotIn:
		return len(r.Values) == 0
	case Exists, DoesNotExist:
		return len(r.Values) != 0
	}
	if len(r.Values) != 1 || r.Op == UnknownOperator {
		return true
	}
	_, err := strconv.ParseInt(r.Values[0], 10, 64)
	return err != nil
}

// Selector is a label selector: all requirements hold. Without requirements it matches
// everything; a nil *Selector matches nothing.
type Selector struct{ Requirements []Requirement }

// Matches reports whether labels meet all requirements; a nil Selector matches nothing.
func (s *Selector) Matches(l Labels) bool {
	if s == nil {
		return false
	}
	for i := range s.Requirements {
		if !s.Requirements[i].Matches(l) {
			return false
		}
	}
	return true
}

// NodeSelector is a required node affinity: one of the terms holds.
type NodeSelector struct{ Terms []NodeTerm }

// NodeTerm is a term of node affinity. A term without conditions matches no node.
type NodeTerm struct {
	Labels []Requirement
	Fields []Requirement // on metadata.name
}

// PreferredTerm is a term of node affinity that adds to a node's score.
type PreferredTerm struct {
	Weight int32
	Term   NodeTerm
}

// Matches reports whether any term matches a node.
func (s *NodeSelector) Matches(n *Node) bool {
	for i := range s.Terms {
		if s.Terms[i].Matches(n) {
			return true
		}
	}
	return false
}

// Matches reports whether a term matches a node: it has conditions, the scheduler can read
// them, and all hold.
func (t *NodeTerm) Matches(n *Node) bool {
	if len(t.Labels) == 0 && len(t.Fields) == 0 {
		return false
	}
	for i := range t.Labels {
		if t.Labels[i].broken() || !t.Labels[i].Matches(n.Labels) {
			return false
		}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Key != "metadata.name" || len(f.Values) != 1 {
			return false
		}
		if same := f.Values[0] == n.Name; f.Op == In && !same || f.Op == NotIn && same || f.Op > NotIn {
			return false
		}
	}
	return true
}
