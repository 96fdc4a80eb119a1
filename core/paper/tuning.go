package paper

import (
	"fmt"

	"parley/core/study/evidence"
	"parley/core/unit"
)

// trigger is when a central scheduler's rescheduler moves tasks: every minute, from
// nodes that use more than over percent of something to nodes that use at most under
// percent of everything.
type trigger struct{ over, under float64 }

// tunedNodes, tunedScale and tunedSeeds are on what thresholds are searched: a smaller
// cell with 120 % of the work, and seeds that no experiment plays.
const (
	tunedNodes = 1250
	tunedScale = 1.2
	tunedFrom  = 101
)

// tunable are the policies that are tuned: one of each kind that spreads tasks, because
// those that pack overload the most nodes.
var tunable = []string{"worst-fit", "least-allocated", "kube"}

// searched are the thresholds that a search tries.
func searched() (list []trigger) {
	for _, over := range []float64{85, 91, 97} {
		for _, under := range []float64{65, 75, 85} {
			list = append(list, trigger{over, under})
		}
	}
	return list
}

// placedAs is a policy with the headroom that negotiation keeps, a limit of production
// that is hard or soft, and a rescheduler every minute.
func placedAs(policy string, soft bool, t trigger) contender {
	limit := "hard limit"
	if soft {
		limit = "soft limit"
	}
	both := func(percent float64) map[string]any { return map[string]any{"cpu": percent, "memory": percent} }
	return contender{policy + ", tuned, " + limit, "central", map[string]any{
		"policy": policy, "production_soft": soft,
		"rescheduler": map[string]any{"every_us": unit.Minute, "over": both(t.over), "under": both(t.under)},
	}}
}

// loss is what a search makes small, in points: nodes overloaded, tasks that wait, and new
// tasks that found no room within a minute or were forced, one percent of each as bad as
// one of the others.
func loss(x outcome) float64 { return figOverloaded.of(x) + figWaiting.of(x) + figUnserved.of(x) }

// slightly is how many points of loss are worth no moves: of settings that are no farther
// from the least loss, the one that moves least is taken.
const slightly = 0.02

// tuning searches for every policy of tunable, and either limit, the thresholds of
// its rescheduler, as those who run it would. negotiation/pressure plays with what it finds.
func tuning(o Options) (Result, error) {
	seeds := or(o.Seeds, 2)
	result := Result{ID: "negotiation/tuning", Source: "not in the paper", Seeds: seeds}
	o.Trace = nil
	until, err := o.until(unit.Hour + warmup)
	if err != nil {
		return result, err
	}
	grid := searched()
	var who []contender
	for _, policy := range tunable {
		for _, soft := range []bool{false, true} {
			for _, t := range grid {
				who = append(who, placedAs(policy, soft, t))
			}
		}
	}
	runs := make([]outcome, len(who)*seeds)
	err = o.each(len(runs), func(i int) (err error) {
		c := cell{contender: who[i/seeds], nodes: or(o.Nodes, tunedNodes), scale: tunedScale, until: until, seed: uint64(tunedFrom + i%seeds)}
		runs[i], err = c.once(o)
		return err
	})
	if err != nil {
		return result, err
	}
	for k := 0; k < len(who); k += len(grid) {
		of := make([]sample, len(grid))
		for i := range grid {
			of[i] = runs[(k+i)*seeds:][:seeds]
		}
		result.Rows = append(result.Rows, tunedRows(who[k].name, grid, of)...)
	}
	return result, nil
}

// tunedRows are the rows of a policy: its loss with the best thresholds and how much less
// that is than with the worst.
func tunedRows(name string, grid []trigger, of []sample) []Row {
	best, worst := bestOf(of), 0
	for i := range of {
		if evidence.Mean(of[i].each(loss)) > evidence.Mean(of[worst].each(loss)) {
			worst = i
		}
	}
	found := evidence.New(name+", loss", "points", of[best].each(loss))
	found.Note = fmt.Sprintf("from nodes above %v %% to nodes below %v %%; with %v and %v %% it loses most", grid[best].over, grid[best].under, grid[worst].over, grid[worst].under)
	gained := of[worst].beyond(of[best], name+", loss less than with the worst thresholds", figure{"loss", "points", loss})
	moved := of[best].row(name, figMoved)
	return []Row{found, gained, moved}
}

// bestOf returns the sample with the least loss; of those that lose hardly more the one
// that moves least.
func bestOf(of []sample) int {
	least := evidence.Mean(of[0].each(loss))
	for _, s := range of {
		least = min(least, evidence.Mean(s.each(loss)))
	}
	best := -1
	for i, s := range of {
		if evidence.Mean(s.each(loss)) > least+slightly {
			continue
		}
		if best < 0 || evidence.Mean(s.each(figMoved.of)) < evidence.Mean(of[best].each(figMoved.of)) {
			best = i
		}
	}
	return best
}
