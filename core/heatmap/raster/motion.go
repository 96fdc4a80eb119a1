package raster

import (
	"math"
	"slices"
	"time"

	"parley/core/frame"
	"parley/core/unit"
)

// How long things are in motion, whatever the speed of the simulation, and how many.
const (
	flight  = 700 * time.Millisecond // an arc, from its source to its target
	rest    = 400 * time.Millisecond // then it is still
	fade    = 500 * time.Millisecond // then it disappears
	glows   = 1600 * time.Millisecond
	fails   = 600 * time.Millisecond
	heals   = 600 * time.Millisecond
	reduced = 2 * time.Second // everything, if motion is reduced
	maxArcs = 120             // arcs at once
	glowing = 80              // cells that glow
	rimmed  = 160             // cells with a rim
	pulses  = 500 * time.Millisecond
	pulsing = 60 // messages at once
)

// Flight is an arc as it is drawn now.
type Flight struct {
	From, To unit.NodeID
	Kind     frame.ArcKind
	Part     float64 // of the way, 0 to 1
	Alpha    float64
}

// Motion describes the moving parts of a picture while frames follow each other: it remembers the
// content of the last frame, so that changes can glow, fly, fail and heal for a while of real time.
// The zero value is ready; a nil one moves nothing.
type Motion struct {
	Still bool // motion is reduced: things stay for a while instead of moving and fading

	now       time.Duration
	at        unit.Time // of the last frame
	fill      int
	values    []byte // of the last frame's layer
	flown     []flown
	changed   []changed
	failing   map[int]time.Duration // blocks that are down, since when
	healed    []healed
	contacted []changed // nodes that were spoken to
}

type flown struct {
	frame.Arc
	began, landed time.Duration // landed: when it was last part of a frame
	present       bool          // it is part of the present one
}

type changed struct {
	cell unit.NodeID
	by   int
	at   time.Duration
}

type healed struct {
	block int
	at    time.Duration
}

// Follow takes the scene's new frame, at a moment of real time. If the frame is earlier than the last one, or the
// first, nothing moves: effects are dropped, and arcs and failures are shown as if they were over.
func (m *Motion) Follow(s *Scene, now time.Duration) {
	m.now = now
	jumped := s.Frame.At < m.at || m.values == nil
	if jumped {
		m.flown, m.changed, m.healed, m.contacted = m.flown[:0], m.changed[:0], m.healed[:0], m.contacted[:0]
		m.failing = nil
		m.values = m.values[:0] // values of another moment are no changes
	}
	m.at = s.Frame.At
	m.compare(s)
	m.takeOff(s, jumped)
	if !jumped && !m.Still {
		m.pulse(s)
	}
	m.followRacks(s, jumped)
	m.forget()
}

// compare notes the cells whose value of the layer shown changed by a fifth of the range or more. If more than 60 cells
// and a twelfth of them changed, it notes none, because that is another moment of the run.
func (m *Motion) compare(s *Scene) {
	values := s.layer(s.Look.Fill)
	same := m.fill == s.Look.Fill && len(m.values) == len(values)
	m.fill = s.Look.Fill
	if same {
		low, high := s.Look.Range()
		lowest := max(8, (high-low)/5)
		before := len(m.changed)
		for cell, value := range values {
			if by := max(int(value), int(m.values[cell])) - min(int(value), int(m.values[cell])); by >= lowest {
				m.changed = append(m.changed, changed{unit.NodeID(cell), by, m.now})
			}
		}
		if len(m.changed)-before > max(60, len(values)/12) {
			m.changed = m.changed[:before] // too many at once: another moment, not a change
		}
	}
	m.values = append(m.values[:0], values...)
}

// pulse starts the pulses of a frame's messages, an even sample if there are more than have room.
func (m *Motion) pulse(s *Scene) {
	count := 0
	for _, arc := range s.Frame.Arcs {
		if arc.Kind == frame.Messaged {
			count++
		}
	}
	room, seen := pulsing-len(m.contacted), 0
	for _, arc := range s.Frame.Arcs {
		if arc.Kind != frame.Messaged {
			continue
		}
		if seen++; seen*room/max(count, room) > (seen-1)*room/max(count, room) {
			m.contacted = append(m.contacted, changed{cell: arc.To, at: m.now})
		}
	}
}

