package dump

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// fail keeps the first trouble with a field of the current object.
func (r *reader) fail(at string, v gjson.Result, reason, hint string) {
	if r.err != nil {
		return
	}
	switch {
	case hint != hintAgain:
	case r.hint != "":
		hint = r.hint
	case r.manifest:
		hint = "correct the manifest"
	}
	value := v.Raw
	if v.Type == gjson.String {
		value = v.Str
	}
	r.err = &Error{
		File: r.file, Line: r.line, Object: r.object, Field: at, Value: shown(value), Reason: reason, Hint: hint,
	}
}

// fields calls each with every field of an object. A null has none.
func (r *reader) fields(v gjson.Result, at string, each func(name string, v gjson.Result)) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsObject() {
		r.fail(at, v, "is no object", hintAgain)
		return
	}
	v.ForEach(func(name, v gjson.Result) bool {
		each(name.Str, v)
		return r.err == nil
	})
}

// pick sets into, by the same index, to the fields of an object that have these names: of several with a name the
// first. It passes over the object once, where each Get would. Fields that the object lacks are left as they are.
func pick(v gjson.Result, into []gjson.Result, names ...string) {
	if !v.IsObject() {
		return
	}
	missing := len(names)
	v.ForEach(func(name, v gjson.Result) bool {
		for i := range names {
			if names[i] == name.Str && !into[i].Exists() {
				into[i] = v
				missing--
			}
		}
		return missing > 0
	})
}

// empty reports whether a value is a null or missing, or a list without elements.
func empty(v gjson.Result) bool {
	none := v.Type == gjson.Null
	if v.IsArray() {
		none = true
		v.ForEach(func(_, _ gjson.Result) bool {
			none = false
			return false
		})
	}
	return none
}

// list calls each with every element of a list. A null has none.
func (r *reader) list(v gjson.Result, at string, each func(v gjson.Result, at string)) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsArray() {
		r.fail(at, v, "is no list", hintAgain)
		return
	}
	i := 0
	v.ForEach(func(_, v gjson.Result) bool {
		each(v, at+"["+strconv.Itoa(i)+"]")
		i++
		return r.err == nil
	})
}

// text returns a text, "" of a null. Equal texts share one copy.
func (r *reader) text(v gjson.Result, at string) string {
	switch v.Type {
	case gjson.String:
		return r.keep(v.Str)
	case gjson.Null:
		return ""
	}
	hint := hintAgain
	if v.Type != gjson.JSON {
		hint = "write it in quotes"
	}
	r.fail(at, v, "is no text", hint)
	return ""
}

// keep returns one copy of a text that is alike.
func (r *reader) keep(text string) string {
	if kept, known := r.texts[text]; known {
		return kept
	}
	text = strings.Clone(text)
	r.texts[text] = text
	return text
}

// name returns a text that is probably unique: it is copied and not cached.
func (r *reader) name(v gjson.Result, at string) string {
	if v.Type != gjson.String {
		return r.text(v, at)
	}
	return strings.Clone(v.Str)
}

// truth returns a boolean, false of a null. Another value is recorded as the reader's error.
func (r *reader) truth(v gjson.Result, at string) bool {
	switch v.Type {
	case gjson.True:
		return true
	case gjson.False, gjson.Null:
		return false
	}
	r.fail(at, v, "is neither true nor false", hintAgain)
	return false
}

