package measure

import (
	"fmt"
	"runtime"
	"time"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/static/plan"
	"parley/core/unit"
)

// boardWarmup is played before boards are timed, so that the first graphs are under way.
const boardWarmup = 20 * unit.Minute

// Board measures the speed, relative to real time, of resources that take graphs of 100 subtasks
// from a board by a rule, under a load; beside it, the threads taken per second of real time.
func Board(rule string, resources int, load float64, long unit.Time) Measurement {
	both := func(now func() time.Time) (speed, decisions float64, err error) {
		s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"board","seed":1,"settings":{"thread_rule":%q},"workload":{"graphs":{
			"machines":[{"count":%d,"types":20,"types_each":[4,8],"speed":[0.5,2],"bandwidth":[1e6,1e7]}],
			"generate":{"shape":"mixed","vertices":100,"work":[60,600],"bytes":[1e6,1e7],"load":%v},"deadline_factor":3}}}`, rule, resources, load))
		if err != nil {
			return 0, 0, err
		}
		r, err := run.Open(s, nil)
		if err != nil {
			return 0, 0, err
		}
		if err := r.Advance(boardWarmup); err != nil {
			return 0, 0, err
		}
		before := threads(r)
		runtime.GC() // garbage of the start; as WebAssembly nothing else would end a collection under way
		seconds, err := timed(now, func() error { return r.Advance(boardWarmup + long) })
		return long.Seconds() / seconds, (threads(r) - before) / seconds, err
	}
	return Measurement{
		Name: fmt.Sprintf("%s, %d resources", rule, resources), Unit: "x real time", Beside: "threads taken/s",
		Both: both,
		Once: func(now func() time.Time) (float64, error) {
			speed, _, err := both(now)
			return speed, err
		},
	}
}

// threads returns the number of threads taken in a run.
func threads(r *run.Run) float64 {
	n, _ := r.Report().System["threads"].(int64)
	return float64(n)
}

// Plans measures the time of an algorithm to plan a graph of 100,000 subtasks in layers on 64
// processors.
func Plans(algorithm string) Measurement {
	return Measurement{
		Name: algorithm + ", 100000 subtasks on 64 processors", Unit: "s",
		Once: func(now func() time.Time) (float64, error) {
			recipe := graph.Recipe{
				Shape: graph.Layers, Vertices: 100_000, Width: 100, Needs: 3, Types: []string{""},
				Work: [2]float64{1, 100}, Bytes: [2]float64{1e6, 1e8},
			}
			processors := make([]plan.Processor, 64)
			for i := range processors {
				processors[i] = plan.Processor{Speed: 1 + float64(i%4), Bandwidth: 1e8}
			}
			p, err := plan.New(recipe.Generate(rng.New(1, "measure/plans")), processors, 0, nil)
			if err != nil {
				return 0, err
			}
			return timed(now, func() error {
				_, err := p.Plan(algorithm)
				return err
			})
		},
	}
}
