// Package cluster holds the state of a simulated cluster: its nodes, the tasks and rigid
// jobs placed on them, their usage, live migrations, chunks of divisible loads and
// subtasks of task graphs. Only this package changes that state.
//
// Schedulers act through Acts. Each act is checked against the state and returns a typed
// error if it is impossible: losing a race for a node (ErrFull) is a normal answer. Every
// change is reported as one Event, in the order in which it happened. Systems, metrics,
// frames and the digest all read that one stream.
//
// Each piece of work is in exactly one state:
//
//   - a task waits, runs, migrates (and then holds resources on both nodes) or has ended
//   - a work unit of a load is unsent, in transfer, queued, in computation or done
//   - a subtask waits, is queued, is in computation or is done
//
// The counts are checked after every event; Audit also checks the sums of each node.
//
// The layout in memory follows the readers. Fields that scans read of every node are
// slices of their own; fields that acts read together share half a cache line.
//
//	c := cluster.New(cluster.Default(), kernel)
//	n := c.Join(4711, node)
//	id := c.Submit(key, task)
//	err := c.Place(id, n, cluster.ByUse)
package cluster

import (
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// Cluster holds the state of one run. Create one with New.
type Cluster struct {
	settings   Settings
	clock      des.Clock
	nodes      nodes
	tasks      []task // by slot
	details    []detail
	allotments []allotment             // by slot, of tasks with a share of CPU; empty without allotments
	wants      [][]workload.Constraint // by slot, of tasks that have constraints; may end before the tasks do
	free       []uint32                // slots to use again
	models     models
	moves      []move
	freeMove   []uint32
	work
	jobs     []job    // by slot
	freeJobs []uint32 // slots to use again
	totals   Totals
	events   []Event
	sink     uint32 // so that early reads have a use
}

// Settings are the physical constants of a cluster.
type Settings struct {
	RackSize  int        `json:"rack_size"`     // nodes a rack where the workload names no racks
	SiteRacks int        `json:"site_racks"`    // racks a site likewise
	LinkSpeed unit.Bytes `json:"link_speed"`    // bytes a second that one migration gets
	DirtyRate unit.Bytes `json:"dirty_rate"`    // bytes a second that a running task rewrites
	RackDelay unit.Time  `json:"rack_delay_us"` // extra time a migration between racks takes
	Transfers string     `json:"transfers"`     // of results: OnePort or ContentionFree
}

// Default returns the settings of a scenario that has none: 1 Gbit/s for a migration,
// pages dirtied at a fifth of that, and racks of 48 nodes.
func Default() Settings {
	return Settings{
		RackSize: 48, SiteRacks: 64, LinkSpeed: 125 * unit.MB, DirtyRate: 25 * unit.MB, RackDelay: 0,
		Transfers: OnePort,
	}
}

// Limits on the sums of one node, for every check: without them a workload could overflow the sums,
// which hold 2,147 reference machines. Models make a task use less than twice its request, so that
// requests and measured use within these limits stay below 2,000.
const (
	maxRequestedPerNode = 500 * unit.Whole
	maxUsedPerNode      = 1000 * unit.Whole
)

// New returns an empty cluster whose usage windows and task lifetimes run on clock, which must stand at a
// multiple of usageStep, as at 0. From then on the clock always has an event: the next sweep of usage.
func New(s Settings, clock des.Clock) *Cluster {
	c := &Cluster{settings: s, clock: clock}
	c.nodes.index = map[uint64]unit.NodeID{}
	c.models.index = map[jobName]uint32{}
	c.master = freePort
	clock.At(clock.Now()+usageStep, (*sweeper)(c), 0)
	return c
}

// Totals are the sums over the whole cluster, kept after every event.
type Totals struct {
	NodesUp                     int
	Capacity                    [unit.Resources]int64 // of nodes that are up
	Used, Requested, Production [unit.Resources]int64 // migrating tasks count on both nodes
	Waiting, Running, Migrating int
	Submitted                   int64
	Ended                       [5]int64 // by workload.End
	Placements, Displaced       int64    // waiting tasks that were placed; running ones that wait again
	ForcedPlacements            int64    // of Placements: by total capacity, whatever ran there
	Migrations, Forced, Aborted int64    // finished; of these forced; broken off
	Moved                       unit.Bytes
	Work                        LoadTotals
	Jobs                        JobTotals
}

// Alive returns how many submitted tasks have not ended.
func (t *Totals) Alive() int { return t.Waiting + t.Running + t.Migrating }

// State is the state of a task.
type State uint8

// The states of a task.
const (
	Free State = iota // the slot holds no task
	Waiting
	Running
	Migrating
)

// String returns the state as reports spell it.
func (s State) String() string {
	return [...]string{"free", "waiting", "running", "migrating"}[s]
}

// task holds the fields that sweeps and scans touch: one cache line.
type task struct {
	node, target unit.NodeID // target: of the migration under way
	use          uint32
	move         int32 // index into moves while migrating; else -1
	state        State
	class        workload.PriorityClass
	priority     uint8
	allotted     bool // it has a share of CPU: see allotment
	measured     bool // its model no longer counts
	request      unit.Vec
	usage        unit.Vec
	model        model
}

// detail holds the fields that are seldom read, in another cache line.
type detail struct {
	key         workload.Key
	user        uint32
	image       unit.Bytes
	lifetime    unit.Time
	submitted   unit.Time
	ending      des.Ticket
	spread      bool // replicas of its job want different machines
	constrained bool // see constraints
}

func (c *Cluster) id(slot uint32) unit.TaskID { return unit.NewTaskID(slot, c.tasks[slot].use) }

// lookup returns the slot of a task that has not ended.
func (c *Cluster) lookup(id unit.TaskID) (uint32, bool) {
	s := id.Slot()
	if id == unit.NoTask || int(s) >= len(c.tasks) || c.tasks[s].use != id.Use() || c.tasks[s].state == Free {
		return 0, false
	}
	return s, true
}

func (c *Cluster) emit(e Event) {
	e.At = c.clock.Now()
	c.events = append(c.events, e)
}

// Deliver passes every event since the last call to observe, in order, including those
// that observe causes. It stops at the first error.
func (c *Cluster) Deliver(observe func(Event) error) error {
	for i := 0; i < len(c.events); i++ {
		if err := observe(c.events[i]); err != nil {
			c.delivered()
			return err
		}
	}
	c.delivered()
	return nil
}

// delivered removes the events that all observers have received.
func (c *Cluster) delivered() {
	c.events = c.events[:0]
	c.freeGraphs = append(c.freeGraphs, c.overGraphs...)
	c.overGraphs = c.overGraphs[:0]
}
