package study

import (
	"encoding/json"
	"fmt"
	"slices"
)

// UpTo returns the study with the values of a numeric axis that are at most a number, what
// is linked with them, and the rows about them; s itself if it has no such axis. It returns
// an error if no value is left.
func (s *Study) UpTo(path string, limit float64) (*Study, error) {
	n := slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Path == path })
	if n < 0 {
		return s, nil
	}
	larger := func(value json.RawMessage) bool {
		var x float64
		return json.Unmarshal(value, &x) == nil && x > limit
	}
	doc := s.doc
	doc.Axes = slices.Clone(doc.Axes)
	for _, g := range s.groups {
		if !slices.Contains(g.axes, n) {
			continue
		}
		for _, a := range g.axes {
			var values []json.RawMessage
			for i, v := range s.Axes[a].Values {
				if !larger(s.Axes[n].Values[i]) {
					values = append(values, v)
				}
			}
			if values == nil {
				return nil, fmt.Errorf("%s begins with %s, so it cannot be at most %v", shorten(path),
					s.Axes[n].Values[0], limit)
			}
			doc.Axes[a].span = span[json.RawMessage]{values: values}
		}
	}
	var err error
	if doc.Rows, err = without(doc.Rows, path, larger); err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return Parse(text, nil)
}

// without returns rows that are not repeated for those values of an axis.
func without(rows []rowDoc, path string, left func(json.RawMessage) bool) (kept []rowDoc, err error) {
	for _, r := range rows {
		if r.Each.list != nil {
			r.Each.list = slices.DeleteFunc(slices.Clone(r.Each.list), func(at place) bool { return left(at[path]) })
			if len(r.Each.list) == 0 {
				continue
			}
			if r.Each.text, err = json.Marshal(r.Each.list); err != nil {
				return nil, err
			}
		}
		if r.Rows, err = without(r.Rows, path, left); err != nil {
			return nil, err
		}
		kept = append(kept, r)
	}
	return kept, nil
}
