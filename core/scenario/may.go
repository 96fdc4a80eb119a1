package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxMay limits the fields that a class may change.
const maxMay = 50

// Change is a field in which two scenarios differ.
type Change struct {
	Path    string // as Set takes it: "settings.fill"
	From    string // its value as JSON; "" if it is left out
	To      string
	Allowed bool // by the may_change of the first scenario
}

// String writes "settings.fill: 0 → 0.9".
func (c Change) String() string {
	text := func(s string) string {
		var list []json.RawMessage
		switch {
		case s == "":
			return "left out"
		case json.Unmarshal([]byte(s), &list) == nil:
			return fmt.Sprintf("a list of %d", len(list))
		}
		return shorten(strings.Trim(s, `"`))
	}
	s := fmt.Sprintf("%s: %s → %s", c.Path, text(c.From), text(c.To))
	if !c.Allowed {
		s += " (may not change)"
	}
	return s
}

// unplayed are the fields that change no result.
var unplayed = [...]string{"name", "about", "notes", "may_change", "view", "chart"}

// Changes returns the fields that change a result and in which other differs from s, in
// the order of their paths. Lists differ as a whole. Every change is allowed if s has no
// may_change.
func (s *Scenario) Changes(other *Scenario) (all []Change) {
	before, after := map[string]string{}, map[string]string{}
	leaves(before, s)
	leaves(after, other)
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if before[path] != after[path] {
			all = append(all, Change{path, before[path], after[path], s.allows(path)})
		}
	}
	return all
}

// allows reports whether a class may change a field.
func (s *Scenario) allows(path string) bool {
	if len(s.May) == 0 {
		return true
	}
	return slices.ContainsFunc(s.May, func(may string) bool { return path == may || strings.HasPrefix(path, may+".") })
}

// leaves adds the values of a scenario that change its result by their paths.
func leaves(out map[string]string, s *Scenario) {
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(s.Encode()))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return // Encode writes an object
	}
	for _, name := range unplayed {
		delete(doc, name)
	}
	addLeaves(out, "", spelled(doc))
}

func addLeaves(out map[string]string, path string, value any) {
	inner, is := value.(map[string]any)
	if !is {
		out[path] = string(encoded(value))
		return
	}
	for name, v := range inner {
		at := name
		if path != "" {
			at = path + "." + name
		}
		addLeaves(out, at, v)
	}
}

// checkMay checks the fields that a class may change.
func (s *Scenario) checkMay() error {
	if len(s.May) > maxMay {
		return fmt.Errorf("may_change has %d entries: at most %d", len(s.May), maxMay)
	}
	for i, path := range s.May {
		top, _, _ := strings.Cut(path, ".")
		known := top == "settings" || slices.ContainsFunc(Fields(),
			func(f Field) bool { return f.Path == path || strings.HasPrefix(f.Path, path+".") })
		if !known || top == "v" || slices.Contains(unplayed[:], top) {
			return fmt.Errorf(
				"may_change[%d] is %q: write a field that changes the run, such as settings.fill, cluster.nodes or seed", i, shorten(path),
			)
		}
		if slices.Contains(s.May[:i], path) {
			return fmt.Errorf("may_change names %q twice", shorten(path))
		}
	}
	return nil
}
