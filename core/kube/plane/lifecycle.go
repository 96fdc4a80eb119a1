package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// Times of the controllers that watch nodes, with their sources in k8s.io/kubernetes v1.33.0.
const (
	heartbeat    = 10 * unit.Second       // a kubelet renews its lease (pkg/kubelet/apis/config/v1beta1/defaults.go)
	monitorPass  = 5 * unit.Second        // pkg/controller/nodelifecycle/config/v1alpha1/defaults.go
	monitorGrace = 50 * unit.Second       // the same
	taintPass    = 100 * unit.Millisecond // pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go
	taintEvery   = 10 * unit.Second       // --node-eviction-rate 0.1
	taintLarge   = 100 * unit.Second      // --secondary-node-eviction-rate 0.01
	largeZone    = 50                     // --large-cluster-size-threshold
	fewNotReady  = 2                      // (*Controller).ComputeZoneState
	unhealthy    = 55                     // --unhealthy-zone-threshold, percent
	cloudPass    = 5 * unit.Second        // k8s.io/cloud-provider/config/v1alpha1/defaults.go
	gcPass       = 20 * unit.Second       // pkg/controller/podgc/gc_controller.go
	quarantine   = 40 * unit.Second       // the same
	forcedDetach = 6 * 60 * unit.Second   // pkg/controller/volume/attachdetach/attach_detach_controller.go
	tolerated300 = 300                    // seconds: plugin/pkg/admission/defaulttolerationseconds
)

// Fault is a machine that stops.
type Fault struct {
	Node    int
	Renewed unit.Time // for how long its kubelet has not renewed its lease
	// Gone means that the machine does not exist any more, so that the cloud's controller deletes its node;
	// otherwise the node stays without answering.
	Gone bool
}

// Ticks are when the controllers look next at all nodes, from now.
type Ticks struct{ Monitor, Cloud, GC unit.Time }

// Lose stops machines now. gone means that the cloud deletes them. The pace chooses when their leases were
// renewed last and when the controllers look next: soonest, half a period or drawn. Drawn also shuffles the
// order.
func (p *Plane) Lose(nodes []int, gone bool) {
	t := Ticks{Monitor: monitorPass, Cloud: cloudPass, GC: gcPass}
	renewed := func() unit.Time { return 0 }
	below := func(d unit.Time) unit.Time {
		return unit.Time(p.draws.Uint64n(uint64(d/unit.Millisecond))) * unit.Millisecond
	}
	switch p.o.Pace {
	case Fast:
		t, renewed = Ticks{}, func() unit.Time { return heartbeat + 1 } // a pass saw it at once
	case Middle:
		t, renewed = Ticks{monitorPass / 2, cloudPass / 2, gcPass / 2}, func() unit.Time { return heartbeat / 2 }
	case Drawn:
		t, renewed = Ticks{below(monitorPass), below(cloudPass), below(gcPass)},
			func() unit.Time { return below(heartbeat) }
		nodes = slices.Clone(nodes)
		p.draws.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	}
	faults := make([]Fault, len(nodes))
	for i, at := range nodes {
		faults[i] = Fault{at, renewed(), gone}
	}
	p.Fail(faults, t)
}

// Fail stops machines now. Once the node lifecycle controller misses their leases, their nodes get the
// taint of unreachable nodes, zone by zone at the controller's rates, and pods are deleted after the time
// for which they tolerate it. t counts at the first call of a play only: later ones find the controllers at
// work.
func (p *Plane) Fail(faults []Fault, t Ticks) {
	if p.life == nil {
		p.life = &lifecycle{
			p: p, zones: map[string]*zone{}, monitor: p.kernel.Now() + t.Monitor,
			cloud: p.kernel.Now() + t.Cloud, gc: p.kernel.Now() + t.GC,
		}
	}
	now := p.kernel.Now()
	for _, f := range faults {
		p.states[f.Node].silent = true
		p.show(Stopped, f.Node)
		m := &machine{at: f.Node, gone: f.Gone}
		// The controller stamps its own time when it sees a newer lease, at its first pass after that.
		m.seen = up(now-f.Renewed+1, p.life.monitor, monitorPass)
		p.life.machines = append(p.life.machines, m)
		for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(f.Node))) {
			l := &p.pods[i]
			if l.terminating { // its kubelet does not end it any more
				l.life++
			}
			if l.terminating || l.state == starting {
				l.state = held
			}
		}
	}
	p.life.watch()
}

