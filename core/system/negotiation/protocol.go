package negotiation

import (
	"parley/core/mail"
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
func (a *balancer) Receive(_ unit.Time, m *mail.Message) {
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
func (a *balancer) Messages() (sent, lost int64) { return a.post.Sent(), a.post.Lost() }

// Report implements system.Reporter.
func (a *balancer) Report() map[string]any {
	c := &a.counts
	return map[string]any{
		"negotiations": c.negotiations, "negotiations_open": len(a.negotiations) - len(a.freeNegotiations), "negotiations_failed": c.failed, "recommendations_expired": c.expired,
		"migration_attempts": c.attempts, "migration_rejected": c.rejected,
		"allocations": c.allocations, "allocations_rejected": c.allocationsRejected, "tasks_parked": len(a.parked), "tasks_preempted": c.preempted,
	}
}
