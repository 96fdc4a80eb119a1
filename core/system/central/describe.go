package central

import (
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	return system.Entry{Description: system.Description{
		ID: "central", Name: "Central scheduler",
		About:    "One scheduler sees the whole cluster and places each task once, by a simple rule: what people run today.",
		Suits:    []workload.Shape{workload.ShapeTasks},
		Settings: Default().described(),
		Agents:   []system.Role{}, Metrics: []metric.Column{}, Charts: metric.TaskCharts(), Layers: []frame.Layer{}, Views: []system.View{},
	}, New: New}
}

// described is what the settings mean and may be, with their values.
func (s Settings) described() []system.Setting {
	return system.Describe(
		system.Setting{ID: "policy", Name: "Policy", Value: s.Policy, Choices: Policies, About: "which of the nodes that fit takes a task; replay: where the workload's own scheduler recorded it"},
		system.Setting{ID: "admission", Name: "Admission", Value: s.Admission, Choices: []string{"use", "request"}, About: "use: the request and what is used there must fit, as Borg overcommits; request: the requests alone, as in Kubernetes"},
	)
}
