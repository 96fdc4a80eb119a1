package board

import (
	"parley/core/mail"
	"parley/core/unit"
)

// The roles of agents.
const (
	resourceRole mail.Role = iota // one on each node
	boardRole
)

func resource(n unit.NodeID) mail.Agent { return mail.At(resourceRole, int(n)) }

func bulletin(b int) mail.Agent { return mail.At(boardRole, b) }

func nodeOf(id mail.Agent) unit.NodeID { return unit.NodeID(id.Number()) }

// kind is a kind of message. The numbers are the paper's steps.
type kind uint8

const (
	poll        kind = iota + 1 // 1, agent -> board: is there work?
	nothing                     // board -> agent: there is none for you
	offer                       // 2, board -> agent: the descriptors; claim is the thread that the agent finds in them
	ask                         // 13, agent -> board: I take this thread
	accepted                    // board -> agent: it is yours
	refused                     // board -> agent: somebody was faster, or it is too late now
	deliver                     // board -> agent: send the data of arc to node
	stuck                       // 15, agent -> board: I still wait for the inputs of subtask arc
	yield                       // board -> agent: no agent has taken the awaited subtasks: put your thread back
	release                     // 17, agent -> board: I cannot finish this thread in time
	progress                    // agent -> board, rule "ready": a subtask is done that others may wait for
	report                      // 21, agent -> board: this thread is done
	acknowledge                 // board -> agent: your release or report has come
	abort                       // 22, board -> agent: stop working for this graph
	left                        // agent -> board: I have stopped
)

// payload is the content of a message.
type payload struct {
	kind  kind
	claim *claim // of all but poll, nothing, deliver: the thread that it is about
	task  *task  // of deliver
	arc   int32  // of deliver; of progress and stuck the subtask
	stamp uint32 // of deliver: the board's latest word holds
	gen   uint32 // of poll and ask, and of the answers: which wait of the agent it is about
	node  unit.NodeID
}

// message is a message of the system.
type message = mail.Message[payload]
