package negotiation_test

import (
	"encoding/json"
	"testing"

	"parley/core/system/negotiation"
	"parley/core/testkit/systemtest"
)

// TestConformance plays random trials, faults included, in every mode of the
// protocol: some 1,200 of them.
func TestConformance(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		options  []systemtest.Option
	}{
		"defaults":            {`{}`, nil},
		"three brokers":       {`{"brokers":3}`, nil},
		"rounds":              {`{"mail":{"latency_us":500,"rounds_a_minute":6}}`, nil},
		"one round a minute":  {`{"brokers":2,"mail":{"latency_us":500,"rounds_a_minute":1}}`, nil},
		"slow mail":           {`{"mail":{"latency_us":4000000,"jitter_us":20000000}}`, nil},
		"lossy mail":          {`{"mail":{"latency_us":500,"loss":0.3}}`, nil},
		"weighted draw":       {`{"draw":"weighted","candidates":3}`, nil},
		"one candidate":       {`{"candidates":1,"scan_initial":1,"scan_reallocation":1}`, nil},
		"gains":               {`{"initial_score":"sias_gain","move_score":"sras_gain"}`, nil},
		"single score":        {`{"initial_score":"sas","move_score":"sas"}`, nil},
		"greedy selection":    {`{"selection":"greedy"}`, nil},
		"exact selection":     {`{"selection":"exact"}`, []systemtest.Option{systemtest.Trials(5)}}, // it tries thousands of sets
		"no headroom":         {`{"headroom":0}`, nil},
		"short waits":         {`{"reply_us":1000000,"expiry_us":1000000,"silence_us":60000000,"report_us":30000000}`, nil},
		"slow brokers":        {`{"brokers":2,"service_us":2000000}`, nil},
		"idle list":           {`{"later":{"idle_list":4}}`, nil},
		"offload":             {`{"later":{"offload":0.7}}`, nil},
		"blacklist":           {`{"brokers":2,"later":{"blacklist_us":120000000}}`, nil},
		"preempt":             {`{"later":{"preempt":true}}`, nil},
		"spread over nodes":   {`{"later":{"spread":"node"}}`, []systemtest.Option{systemtest.MayWait()}},
		"spread over racks":   {`{"later":{"spread":"rack"}}`, []systemtest.Option{systemtest.MayWait()}},
		"quota":               {`{"later":{"quota":0.2}}`, []systemtest.Option{systemtest.MayWait()}},
		"distance":            {`{"later":{"rack_cost":2}}`, nil},
		"all that comes late": {`{"brokers":2,"draw":"weighted","later":{"idle_list":2,"offload":0.8,"blacklist_us":60000000,"preempt":true,"spread":"node","quota":0.3,"rack_cost":1}}`, []systemtest.Option{systemtest.MayWait()}},
	} {
		t.Run(name, func(t *testing.T) {
			systemtest.Run(t, negotiation.Entry(), json.RawMessage(c.settings), append([]systemtest.Option{systemtest.Trials(50)}, c.options...)...)
		})
	}
}

func TestDescription(t *testing.T) {
	systemtest.Describes(t, negotiation.Entry(), negotiation.Default())
}
