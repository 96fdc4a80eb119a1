package central_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/core/system/central"
	"parley/core/testkit/systemtest"
)

func TestConformance(t *testing.T) {
	run := func(name, settings string) {
		t.Run(name, func(t *testing.T) {
			systemtest.Run(t, central.Entry(), json.RawMessage(settings), systemtest.Trials(300))
		})
	}
	for _, policy := range central.TaskPolicies {
		for _, admission := range []string{"use", "request"} {
			run(policy+" by "+admission, fmt.Sprintf(`{"policy":%q,"admission":%q}`, policy, admission))
		}
	}
	const often = `"rescheduler":{"every_us":30000000,"under":{"cpu":60,"memory":60},"over":{"cpu":70,"memory":70}}`
	run("no preemption, no limits", `{"preempt":false,"fill":0,"production_limit":0}`)
	run("overcommitted", `{"policy":"worst-fit","admission":"request","overcommit":{"cpu":1.5,"memory":1.1},"fill":0}`)
	run("kube as it is", `{"policy":"kube","admission":"request","fill":0,"production_limit":0}`)
	run("rescheduled by use", `{`+often+`}`)
	run("rescheduled kube by request", `{"policy":"kube","admission":"request","overcommit":{"cpu":2,"memory":2},`+often[:len(often)-1]+`,"by":"request","most_per_node":2}}`)
}

func TestDescription(t *testing.T) { systemtest.Describes(t, central.Entry(), central.Default()) }
