package dump

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/tidwall/gjson"
)

// treatment is how a value becomes one without its user's words.
type treatment interface {
	treat(p *pseudonyms, v gjson.Result) any
}

// fieldsOf keeps the named fields of an object, each with its treatment.
type fieldsOf map[string]treatment

// treat implements treatment: fields that f does not name are dropped. A value that is not an object is
// treated by other.
func (f fieldsOf) treat(p *pseudonyms, v gjson.Result) any {
	if !v.IsObject() {
		return other(p, v)
	}
	out := map[string]any{}
	v.ForEach(func(name, v gjson.Result) bool {
		if t := f[name.Str]; t != nil {
			out[name.Str] = t.treat(p, v)
		}
		return true
	})
	return out
}

// each treats the elements of a list.
type each struct{ of treatment }

// treat implements treatment for each element of a list. A value that is not a list is treated by other.
func (e each) treat(p *pseudonyms, v gjson.Result) any {
	if !v.IsArray() {
		return other(p, v)
	}
	all := []any{}
	for _, one := range v.Array() {
		all = append(all, e.of.treat(p, one))
	}
	return all
}

// leaf treats a value that has no fields with treatments of their own.
type leaf func(p *pseudonyms, v gjson.Result) any

func (l leaf) treat(p *pseudonyms, v gjson.Result) any { return l(p, v) }

// other treats a value of a kind that its field does not have. The kind is kept, so that readers
// refuse it as before, but no text is.
func other(p *pseudonyms, v gjson.Result) any {
	switch {
	case v.Type == gjson.String:
		return p.name(v.Str)
	case v.IsArray():
		return []any{}
	case v.IsObject():
		return map[string]any{}
	}
	return json.RawMessage(v.Raw) // a number, true, false or null
}

// texts treats a text by a function.
func texts(of func(p *pseudonyms, text string) string) leaf {
	return func(p *pseudonyms, v gjson.Result) any {
		if v.Type != gjson.String {
			return other(p, v)
		}
		return of(p, v.Str)
	}
}

// kept keeps a text that a function allows, and replaces others.
func kept(allows func(text string) bool) leaf {
	return texts(func(p *pseudonyms, text string) string {
		if allows(text) {
			return text
		}
		return p.name(text)
	})
}

// word keeps these words.
func word(words ...string) leaf {
	return kept(func(text string) bool { return slices.Contains(words, text) })
}

// wordOf keeps the words of a set.
func wordOf(words map[string]bool) leaf { return kept(func(text string) bool { return words[text] }) }

func namesOf[V any](m map[string]V) []string { return slices.Collect(maps.Keys(m)) }

// object returns the kept fields of an object of a kind, with pseudonyms. metadata and others are the
// results of pseudonymFields. Before p.number is called, it only collects the names.
func (p *pseudonyms) object(kind string, doc gjson.Result, metadata, others fieldsOf) map[string]any {
	fields := fieldsOf{"metadata": leaf(func(p *pseudonyms, v gjson.Result) any {
		meta := metadata.treat(p, v).(map[string]any)
		if name := v.Get("name"); name.Exists() {
			meta["name"] = texts(func(p *pseudonyms, name string) string {
				switch {
				case kind == "CSIDriver":
					return p.driver(name)
				case kind == "PriorityClass" && p.words.classes[name]:
					return name
				}
				return p.name(name)
			})(p, name)
		}
		return meta
	})}
	maps.Copy(fields, others)
	out := fields.treat(p, doc).(map[string]any)
	out["kind"] = kind
	return out
}
