package board

import (
	"math/bits"
	"slices"

	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// counts are totals of the boards and agents since the start; members is the present number.
type counts struct {
	searches, accepted, refused, released, reported int64
	taken                                           int64 // subtasks in accepted threads
	members                                         int64 // agents in communities
	stalled, endless                                int64 // graphs that stalled; that have no deadline

	posted, met, late, missed, impossible int64
	kept                                  int64      // of met: their deadline has passed
	offered, paid                         unit.Money // by tasks that were met; to agents
	makespan, slr, speedup                float64    // sums over the tasks that were done
}

// kept returns the share of the passed deadlines by which the graph was done, in per cent; 100 if none
// has passed. A graph that is done early counts only when its deadline passes, as one of the same age
// that is not done does.
func (d *dispatch) kept() float64 {
	missed := d.env.View.GraphTotals().Missed
	if d.count.kept+missed == 0 {
		return 100
	}
	return percent(float64(d.count.kept), float64(d.count.kept+missed))
}

// due counts a task that was met when its deadline passes.
type due dispatch

// Fire implements des.Handler.
func (k *due) Fire(unit.Time, uint64) { k.count.kept++ }

// row is a task in the report.
type row struct {
	key                       workload.Key
	posted, deadline, endedAt unit.Time
	state                     taskState
}

// keptRows bounds the tasks that a report lists, one by one.
const keptRows = 10_000

// settle pays a task and removes it from its board, once it is over and all members of its community
// have reported; otherwise it does nothing. It is called whenever a community may have dissolved.
func (d *dispatch) settle(t *task) {
	if len(t.community) > 0 || !t.state.over() || d.byID[t.id] != t {
		return
	}
	if t.state == met {
		d.payAll(t)
	}
	delete(d.byID, t.id)
	d.live = slices.DeleteFunc(d.live, func(o *task) bool { return o == t })
	t.addresses = nil
}

// completed records that all results of a graph are home, and ends its task as met or late. at is the
// time of the last one. Sums of makespan, SLR and speedup take a task without work as 1.
func (d *dispatch) completed(t *task, at unit.Time, isLate bool) {
	t.finished = at
	for v := range int32(t.posted.Graph.Len()) {
		switch t.posted.State(v) {
		case posted.Open: // done by an agent that the board gave up too early
			continue
		case posted.Taken:
			t.posted.Finish(v)
		}
	}
	how := met
	if isLate {
		how = late
	}
	span := (at - t.arrived).Seconds()
	critical, sequential := d.ideal(t)
	d.count.makespan += span
	if critical > 0 && span > 0 {
		d.count.slr += span / critical
		d.count.speedup += sequential / span
	} else {
		d.count.slr++
		d.count.speedup++
	}
	d.end(t, how)
}

// end sets how a task ended, counts and notes it, and settles it. A task that was met before its
// deadline counts as kept when that passes.
func (d *dispatch) end(t *task, how taskState) {
	t.state = how
	switch how {
	case met:
		d.count.met++
		d.count.offered += t.bonus
		if t.due != unit.Forever {
			d.env.Clock.At(t.due, (*due)(d), 0)
		}
		d.note(noteMet, unit.NoNode, t, (t.finished - t.arrived).Seconds())
	case late:
		d.count.late++
		d.note(noteLate, unit.NoNode, t, (t.finished - t.due).Seconds())
	default:
		d.count.missed++
		t.finished = d.env.Clock.Now()
		d.note(noteGivenUp, unit.NoNode, t, 0)
	}
	if len(d.rows) < keptRows {
		d.rows = append(d.rows, row{t.key, t.arrived, t.due, t.finished, how})
	}
	d.touch(t)
	d.settle(t)
}

// portion returns the part of a bonus for a part of all work, rounded down; 0 if there is no work. part
// must be at most all.
func portion(bonus unit.Money, part, all unit.Work) unit.Money {
	if all <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(bonus), uint64(part))
	q, _ := bits.Div64(high, low, uint64(all))
	return unit.Money(q)
}

