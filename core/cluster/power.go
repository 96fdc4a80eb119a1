package cluster

import (
	"parley/core/des"
	"parley/core/unit"
)

// Power is the state of a node's power supply.
type Power uint8

// The states of a node's power. Only a node that is on takes jobs.
const (
	On       Power = iota
	ShutDown       // it shuts down, and is off then
	Off
	Boots // it boots, and is on then
)

// String returns the state as logs spell it.
func (p Power) String() string { return [...]string{"on", "shuts down", "off", "boots"}[p] }

// PowerKind is the power draw of nodes of one kind, in watts, and the time they take to boot and shut down.
type PowerKind struct {
	First, Last                        unit.NodeID // of the nodes
	Idle, Busy, Off, Booting, Shutting float64     // Busy: with all processors busy, in proportion in between
	BootTime, ShutdownTime             unit.Time
}

// nodePower is the power of a node that was switched at least once.
type nodePower struct {
	state  Power
	wanted bool      // it boots as soon as it is off
	until  unit.Time // when it has booted or shut down
	change des.Ticket
}

// SetPower sets the power draw of nodes and the time they take to boot and to shut down. If several
// kinds include a node, the first applies. Call it before the first node joins.
func (c *Cluster) SetPower(kinds []PowerKind) { c.nodes.kinds = kinds }

// SwitchOff implements Acts. It returns ErrDown if the node is down, and ErrState unless it is on and idle.
func (c *Cluster) SwitchOff(n unit.NodeID) error {
	switch {
	case !c.known(n) || !c.nodes.state[n].up:
		return ErrDown
	case c.View().Power(n) != On || c.View().BusyProcessors(n) > 0:
		return ErrState
	}
	for int(n) >= len(c.nodes.power) {
		c.nodes.power = append(c.nodes.power, nodePower{})
	}
	c.power(n, ShutDown, c.View().PowerKind(n).ShutdownTime)
	return nil
}

// SwitchOn implements Acts.
func (c *Cluster) SwitchOn(n unit.NodeID) error {
	if !c.known(n) || !c.nodes.state[n].up {
		return ErrDown
	}
	switch c.View().Power(n) {
	case Off:
		c.power(n, Boots, c.View().PowerKind(n).BootTime)
	case ShutDown:
		c.nodes.power[n].wanted = true
	}
	return nil
}

// power lets a node be in a state, for a time if it is one that passes.
func (c *Cluster) power(n unit.NodeID, state Power, lasts unit.Time) {
	p := &c.nodes.power[n]
	p.state = state
	if state == ShutDown || state == Boots {
		p.until = c.clock.Now() + lasts
		p.change = c.clock.At(p.until, (*powerSwitch)(c), uint64(n))
	}
	c.emit(Event{Kind: NodePower, Node: n, Detail: uint8(state)})
}

// powerSwitch ends boots and shutdowns.
type powerSwitch Cluster

// Fire completes the change of node arg's power state: a boot leaves it on; a shutdown leaves it off, or booting if
// SwitchOn was called meanwhile.
func (s *powerSwitch) Fire(_ unit.Time, arg uint64) {
	c, n := (*Cluster)(s), unit.NodeID(arg)
	p := &c.nodes.power[n]
	if p.state == Boots {
		c.power(n, On, 0)
		return
	}
	c.power(n, Off, 0)
	if p.wanted {
		p.wanted = false
		c.power(n, Boots, c.View().PowerKind(n).BootTime)
	}
}

// dropPower resets the power state of a node that goes down: it comes back switched on.
func (c *Cluster) dropPower(n unit.NodeID) {
	if int(n) < len(c.nodes.power) {
		c.clock.Cancel(c.nodes.power[n].change)
		c.nodes.power[n] = nodePower{}
	}
}

// Power returns the state of a node's power supply.
func (v NodeView) Power(n unit.NodeID) Power {
	if int(n) >= len(v.c.nodes.power) {
		return On
	}
	return v.c.nodes.power[n].state
}

// PowerKind returns the power draw of a node; zero if SetPower did not set it.
func (v NodeView) PowerKind(n unit.NodeID) PowerKind {
	for i := range v.c.nodes.kinds {
		if k := &v.c.nodes.kinds[i]; k.First <= n && n <= k.Last {
			return *k
		}
	}
	return PowerKind{}
}

// ReadyAt returns when a node can take jobs at the earliest, if it is switched on now.
func (v NodeView) ReadyAt(n unit.NodeID) unit.Time {
	now := v.c.clock.Now()
	switch v.Power(n) {
	case Off:
		return now + v.PowerKind(n).BootTime
	case ShutDown:
		return v.c.nodes.power[n].until + v.PowerKind(n).BootTime
	case Boots:
		return v.c.nodes.power[n].until
	}
	return now
}
