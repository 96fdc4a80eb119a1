// Package graphs makes workloads of task graphs from a scenario's workload.graphs: the
// machines that compute them, and graphs that are listed, generated or supplied by another
// Source.
//
//	d, err := graphs.Parse([]byte(`{"machines":[{"count":4,"speed":[1,3]}],"list":[{"tasks":[{"name":"a","work":60}]}]}`))
//	source := d.New(seed)
package graphs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"parley/core/strict"
	"parley/core/unit"
	"parley/core/words"
	"parley/core/workload"
)

// Document is a scenario's workload.graphs.
type Document struct {
	Machines []Machines `json:"machines"` // of them is the cluster; left out: 16 of speed 1 and 125 MB/s
	List     []Listed   `json:"list"`     // graphs that are listed one by one
	Generate *Generate  `json:"generate"` // graphs that are drawn; so are some if the document has none
	Offer
}

// usualFactor is the deadline's factor of a workload without a description.
const usualFactor = 3

// Offer holds a user's terms for graphs that have none of their own.
type Offer struct {
	Deadline float64 `json:"deadline_s"` // seconds after its arrival; 0 if none
	// its deadline in lengths of its critical path on these machines, see paths; 0 if none
	Factor float64 `json:"deadline_factor"`
	Bonus  float64 `json:"bonus"` // for being done by then
	// of files: seconds from one graph's arrival to the next's; 0: all come at once
	Every float64 `json:"every_s"`
}

// Machines are machines of one kind.
type Machines struct {
	Count int `json:"count"` // default 1
	// work units a second, drawn for each type that a machine can do; default 1
	Speed *Range `json:"speed"`
	// of subtasks that they can do, by name, or how many: "0", "1" …; left out: every type, at one speed
	Types  Types              `json:"types"`
	Some   *Range             `json:"types_each"` // how many of these each of them can do, drawn; default all
	Speeds map[string]float64 `json:"speeds"`     // in place of speed and types: for each type
	// bytes a second that leave it, drawn; default 125e6; 0: results take no time
	Bandwidth *Range             `json:"bandwidth"`
	Latency   float64            `json:"latency_s"`   // of each transfer, seconds
	Startup   float64            `json:"startup_s"`   // of each subtask, seconds
	Error     workload.RateError `json:"speed_error"` // how far its true speed strays from that
}

// Listed is one graph.
type Listed struct {
	At       float64  `json:"at_s"` // seconds
	Tasks    []Task   `json:"tasks"`
	Arcs     []Arc    `json:"arcs"`
	Deadline *float64 `json:"deadline_s"` // as in Offer, in place of its
	Bonus    *float64 `json:"bonus"`
	User     uint32   `json:"user"`
}

// Task is a subtask of a listed graph.
type Task struct {
	Name string  `json:"name"`
	Type string  `json:"type"`
	Work float64 `json:"work"` // work units
}

// Arc is a dependency: the task To needs this many bytes from the task From. Without one of
// the two they come from the user, or go there.
type Arc struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Bytes float64 `json:"bytes"`
}

// Range is a number, or the least and the most of numbers that are drawn evenly.
type Range [2]float64

// UnmarshalJSON reads 3 or [1, 3].
func (r *Range) UnmarshalJSON(text []byte) error {
	var one float64
	if err := json.Unmarshal(text, &one); err == nil {
		*r = Range{one, one}
		return nil
	}
	var both []float64
	if err := json.Unmarshal(text, &both); err != nil || len(both) != 2 || both[0] > both[1] {
		return fmt.Errorf("%s is no range: give a number, or the least and the most as in [1, 3]",
			shorten(string(text)))
	}
	*r = Range(both)
	return nil
}

// MarshalJSON is the inverse of UnmarshalJSON.
func (r Range) MarshalJSON() ([]byte, error) {
	if r[0] == r[1] {
		return json.Marshal(r[0])
	}
	return json.Marshal([2]float64(r))
}

// Types are names of types of subtasks.
type Types []string

