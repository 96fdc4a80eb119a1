package negotiation_test

import (
	"fmt"
	"testing"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// playCell plays a generated cell to its end under the eyes of a ledger; see, if
// not nil, is called after every event.
func playCell(t *testing.T, until unit.Time, document string, see func(*ledger, cluster.Event)) (*run.Run, *ledger) {
	t.Helper()
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger()
	l.see = see
	r, err := run.Open(s, nil, run.Watch(l))
	if err != nil {
		t.Fatal(err)
	}
	l.view = r.View
	if err := r.Advance(until); err != nil {
		t.Fatal(err)
	}
	if err := l.check(); err != nil {
		t.Fatal(err)
	}
	if err := r.Audit(); err != nil {
		t.Fatal(err)
	}
	return r, l
}

// played is what a scenario showed with the default and with a setting of Later,
// on the same seed.
type played struct {
	run    [2]*run.Run
	ledger [2]*ledger
}

func (p *played) mean(column int, from unit.Time) [2]float64 {
	return [2]float64{p.run[off].Table().MeanFrom(from)[column], p.run[on].Table().MeanFrom(from)[column]}
}

const (
	off = iota
	on
)

// both plays a document, which has a %s for the settings of Later, with and
// without them.
func both(t *testing.T, until unit.Time, document, later string, see func(which int, l *ledger, e cluster.Event)) *played {
	t.Helper()
	p := &played{}
	for which, settings := range []string{off: "{}", on: later} {
		var watch func(*ledger, cluster.Event)
		if see != nil {
			watch = func(l *ledger, e cluster.Event) { see(which, l, e) }
		}
		p.run[which], p.ledger[which] = playCell(t, until, fmt.Sprintf(document, settings), watch)
	}
	return p
}

// Two racks of six come back empty. Brokers that score two nodes for each new
// task seldom meet an empty one; with the list they are scored at once, and few
// stay idle.
func TestIdleListFillsIdleNodes(t *testing.T) {
	p := both(t, unit.Hour, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":288},
		"settings":{"scan_initial":2,"candidates":2,"later":%s},
		"faults":[{"at":"5m","kind":"rack_down","target":"rack.1"},{"at":"5m","kind":"rack_down","target":"rack.2"},
		          {"at":"20m","kind":"rack_up","target":"rack.1"},{"at":"20m","kind":"rack_up","target":"rack.2"}]}`,
		`{"idle_list":100}`, nil)
	idle := p.mean(metric.Idle, 20*unit.Minute)
	t.Logf("idle nodes: %.2f %% without the list, %.2f %% with it", idle[off], idle[on])
	if idle[off] < 1 {
		t.Errorf("%.2f %% of the nodes are idle without the list: this cell shows nothing", idle[off])
	}
	if idle[on] > idle[off]*0.7 {
		t.Errorf("the list leaves %.2f %% of the nodes idle, without it %.2f %% are", idle[on], idle[off])
	}
}

// With proactive offloading nodes that are not overloaded negotiate too, and
// fewer of them stay above the threshold.
func TestOffloadNegotiatesEarlier(t *testing.T) {
	var early, late [2]int
	p := both(t, unit.Hour, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":200},"workload":{"scale":1.1},"settings":{"later":%s}}`,
		`{"offload":0.85}`, func(which int, l *ledger, e cluster.Event) {
			if e.Kind != cluster.MigrationBegan {
				return
			}
			if l.view().Overloaded(e.Node) {
				late[which]++
			} else {
				early[which]++
			}
		})
	super := p.mean(metric.SuperTight, 10*unit.Minute)
	t.Logf("migrations from nodes that were not overloaded %v, that were %v; nodes above 90 %%: %.2f %%", early, late, super)
	if early[on] < 10*max(1, early[off]) {
		t.Errorf("%d migrations left nodes that were not overloaded, without offloading %d", early[on], early[off])
	}
	if super[on] > super[off]/2 {
		t.Errorf("%.2f %% of the nodes are above 90 %%, without offloading %.2f %%", super[on], super[off])
	}
}