// takeOff starts the arcs that were in no frame before. After a jump they are there
// already. Which arcs there are, and in which order, the frame alone decides; those of
// frames before it only fade.
func (m *Motion) takeOff(s *Scene, jumped bool) {
	before := m.flown
	for i := range before {
		before[i].present = false
	}
	var now []flown
	for _, arc := range s.Frame.Arcs {
		same := func(f flown) bool { return f.From == arc.From && f.To == arc.To && f.Kind == arc.Kind }
		if arc.Kind == frame.Messaged || slices.ContainsFunc(now, same) {
			continue
		}
		began := m.now
		if jumped {
			began -= flight
		}
		if i := slices.IndexFunc(before, func(f flown) bool { return same(f) && m.now-f.landed < fade }); i >= 0 {
			began = before[i].began
			before = slices.Delete(before, i, i+1)
		}
		now = append(now, flown{arc, began, m.now, true})
	}
	limit := len(now) - maxArcs // the newest stay, and forced ones before others
	now = slices.DeleteFunc(now, func(f flown) bool {
		if f.Kind == frame.Forced {
			return false
		}
		limit--
		return limit >= 0
	})
	now = now[max(0, len(now)-maxArcs):]
	room := maxArcs - len(now)
	m.flown = append(before[max(0, len(before)-room):], now...)
}

// followRacks notes the racks that went down and that came back since the last frame. After a jump, a rack that is down
// has been so for long.
func (m *Motion) followRacks(s *Scene, jumped bool) {
	down := s.failed()
	now := map[int]time.Duration{}
	for _, block := range down {
		since, known := m.failing[block]
		switch {
		case known:
			now[block] = since
		case jumped:
			now[block] = m.now - fails
		default:
			now[block] = m.now
		}
	}
	for block := range len(s.Layout.Blocks) { // in their order
		if _, was := m.failing[block]; was {
			if _, is := now[block]; !is {
				m.healed = append(m.healed, healed{block, m.now})
			}
		}
	}
	m.failing = now
}

// Tick moves on to a moment of real time and reports whether something still moves, so that another picture is due.
func (m *Motion) Tick(now time.Duration) bool {
	m.now = now
	m.forget()
	for _, since := range m.failing {
		if now-since < fails {
			return true
		}
	}
	for _, f := range m.flown {
		if now-f.began < flight || !f.present {
			return true
		}
	}
	return len(m.changed) > 0 || len(m.healed) > 0 || len(m.contacted) > 0
}

// forget removes effects that are over.
func (m *Motion) forget() {
	m.flown = slices.DeleteFunc(m.flown, func(f flown) bool { return f.alpha(m) <= 0 })
	m.changed = slices.DeleteFunc(m.changed, func(c changed) bool { return m.now-c.at >= m.span(glows) })
	m.healed = slices.DeleteFunc(m.healed, func(h healed) bool { return m.now-h.at >= heals })
	m.contacted = slices.DeleteFunc(m.contacted, func(c changed) bool { return m.now-c.at >= pulses })
	m.strongest()
}

// strongest keeps the rimmed cells that changed most, the latest of equal ones. A counting sort finds the bound.
func (m *Motion) strongest() {
	if len(m.changed) <= rimmed {
		return
	}
	var by [256]int
	for _, c := range m.changed {
		by[c.by]++
	}
	lowest := len(by)
	for room := rimmed; room > 0; room -= by[lowest] { // there are more than that
		lowest--
	}
	m.changed = slices.DeleteFunc(m.changed, func(c changed) bool { return c.by < lowest })
	m.changed = m.changed[max(0, len(m.changed)-rimmed):]
}

// span returns the duration of an effect: moving, or reduced if motion is.
func (m *Motion) span(moving time.Duration) time.Duration {
	if m.Still {
		return reduced
	}
	return moving
}

