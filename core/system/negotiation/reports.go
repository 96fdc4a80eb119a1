package negotiation

import (
	"parley/core/system/negotiation/broker"
	"parley/core/unit"
)

// Nodes' state updates (NodeStateUpdate) and the brokers' updates to each other travel in bulk, a
// group of nodes at a time. They suffer the same disturbances as messages.

// group returns the nodes of a group, [from, to).
func (k *brokers) group(g uint64) (from, to unit.NodeID) { return broker.Group(k.nodes, g) }

// report makes a group of nodes report their state to their brokers, and the
// brokers each other some time later.
func (k *brokers) report(now unit.Time, group uint64) {
	if from, to := k.group(group); from == to {
		return
	}
	at := now + k.settings.Mail.Latency
	if rounds := unit.Time(k.settings.Mail.Rounds); rounds > 0 || k.delay > 0 {
		at += k.delay
		if rounds > 0 {
			at = ((now+k.delay)/(unit.Minute/rounds) + 1) * (unit.Minute / rounds)
		}
		k.Clock.At(at, k.writeReports(group, now), group)
	} else {
		k.Clock.At(at, (*reporter)(k), group)
	}
	if len(k.all) > 1 {
		k.Clock.At(at+k.settings.Exchange, (*exchanger)(k), group)
	}
}

// reporter delivers the reports of a group that were sent a moment ago, each to
// the node's broker: it looks at the nodes themselves.
type reporter brokers

// Fire delivers the reports of a group. It looks up the receiving broker of each node only if it may differ or the
// report may get lost.
func (r *reporter) Fire(now unit.Time, group uint64) {
	k := (*brokers)(r)
	k.shuffle(group)
	from, to := k.group(group)
	calm := len(k.all) == 1 && !k.all[0].Down() && !k.partitioned && k.loss == 0
	for n := from; n < to; n++ {
		i := 0
		if !calm {
			i = k.reach(n)
		}
		if i >= 0 && k.View.Up(n) {
			k.all[i].Learn(n, k.View, now)
		}
	}
}

// shuffle lets the nodes of a group, which are about to report, change places with
// all brokers.
func (k *brokers) shuffle(group uint64) {
	for _, b := range k.all {
		if !b.Down() {
			k.sink ^= b.Shuffle(group)
		}
	}
}

// reach returns the number of the broker that a node's report arrives at; -1 if the report is lost or the node or all
// brokers are down.
func (k *brokers) reach(n unit.NodeID) int {
	i := 0
	if len(k.all) > 1 || k.all[0].Down() {
		i = k.home(n)
	}
	if i < 0 || !k.View.Up(n) || k.partitioned && !k.connected(nodeAgent(n), brokerAgent(i)) ||
		k.loss > 0 && k.reports.Float64() < k.loss {
		return -1
	}
	return i
}

// home returns which broker a node reports to: its own, or the next one that
// is up; -1 if none is.
func (k *brokers) home(n unit.NodeID) int {
	for i := range k.all {
		if i = (int(n) + i) % len(k.all); !k.all[i].Down() {
			return i
		}
	}
	return -1
}

// writeReports writes the reports of a group down, for when they take long
// enough that the nodes will have changed.
func (k *brokers) writeReports(group uint64, now unit.Time) *lateReports {
	n, to := k.group(group)
	late := &lateReports{brokers: k}
	for ; n < to; n++ {
		if k.View.Up(n) {
			late.reports = append(late.reports, k.machines.Report(n, k.View, now))
		}
	}
	return late
}

// lateReports delivers reports as they were written down.
type lateReports struct {
	brokers *brokers
	reports []broker.Report
}

// Fire delivers the reports of a group to the brokers that they reach.
func (l *lateReports) Fire(now unit.Time, group uint64) {
	l.brokers.shuffle(group)
	for i := range l.reports {
		if k := l.brokers.reach(l.reports[i].Node()); k >= 0 {
			l.brokers.all[k].Accept(&l.reports[i], now)
		}
	}
}

// exchanger sends each broker's reports of a group to the others.
type exchanger brokers

// Fire copies the report that the broker of each node of a group has to all other brokers. It does nothing while all
// brokers are down.
func (x *exchanger) Fire(now unit.Time, group uint64) {
	k := (*brokers)(x)
	for n, to := k.group(group); n < to; n++ {
		home := k.home(n)
		if home < 0 {
			return
		}
		known := k.all[home].ReportOf(n)
		for i, b := range k.all {
			if i != home {
				b.Accept(&known, now)
			}
		}
	}
}
