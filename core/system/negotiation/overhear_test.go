package negotiation

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
	"parley/core/workload"
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

func name(agent mail.Agent) string {
	return fmt.Sprintf("%c%d", map[mail.Role]rune{nodeRole: 'n', brokerRole: 'b'}[agent.Role()], agent.Number())
}

// Believes tells what a broker knows of a node: when it heard of it last (-1:
// never) and whether it believes the node to be idle.
func Believes(s system.System, broker int, n unit.NodeID) (seen unit.Time, idle bool) {
	return s.(*balancer).brokers.all[broker].LastReport(n)
}

// DrawTargets lets step 4 draw so often among whole nodes of which these shares are
// used, all of which accepted a task that needs so much, and counts each.
func DrawTargets(used []float64, need float64, times int) []int {
	set := Default()
	b := &base{settings: &set, random: rng.New(1, "targets")}
	c := cluster.New(cluster.Default(), des.New())
	b.View = c.View()
	machines := broker.NewMachines(90)
	a := &negotiations{base: b, brokers: &brokers{machines: machines}, move: set.scorer("sras")}
	t := &negotiation{}
	for i, share := range used {
		n := c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
		id := c.Submit(workload.Key{Job: uint64(i)}, &workload.Task{Usage: workload.UsageModel{Measured: true}})
		if err := c.Place(id, n, cluster.Unchecked); err != nil {
			panic(err)
		}
		c.Measure(id, unit.Vec{unit.ShareOf(share), unit.ShareOf(share)})
		t.candidates[i] = candidate{node: n, answer: accepted, report: machines.Report(n, b.View, 0)}
		t.count++
	}
	counts := make([]int, len(used))
	task := cluster.Task{State: cluster.Running, Usage: unit.Vec{unit.ShareOf(need), unit.ShareOf(need)}}
	for range times {
		counts[a.drawTarget(t, &task)]++
	}
	return counts
}