// up returns the first tick at or after t. Ticks are period apart, and one of them is at tick, which may be
// before or after t.
func up(t, tick, period unit.Time) unit.Time {
	d := (t - tick) % period
	if d > 0 {
		d -= period
	}
	return t - d
}

// lifecycle is the controllers that watch nodes.
// (pkg/controller/nodelifecycle, tainteviction and podgc, k8s.io/cloud-provider/controllers/nodelifecycle)
type lifecycle struct {
	p                  *Plane
	machines           []*machine
	zones              map[string]*zone
	keys               []string // of zones, in the order of their nodes
	monitor, cloud, gc unit.Time
	watching           bool
	due                unit.Time // when the monitor looks next, if it is watching
	master             bool      // no node is ready: nothing is evicted
}

// machine is one that has stopped.
type machine struct {
	at      int
	gone    bool
	seen    unit.Time // when the controller saw its last lease
	unknown bool
	queued  bool
	tainted bool
	turn    int // counts the times that evictions were called off
	pods    []int
}

// zone limits the taints of its nodes.
type zone struct {
	nodes []int
	state zoneState
	queue []*machine
	every unit.Time // between taints, 0 for never
	token unit.Time // when the next taint may be
	pass  unit.Time // when the queue is looked at next, 0 for never
}

type zoneState uint8

const (
	zoneNormal zoneState = iota
	zonePartial
	zoneFull
)

func (l *lifecycle) zoneOf(at int) *zone {
	n := &l.p.c.Nodes[at]
	return l.zones[n.Region()+":"+n.Zone()]
}

// next returns the time of the next pass of a controller, after now, or at now with the pace Fast. tick is
// any pass of it.
func (l *lifecycle) next(tick, period unit.Time) unit.Time {
	now := l.p.kernel.Now()
	if l.p.o.Pace != Fast {
		now++
	}
	return up(now, tick, period)
}

// watch starts the passes of the monitor, if they do not run already. The first call groups the nodes by
// zone.
func (l *lifecycle) watch() {
	if l.watching {
		return
	}
	if len(l.zones) == 0 {
		for at := range l.p.c.Nodes {
			n := &l.p.c.Nodes[at]
			key := n.Region() + ":" + n.Zone()
			if l.zones[key] == nil {
				l.zones[key] = &zone{every: taintEvery}
				l.keys = append(l.keys, key)
			}
			l.zones[key].nodes = append(l.zones[key].nodes, at)
		}
	}
	l.watching = true
	l.due = up(l.p.kernel.Now(), l.monitor, monitorPass)
	l.p.kernel.At(l.due, do(l.look), 0)
}

// look is a pass of the monitor: it marks nodes whose lease is too old as unknown, queues those that were
// unknown before for their taint, updates the zones' rates, and taints. It runs again while a machine is
// not yet unknown or a zone has changed.
func (l *lifecycle) look() {
	p, now, open := l.p, l.p.kernel.Now(), false
	for _, m := range l.machines {
		switch {
		case p.states[m.at].absent || m.tainted:
		case m.unknown:
			if z := l.zoneOf(m.at); !m.queued {
				m.queued = true
				z.queue = append(z.queue, m)
			}
		case now-m.seen > monitorGrace || now-m.seen == monitorGrace && p.o.Pace == Fast: // a pass takes a moment, too
			l.silent(m)
			open = true
		default:
			open = true
		}
	}
	changed := l.disruption()
	for _, key := range l.keys { // the limiter's pass comes after that of the monitor, which may have changed its rate
		l.taint(l.zones[key])
	}
	if l.watching = open || changed; l.watching {
		l.due = now + monitorPass
		p.kernel.At(l.due, do(l.look), 0)
	}
}

// Zone is a zone of the cluster as the node lifecycle controller counts it.
type Zone struct {
	Name           string
	NotReady, Size int // nodes that do not answer, nodes
	// Frozen means that nothing is evicted there, Throttled that it is tainted at a node in 100 seconds.
	Frozen, Throttled bool
}

// Zones returns the zones in which a machine stopped, in the order of their first nodes. A machine must
// have stopped: see Fail.
func (p *Plane) Zones() (all []Zone) {
	for _, key := range p.life.keys {
		z := p.life.zones[key]
		one := Zone{Name: p.c.Nodes[z.nodes[0]].Zone(), Frozen: z.every == 0, Throttled: z.every == taintLarge}
		for _, at := range z.nodes {
			if p.counted(at) {
				one.Size++
				if p.states[at].unknown {
					one.NotReady++
				}
			}
		}
		if slices.ContainsFunc(p.life.machines, func(m *machine) bool { return p.life.zoneOf(m.at) == z }) {
			all = append(all, one)
		}
	}
	return all
}

