//go:build js && wasm

package main

import (
	"errors"
	"strings"

	"parley/core/system/rounds/plan"
	"parley/core/system/yield/solve"
	"parley/wasm/bridge"
)

// planned is what the page hears of a plan.
type planned struct {
	Type      string         `json:"type"`
	Kind      string         `json:"kind"`
	Algorithm string         `json:"algorithm"`
	Result    any            `json:"result,omitempty"`
	Timeline  *plan.Timeline `json:"timeline,omitempty"` // of rounds: the course of the plan, one entry a chunk
	WallUS    float64        `json:"wall_us"`
	Why       string         `json:"why,omitempty"` // one sentence where there is no plan
}

// makePlan plans one document with one algorithm and tells the result.
func makePlan(kind, algorithm, document string) {
	p := planned{Type: "plan", Kind: kind, Algorithm: algorithm}
	began := bridge.Now()
	var err error
	switch kind {
	case "yield":
		p.Result, err = planYield(algorithm, document)
	case "rounds":
		p.Result, p.Timeline, err = planRounds(algorithm, document)
	default:
		err = errors.New("there is no planner " + kind)
	}
	p.WallUS = (bridge.Now() - began) * 1000
	if err != nil {
		p.Result, p.Timeline, p.Why = nil, nil, err.Error()
	}
	bridge.PostValue(p)
}

func planYield(algorithm, document string) (any, error) {
	in, err := solve.Decode(strings.NewReader(document))
	if err != nil {
		return nil, err
	}
	return solve.Solve(in, algorithm, solve.Default())
}

// maxDrawn bounds the chunks that a Gantt chart is told of.
const maxDrawn = 200_000

func planRounds(algorithm, document string) (any, *plan.Timeline, error) {
	p, load, err := plan.Decode(strings.NewReader(document))
	if err != nil {
		return nil, nil, err
	}
	result, err := plan.Plan(p, load, algorithm, plan.Options{})
	if err != nil || len(result.Order)*result.Rounds > maxDrawn {
		return result, nil, err
	}
	var course plan.Timeline
	if _, err := plan.Simulate(p, result.Order, result.Chunks, &course); err != nil {
		return nil, nil, err
	}
	return result, &course, nil
}
