package study

import (
	"encoding/json"
	"strconv"

	"parley/core/scenario"
)

// side is the axis of a study of Beside: the number of a scenario.
const side = "scenario"

// Beside returns the study of two or more scenarios that are played with the same seeds
// and compared with the first one, seed by seed. Its cells are the scenarios in their
// order.
func Beside(scenarios []*scenario.Scenario, seeds []uint64) *Study {
	s := &Study{
		Base: scenarios[0], Seeds: seeds, sides: scenarios, Axes: []Axis{{Path: side}},
		groups: []group{{[]int{0}, len(scenarios)}},
	}
	for i := range scenarios {
		s.Axes[0].Values = append(s.Axes[0].Values, json.RawMessage(strconv.Itoa(i)))
	}
	s.Compare = &Compare{side, s.Axes[0].Values[0]}
	return s
}

// Run returns the run of a cell with a seed, which identifies its result.
func (s *Study) Run(cell int, seed uint64, engine string) (Run, error) {
	return newExpander(s, engine).run(cell, seed, -1)
}
