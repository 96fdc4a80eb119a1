package dispatcher

import (
	"parley/core/heap"
	"parley/core/unit"
	"parley/core/workload"
)

// node is a resource.
type node struct {
	is, up bool
	worker workload.Worker
	held   int       // subtasks given to it that are not done
	free   unit.Time // when it is expected to be done with them
}

// speeds is the sum of some rates.
type speeds struct {
	sum   float64
	count int
}

func (s *speeds) add(x float64) { s.sum, s.count = s.sum+x, s.count+1 }

// nodeUp enters a node that came or changed, with an empty queue if it was down. A node that is not a
// worker is ignored. It is counted anew, because its types may be others.
func (c *central) nodeUp(n unit.NodeID) {
	for int(n) >= len(c.nodes) {
		c.nodes = append(c.nodes, node{})
	}
	w, is := c.env.View.Worker(n)
	if !is {
		return
	}
	x := &c.nodes[n]
	c.addAble(x, -1)
	if !x.up {
		x.held, x.free = 0, 0
	}
	x.up = false // so that its types are not counted twice
	if !x.is {
		x.is = true
		c.learn(&w)
	}
	x.worker, x.up = w, c.env.View.Up(n)
	c.addAble(x, 1)
}

func (c *central) nodeDown(n unit.NodeID) {
	if int(n) < len(c.nodes) {
		x := &c.nodes[n]
		c.addAble(x, -1)
		x.up, x.held, x.free = false, 0, 0
	}
}

// learn counts a resource that came for the first time.
func (c *central) learn(w *workload.Worker) {
	c.channel.add(float64(w.Channel))
	if w.Speeds == nil {
		c.every.add(w.Speed.Float())
	}
	for kind, speed := range w.Speeds {
		c.room(workload.SubtaskType(kind))
		if speed > 0 {
			c.fleet[kind].add(speed.Float())
		}
	}
}

// room makes room for a type.
func (c *central) room(kind workload.SubtaskType) {
	for int(kind) >= len(c.ready) {
		next := workload.SubtaskType(len(c.ready))
		able := int32(0)
		for n := range c.nodes { // those that do every type do this one, too
			if x := &c.nodes[n]; x.is && x.up && x.held <= c.settings.Ahead && x.worker.SpeedFor(next) > 0 {
				able++
			}
		}
		c.ready, c.able, c.fleet = append(c.ready, heap.New(before)), append(c.able, able), append(c.fleet, speeds{})
	}
}

// addAble adds by to the numbers of resources that have room and can do a type, for each type that x can do. It does
// nothing if x is down or has no room.
func (c *central) addAble(x *node, by int32) {
	if !x.is || !x.up || x.held > c.settings.Ahead {
		return
	}
	for kind := range c.able {
		if x.worker.SpeedFor(workload.SubtaskType(kind)) > 0 {
			c.able[kind] += by
		}
	}
}

// hold changes how much a resource has.
func (c *central) hold(n unit.NodeID, by int) {
	x := &c.nodes[n]
	c.addAble(x, -1)
	x.held = max(0, x.held+by)
	c.addAble(x, 1)
}

// estimate returns the latest start of each subtask on resources of mean speed, with
// results on mean channels. Without a deadline all count from the arrival.
func (c *central) estimate(o *open, due unit.Time) []unit.Time {
	if due == unit.Forever {
		due = c.env.Clock.Now()
	}
	starts := make([]unit.Time, o.Len())
	order := o.Graph().Order()
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		one := o.Subtask(v)
		f := c.fleet[one.Type]
		took := 0.0
		if sum := f.sum + c.every.sum; sum > 0 {
			took = one.Work.Float() / (sum / float64(f.count+c.every.count))
		}
		latest := due
		first, end := o.Out(v)
		for a := first; a < end; a++ {
			arc := o.Arc(a)
			if c.channel.sum > 0 {
				took += float64(arc.Bytes) / (c.channel.sum / float64(c.channel.count))
			}
			if arc.To != workload.Home {
				latest = min(latest, starts[arc.To])
			}
		}
		starts[v] = latest - unit.Time(min(took, 1e9)*float64(unit.Second))
	}
	return starts
}
