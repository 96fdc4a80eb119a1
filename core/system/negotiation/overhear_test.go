package negotiation

import (
	"parley/core/mail"
	"parley/core/system"
	"parley/core/unit"
)

// MessageNames are the kinds of message as the paper's table 1 spells them.
var MessageNames = map[uint8]string{
	allocateTask: "AllocateTask", allocateAccepted: "AllocateTaskAccepted", allocateRejected: "AllocateTaskRejected",
	candidatesRequest: "GetCandidateNodesRequest", candidatesResponse: "GetCandidateNodesResponse",
	migrationRequest: "TaskMigrationRequest", acceptanceResponse: "TaskMigrationAcceptanceResponse",
	rejectionResponse: "TaskMigrationRejectionResponse", processRequest: "TaskMigrationProcessRequest",
	processResponse: "TaskMigrationProcessResponse", processError: "TaskMigrationProcessError",
}

// Overhear hands every message of s that arrives to hear first; where hear
// returns false, its receiver never gets it.
func Overhear(s system.System, hear func(now unit.Time, m *mail.Message) bool) {
	a := s.(*balancer)
	a.post.Deliver = wire{a.post.Deliver, hear}
}

type wire struct {
	receiver mail.Receiver
	hear     func(now unit.Time, m *mail.Message) bool
}

func (w wire) Receive(now unit.Time, m *mail.Message) {
	if w.hear(now, m) {
		w.receiver.Receive(now, m)
	}
}

// Believes tells what a broker knows of a node: when it heard of it last (-1:
// never) and whether it believes the node to be idle.
func Believes(s system.System, broker int, n unit.NodeID) (seen unit.Time, idle bool) {
	b := &s.(*balancer).brokers[broker]
	return b.seen[n], b.entry(n).idle()
}