// alpha returns the opacity of an arc, 0 to 1: 1 while it is part of the frame and for a rest after it landed, then
// falling. At 0 it is forgotten.
func (f flown) alpha(m *Motion) float64 {
	if f.present {
		return 1
	}
	end := max(f.began+flight, f.landed) + rest
	if m.Still {
		if m.now < max(f.began+reduced, f.landed) {
			return 1
		}
		return 0
	}
	return 1 - clamp(float64(m.now-end)/float64(fade))
}

// flights returns the arcs to draw, without messages, which are drawn as pulses: those that Motion
// remembers, also at rest and fading; without a Motion the frame's own, at their progress.
func (s *Scene) flights() []Flight {
	var all []Flight
	if s.Motion == nil {
		for _, a := range s.Frame.Arcs {
			if a.Kind == frame.Messaged {
				continue
			}
			all = append(all, Flight{a.From, a.To, a.Kind, float64(a.Progress) / 255, 1})
		}
		return all
	}
	for _, f := range s.Motion.flown {
		part := 1.0
		if t := clamp(float64(s.Motion.now-f.began) / float64(flight)); !s.Motion.Still {
			part = t * t * (3 - 2*t) // ease in and out
		}
		all = append(all, Flight{f.From, f.To, f.Kind, part, f.alpha(s.Motion)})
	}
	return all
}

// fading is a changed cell, and how much of its time is left.
type fading struct {
	cell unit.NodeID
	left float64
}

func (m *Motion) changes() []fading {
	if m == nil {
		return nil
	}
	all := make([]fading, len(m.changed))
	for i, c := range m.changed {
		left := 1.0
		if !m.Still {
			t := clamp(float64(m.now-c.at) / float64(glows))
			left = float64((1-t)*(1-t)) * (1 - t)
		}
		all[i] = fading{c.cell, left}
	}
	return all
}

// messages returns the nodes to which a message was just sent.
func (m *Motion) messages() []fading {
	if m == nil {
		return nil
	}
	all := make([]fading, len(m.contacted))
	for i, c := range m.contacted {
		left := 1 - clamp(float64(m.now-c.at)/float64(pulses))
		all[i] = fading{c.cell, float64(left * left)} // ease out
	}
	return all
}

// failedFor returns the progress of a rack's failing, 0 to 1; 1 if motion is reduced. The rack must be down.
func (m *Motion) failedFor(block int) float64 {
	if m == nil || m.Still {
		return 1
	}
	return math.Min(1, float64(m.now-m.failing[block])/float64(fails))
}

type wiping struct {
	block int
	part  float64
}

func (m *Motion) healing() []wiping {
	if m == nil || m.Still {
		return nil
	}
	all := make([]wiping, len(m.healed))
	for i, h := range m.healed {
		all[i] = wiping{h.block, clamp(float64(m.now-h.at) / float64(heals))}
	}
	return all
}

// failed returns the indices in Layout.Blocks of the racks without a cell that is up; nil if the layout has one block
// or no pitch, or if no layer has the states.
func (s *Scene) failed() []int {
	pitch := s.Layout.Pitch
	states, marks := s.states()
	if states == nil || pitch.Width < 1 || pitch.Height < 1 || len(s.Layout.Blocks) < 2 {
		return nil
	}
	across := (s.Layout.Columns + pitch.Width) / (pitch.Width + 1)
	up := make([]bool, len(s.Layout.Blocks))
	for cell := range min(len(states), len(s.Layout.X), len(s.Layout.Y)) {
		block := int(s.Layout.Y[cell])/(pitch.Height+1)*across + int(s.Layout.X[cell])/(pitch.Width+1)
		if block < len(up) && marks[states[cell]] != Down {
			up[block] = true
		}
	}
	var all []int
	for block, is := range up {
		if !is {
			all = append(all, block)
		}
	}
	return all
}

// states returns the state of each cell and the mark of each state; nil if there is no layer of states.
func (s *Scene) states() (states []byte, marks [256]Mark) {
	for i, layer := range s.Layers {
		if layer.ID == "state" {
			states, marks = s.layer(i), stateMarks(layer.Names)
		}
	}
	return states, marks
}
