package board

import (
	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// task is a graph on a board: its descriptor, and the user's deadline and bonus.
type task struct {
	id     unit.GraphID
	number uint32 // counted from 1, in the order of posting
	board  int
	posted *posted.Task
	key    workload.Key
	bonus  unit.Money
	due    unit.Time // unit.Forever: it has no deadline

	arrived   unit.Time
	finished  unit.Time // when the results were all home
	state     taskState
	changed   uint64    // the board's count of changes when this task changed last
	stalled   bool      // members wait for subtasks that no agent has taken: it is taken from its beginning
	place     int       // among its board's offers, counted from 1; 0 if none
	grown     uint64    // the count of offers (see list) at the last look
	whole     []bool    // by subtask: it was done in a thread that is done
	addresses []address // by arc: the address that its maker was given
	stamp     uint32    // of the latest of these words
	community []*claim  // threads that are not done
	paid      unit.Money
}

// taskState is how far a task is.
type taskState uint8

const (
	onBoard   taskState = iota // in work
	cancelled                  // missed its deadline: the community must stop (step 22)
	met                        // its results are home, in time
	late                       // its results are home, too late
	missed                     // it was given up
)

// over reports whether nothing more is to come of a task.
func (s taskState) over() bool { return s >= met }

// String returns the state as reports spell it.
func (s taskState) String() string {
	return [...]string{"working", "cancelled", "met", "late", "missed"}[s]
}

// address is the destination of an arc's data, for the maker of the result.
type address struct {
	to    unit.NodeID // NoNode: home
	stamp uint32      // of the message that reported it; 0 if none did
}

// claim is a thread that an agent found, asked for and perhaps has.
type claim struct {
	task     *task
	node     unit.NodeID
	vertices []int32
	starts   []unit.Time // latest
	needed   unit.Time
	sends    []sending // where results go, as the board knew when it accepted
	at       int       // the next vertex; the agent's knowledge
	gen      uint32    // of the agent's wait for the answer: earlier messages are outdated
	taken    unit.Time // when the board accepted it
	ahead    bool      // found by the rule Ready: others may begin when one of its subtasks is done
	held     bool      // the board has it in the community
	stopped  bool      // the agent had to stop, or gave it back
}

// sending is one line of a claim's recipients.
type sending struct {
	arc int32
	address
}

// newTask posts a graph.
func newTask(id unit.GraphID, g *workload.Graph) *task {
	t := &task{id: id, due: unit.Forever, bonus: g.Bonus}
	t.addresses, t.whole = make([]address, g.Arcs()), make([]bool, g.Len())
	for a := range t.addresses {
		t.addresses[a].to = unit.NoNode
	}
	return t
}
