package systemtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/metric"
	"parley/core/system"
	"parley/core/workload"
)

// Describes compares the settings that a system describes with the struct that
// holds them: every JSON field is described, with the default that it has.
func Describes(t *testing.T, entry system.Entry, defaults any) {
	t.Helper()
	document, err := json.Marshal(defaults)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(document, &tree); err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	flatten("", tree, fields)
	for _, s := range entry.Settings {
		value, _ := json.Marshal(s.Value)
		if has, known := fields[s.ID]; !known {
			t.Errorf("the setting %s is described, but there is no such field", s.ID)
		} else if has != string(value) {
			t.Errorf("the setting %s is described with the default %s, but is %s", s.ID, value, has)
		}
		delete(fields, s.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(fields)) {
		t.Errorf("the field %s is not described", id)
	}
}

// flatten lists the leaves of a JSON document by their paths.
func flatten(path string, value any, leaves map[string]string) {
	fields, ok := value.(map[string]any)
	if !ok {
		text, _ := json.Marshal(value)
		leaves[strings.TrimPrefix(path, ".")] = string(text)
		return
	}
	for name, inner := range fields {
		flatten(path+"."+name, inner, leaves)
	}
}

// describes checks that a description is complete, and that the system refuses values outside its
// declared ranges and choices.
func describes(t *testing.T, entry system.Entry) {
	for _, wrong := range lacks(entry.Description) {
		t.Error(wrong)
	}
	for _, s := range entry.Settings {
		refusesOutside(t, entry, s)
	}
	if (entry.Provides != system.ProvidesNothing) != (entry.Workload != nil) {
		t.Errorf("it says of its own workload %q, but that it makes one is %v", entry.Provides, entry.Workload != nil)
	}
	if entry.Workload != nil {
		source, err := entry.Workload(nil, 1)
		if always := entry.Provides == system.ProvidesAlways; err != nil || (source != nil) != always {
			t.Errorf("without a document its workload is %v (%v), though it says %q", source, err, entry.Provides)
		}
	}
}

// lacks returns the fields that are missing from a description, or there twice.
func lacks(d system.Description) (wrong []string) {
	report := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	seen := map[string]bool{}
	need := func(kind, id string, words ...string) {
		if id == "" || slices.Contains(words, "") {
			report("%s %q lacks its id or words: %q", kind, id, words)
		}
		if seen[kind+" "+id] {
			report("%s %s is described twice", kind, id)
		}
		seen[kind+" "+id] = true
	}
	need("system", d.ID, d.Name, d.About)
	if strings.Trim(d.ID, "abcdefghijklmnopqrstuvwxyz") != "" || len(d.ID) > 32 {
		report("its id is %q: links carry up to 32 small letters", d.ID)
	}
	if len(d.Supports) == 0 {
		report("it suits no workload")
	}
	for _, s := range d.Settings {
		need("setting", s.ID, s.Name, s.About)
		for choice, shape := range s.For {
			if !slices.Contains(s.Choices, choice) || !slices.Contains(d.Supports, shape) {
				report("setting %s has %q for %s, which are not both its own", s.ID, choice, shape)
			}
		}
		for _, choice := range slices.Concat(s.Recorded, s.Devices) {
			if !slices.Contains(s.Choices, choice) {
				report("setting %s lacks the choice %q, which follows records or needs devices", s.ID, choice)
			}
		}
	}
	units := map[string]string{}
	for _, c := range slices.Concat(metric.Columns[:], metric.JobColumns(), metric.GraphColumns(), d.Metrics) {
		need("metric", c.ID, c.Name, c.About)
		units[c.ID] = c.Unit
	}
	for _, c := range d.Figures {
		need("figure", c.ID, c.Name, c.About)
	}
	for _, l := range d.Layers {
		need("layer", l.ID, l.Name)
	}
	for _, role := range d.Agents {
		need("agent", role.ID, role.Name, role.About)
		if role.Setting != "" && !seen["setting "+role.Setting] {
			report("agent %s counts by the setting %s, which is not described", role.ID, role.Setting)
		}
		for _, kind := range role.Faults {
			need("fault", kind.ID, kind.Name, kind.Target)
			if (kind.Revert == "") == (kind.Value == nil) ||
				(kind.Revert == "") != (kind.Repair == "" || kind.Label == "") {
				report(
					"fault %s needs either a value or a kind that undoes it, with words for the button and for what holds until then", kind.ID,
				)
			}
		}
	}
	for _, h := range d.Story {
		if need("happening", fmt.Sprint(h.Kind), h.One, h.Many); !slices.Contains(system.Looks, h.Look) {
			report("happening %q looks like %q: choose one of %v", h.Many, h.Look, system.Looks)
		}
	}
	for _, m := range d.Omissions {
		if need("miss", m.Column+string(m.Of), m.When, m.Words); !seen["metric "+m.Column] ||
			m.When != system.MissedAbove && m.When != system.MissedGrows {
			report("a miss is when %s %s: choose a measured column, and one of %s, %s", m.Column, m.When,
				system.MissedAbove, system.MissedGrows)
		}
		if m.Of != "" && !slices.Contains(d.Supports, m.Of) {
			report("miss %q is of %s, which it does not suit", m.Words, m.Of)
		}
		if of := measuredFor(m.Column); of != "" && of != m.Of {
			report("miss %q counts the column %s, which is measured where the work is of %s, and is not of them",
				m.Words, m.Column, of)
		}
	}
	for _, s := range d.Now {
		need("sentence", s.Words+string(s.Of))
		for _, column := range s.Figures() {
			if !seen["metric "+column] {
				report("sentence %q names the column %q, which is not measured", s.Words, column)
			}
		}
		if s.Of != "" && !slices.Contains(d.Supports, s.Of) {
			report("sentence %q is of %s, which it does not suit", s.Words, s.Of)
		}
	}
	if len(d.Now) == 0 {
		report("it has no sentence that says what is true now")
	}
	for _, a := range d.Answers {
		need("answer", a.ID, a.Sign, a.Words)
	}
	if len(d.Answers) > 0 && !seen["answer "+system.Chosen] {
		report("its answers lack the one of what was taken, %s", system.Chosen)
	}
	for _, words := range d.Messages {
		need("message", words)
	}
	if len(d.Charts) == 0 {
		report("it names no chart")
	}
	for _, c := range d.Charts {
		need("chart", c.Title)
		if c.Of != "" && !slices.Contains(d.Supports, c.Of) {
			report("chart %s is about %s, which it does not suit", c.Title, c.Of)
		}
		for _, line := range c.Lines {
			if need("line of "+c.Title, line.Column, line.Name, line.Tone); !seen["metric "+line.Column] {
				report("chart %s draws the column %s, which no metric measures", c.Title, line.Column)
			}
			if unit := units[line.Column]; unit != units[c.Lines[0].Column] || unit == "%" &&
				!strings.Contains(c.Title, "%") {
				report("chart %s draws the column %s in %q: a chart has one unit, and its title says %% where it is that",
					c.Title, line.Column, unit)
			}
			if of := measuredFor(line.Column); of != "" && of != c.Of {
				report("chart %s draws the column %s, which is measured where the work is of %s, and is not about them",
					c.Title, line.Column, of)
			}
		}
	}
	return wrong
}

// measuredFor returns the kind of work that a column is measured for; empty: any.
func measuredFor(column string) workload.Shape {
	has := func(columns []metric.Column) bool {
		return slices.ContainsFunc(columns, func(c metric.Column) bool { return c.ID == column })
	}
	switch {
	case has(metric.JobColumns()):
		return workload.ShapeJobs
	case has(metric.GraphColumns()):
		return workload.ShapeGraphs
	}
	return ""
}

// refusesOutside tries values inside and outside a setting's range and choices. Each value outside
// must be refused by a sentence that names the setting.
func refusesOutside(t *testing.T, entry system.Entry, s system.Setting) {
	try := func(value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		path := strings.Split(s.ID, ".")
		document := string(text)
		for i := len(path) - 1; i >= 0; i-- {
			document = fmt.Sprintf("{%q:%s}", path[i], document)
		}
		_, err = entry.New(newWorld(trial{}, entry.Description).env(nil), json.RawMessage(document))
		return err
	}
	refused := func(value any, words ...string) {
		err := try(value)
		if err == nil {
			t.Errorf("the setting %s takes %v", s.ID, value)
			return
		}
		for _, word := range append(words, s.ID) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("the setting %s refuses %v with %q, which does not say %q", s.ID, value, err, word)
			}
		}
	}
	for _, choice := range s.Choices {
		if err := try(choice); err != nil {
			t.Errorf("the setting %s does not take its choice %s: %v", s.ID, choice, err)
		}
	}
	if s.Choices != nil {
		refused("neither", strings.Join(s.Choices, ", "))
	}
	r := s.Range
	if r == nil {
		return
	}
	step := math.Max(1, math.Abs(r.Max)) // whole, and not below the spacing of float64 at that size
	refused(r.Min-1, r.String())
	refused(r.Max+step, r.String())
	for _, end := range []struct {
		value float64
		open  bool
	}{{r.Min, r.Above}, {r.Max, r.Below}} {
		if end.open {
			refused(end.value, r.String())
		} else if err := try(end.value); err != nil {
			t.Errorf("the setting %s does not take %v of its range: %v", s.ID, end.value, err)
		}
	}
}
