package yield

import (
	"encoding/json"
	"fmt"

	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/unit"
	"parley/core/workload"
)

// document is a scenario's workload.system: equal hosts, and services that come,
// change and leave. Needs are drawn as the paper's (section 4.1 and package
// instance), scaled so that their expected sums are CPULoad and 1 - Slack.
type document struct {
	Hosts     int     `json:"hosts"`
	Tasks     int     `json:"tasks"`      // that are there at the start, and about as many later
	CPULoad   float64 `json:"cpu_load"`   // sum of the CPU needs / hosts; 0: as the paper, 0.5 a task
	Slack     float64 `json:"slack"`      // share of all memory that stays free
	CPUSpread float64 `json:"cpu_spread"` // coefficients of variation
	MemSpread float64 `json:"mem_spread"` //
	// of the jobs: those with several equal tasks, by Lublin and Feitelson
	ParallelShare float64           `json:"parallel_share"`
	Slip          bool              `json:"slip"`          // their size as the authors' program draws it
	Lifetime      scenario.Duration `json:"mean_lifetime"` // exponential
	// mean time between two changes of a job's CPU need; 0s: never
	Change       scenario.Duration `json:"change_every"`
	HostMemoryMB float64           `json:"host_memory_mb"` // the data of a migration is a part of it
}

func defaults() document {
	return document{
		Hosts: 256, Tasks: 2000, Slack: .3, CPUSpread: .75, MemSpread: .75,
		Lifetime: scenario.Duration(12 * unit.Hour), Change: scenario.Duration(6 * unit.Hour), HostMemoryMB: 64_000,
	}
}

// Limits for the memory of a tab.
const (
	maxHosts = 20_000
	maxTasks = 500_000
)

// Workload makes hosts and services of a scenario's workload.system; without one the scenario's
// preset or trace is played, and the tasks' requests are their needs.
//
//	{"hosts":256,"tasks":2000,"cpu_load":1.5,"slack":0.3,"mean_lifetime":"12h","change_every":"6h"}
func Workload(raw json.RawMessage, seed uint64) (workload.Source, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	d := defaults()
	if err := strict.Part(raw, &d); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, err
	}
	return newPopulation(d, seed), nil
}

// validate returns an error that names the first field out of range, its value and the range; nil if
// there is none.
func (d document) validate() error {
	for _, count := range [...]struct {
		name       string
		value, max int
	}{{"hosts", d.Hosts, maxHosts}, {"tasks", d.Tasks, maxTasks}} {
		if count.value < 1 || count.value > count.max {
			return fmt.Errorf("%s is %d: choose 1 to %d", count.name, count.value, count.max)
		}
	}
	for _, figure := range [...]struct {
		name             string
		value, low, high float64
	}{
		{"cpu_load", d.CPULoad, 0, 1000},
		{"slack", d.Slack, 0, .99},
		{"cpu_spread", d.CPUSpread, 0, 2},
		{"mem_spread", d.MemSpread, 0, 2},
		{"parallel_share", d.ParallelShare, 0, 1},
		{"host_memory_mb", d.HostMemoryMB, 1, 1e8},
	} {
		if !(figure.value >= figure.low && figure.value <= figure.high) {
			return fmt.Errorf("%s is %g: choose %g to %g", figure.name, figure.value, figure.low, figure.high)
		}
	}
	const shortest = unit.Second
	if unit.Time(d.Lifetime) < shortest {
		return fmt.Errorf("mean_lifetime is %v: choose 1s or more", d.Lifetime)
	}
	if d.Change != 0 && unit.Time(d.Change) < shortest {
		return fmt.Errorf("change_every is %v: choose 1s or more, or 0s for never", d.Change)
	}
	return nil
}