// payAll pays the agents of the subtasks of a task that was met, by their work. By the setting
// "thread", as in the paper (step 21), a bonus accrues with a finished thread: the user keeps the
// part for subtasks of threads that were put back. By "end" every subtask is paid for. If all are
// paid, the sum is the bonus to the last millionth.
func (d *dispatch) payAll(t *task) {
	g := t.posted.Graph
	var so unit.Money
	var done unit.Work
	last, all := int32(-1), true
	for v := range int32(g.Len()) {
		n := t.posted.Agent(v)
		if n == posted.NoAgent {
			continue
		}
		if d.settings.Pay == "thread" && !t.whole[v] {
			all = false
			continue
		}
		done += g.Subtask(v).Work
		before := so
		so = portion(t.bonus, done, g.Work())
		d.pay(t, n, so-before)
		last = n
	}
	if rest := t.bonus - so; rest > 0 && last >= 0 && all {
		d.pay(t, last, rest) // a graph without work, or one with a subtask whose agent is gone
	}
}

func (d *dispatch) pay(t *task, n int32, amount unit.Money) {
	d.agents[n].earned += amount
	t.paid += amount
	d.count.paid += amount
}

// fleet sums up all resources that ever joined.
type fleet struct {
	any      rate   // of resources that do every type alike
	types    []rate // by type, of the others
	channels rate
}

// rate is some resources' highest rate and the sum of their rates.
type rate struct {
	top, sum float64
	count    int
}

func (r *rate) add(x float64) { r.top, r.sum, r.count = max(r.top, x), r.sum+x, r.count+1 }

// mean returns the mean of two groups together; 0 if both are empty.
func mean(a, b rate) float64 {
	if a.count+b.count == 0 {
		return 0
	}
	return (a.sum + b.sum) / float64(a.count+b.count)
}

// join counts a resource that came for the first time.
func (f *fleet) join(w *workload.Worker) {
	f.channels.add(float64(w.Channel))
	if w.Speeds == nil {
		f.any.add(w.Speed.Float())
	}
	for kind, speed := range w.Speeds {
		for kind >= len(f.types) {
			f.types = append(f.types, rate{})
		}
		if speed > 0 {
			f.types[kind].add(speed.Float())
		}
	}
}

func (f *fleet) of(kind workload.SubtaskType) rate {
	if kind >= 0 && int(kind) < len(f.types) {
		return f.types[kind]
	}
	return rate{}
}

// estimate returns the latest start of each subtask if each were computed at the mean speed for its type
// and every result sent over a mean channel; unit.Forever without a deadline. Types that no resource
// supports take no time.
func (d *dispatch) estimate(t *task) []unit.Time {
	g := t.posted.Graph
	starts := make([]unit.Time, g.Len())
	channel := mean(d.fleet.channels, rate{})
	order := g.Graph().Order()
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		one := g.Subtask(v)
		latest, took := t.due, 0.0
		if speed := mean(d.fleet.any, d.fleet.of(one.Type)); speed > 0 {
			took = one.Work.Float() / speed
		}
		first, end := g.Out(v)
		for a := first; a < end; a++ {
			arc := g.Arc(a)
			if channel > 0 {
				took += float64(arc.Bytes) / channel
			}
			if arc.To != workload.Home {
				latest = min(latest, starts[arc.To])
			}
		}
		if starts[v] = latest; latest < unit.Forever/2 {
			starts[v] -= unit.Time(took * float64(unit.Second))
		}
	}
	return starts
}

// ideal returns the length of the critical path with each subtask on the fastest
// resource for it and nothing travelling, and the sum of these times, in seconds.
func (d *dispatch) ideal(t *task) (critical, sum float64) {
	g := t.posted.Graph
	length := make([]float64, g.Len())
	order := g.Graph().Order()
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		one := g.Subtask(v)
		took := 0.0
		if speed := max(d.fleet.any.top, d.fleet.of(one.Type).top); speed > 0 {
			took = one.Work.Float() / speed
		}
		rest := 0.0
		first, end := g.Out(v)
		for a := first; a < end; a++ {
			if to := g.Arc(a).To; to != workload.Home {
				rest = max(rest, length[to])
			}
		}
		length[v] = took + rest
		critical = max(critical, length[v])
		sum += took
	}
	return critical, sum
}
