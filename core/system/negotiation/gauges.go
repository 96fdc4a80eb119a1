package negotiation

import (
	"slices"

	"parley/core/metric"
	"parley/core/unit"
)

// gauges are the system's own figures over time.
var gauges = []metric.Column{
	{
		ID: "negotiations_per_min", Name: "Negotiations a minute",
		About: "negotiations begun since the sample before / minutes",
	},
	{
		ID: "refusals_per_min", Name: "Refusals a minute",
		About: "refusals by candidates and by targets since the sample before / minutes",
	},
	{
		ID: "forced_per_min", Name: "Forced a minute",
		About: "placements and migrations by force since the sample before / minutes",
	},
}

// charts inserts the charts of negotiations and of classes among the common ones of tasks.
func charts() []metric.Chart {
	own := metric.Chart{Title: "Negotiations a minute", Lines: []metric.Line{
		{Column: gauges[0].ID, Name: "begun", Tone: "accent"},
		{Column: gauges[1].ID, Name: "refused", Tone: "warn"},
		{Column: gauges[2].ID, Name: "forced", Tone: "bad"},
	}}
	return slices.Insert(slices.Insert(metric.TaskCharts(), 3, metric.ClassChart()), 1, own)
}

// rates turns counts into figures a minute, between one sample and the next.
type rates struct {
	at       unit.Time
	counts   [3]int64
	reported [3]float64
}

// Measure implements system.MetricSource: negotiations begun; nodes that would not
// take a task, be it new or on its way, in whatever step; placements and moves that
// were forced. All since the sample before.
func (a *balancer) Measure(values []float64) {
	n, p, t := &a.negotiations.counts, &a.placements.counts, a.View.Totals()
	counts := [3]int64{n.begun, n.declined + n.rejected + p.rejected, t.ForcedPlacements + t.Forced}
	if now := a.Clock.Now(); now > a.rates.at {
		minutes := float64(now-a.rates.at) / float64(unit.Minute)
		for i := range counts {
			a.rates.reported[i] = float64(counts[i]-a.rates.counts[i]) / minutes
		}
		a.rates.at, a.rates.counts = now, counts
	}
	copy(values, a.rates.reported[:])
}
