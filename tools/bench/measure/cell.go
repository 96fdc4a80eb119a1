package measure

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"parley/assets"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// The time that a cell is played before it is timed, and the time that is timed: the initial
// population is placed in the first minutes.
const (
	warmup = 10 * unit.Minute
	span   = 2 * unit.Hour
)

// Cell measures the speed, relative to real time, of a generated Google cell of a given number of
// nodes under negotiation, with 11 running tasks a node.
func Cell(nodes int) Measurement {
	return cell(fmt.Sprintf("%d nodes", nodes), func() ([]byte, error) {
		return fmt.Appendf(nil, `{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":%d}}`, nodes), nil
	})
}

// CalmCell is the published cell with almost constant usage: one negotiation in a minute or two.
func CalmCell() Measurement {
	return cell("calm", func() ([]byte, error) {
		return []byte(`{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":12500},"workload":{"usage":"calm"}}`),
			nil
	})
}

// DefaultCell returns the cell with which the page opens.
func DefaultCell() Measurement {
	return cell("default", func() ([]byte, error) {
		document, ok := assets.Scenario("google-cell")
		if !ok {
			return nil, errors.New("the gallery has no google-cell")
		}
		return document, nil
	})
}

// BusyCell is the published cell with 1.36 times its work: some hundred negotiations
// a minute.
func BusyCell() Measurement {
	return cell("busy", func() ([]byte, error) {
		return []byte(`{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":12500},"workload":{"scale":1.36}}`),
			nil
	})
}

// cell measures a scenario under negotiation, with its negotiations a minute.
func cell(name string, document func() ([]byte, error)) Measurement {
	both := func(now func() time.Time) (speed, negotiations float64, err error) {
		text, err := document()
		if err != nil {
			return 0, 0, err
		}
		s, err := scenario.Parse(text)
		if err != nil {
			return 0, 0, err
		}
		r, err := run.Open(s, nil)
		if err != nil {
			return 0, 0, err
		}
		if err := r.Advance(warmup); err != nil {
			return 0, 0, err
		}
		before := begun(r)
		runtime.GC() // garbage of the start; as WebAssembly nothing else would end a collection under way
		seconds, err := timed(now, func() error { return r.Advance(warmup + span) })
		return span.Seconds() / seconds, (begun(r) - before) / (span.Seconds() / 60), err
	}
	return Measurement{
		Name: name, Unit: "x real time", Beside: "negotiations a minute", Both: both,
		Once: func(now func() time.Time) (float64, error) {
			speed, _, err := both(now)
			return speed, err
		},
	}
}

// begun returns the number of negotiations in a run.
func begun(r *run.Run) float64 {
	n, _ := r.Report().System["negotiations"].(int64)
	return float64(n)
}