// A rack comes back empty, so that all new tasks are sent there, and cannot be
// reached a second later. Brokers do not forget silent nodes soon here. With a
// blacklist nothing is sent to a node again that did not answer for 30 s.
func TestBlacklistSparesSilentNodes(t *testing.T) {
	p := both(t, unit.Hour, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":192},"settings":{"silence_us":3600000000,"later":%s},
		"faults":[{"at":"5m","kind":"rack_down","target":"rack.0"},{"at":"10m","kind":"rack_up","target":"rack.0"},{"at":"601s","kind":"rack_cut","target":"rack.0"}]}`,
		`{"blacklist_us":3600000000}`, nil)
	var vain [2]float64
	for which, r := range p.run {
		vain[which] = reported(r, "allocations") - reported(r, "allocations_rejected") - reported(r, "tasks_placed")
	}
	t.Logf("new tasks sent in vain: %v", vain)
	if vain[off] < 200 {
		t.Errorf("%v new tasks are sent in vain without a blacklist: this cell shows nothing", vain[off])
	}
	if vain[on] > vain[off]/4 {
		t.Errorf("%v new tasks are sent in vain with a blacklist, %v without", vain[on], vain[off])
	}
}

// Three racks of seven are lost. By default the rest is overloaded; with
// preemption hardly a node is, batch tasks wait, and production tasks only if
// next to no node could hold them beside others of their priority.
func TestPreemptKeepsPriorities(t *testing.T) {
	faults := ""
	for rack := range 3 {
		faults += fmt.Sprintf(`,{"at":"10m","kind":"rack_down","target":"rack.%d"}`, rack)
	}
	p := both(t, 30*unit.Minute, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":300},"settings":{"later":%s},"faults":[`+faults[1:]+`]}`,
		`{"preempt":true}`, nil)
	over := p.mean(metric.Overloaded, 15*unit.Minute)
	waits := [2][2]int{p.ledger[off].waiting(), p.ledger[on].waiting()}
	t.Logf("overloaded %.2f %%; tasks that wait, batch and production: %v; %v stopped", over, waits, reported(p.run[on], "tasks_preempted"))
	if over[off] < 5 {
		t.Errorf("without preemption %.2f %% of the nodes are overloaded: this cell shows nothing", over[off])
	}
	if over[on] > over[off]/5 {
		t.Errorf("with preemption %.2f %% of the nodes are overloaded, without %.2f %%", over[on], over[off])
	}
	if waits[on][workload.Batch] < 100 {
		t.Errorf("%d batch tasks wait although so much of the cell is gone", waits[on][workload.Batch])
	}
	v := p.run[on].View()
	for id, one := range p.ledger[on].tasks {
		if n := couldHold(v, id); one.state == cluster.Waiting && one.class == workload.Production && n > v.Nodes()/50 {
			t.Errorf("production task %d waits, and %d nodes could hold it beside what has its priority", id, n)
		}
	}
}

// couldHold counts the nodes that would have room for a task and their headroom
// if all tasks of lower priority were gone.
func couldHold(v cluster.View, id unit.TaskID) (nodes int) {
	task, _ := v.Task(id)
	for n := range unit.NodeID(v.Nodes()) {
		if !v.Up(n) || v.Fits(id, n, cluster.ByTotal) != nil {
			continue
		}
		use, limit := task.Request, v.Capacity(n)
		for other := range v.Tasks(n) {
			if t, _ := v.Task(other); t.Priority >= task.Priority {
				use = use.Add(t.Usage)
			}
		}
		for r := range limit {
			limit[r] = limit[r] / 10 * 9
		}
		if use.Within(limit) {
			nodes++
		}
	}
	return nodes
}

