package negotiation

import (
	"parley/core/mail"
	"parley/core/system"
	"parley/core/unit"
)

// connected reports whether a message can pass: not from or to an agent whose
// node or broker is down, and not between a rack that is cut off and the rest.
func (a *balancer) connected(from, to mail.Agent) bool {
	return a.answers(from) && a.answers(to) && (len(a.cut) == 0 || a.zone(from) == a.zone(to))
}

func (a *balancer) answers(agent mail.Agent) bool {
	if agent.Role() == brokerRole {
		return !a.brokers.all[agent.Number()].Down()
	}
	return a.View.Up(nodeOf(agent))
}

// zone returns the number of the rack that an agent is cut off with, or -1.
func (a *balancer) zone(agent mail.Agent) int32 {
	if agent.Role() == nodeRole {
		if rack := a.View.Rack(nodeOf(agent)); a.cut[rack] {
			return rack
		}
	}
	return -1
}

// Fail implements system.FaultTarget.
func (a *balancer) Fail(d system.AgentFault) {
	switch d.Kind {
	case "broker_down":
		a.brokers.crash(d.Target)
	case "broker_up":
		a.brokers.restart(d.Target)
	case "partition":
		if a.cut == nil {
			a.cut = map[int32]bool{}
		}
		a.cut[int32(d.Target)] = true
		a.brokers.partitioned = true
	case "partition_healed":
		delete(a.cut, int32(d.Target))
		a.brokers.partitioned = len(a.cut) > 0
	case "candidates":
		a.settings.Candidates = int(d.Value)
	case "scan_initial":
		a.settings.ScanInitial = int(d.Value)
	case "scan_reallocation":
		a.settings.ScanReallocation = int(d.Value)
	case "mail_loss":
		a.post.SetLoss(d.Value)
		a.brokers.loss = d.Value
	case "mail_delay":
		delay := unit.Time(d.Value * float64(unit.Second))
		a.post.SetDelay(delay)
		a.brokers.delay = delay
	}
}
