package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"parley/core/formula"
	"parley/core/protocol"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// Formula measures the values per second of an expression over columns of nodes: the fastest of many
// rounds, because a browser compiles code well only after some of them.
func Formula(name, text string) Measurement {
	const nodes, passes, rounds = 12_500, 10, 200
	return Measurement{
		Name: "formula, " + name, Unit: "values/s",
		Once: func(now func() time.Time) (float64, error) {
			share := formula.Kind{Share: 1}
			var columns []formula.Column
			for _, name := range []string{"cpu.capacity", "cpu.used", "memory.capacity", "memory.used"} {
				columns = append(columns, formula.Column{Name: name, Kind: share})
			}
			f, err := formula.Compile(text, columns, formula.Number)
			if err != nil {
				return 0, err
			}
			rows := nodeRows(len(columns), nodes)
			var e formula.Evaluator
			out := make([]float64, nodes)
			fastest := math.Inf(1)
			for range rounds {
				seconds, _ := timed(now, func() error {
					for range passes {
						e.Eval(f, rows, out)
					}
					return nil
				})
				fastest = min(fastest, seconds)
			}
			if !formula.Finite(out[nodes-1]) {
				err = errors.Join(err, fmt.Errorf("the last value is %v", out[nodes-1]))
			}
			return nodes * passes / fastest, err
		},
	}
}

// nodeRows returns made-up amounts of columns of nodes.
func nodeRows(columns, nodes int) [][]float64 {
	rows := make([][]float64, columns)
	for i := range rows {
		rows[i] = make([]float64, nodes)
		for n := range rows[i] {
			rows[i][n] = float64(1 + (n*7919+i*104_729)%int(unit.Whole))
		}
	}
	return rows
}

// ByFormula measures placements as Central does, by a formula. Scores that read the task are
// computed again for each kind of task, others only for changed nodes.
func ByFormula(name, score string, nodes int) Measurement {
	return Measurement{
		Name: "by formula, " + name, Unit: "placements/s", Nodes: nodes,
		Once: func(now func() time.Time) (float64, error) {
			text, err := json.Marshal(score)
			if err != nil {
				return 0, err
			}
			return placements(now, fmt.Sprintf(`{"policy":"formula","preempt":false,"formula":{"score":%s}}`, text),
				nodes)
		},
	}
}

// placements returns the tasks per second that the central scheduler places.
func placements(now func() time.Time, settings string, nodes int) (float64, error) {
	s, err := scenario.Parse(fmt.Appendf(nil,
		`{"v":1,"system":"central","seed":7,"cluster":{"nodes":%d},"settings":%s}`, nodes, settings))
	if err != nil {
		return 0, err
	}
	r, err := run.Open(s, nil)
	if err != nil {
		return 0, err
	}
	seconds, err := timed(now, func() error { return r.Advance(unit.Millisecond) })
	return float64(r.View().Totals().Placements) / seconds, err
}

// Trips measures the moments of one fact that a scheduler answers per second.
func Trips(s protocol.Scheduler, trips int, now func() time.Time) (float64, error) {
	if _, err := s.Begin(&protocol.Hello{
		Parley: protocol.Version, Resources: []string{},
		Nodes: []protocol.Node{},
	}); err != nil {
		return 0, err
	}
	node := unit.NodeID(7)
	m := &protocol.Moment{Verdicts: []string{"ok"}}
	seconds, err := timed(now, func() error {
		for i := range trips {
			m.At = unit.Time(i)
			m.Facts = append(m.Facts[:0], protocol.Fact{
				Event: "task_ended", Task: int64(i + 1), Node: &node,
				How: "finished",
			})
			if _, err := s.Decide(m); err != nil {
				return err
			}
		}
		return nil
	})
	return float64(trips) / seconds, err
}