// UnmarshalJSON reads ["mProject", "mAdd"], or 20 for the names "0" to "19".
func (t *Types) UnmarshalJSON(text []byte) error {
	var n int
	if err := json.Unmarshal(text, &n); err == nil {
		if n < 1 || n > maxTypes {
			return fmt.Errorf("types is %d: choose 1 to %d", n, maxTypes)
		}
		*t = numbered(n)
		return nil
	}
	var names []string
	if err := json.Unmarshal(text, &names); err != nil || len(names) == 0 || len(names) > maxTypes {
		return fmt.Errorf("%s is no list of types: give 1 to %d names, or how many types there are",
			shorten(string(text)), maxTypes)
	}
	*t = names
	return nil
}

func numbered(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint(i))
	}
	return names
}

// Limits that keep a document from asking for more than memory holds.
const (
	maxMachines = 1_000_000
	maxTypes    = 1000
	maxSpeeds   = 100_000_000 // machines × types
	maxSeconds  = 1e9
	maxRate     = 9e12
)

// Parse reads a document strictly; nothing is the default. Its errors are one
// sentence that names the field.
func Parse(raw []byte) (*Document, error) {
	d := &Document{}
	if err := strict.Part(raw, d); err != nil {
		return nil, err
	}
	return d, d.validate()
}

// validate returns an error that names the field if the document is invalid. The graphs of a list must be in the
// order of their arrival.
func (d *Document) validate() error {
	if err := d.Offer.validate(); err != nil {
		return err
	}
	machines := 0
	for i := range d.Machines {
		m := &d.Machines[i]
		if err := m.validate(); err != nil {
			return fmt.Errorf("machines[%d]: %w", i, err)
		}
		machines += m.count()
		if machines > maxMachines {
			return fmt.Errorf("there are more than %d machines: leave some out", maxMachines)
		}
	}
	if d.List != nil && len(d.List) == 0 && d.Generate == nil {
		return errors.New("list holds no graph: write one into it, or leave it out")
	}
	generator := d.generator(0)
	at := 0.0
	for i := range d.List {
		l := &d.List[i]
		if err := within("at_s", l.At, 0, maxSeconds); err != nil {
			return fmt.Errorf("list[%d]: %w", i, err)
		}
		if l.At < at {
			return fmt.Errorf(
				"list[%d]: at_s is %v, but the graph before comes at %v: list graphs in the order of their arrival",
				i, l.At, at,
			)
		}
		at = l.At
		if _, err := l.graph(generator); err != nil {
			return fmt.Errorf("list[%d]: %w", i, err)
		}
	}
	if d.Generate != nil {
		if len(d.List) > 0 {
			return errors.New("list and generate are both given: leave one of them out")
		}
		if err := d.Generate.validate(generator); err != nil {
			return fmt.Errorf("generate: %w", err)
		}
	}
	return nil
}

// Given reports whether the document itself lists or generates graphs.
func (d *Document) Given() bool { return len(d.List) > 0 || d.Generate != nil }

func (o *Offer) validate() error {
	return first(
		within("deadline_s", o.Deadline, 0, maxSeconds), within("deadline_factor", o.Factor, 0, 1e6),
		within("bonus", o.Bonus, 0, maxRate), within("every_s", o.Every, 0, maxSeconds),
	)
}

// within returns an error if a number is out of range.
func within(name string, x, low, high float64) error {
	if !(x >= low && x <= high) {
		return fmt.Errorf("%s is %v: choose %v to %v", name, x, low, high)
	}
	return nil
}

// first returns the first error of several.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// shorten cuts a value for a sentence.
func shorten(text string) string { return words.Cut(text, 60) }

// micros converts seconds to microseconds, rounded, at most 1e18.
func micros(seconds float64) unit.Time {
	return unit.Time(math.Min(float64(seconds*float64(unit.Second)), 1e18) + 0.5)
}

// money turns units into Money.
func money(x float64) unit.Money { return unit.Money(float64(x*float64(unit.MoneyUnit)) + 0.5) }
