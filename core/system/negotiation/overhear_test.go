package negotiation

import (
	"fmt"

	"parley/core/mail"
	"parley/core/system"
	"parley/core/unit"
)

// Overheard is a message as the scripts write it down.
type Overheard struct {
	From, To string // n0, b0, …
	Kind     string // as the paper's table 1 spells it
	Task     unit.TaskID
}

var kindNames = map[kind]string{
	allocateTask: "AllocateTask", allocateAccepted: "AllocateTaskAccepted", allocateRejected: "AllocateTaskRejected",
	candidatesRequest: "GetCandidateNodesRequest", candidatesResponse: "GetCandidateNodesResponse",
	migrationRequest: "TaskMigrationRequest", acceptanceResponse: "TaskMigrationAcceptanceResponse",
	rejectionResponse: "TaskMigrationRejectionResponse", processRequest: "TaskMigrationProcessRequest",
	processResponse: "TaskMigrationProcessResponse", processError: "TaskMigrationProcessError",
}

// Overhear hands every message of s that arrives to hear first; where hear
// returns false, its receiver never gets it.
func Overhear(s system.System, hear func(Overheard) bool) {
	a := s.(*balancer)
	a.post.Deliver = wire{a.post.Deliver, hear}
}

type wire struct {
	receiver mail.Receiver[payload]
	hear     func(Overheard) bool
}

func (w wire) Receive(now unit.Time, m *message) {
	if w.hear(Overheard{name(m.From), name(m.To), kindNames[m.Payload.kind], m.Payload.task}) {
		w.receiver.Receive(now, m)
	}
}

func name(who mail.Agent) string {
	return fmt.Sprintf("%c%d", map[mail.Role]rune{nodeRole: 'n', brokerRole: 'b'}[who.Role()], who.Number())
}

// Believes tells what a broker knows of a node: when it heard of it last (-1:
// never) and whether it believes the node to be idle.
func Believes(s system.System, broker int, n unit.NodeID) (seen unit.Time, idle bool) {
	return s.(*balancer).brokers.all[broker].Heard(n)
}