// Replicas that ask for different machines never meet, on their way neither.
func TestSpreadKeepsReplicasApart(t *testing.T) {
	for _, spread := range []string{"node", "rack"} {
		var met [2]int
		both(t, 30*unit.Minute, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":480},"workload":{"scale":1.2},"settings":{"later":%s},
			"faults":[{"at":"10m","kind":"rack_down","target":"rack.3"},{"at":"15m","kind":"rack_up","target":"rack.3"}]}`,
			fmt.Sprintf(`{"spread":%q}`, spread), func(which int, l *ledger, e cluster.Event) {
				at := e.Node
				switch e.Kind {
				case cluster.TaskPlaced:
				case cluster.MigrationBegan:
					at = e.Other
				default:
					return
				}
				if one := l.tasks[e.Task]; one.spread {
					for other := range l.jobs[one.job] {
						two := l.tasks[other]
						for _, there := range [2]unit.NodeID{two.node, two.target} {
							near := there == at || spread == "rack" && there != unit.NoNode && l.view().Rack(there) == l.view().Rack(at)
							if near && other != e.Task && two.spread {
								met[which]++
							}
						}
					}
				}
			})
		t.Logf("spread by %s: replicas met %v times", spread, met)
		if met[off] == 0 {
			t.Errorf("by %s: replicas never meet without the setting: this cell shows nothing", spread)
		}
		if met[on] > 0 {
			t.Errorf("by %s: replicas met %d times", spread, met[on])
		}
	}
}

// No user's placed tasks ever request more than the quota, and by default some
// do.
func TestQuotaIsNeverExceeded(t *testing.T) {
	const quota = 0.01
	var above [2]int
	p := both(t, unit.Hour, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":300},"settings":{"later":%s}}`,
		fmt.Sprintf(`{"quota":%v}`, quota), func(which int, l *ledger, e cluster.Event) {
			if e.Kind != cluster.TaskPlaced {
				return
			}
			capacity := l.view().Totals().Capacity
			for r, has := range l.users[l.tasks[e.Task].user] {
				if float64(has) > quota*float64(capacity[r]) {
					above[which]++
					break
				}
			}
		})
	t.Logf("placements above the quota: %v; tasks that wait: %v and %v", above, p.ledger[off].waiting(), p.ledger[on].waiting())
	if above[off] == 0 {
		t.Error("no user is above the quota without it: this cell shows nothing")
	}
	if above[on] > 0 {
		t.Errorf("%d placements took their user above the quota", above[on])
	}
	if w := p.ledger[on].waiting(); w[workload.Batch]+w[workload.Production] == 0 {
		t.Error("no task waits for its user's quota")
	}
}

// With a cost for distance tasks migrate to nearer nodes.
func TestRackCostShortensMigrations(t *testing.T) {
	var far, all [2]float64
	both(t, 2*unit.Hour, `{"v":1,"system":"negotiation","seed":1,"cluster":{"nodes":480,"physical":{"site_racks":5}},"workload":{"scale":1.45,"production":"trace"},"settings":{"later":%s}}`,
		`{"rack_cost":4}`, func(which int, l *ledger, e cluster.Event) {
			if e.Kind != cluster.MigrationBegan {
				return
			}
			all[which]++
			switch v := l.view(); {
			case v.Site(e.Node) != v.Site(e.Other):
				far[which] += 2
			case v.Rack(e.Node) != v.Rack(e.Other):
				far[which]++
			}
		})
	t.Logf("migrations %v, mean distance %.2f and %.2f", all, far[off]/all[off], far[on]/all[on])
	if all[off] < 50 || all[on] < 50 {
		t.Errorf("%v migrations: this cell shows nothing", all)
	}
	if far[on]/all[on] > 0.7*far[off]/all[off] {
		t.Errorf("the mean distance of a migration is %.2f, without a cost %.2f", far[on]/all[on], far[off]/all[off])
	}
}
