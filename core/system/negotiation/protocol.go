package negotiation

import (
	"fmt"

	"parley/core/mail"
	"parley/core/system"
	"parley/core/unit"
)

// The messages of the paper's table 1. NodeStateUpdate and the brokers'
// exchange travel in bulk, see reports.
const (
	allocateTask       uint8 = iota + 1 // broker -> node: take this new task
	allocateAccepted                    // node -> broker
	allocateRejected                    // node -> broker
	candidatesRequest                   // step 2, node -> broker: GetCandidateNodesRequest
	candidatesResponse                  // step 2, broker -> node
	migrationRequest                    // step 3, node -> candidate: TaskMigrationRequest
	acceptanceResponse                  // step 3, candidate -> node: TaskMigrationAcceptanceResponse, with its usage
	rejectionResponse                   // step 3, candidate -> node: TaskMigrationRejectionResponse
	processRequest                      // step 5, node -> target: TaskMigrationProcessRequest
	processResponse                     // step 5, target -> node: the migration runs
	processError                        // step 5, target -> node: refused after all
)

// Receive implements mail.Receiver: it hands a message to the agent it is for.
func (a *agency) Receive(_ unit.Time, m *mail.Message) {
	switch m.Kind {
	case allocateTask:
		a.onAllocate(m)
	case allocateAccepted, allocateRejected:
		a.onAllocated(m)
	case candidatesRequest:
		a.onCandidatesRequest(m)
	case candidatesResponse:
		a.onCandidatesResponse(m)
	case migrationRequest:
		a.onMigrationRequest(m)
	case acceptanceResponse, rejectionResponse:
		a.onReply(m)
	case processRequest:
		a.onProcessRequest(m)
	case processError:
		a.onProcessError(m)
	}
}

// Messages implements system.Messenger.
func (a *agency) Messages() (sent, lost int64) { return a.post.Sent(), a.post.Lost() }

// Report implements system.Reporter.
func (a *agency) Report() map[string]any {
	c := &a.counts
	return map[string]any{
		"negotiations": c.talks, "negotiations_open": len(a.talks) - len(a.freeTalks), "negotiations_failed": c.failed, "recommendations_expired": c.expired,
		"migration_attempts": c.attempts, "migration_rejected": c.rejected,
		"allocations": c.allocations, "allocations_rejected": c.allocationsRejected, "tasks_parked": len(a.parked), "tasks_preempted": c.preempted,
	}
}

// The kinds of note, and what their fields mean beside At, Task and Ref.
const (
	noteSelect     uint8 = iota + 1 // Node is overloaded; Value: tasks it chose from
	noteAsk                         // Node asks broker Value for candidates
	noteCandidates                  // Node got Value candidates
	noteTarget                      // Node tells Other to take the task; Value: score
	noteRefuse                      // Other refused Node at the last moment
	noteFail                        // Node found no target
	noteAllocate                    // a broker sends a new task to Node; Value: 1 if forced
)

// Tell implements system.Teller.
func (a *agency) Tell(n system.Note) string {
	switch n.Kind {
	case noteSelect:
		return fmt.Sprintf("%d is overloaded and chooses among %.0f tasks", n.Node, n.Value)
	case noteAsk:
		return fmt.Sprintf("%d asks broker %.0f where a task could go", n.Node, n.Value)
	case noteCandidates:
		return fmt.Sprintf("%d hears of %.0f candidates and asks them all", n.Node, n.Value)
	case noteTarget:
		return fmt.Sprintf("%d tells %d to take the task (score %.2f)", n.Node, n.Other, n.Value)
	case noteRefuse:
		return fmt.Sprintf("%d refuses %d at the last moment", n.Other, n.Node)
	case noteFail:
		return fmt.Sprintf("%d finds nobody to take the task", n.Node)
	case noteAllocate:
		if n.Value == 1 {
			return fmt.Sprintf("a broker forces a new task upon %d", n.Node)
		}
		return fmt.Sprintf("a broker sends a new task to %d", n.Node)
	}
	return ""
}
