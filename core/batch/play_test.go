package batch_test

import (
	"testing"

	"parley/core/batch"
	"parley/core/unit"
)

// rankings counts by moment how often a site asked for the keys of its waiting jobs. All keys are equal.
type rankings map[unit.Time]int

func (r rankings) Keys(now unit.Time, _ []batch.Candidate, _ []float64) { r[now]++ }
func (rankings) Began(unit.Time, batch.Handle, *batch.Job)              {}
func (rankings) Ended(unit.Time, batch.Handle)                          {}

// There is one pass a moment with PlayOnce, also if a job ends in the moment of a wake-up: there the site asks for
// the order of its jobs as often as in the moment of a wake-up without an end.
func TestOnePassPerMoment(t *testing.T) {
	const s = unit.Second
	asked := rankings{}
	site := batch.NewSite(batch.Slurm, 2)
	site.SetBackfill(batch.Backfill{Interval: 10 * s, Window: unit.Day})
	site.Sort(batch.Multifactor, batch.Multifactor)
	site.Prioritise(asked)
	batch.PlayOnce(site, []batch.Logged{
		{Job: batch.Job{Processors: 1, Estimate: 100 * s}, Run: 100 * s},
		{Job: batch.Job{Processors: 1, Estimate: 20 * s}, Run: 20 * s}, // ends at the second wake-up
		{Job: batch.Job{Processors: 2, Estimate: 20 * s}, Run: 20 * s}, // waits for the first two
	})
	if wake, both := asked[10*s], asked[20*s]; wake == 0 || both != wake {
		t.Errorf("the order is asked for %d times at a wake-up, and %d times if a job ends then", wake, both)
	}
}
