package paper

import (
	"parley/core/metric"
	"parley/core/run"
	"parley/core/unit"
)

// figure is one number of a run.
type figure struct {
	name string
	of   func(outcome) float64
}

// column is the figure that is the mean of a metric.
func column(name string, c int) figure {
	return figure{name, func(o outcome) float64 { return o.mean[c] }}
}

// The figures that experiments share.
var (
	figPA         = column("PA", metric.Proportional)
	figDA         = column("DA", metric.Disproportionate)
	figIdle       = column("idle nodes", metric.Idle)
	figOverloaded = column("overloaded nodes", metric.Overloaded)
	figMigrations = column("migrations", metric.Migrations)
	figMoved      = column("moved", metric.MigratedMB)
	figCPU        = column("CPU used", metric.CPUUsed)
	figMemory     = column("memory used", metric.MemoryUsed)
	figRequested  = column("memory requested", metric.MemoryRequested)

	figProductionCPU = figure{
		"production requests, CPU",
		func(o outcome) float64 { return o.counts.byProduction[unit.CPU] },
	}
	figProductionMemory = figure{
		"production requests, memory",
		func(o outcome) float64 { return o.counts.byProduction[unit.Memory] },
	}

	figTight = figure{"STA + TA", func(o outcome) float64 { return o.mean[metric.SuperTight] + o.mean[metric.Tight] }}
	figRatio = figure{"PA:DA", func(o outcome) float64 {
		return o.mean[metric.Proportional] / max(o.mean[metric.Disproportionate], 0.01)
	}}
	// figWorst is the largest share of overloaded nodes in a minute.
	figWorst = figure{"overloaded nodes, worst minute", func(o outcome) float64 {
		worst := 0.0
		for _, row := range o.rows[min(len(o.rows), settled):] {
			worst = max(worst, row[metric.Overloaded])
		}
		return worst
	}}
	// figLoss is the loss that tuning minimises: one percent of the nodes
	// overloaded, of the tasks waiting, and of the new tasks late or forced count equally.
	figLoss = figure{"loss", func(o outcome) float64 {
		return figOverloaded.of(o) + figWaiting.of(o) +
			figUnserved.of(o)
	}}
	// figWaiting is the share of the tasks that have no place.
	figWaiting = figure{"tasks that wait", func(o outcome) float64 {
		return percentOf(o.mean[metric.Waiting], o.mean[metric.Waiting]+o.mean[metric.Running])
	}}
	// figForced is the share of placements and moves to nodes without room.
	figForced = figure{"forced placements and moves", func(o outcome) float64 {
		c := o.counts
		return percentOf(c.forcedPlacements+c.forcedMigrations, c.placements+c.migrations)
	}}
	// figUnserved makes waiting and forcing comparable: of the tasks that arrived,
	// those which found no node with room within a minute, whether they then waited
	// or were forced upon one.
	figUnserved = figure{"new tasks without room within a minute", func(o outcome) float64 {
		return percentOf(o.counts.late+o.counts.forcedPlacements, o.counts.arrived)
	}}
	figPreempted    = figure{"preemptions", func(o outcome) float64 { return o.counts.preempted / o.minutes }}
	figNegotiations = figure{"negotiations", func(o outcome) float64 { return o.counts.negotiations / o.minutes }}
	// to move a task, in step 5
	figAttempts = figure{"attempts", func(o outcome) float64 { return o.counts.attempts }}
	// figRefused is how many of them fail.
	figRefused = figure{"attempts that fail in step 5", func(o outcome) float64 {
		return percentOf(o.counts.rejected, o.counts.attempts)
	}}
	figForcedMoves = figure{"moves that are forced", func(o outcome) float64 {
		return percentOf(o.counts.forcedMigrations, o.counts.migrations)
	}}
	figCost = figure{"cost a migration", func(o outcome) float64 {
		return o.mean[metric.MigratedMB] / max(o.mean[metric.Migrations], 0.01)
	}}
)

// settled is how many samples the warm-up takes.
const settled = int(warmup / run.SampleStep)

func percentOf(part, whole float64) float64 { return 100 * part / max(whole, 1) }
