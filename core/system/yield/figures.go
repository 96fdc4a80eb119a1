package yield

import (
	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/unit"
)

// figures are the yields of the present moment, computed when they are asked for.
type figures struct {
	stale      bool
	min, avg   float64 // over the jobs that run; 1 without one
	bound      float64
	lowest     []float64 // by node: the smallest yield of a task there; 1 without one
	needs      []int64   // by node: the sum of its tasks' CPU needs
	incomplete int64     // jobs that run but have a task that waits
	below      int64     // jobs that run with less than the least yield that a new job may leave
}

// yieldOf returns share / need, or 1 if nothing is needed.
func yieldOf(share, need unit.Share) float64 {
	if need <= 0 {
		return 1
	}
	return share.Float() / need.Float()
}

// look returns the present figures.
func (c *controller) look() *figures {
	f, v := &c.figures, c.env.View
	if !f.stale && f.lowest != nil {
		return f
	}
	f.stale, f.min, f.avg, f.bound, f.incomplete, f.below = false, 1, 1, 1, 0, 0
	f.lowest, f.needs = f.lowest[:0], f.needs[:0]
	for range v.Nodes() {
		f.lowest, f.needs = append(f.lowest, 1), append(f.needs, 0)
	}
	jobs, sum, needs := 0, 0.0, int64(0)
	for j := range c.book.all {
		worst, running, below := 1.0, 0, false
		for _, id := range j.tasks {
			t, alive := v.Task(id)
			if !alive || t.State == cluster.Waiting {
				continue
			}
			share, _ := v.Share(id)
			y := yieldOf(share, j.key.need[unit.CPU])
			worst = min(worst, y)
			below = below || yieldOf(share+1, j.key.need[unit.CPU]) < c.settings.FloorYield // shares are rounded down
			f.lowest[t.Node] = min(f.lowest[t.Node], y)
			f.needs[t.Node] += int64(j.key.need[unit.CPU])
			needs += int64(j.key.need[unit.CPU])
			running++
		}
		if running == 0 {
			continue
		}
		if running < len(j.tasks) {
			f.incomplete++
		}
		jobs++
		sum += worst
		f.min = min(f.min, worst)
		if below {
			f.below++
		}
	}
	if jobs > 0 {
		f.avg = sum / float64(jobs)
	}
	if capacity := v.Totals().Capacity[unit.CPU]; needs > capacity {
		f.bound = float64(capacity) / float64(needs)
	}
	return f
}

// Measure implements system.MetricSource.
func (c *controller) Measure(values []float64) {
	f := c.look()
	values[0], values[1], values[2], values[3] = f.min, f.avg, f.bound, float64(f.below)
}

// Report implements system.Reporter. It has the yields and the bound as time means of the gauges;
// incomplete_jobs is of the present moment.
func (c *controller) Report() map[string]any {
	t := c.env.View.Totals()
	return map[string]any{
		"repacks": c.repacks, "migrations": t.Migrations, "migrated_mb": float64(t.Moved) / float64(unit.MB),
		"rejected":        c.rejected,
		"incomplete_jobs": c.look().incomplete,
	}
}

// FillLayer implements system.LayerSource: layer 0 has the part of a host's CPU that is allotted, layer 1 the lowest
// yield on it, and the others the part of the needed CPU that it has; 0 if it is down or, but for layer 0, empty.
func (c *controller) FillLayer(i int, cells []byte) {
	v, f := c.env.View, c.look()
	for n := range cells {
		id := unit.NodeID(n)
		fraction := 0.0
		switch capacity := v.Capacity(id)[unit.CPU]; {
		case !v.Up(id) || capacity <= 0:
		case i == 0:
			fraction = v.Allotted(id).Float() / capacity.Float()
		case v.Count(id) == 0:
		case i == 1:
			fraction = f.lowest[n]
		default:
			fraction = min(1, float64(capacity)/float64(max(f.needs[n], 1)))
		}
		cells[n] = byte(min(255, float64(frame.FullScale*fraction)+0.5))
	}
}