// NoneReady reports whether no node of the cluster answers, so that nothing is evicted anywhere.
func (p *Plane) NoneReady() bool { return p.life.master }

// counted reports whether a node counts where zones are found to be disrupted.
func (p *Plane) counted(at int) bool {
	_, out := p.c.Nodes[at].Labels.Get(kube.ExcludeDisruptionLabel)
	return !out && !p.states[at].absent
}

// silent marks a stopped machine's node as unknown: nothing is placed there, and its pods are not ready and
// change no more. If the machine is gone, the cloud's controller deletes the node at its next pass.
func (l *lifecycle) silent(m *machine) {
	p, name := l.p, l.p.c.Nodes[m.at].Name
	m.unknown = true
	p.states[m.at].unknown = true
	p.record(NotReady, name, "", "Kubelet stopped posting node status.")
	p.setTaint(m.at, kube.NoSchedule, true)
	for _, i := range slices.Sorted(slices.Values(p.s.PodsOn(m.at))) {
		if p.c.Pods[i].Node != m.at {
			continue
		}
		if p.pods[i].ready {
			p.unready(i)
			p.recordPod(Unready, i, "Node is not ready")
		}
		if l := &p.pods[i]; l.state == starting || l.state == settled {
			l.state = held
		}
		p.mark(p.pods[i].controller)
	}
	if m.gone {
		p.kernel.At(l.next(l.cloud, cloudPass), do(func() { l.delete(m) }), 0)
	}
}

// disruption computes the state of each zone and from it the rate of its taints, and reports whether one
// has changed: the normal rate if most nodes answer or none does, and a slow one, or none in a small zone,
// if more than fewNotReady and at least unhealthy percent are away. If no zone has a node that answers, all
// evictions are called off.
func (l *lifecycle) disruption() (changed bool) {
	p := l.p
	alive, counted, states := false, false, make([]zoneState, len(l.keys))
	sizes := make([]int, len(l.keys))
	for k, key := range l.keys {
		away := 0
		for _, at := range l.zones[key].nodes {
			if !p.counted(at) {
				continue
			}
			sizes[k]++
			if p.states[at].unknown {
				away++
			}
		}
		ready := sizes[k] - away
		switch {
		case sizes[k] == 0:
			states[k] = l.zones[key].state
			continue
		case ready == 0:
			states[k] = zoneFull
		case away > fewNotReady && away*100 >= unhealthy*sizes[k]:
			states[k] = zonePartial
		}
		counted = true
		alive = alive || states[k] != zoneFull
	}
	if !counted {
		return false
	}
	if !alive {
		if !l.master {
			l.master, changed = true, true
			l.callOff()
		}
		return changed
	}
	for k, key := range l.keys {
		z := l.zones[key]
		if sizes[k] == 0 || z.state == states[k] && !l.master {
			continue
		}
		changed = true
		z.state = states[k]
		every := taintEvery
		if z.state == zonePartial {
			if every = 0; sizes[k] > largeZone {
				every = taintLarge
			}
		}
		z.limit(p.kernel.Now(), every)
	}
	l.master = false
	return changed
}

// limit sets the time between two taints of a zone, 0 for no taints. If a node waits for its taint, the
// next one is due every from now.
func (z *zone) limit(now, every unit.Time) {
	if z.every == every {
		return
	}
	waits := z.every == 0 || z.token >= now
	if z.every = every; waits {
		z.token = now + every
	}
}

// callOff stops all evictions, since no node of the cluster is ready: queues are emptied, taints removed
// from nodes, and turn counts up, so that evictions that were due do not happen.
func (l *lifecycle) callOff() {
	for _, key := range l.keys {
		z := l.zones[key]
		z.state, z.queue = zoneFull, nil
		z.limit(l.p.kernel.Now(), 0)
	}
	for _, m := range l.machines {
		m.queued = false
		if m.tainted && !l.p.states[m.at].absent {
			m.tainted = false
			m.turn++
			l.p.setTaint(m.at, kube.NoExecute, false)
			l.p.record(Untainted, l.p.c.Nodes[m.at].Name, "", "no node of the cluster is ready")
		}
	}
}
