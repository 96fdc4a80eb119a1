package negotiation

import (
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/unit"
)

// bulkMail are the nodes' state updates (NodeStateUpdate) and what brokers pass
// on to each other. They travel in bulk, a group of nodes at a time, and what
// disturbs messages disturbs them alike.
type bulkMail struct {
	random  *rng.Stream
	loss    float64   // probability that a node's report is lost
	delay   unit.Time // a fault: reports take so much longer
	touched int32     // so that reporter's early reads have a use
}

// sendReports lets a group of nodes tell their brokers how they stand, and the
// brokers each other some time later.
func (a *balancer) sendReports(now unit.Time, group uint64) {
	at := now + a.settings.Mail.Latency
	if rounds := unit.Time(a.settings.Mail.Rounds); rounds > 0 || a.mailbag.delay > 0 {
		at += a.mailbag.delay
		if rounds > 0 {
			at = ((now+a.mailbag.delay)/(unit.Minute/rounds) + 1) * (unit.Minute / rounds)
		}
		a.env.Clock.At(at, a.writeReports(group, now), group)
	} else {
		a.env.Clock.At(at, (*reporter)(a), group)
	}
	if len(a.brokers) > 1 {
		a.env.Clock.At(at+a.settings.Exchange, (*exchanger)(a), group)
	}
}

// reporter delivers the reports of a group that were sent a moment ago, each to
// the node's broker: it looks at the nodes themselves.
type reporter balancer

// Fire implements des.Handler.
func (r *reporter) Fire(now unit.Time, group uint64) {
	a := (*balancer)(r)
	a.shuffle(group)
	from, to := a.group(group)
	calm := len(a.brokers) == 1 && !a.brokers[0].down && len(a.cut) == 0 && a.mailbag.loss == 0
	for n := from; n < to; n++ {
		k := 0
		if !calm {
			k = a.reach(n)
		}
		if k >= 0 && a.env.View.Up(n) {
			a.brokers[k].learn(n, a.env.View, now)
		}
	}
}

// shuffle lets the nodes of a group, which are about to report, change places with
// all brokers.
func (a *balancer) shuffle(group uint64) {
	for i := range a.brokers {
		if b := &a.brokers[i]; !b.down {
			a.mailbag.touched ^= b.shuffle(group)
		}
	}
}

// reach returns the number of the broker that a node's report arrives at, or -1.
func (a *balancer) reach(n unit.NodeID) int {
	k := 0
	if len(a.brokers) > 1 || a.brokers[0].down {
		k = a.home(n)
	}
	if k < 0 || !a.env.View.Up(n) || len(a.cut) > 0 && !a.connected(mail.Agent(n), mail.Broker(k)) ||
		a.mailbag.loss > 0 && a.mailbag.random.Float64() < a.mailbag.loss {
		return -1
	}
	return k
}

// writeReports writes the reports of a group down, for when they take long
// enough that the nodes will have changed.
func (a *balancer) writeReports(group uint64, now unit.Time) *lateReports {
	n, to := a.group(group)
	old := &lateReports{system: a}
	for ; n < to; n++ {
		if a.env.View.Up(n) {
			one := report{seen: now}
			a.types.read(&one.cacheEntry, &one.headroom, n, a.env.View)
			old.reports = append(old.reports, one)
		}
	}
	return old
}

// lateReports delivers reports as they were written down.
type lateReports struct {
	system  *balancer
	reports []report
}

// Fire implements des.Handler.
func (o *lateReports) Fire(now unit.Time, group uint64) {
	o.system.shuffle(group)
	for i := range o.reports {
		n := o.reports[i].node
		if k := o.system.reach(n); k >= 0 {
			o.system.brokers[k].accept(&o.reports[i], now)
		}
	}
}

// exchanger passes what the brokers know of a group on to each other.
type exchanger balancer

// Fire implements des.Handler.
func (x *exchanger) Fire(now unit.Time, group uint64) {
	a := (*balancer)(x)
	for n, to := a.group(group); n < to; n++ {
		home := a.home(n)
		if home < 0 {
			return
		}
		known := a.brokers[home].report(n)
		for i := range a.brokers {
			if b := &a.brokers[i]; i != home && b.hears(n, now) && b.seen[n] < known.seen {
				b.accept(&known, now)
			}
		}
	}
}
