package google2011

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/core/unit"
)

// Settings are the rules for what the trace leaves open. Each repair is counted
// in Repairs and can be switched off.
type Settings struct {
	// ProductionPriority is the least priority of production tasks. The trace's
	// own page calls 9, 10 and 11 production and 12 monitoring, which keeps its
	// promises too.
	ProductionPriority uint8 `json:"production_priority"`

	// MachineWithoutCapacity is what becomes of a machine that is added without
	// CPUs or memory: "common" gives it what it had before or else the most
	// common capacity so far, "skip" leaves it out until an update tells.
	MachineWithoutCapacity Rule `json:"machine_without_capacity"`

	// TaskWithoutRequest is what becomes of a task that is submitted without a
	// request: "median" gives it MedianRequest, "skip" leaves it out.
	TaskWithoutRequest Rule `json:"task_without_request"`

	// MedianRequest is CPU and memory in millionths of the largest machine.
	MedianRequest unit.Vec `json:"median_request_millionths"`

	// UnknownMachine is what happens where a task is scheduled on a machine
	// that the machine events do not mention: "add" adds it with the most
	// common capacity, "keep" only records the placement.
	UnknownMachine Rule `json:"unknown_machine"`

	// UnknownTask is what happens where a task is scheduled or updated that
	// nobody submitted: "submit" submits it at that moment, "skip" ignores it.
	UnknownTask Rule `json:"unknown_task"`
}

// Rule names what to do about one kind of gap.
type Rule string

// The rules; Settings says which go where.
const (
	Common Rule = "common"
	Median Rule = "median"
	Add    Rule = "add"
	Keep   Rule = "keep"
	Submit Rule = "submit"
	Skip   Rule = "skip"
)

// Default returns the settings that keep every machine and every task.
func Default() Settings {
	return Settings{
		ProductionPriority:     9,
		MachineWithoutCapacity: Common,
		TaskWithoutRequest:     Median,
		// The medians of the 201,200 SUBMIT rows with a request in part 0 of
		// the public trace.
		MedianRequest:  unit.Vec{unit.CPU: 24_990, unit.Memory: 25_450},
		UnknownMachine: Add,
		UnknownTask:    Submit,
	}
}

// Validate says which setting has no meaning.
func (s *Settings) Validate() error {
	for _, r := range []struct {
		name string
		rule Rule
		one  Rule
		two  Rule
	}{
		{"machine_without_capacity", s.MachineWithoutCapacity, Common, Skip},
		{"task_without_request", s.TaskWithoutRequest, Median, Skip},
		{"unknown_machine", s.UnknownMachine, Add, Keep},
		{"unknown_task", s.UnknownTask, Submit, Skip},
	} {
		if r.rule != r.one && r.rule != r.two {
			return fmt.Errorf("google2011 setting %s is %q; it must be %q or %q", r.name, r.rule, r.one, r.two)
		}
	}
	for r, share := range s.MedianRequest {
		if share < 0 || share > unit.Whole {
			return fmt.Errorf("google2011 setting median_request_millionths has %d for %v; it must be 0 to %d",
				share, unit.Resource(r), unit.Whole)
		}
	}
	return nil
}

// decodeSettings returns the defaults with what raw says, strictly.
func decodeSettings(raw json.RawMessage) (Settings, error) {
	s := Default()
	if len(raw) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&s); err != nil {
			return s, fmt.Errorf("google2011 settings: %w", err)
		}
	}
	return s, s.Validate()
}
