package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"parley/core/strict"
	"parley/core/workload"
)

// Set returns s with some of its fields changed: each change is a path and a
// value, as in "settings.policy=easy", "cluster.nodes=300" or "faults.0.at=5m".
// The value is JSON or else a text without quotes. All changes are made before
// the scenario is checked. Its errors are one sentence that names the change.
func (s *Scenario) Set(changes []string) (*Scenario, error) {
	var doc any
	d := json.NewDecoder(bytes.NewReader(s.Encode()))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, err
	}
	for _, c := range changes {
		path, text, ok := strings.Cut(c, "=")
		if !ok || path == "" || text == "" {
			return nil, fmt.Errorf("%q is no change: write a field and its value, as in settings.policy=easy",
				shorten(c))
		}
		words := strings.Split(path, ".")
		if !slices.Contains(fieldNames(), words[0]) {
			return nil,
				fmt.Errorf(
					"%q is no field of a scenario: choose one of %s; what belongs to the system is written settings. and its name",
					shorten(words[0]), strings.Join(fieldNames(), ", "),
				)
		}
		if len(words) > 2 && words[0] == "workload" && words[1] == "usage" {
			words[2] = strict.Current(workload.Moving{}, words[2])
		}
		var err error
		if doc, err = put(doc, words, value(text)); err != nil {
			return nil, fmt.Errorf("%q: %w", shorten(path), err)
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return parse(text, nil)
}

// fieldNames lists the fields of a scenario as documents spell them.
func fieldNames() (names []string) {
	t := reflect.TypeFor[Scenario]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		names = append(names, name)
	}
	return names
}

// value is a text as JSON, or as the text that it is.
func value(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

// put returns doc with a value at a path. Objects that are missing are made; a
// list is changed at a place that it has, or one place longer.
func put(doc any, path []string, v any) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	if raw, ok := doc.(json.RawMessage); ok { // an earlier change
		if err := json.Unmarshal(raw, &doc); err != nil {
			return nil, err
		}
	}
	var err error
	switch at := doc.(type) {
	case nil:
		v, err = put(nil, path[1:], v)
		return map[string]any{path[0]: v}, err
	case map[string]any:
		at[path[0]], err = put(at[path[0]], path[1:], v)
		return at, err
	case []any:
		i, wrong := strconv.Atoi(path[0])
		if wrong != nil || i < 0 || i > len(at) {
			return nil, fmt.Errorf("%q is no place in a list of %d: choose 0 to %d", shorten(path[0]), len(at), len(at))
		}
		if i == len(at) {
			at = append(at, nil)
		}
		at[i], err = put(at[i], path[1:], v)
		return at, err
	}
	return nil, fmt.Errorf("%q lies within a value that has no fields", shorten(path[0]))
}
