package workload

import (
	"fmt"

	"parley/core/unit"
)

// The figures below describe the Google cell of 2011 (clusterdata-2011-2):
// machine mix as published, request quantiles of the tasks that ran
// when the trace begins, arrivals and lifetimes of its first hours. They are
// summaries, in steps of 5 %, of part 0 of the public trace.

// machineMix is CPU and memory in millionths of the largest machine, and how
// many of 12,583 machines are of that kind.
var machineMix = [...]struct {
	cpu, memory int32
	machines    int
}{
	{500_000, 499_500, 6732},
	{500_000, 249_300, 3863},
	{500_000, 749_000, 1001},
	{1_000_000, 1_000_000, 795},
	{250_000, 249_800, 126},
	{500_000, 124_100, 54},
	{500_000, 30_850, 5},
	{500_000, 967_800, 4},
	{1_000_000, 500_000, 3},
}

// MachineSizes returns the sizes of generated machines: "CPU 0.25 to 1, memory 0.031 to 1
// of the largest".
func MachineSizes() string {
	cpu, memory := machineMix[0].cpu, machineMix[0].memory
	for _, m := range machineMix {
		cpu, memory = min(cpu, m.cpu), min(memory, m.memory)
	}
	return fmt.Sprintf("CPU %.2g to 1, memory %.2g to 1 of the largest", float64(cpu)/1e6, float64(memory)/1e6)
}

// quantiles holds a distribution as its value at 0, 5, 10 … 100 %.
type quantiles [21]int32

// at returns the value at u in [0, 1], linear between the steps.
func (q *quantiles) at(u float64) int32 {
	x := float64(u * 20)
	i := min(int(x), len(q)-2)
	return q[i] + int32(float64(q[i+1]-q[i])*(x-float64(i)))
}

// mean returns the mean of the distribution.
func (q *quantiles) mean() float64 {
	sum := 0.0
	for i := range q[1:] {
		sum += float64(q[i]+q[i+1]) / 40
	}
	return sum
}

// demand is how the CPU and memory that tasks request are distributed.
type demand struct{ cpu, memory quantiles }

// excess returns by which part of their mean the requests at u and v lie above it.
func (d *demand) excess(u, v float64) (part Ratios) {
	part[unit.CPU] = float64(d.cpu.at(u))/d.cpu.mean() - 1
	part[unit.Memory] = float64(d.memory.at(v))/d.memory.mean() - 1
	return part
}

// Requests in millionths of the reference machine. The last step is cut near
// the 99.5 % point, so that the means are those of the trace.
var requests = [2]demand{
	Batch: {
		cpu: quantiles{
			100, 624, 9370, 12500, 12500, 12500, 12500, 12500, 12500, 18740, 18740, 24990, 30640, 31250, 56270,
			62500, 62500, 62500, 62500, 78120, 186800,
		},
		memory: quantiles{
			100, 3110, 3880, 3890, 6220, 7770, 13170, 15000, 15900, 15900, 15900, 15900, 15900, 20200, 28630,
			31800, 39610, 47730, 62130, 118400, 127200,
		},
	},
	Production: {
		cpu: quantiles{
			100, 6250, 15620, 31250, 31250, 49990, 62500, 62500, 62500, 62500, 62500, 68730, 76290, 84960,
			93750, 110600, 125000, 131300, 187500, 218800, 381300,
		},
		memory: quantiles{
			100, 3110, 6220, 11250, 16050, 25600, 25600, 27950, 31800, 32230, 38210, 50840, 63600, 76420,
			76420, 79590, 85690, 87520, 152800, 200400, 265000,
		},
	},
}

// jobSizes is how many tasks a job has: most have one, most tasks are in jobs
// of hundreds. The trace's few jobs of thousands are left out: one of them more
// or less would change the load of the cell by several percent.
var jobSizes = quantiles{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 6, 10, 30, 100, 600}

// A life is one kind of task: how many of the tasks that arrive and of those
// that run at a moment are of it, their mean lifetime in minutes, and how many
// of them are production. 20–40 % of tasks run longer than twenty minutes, and
// most resources belong to long-running services (Reiss et al. 2012).
type life struct {
	arriving, running float64
	minutes           float64
	production        float64
	size              float64 // of the requests against the quantiles above
}

// The shares running = arriving × minutes, normalised; the longest lifetime is
// chosen so that 608 arrivals a minute (25.4 million in 29 days) keep 140,000
// tasks alive.
var lifetimeClasses = [...]life{
	{arriving: 0.70, running: 0.0182, minutes: 6, production: 0.004, size: 0.8},
	{arriving: 0.27, running: 0.1402, minutes: 120, production: 0.02, size: 0.85},
	{arriving: 0.03, running: 0.8416, minutes: 6450, production: 0.48, size: 0.97},
}

const (
	cellMachines      = 12_583 // of the cell the figures describe
	cellRunning       = 140_000
	arrivalsPerMinute = 608.0
)

// production is one reading of the part of the cell that is promised to production tasks: the
// factor on their number in lifetimeClasses, and the factors on the requests of each class.
type production struct {
	tasks    float64
	requests [2]Ratios
}

// The readings: production tasks request 73.2 % of the CPU and 58.5 % of the memory when the public
// trace begins (all tasks 113.5 and 93.3 %), about 85 and 70 % in the negotiation paper (section
// 7.10), which does not give the requests of the others: here there are more production tasks
// instead of batch tasks.
var productions = map[string]production{
	TraceProduction: {1, [2]Ratios{Batch: {1.005, 0.98}, Production: {1.021, 1.026}}},
	PaperProduction: {1.161, [2]Ratios{Batch: {1.005, 0.98}, Production: {1.021, 1.057}}},
}
