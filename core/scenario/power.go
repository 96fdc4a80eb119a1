package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"parley/core/cluster"
	"parley/core/unit"
)

// Draw is the power of a node under a log of rigid jobs, in watts, and how long it takes to boot and to
// shut down.
type Draw struct {
	Idle      float64  `json:"idle_w,omitempty"`     // on and without a job
	Busy      float64  `json:"busy_w,omitempty"`     // with all processors busy; in proportion in between
	Off       float64  `json:"off_w,omitempty"`      // off
	BootW     float64  `json:"boot_w,omitempty"`     // while it boots; 0: Busy
	ShutdownW float64  `json:"shutdown_w,omitempty"` // while it shuts down; 0: Idle
	Boot      Duration `json:"boot,omitzero"`
	Shutdown  Duration `json:"shutdown,omitzero"`
}

// Power is the power draw of the nodes. Without a Busy of any kind there is no report of energy.
type Power struct {
	Draw
	Kinds []NodePower `json:"kinds,omitempty"` // of some nodes, in place of the above
}

// NodePower is the power draw of nodes of one kind.
type NodePower struct {
	Nodes string `json:"nodes"` // numbers such as 0-15 or 7
	Draw
}

// maxKinds bounds the kinds of nodes of a scenario.
const maxKinds = 100

// IsZero reports whether no field is set.
func (p Power) IsZero() bool { return p.Draw == (Draw{}) && len(p.Kinds) == 0 }

// kinds returns the kinds of nodes, the last one of all that no other has.
func (p Power) kinds() (kinds []cluster.PowerKind, err error) {
	if len(p.Kinds) > maxKinds {
		return nil, fmt.Errorf("cluster.power.kinds lists %d kinds: at most %d are read", len(p.Kinds), maxKinds)
	}
	for i, k := range p.Kinds {
		path := fmt.Sprintf("cluster.power.kinds[%d]", i)
		first, last, two := strings.Cut(k.Nodes, "-")
		if !two {
			last = first
		}
		a, bad := strconv.ParseInt(first, 10, 31)
		b, wrong := strconv.ParseInt(last, 10, 31)
		if bad != nil || wrong != nil || a < 0 || b < a {
			return nil, fmt.Errorf("%s.nodes is %q: write numbers of nodes, such as 0-15 or 7", path, shorten(k.Nodes))
		}
		for j, o := range kinds {
			if unit.NodeID(a) <= o.Last && o.First <= unit.NodeID(b) {
				return nil,
					fmt.Errorf("%s.nodes has nodes that cluster.power.kinds[%d] has too: let no node be in two kinds",
						path, j)
			}
		}
		kind, err := k.kind(path)
		if err != nil {
			return nil, err
		}
		kind.First, kind.Last = unit.NodeID(a), unit.NodeID(b)
		kinds = append(kinds, kind)
	}
	all, err := p.kind("cluster.power")
	all.Last = math.MaxInt32
	return append(kinds, all), err
}

// kind checks the power draw of nodes.
func (d *Draw) kind(path string) (k cluster.PowerKind, err error) {
	for _, w := range []struct {
		name  string
		value float64
	}{{"idle_w", d.Idle}, {"busy_w", d.Busy}, {"off_w", d.Off}, {"boot_w", d.BootW}, {"shutdown_w", d.ShutdownW}} {
		if !(w.value >= 0 && w.value <= maxWatts) {
			return k, fmt.Errorf("%s.%s is %v: choose 0 to %v", path, w.name, w.value, maxWatts)
		}
	}
	if d.Busy < d.Idle {
		return k,
			fmt.Errorf(
				"%s.busy_w is %v, less than idle_w, which is %v: a node draws at least as much with jobs as without",
				path, d.Busy, d.Idle,
			)
	}
	for _, t := range []struct {
		name  string
		value Duration
	}{{"boot", d.Boot}, {"shutdown", d.Shutdown}} {
		if t.value > Duration(unit.Day) {
			return k, fmt.Errorf("%s.%s is %v: choose 0s to %v", path, t.name, t.value, Duration(unit.Day))
		}
	}
	k = cluster.PowerKind{
		Idle: d.Idle, Busy: d.Busy, Off: d.Off, Booting: d.BootW, Shutting: d.ShutdownW,
		BootTime: unit.Time(d.Boot), ShutdownTime: unit.Time(d.Shutdown),
	}
	if k.Booting == 0 {
		k.Booting = k.Busy
	}
	if k.Shutting == 0 {
		k.Shutting = k.Idle
	}
	return k, nil
}

// PowerKinds returns the power draw of the nodes, the kind of all that no other has last; nothing if the
// scenario does not say it. It was checked when the scenario was read.
func (c Cluster) PowerKinds() []cluster.PowerKind {
	if c.Power.IsZero() {
		return nil
	}
	kinds, _ := c.Power.kinds()
	return kinds
}
