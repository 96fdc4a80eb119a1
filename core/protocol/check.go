package protocol

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/core/strict"
)

// Check returns the first error in the form of an answer.
func (a *Answer) Check() error {
	if a.Acts == nil {
		return errors.New("acts is missing: write \"acts\":[] to do nothing")
	}
	for i := range a.Acts {
		if err := a.Acts[i].check(); err != nil {
			return fmt.Errorf("acts[%d]: %w", i, err)
		}
	}
	return nil
}

// takes are the fields that each thing to do takes beside do, and those that it needs.
var takes = map[string]struct{ fields, needs []string }{
	DoPlace:      {[]string{"task", "node", "by"}, []string{"task", "node"}},
	DoMigrate:    {[]string{"task", "node", "by"}, []string{"task", "node"}},
	DoPreempt:    {[]string{"task"}, []string{"task"}},
	DoAllot:      {[]string{"task", "cpu"}, []string{"task", "cpu"}},
	DoStart:      {[]string{"job", "parts"}, []string{"job"}},
	DoPreemptJob: {[]string{"job"}, []string{"job"}},
}

// check returns an error for the first field of an act that has no effect, is missing or has an unknown
// word; nil if there is none. Whether tasks and nodes exist is not checked.
func (a *Act) check() error {
	of, known := takes[a.Do]
	if !known {
		return fmt.Errorf("do is %q: did you mean %s?", a.Do, strict.Nearest(a.Do, slices.Sorted(maps.Keys(takes))))
	}
	for _, f := range []struct {
		name string
		is   bool
	}{
		{"task", a.Task != 0},
		{"node", a.Node != nil},
		{"by", a.By != ""},
		{"cpu", a.CPU != 0},
		{"job", a.Job != 0},
		{"parts", a.Parts != nil},
	} {
		switch {
		case f.is && !slices.Contains(of.fields, f.name):
			return fmt.Errorf("%s has no effect with %s: leave it out", f.name, a.Do)
		case !f.is && slices.Contains(of.needs, f.name):
			return fmt.Errorf("%s needs %s", a.Do, f.name)
		}
	}
	if !slices.Contains(ways, a.By) {
		return fmt.Errorf("by is %q: choose request, use or total", a.By)
	}
	return nil
}

// ways are the words for how a task must fit a node; "" is use.
var ways = []string{"", "use", "request", "total"}
