package yield_test

import (
	"encoding/json"
	"testing"

	"parley/core/system/yield"
	"parley/core/testkit/systemtest"
)

// TestConformance plays random trials on unequal hosts that fail and shrink.
func TestConformance(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		options  []systemtest.Option
	}{
		"defaults":    {`{}`, nil},
		"each change": {`{"window_us":0,"budget_mb":4000}`, nil},
		"no budget":   {`{"budget_mb":0,"window_us":60000000}`, nil},
		"unbounded":   {`{"budget_mb":100000000,"window_us":0,"exact_tasks":8}`, nil},
		"greedy":      {`{"algorithm":"greedy"}`, nil},
		"too many":    {`{"search_tasks":6,"window_us":0}`, nil},
		"not coupled": {`{"coupled":false,"window_us":0}`, nil},
		"even":        {`{"raise_average":false,"window_us":0}`, nil},
		"queue":       {`{"floor_yield":0.8,"window_us":0}`, nil},
		"refuse":      {`{"floor_yield":0.8,"on_floor":"refuse","window_us":0}`, []systemtest.Option{systemtest.MayWait()}},
		"one try":     {`{"floor_yield":0.5,"tries":1,"window_us":0}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			systemtest.Run(t, yield.Entry(), json.RawMessage(c.settings), append([]systemtest.Option{systemtest.Trials(20)}, c.options...)...)
		})
	}
}

func TestDescription(t *testing.T) { systemtest.Describes(t, yield.Entry(), yield.Default()) }
