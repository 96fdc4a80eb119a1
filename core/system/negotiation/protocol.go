package negotiation

import (
	"parley/core/mail"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// The roles of agents.
const (
	nodeRole mail.Role = iota
	brokerRole
)

func nodeAgent(n unit.NodeID) mail.Agent { return mail.At(nodeRole, int(n)) }

func brokerAgent(k int) mail.Agent { return mail.At(brokerRole, k) }

// kind is a kind of message: those of the paper's table 1. NodeStateUpdate and
// the brokers' exchange travel in bulk, see reports.
type kind uint8

const (
	allocateTask       kind = iota + 1 // broker -> node: take this new task
	allocateAccepted                   // node -> broker
	allocateRejected                   // node -> broker
	candidatesRequest                  // step 2, node -> broker: GetCandidateNodesRequest
	candidatesResponse                 // step 2, broker -> node
	migrationRequest                   // step 3, node -> candidate: TaskMigrationRequest
	acceptanceResponse                 // step 3, candidate -> node: TaskMigrationAcceptanceResponse, with its usage
	rejectionResponse                  // step 3, candidate -> node: TaskMigrationRejectionResponse
	processRequest                     // step 5, node -> target: TaskMigrationProcessRequest
	processResponse                    // step 5, target -> node: the migration runs
	processError                       // step 5, target -> node: refused after all
)

// payload is the content of a message. An answer copies ref, gen and task of its request, which
// identify the request to its sender.
type payload struct {
	kind     kind
	index    uint8 // which candidate
	forced   bool  // by force: existing tasks do not count
	ref, gen uint32
	task     unit.TaskID
	report   broker.Report // of a node's answer: its state
	form     *form         // of candidatesRequest, and of the answer
}

// form is a node agent's request to a broker, which fills in the candidates, forced
// ones last, and sends it back.
type form struct {
	demand        broker.Demand
	nodes         [broker.MaxCandidates]unit.NodeID
	count, forced uint8
}

// message is a message of the system.
type message = mail.Message[payload]

// answer returns the beginning of an answer to a message.
func answer(m *message, k kind) payload {
	p := &m.Payload
	return payload{kind: k, index: p.index, ref: p.ref, gen: p.gen, task: p.task, form: p.form}
}

func nodeOf(agent mail.Agent) unit.NodeID { return unit.NodeID(agent.Number()) }
