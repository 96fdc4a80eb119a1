package negotiation

import (
	"parley/core/cluster"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// hosts are the node agents as far as others ask them to take a task.
type hosts struct {
	*base
	accounts *accounts
	room     *preemption
	machines *broker.Machines
	forced   []bool // by task slot: it came to its node by force
}

// onAllocate answers a broker that assigns a new task: the node takes it if it fits.
func (h *hosts) onAllocate(m *message) {
	id, n := m.Payload.task, nodeOf(m.To)
	reply := answer(m, allocateAccepted)
	if task, alive := h.View.Task(id); alive && task.State == cluster.Waiting &&
		!h.take(&task, id, n, m.Payload.forced) {
		reply.kind = allocateRejected
	}
	h.send(m, reply)
}

// take places a waiting task on a node if that is possible.
func (h *hosts) take(t *cluster.Task, id unit.TaskID, n unit.NodeID, forced bool) bool {
	if h.accounts.overQuota(t) || h.accounts.crowds(id, n) {
		return false
	}
	by, takes := cluster.ByUse, true
	if forced {
		by, takes = h.room.force(id, n)
	}
	if !takes || h.Acts.Place(id, n, by) != nil {
		return false
	}
	h.forcedUpon(id, forced)
	return true
}

// onMigrationRequest is the candidate's side of step 3: would it take the
// task? It promises nothing.
func (h *hosts) onMigrationRequest(m *message) {
	id, n := m.Payload.task, nodeOf(m.To)
	reply, by := answer(m, acceptanceResponse), cluster.ByUse
	if m.Payload.forced {
		by = cluster.ByTotal
	}
	if h.accounts.crowds(id, n) || h.View.Fits(id, n, by) != nil {
		reply.kind = rejectionResponse
	}
	h.send(m, reply)
}

// onProcessRequest is the target's side of step 5: a last check, then the
// migration starts.
func (h *hosts) onProcessRequest(m *message) {
	id, n := m.Payload.task, nodeOf(m.To)
	by, takes := cluster.ByUse, !h.accounts.crowds(id, n)
	if takes && m.Payload.forced {
		by, takes = h.room.force(id, n)
	}
	reply := answer(m, processResponse)
	if !takes || h.Acts.Migrate(id, n, by) != nil {
		reply.kind = processError
	}
	h.send(m, reply)
}

// send answers a message and reports the state of the node.
func (h *hosts) send(m *message, reply payload) {
	reply.report = h.machines.Report(nodeOf(m.To), h.View, h.Clock.Now())
	h.post.Send(m.To, m.From, reply)
}

// forcedUpon remembers whether a task came to its node by force.
func (h *hosts) forcedUpon(id unit.TaskID, forced bool) {
	for len(h.forced) <= int(id.Slot()) {
		h.forced = append(h.forced, false)
	}
	h.forced[id.Slot()] = forced
}

func (h *hosts) wasForced(id unit.TaskID) bool {
	return int(id.Slot()) < len(h.forced) && h.forced[id.Slot()]
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func flagValue(b bool) float64 { return float64(flag(b)) }
