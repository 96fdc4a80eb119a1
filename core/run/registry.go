package run

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/system/board"
	"parley/core/system/central"
	"parley/core/system/dispatcher"
	"parley/core/system/market"
	"parley/core/system/negotiation"
	"parley/core/system/rounds"
	"parley/core/system/static"
	"parley/core/system/yield"
	"parley/core/workload"
)

// Registry lists systems that can be run.
type Registry []system.Entry

// Systems returns those of this program. A further system is one line here.
func Systems() Registry {
	return append(First(), yield.Entry(), rounds.Entry(), static.Entry(), board.Entry(), dispatcher.Entry(), market.Entry())
}

// First returns those that the page's first program brings: what its first scenario
// runs, and what that is compared with. The others come when they are chosen.
func First() Registry {
	return Registry{negotiation.Entry(), central.Entry()}
}

// Open is Registry.Open with this program's systems.
func Open(s *scenario.Scenario, source workload.Source, options ...Option) (*Run, error) {
	return Systems().Open(s, source, options...)
}

// Find returns a system by its ID; where there is none it says which there are.
func (g Registry) Find(id string) (system.Entry, error) {
	names := make([]string, len(g))
	for i, e := range g {
		if e.ID == id {
			return e, nil
		}
		names[i] = e.ID
	}
	return system.Entry{}, fmt.Errorf("system is %q: choose one of %s", id, strings.Join(names, ", "))
}

// Descriptions returns what each of the systems says of itself, with the words of
// all systems behind its own.
func (g Registry) Descriptions() []system.Description {
	all := make([]system.Description, len(g))
	for i, e := range g {
		all[i] = e.Description
		all[i].Terms = append(slices.Clip(all[i].Terms), system.Terms()...)
	}
	return all
}

// suits says what to choose where a system cannot schedule the work of a recorded
// workload that tells its shape.
func (g Registry) suits(e system.Entry, source workload.Source) error {
	shaped, tells := source.(interface{ Shape() workload.Shape })
	if !tells || slices.Contains(e.Suits, shaped.Shape()) {
		return nil
	}
	var fit []string
	for _, other := range g {
		if slices.Contains(other.Suits, shaped.Shape()) {
			fit = append(fit, other.ID)
		}
	}
	return fmt.Errorf("the system %s cannot schedule the files' %s: choose the system %s", e.ID, shaped.Shape(), strings.Join(fit, " or "))
}
