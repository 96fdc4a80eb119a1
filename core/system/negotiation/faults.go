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

func (a *balancer) answers(who mail.Agent) bool {
	if who < 0 {
		return !a.brokers[who.Broker()].down
	}
	return a.env.View.Up(who.Node())
}

// zone returns the number of the rack that an agent is cut off with, or -1.
func (a *balancer) zone(who mail.Agent) int32 {
	if who >= 0 {
		if rack := a.env.View.Rack(who.Node()); a.cut[rack] {
			return rack
		}
	}
	return -1
}

// Fail implements system.FaultTarget.
func (a *balancer) Fail(d system.AgentFault) {
	switch d.Kind {
	case "broker_down":
		if d.Target < len(a.brokers) {
			a.brokers[d.Target].down = true
		}
	case "broker_up":
		if d.Target < len(a.brokers) && a.brokers[d.Target].down {
			a.brokers[d.Target].restart()
			a.brokers[d.Target].ready = a.env.Clock.Now() + a.settings.Report + a.settings.Mail.Latency + a.mailbag.delay
		}
	case "rack_cut":
		if a.cut == nil {
			a.cut = map[int32]bool{}
		}
		a.cut[int32(d.Target)] = true
	case "rack_healed":
		delete(a.cut, int32(d.Target))
	case "mail_loss":
		a.post.SetLoss(d.Value)
		a.mailbag.loss = d.Value
	case "mail_delay":
		a.mailbag.delay = unit.Time(d.Value * float64(unit.Second))
		a.post.SetDelay(a.mailbag.delay)
	}
}

// restart brings a broker back with an empty cache: the nodes' next reports
// fill it.
func (b *broker) restart() {
	b.down = false
	for n := range b.seen {
		b.forget(unit.NodeID(n))
	}
	for len(b.idle) > 0 {
		b.unlist(b.idle[0])
	}
}
