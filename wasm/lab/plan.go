//go:build js && wasm

package main

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"syscall/js"

	"parley/core/system/rounds/plan"
	"parley/core/system/yield/solve"
	"parley/wasm/bridge"
)

// planned is what the page hears of a plan.
type planned struct {
	Type      string  `json:"type"`
	Kind      string  `json:"kind"`
	Algorithm string  `json:"algorithm"`
	Result    any     `json:"result,omitempty"`
	WallUS    float64 `json:"wall_us"`
	Why       string  `json:"why,omitempty"` // one sentence where there is no plan

	course *plan.Timeline // of rounds: told as typed arrays, one entry a chunk
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
		p.Result, p.course, err = planRounds(algorithm, document)
	default:
		err = errors.New("there is no planner " + kind)
	}
	p.WallUS = (bridge.Now() - began) * 1000
	if err != nil {
		p.Result, p.course, p.Why = nil, nil, err.Error()
	}
	message := bridge.Value(p)
	if p.course != nil {
		message.Set("timeline", timeline(p.course))
	}
	js.Global().Call("postMessage", message)
}

// timeline is a course as protocol.ts describes it.
func timeline(course *plan.Timeline) map[string]any {
	whole := func(values []int32) js.Value {
		bytes := make([]byte, 0, 4*len(values))
		for _, x := range values {
			bytes = binary.LittleEndian.AppendUint32(bytes, uint32(x))
		}
		return bridge.Typed("Int32Array", bytes, len(values))
	}
	seconds := func(values []float64) js.Value {
		bytes := make([]byte, 0, 8*len(values))
		for _, x := range values {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
		}
		return bridge.Typed("Float64Array", bytes, len(values))
	}
	return map[string]any{
		"Worker": whole(course.Worker), "Round": whole(course.Round),
		"SendStart": seconds(course.SendStart), "SendEnd": seconds(course.SendEnd),
		"ComputeStart": seconds(course.ComputeStart), "ComputeEnd": seconds(course.ComputeEnd),
	}
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