// whole returns a whole number within bounds; 0 of a null.
func (r *reader) whole(v gjson.Result, at string, lowest, highest int64) int64 {
	if v.Type == gjson.Null {
		return 0
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	if v.Type != gjson.Number || err != nil || n < lowest || n > highest {
		hint := hintAgain
		if _, err := strconv.ParseInt(v.Str, 10, 64); err == nil {
			hint = "write it without quotes"
		}
		r.fail(at, v, "is no whole number from "+strconv.FormatInt(lowest, 10)+" to "+strconv.FormatInt(highest, 10), hint)
		return 0
	}
	return n
}

const (
	maxInt32 = 1<<31 - 1
	maxInt64 = 1<<63 - 1
)

// moment returns a time as seconds since 1970; 0 of a null.
func (r *reader) moment(v gjson.Result, at string) int64 {
	if v.Type == gjson.Null {
		return 0
	}
	t, err := time.Parse(time.RFC3339, v.Str)
	if v.Type != gjson.String || err != nil {
		r.fail(at, v, "is no time such as 2026-11-24T08:00:00Z", hintAgain)
		return 0
	}
	return t.Unix()
}

// since returns when a condition last changed, in seconds since 1970; 0 if unknown.
func since(condition gjson.Result) int64 { return when(condition, "lastTransitionTime") }

// when returns a time of a condition, in seconds since 1970; 0 if unknown.
func when(condition gjson.Result, field string) int64 {
	t, err := time.Parse(time.RFC3339, condition.Get(field).Str)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// quantity returns an amount. Numbers without quotes are amounts too; a null is recorded as the reader's error.
func (r *reader) quantity(v gjson.Result, at string) kube.Quantity {
	text := v.Str
	if v.Type == gjson.Number {
		text = v.Raw
	}
	q, ok := kube.ParseQuantity(text)
	if !ok || v.Type != gjson.String && v.Type != gjson.Number {
		r.fail(at, v, "is no quantity", "quantities are written like 250m, 1.5Gi or 2")
	}
	return q
}

// maxOdd limits the unknown values that are listed one by one.
const maxOdd = 50

// odd records an unknown value, perhaps of a newer Kubernetes. It is an error in a configuration; in a
// dump it is counted and reported.
func (r *reader) odd(at string, v gjson.Result) {
	if r.specs == nil {
		r.fail(at, v, "is not known here", r.hint)
		return
	}
	field := strings.Builder{}
	for part := range strings.SplitSeq(at, "[") {
		_, rest, found := strings.Cut(part, "]")
		if !found {
			rest = part
		}
		field.WriteString(rest)
	}
	value := field.String() + " " + strconv.Quote(shown(v.String()))
	if !r.odds[value] && len(r.odds) == maxOdd {
		value = field.String() + " of other values"
	} else if r.odds == nil {
		r.odds = map[string]bool{value: true}
	} else {
		r.odds[value] = true
	}
	r.strange = append(r.strange, value)
}

// textList returns a list of texts, nil if it is empty.
func (r *reader) textList(v gjson.Result, at string) (all []string) {
	r.list(v, at, func(v gjson.Result, at string) { all = append(all, r.text(v, at)) })
	return all
}

// labels returns labels. Equal labels share one copy.
func (r *reader) labels(v gjson.Result, at string) kube.Labels {
	if v.Type == gjson.Null {
		return nil
	}
	if kept, known := r.labelled[v.Raw]; known {
		return kept
	}
	all := map[string]string{}
	r.fields(v, at, func(name string, v gjson.Result) { all[r.keep(name)] = r.text(v, at+"."+name) })
	l := kube.NewLabels(all)
	r.labelled[strings.Clone(v.Raw)] = l
	return l
}

// operators are the names of operators in selectors of labels, then those that only selectors
// of nodes have.
var operators = []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}

// requirements reads matchExpressions or matchFields; the first limit of operators are allowed. An operator
// that is not known is listed as odd and matches nothing; one that is missing is an error.
func (r *reader) requirements(v gjson.Result, at string, limit int) (all []kube.Requirement) {
	r.list(v, at, func(v gjson.Result, at string) {
		const none = kube.Operator(255)
		q := kube.Requirement{Op: none}
		r.fields(v, at, func(name string, v gjson.Result) {
			switch at := at + "." + name; name {
			case "key":
				q.Key = r.text(v, at)
			case "values":
				q.Values = r.textList(v, at)
			case "operator":
				for i, name := range operators[:limit] {
					if v.Str == name {
						q.Op = kube.Operator(i)
					}
				}
				if q.Op == none {
					q.Op = kube.UnknownOperator
					r.odd(at, v)
				}
			}
		})
		if q.Op == none {
			r.fail(at, v, "has no operator", hintAgain)
		}
		all = append(all, q)
	})
	return all
}

// Numbers of operators for requirements.
const (
	labelOperators = 4
	nodeOperators  = 6
)

// selector reads a label selector; nil of a null or missing one. A selector without requirements is not
// nil.
func (r *reader) selector(v gjson.Result, at string) *kube.Selector {
	if v.Type == gjson.Null {
		return nil
	}
	s := &kube.Selector{}
	r.fields(v, at, func(name string, v gjson.Result) {
		switch at := at + "." + name; name {
		case "matchLabels":
			for _, l := range r.labels(v, at) {
				s.Requirements = append(s.Requirements,
					kube.Requirement{Key: l.Key, Op: kube.In, Values: []string{l.Value}})
			}
		case "matchExpressions":
			more := r.requirements(v, at, labelOperators)
			for i := range more {
				if q := &more[i]; q.Op != kube.UnknownOperator &&
					(q.Op <= kube.NotIn && len(q.Values) == 0 || q.Op > kube.NotIn && len(q.Values) > 0) {
					r.fail(at, v, "has an operator whose values are missing or too many", hintAgain)
				}
			}
			s.Requirements = append(s.Requirements, more...)
		}
	})
	return s
}
