// Package system defines the contract between the laboratory and its schedulers: facts in,
// acts out, and timers.
//
// The contract contains no bid, no pack and no round, because schedulers share no step. A system
// receives every physical fact (System.On), acts on the cluster through Env.Acts, and sets timers
// with Env.Clock. Words of only some systems are in optional interfaces, such as
// ConversationSource. A system may publish its internal facts as Notes. Notes are for people and
// never decide anything.
//
// A system is created from a settings document that only it reads, and describes itself, so
// that no other package needs its name:
//
//	func Entry() system.Entry { return system.Entry{Description: describe(), New: New} }
package system

import (
	"encoding/json"
	"fmt"

	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/frame"
	"parley/core/rng"
	"parley/core/strict"
	"parley/core/unit"
	"parley/core/workload"
)

// System is a scheduler under study.
type System interface {
	// On receives one physical fact; facts arrive in the order they happened. It is never
	// called again before it returned; acts within it are reported afterwards.
	// An error stops the run: a lost race is not one.
	On(cluster.Event) error
}

// Failing is a System that can fail outside On, when its clock wakes it.
type Failing interface {
	// Err returns why the run cannot go on; nil if it can. It is asked after every step.
	Err() error
}

// Unsupported is an error of On whose cause is the request, not the engine: settings that do not
// suit the workload. It is a whole sentence that names an alternative, and it is reported without
// the event at which it was noticed.
type Unsupported string

// Error is the sentence.
func (m Unsupported) Error() string { return string(m) }

// TextError is an error in the text of a scenario's program.
type TextError interface {
	error
	// Place returns the line and the column, from 1; 0 if it is about no place.
	Place() (line, column int)
}

// Env is all that a system sees of the world.
type Env struct {
	Clock des.Clock
	View  cluster.View
	Acts  cluster.Acts // on work of the shapes that its Description suits; others are refused
	Rand  Rand
	Note  func(Note) // nil if notes are not wanted
	// Choices records the results of the system's searches, or replays recorded ones; nil: neither. A system
	// may use it where its searches cost most. Of replayed choices it remembers no reasons.
	Choices *choices.Log
	// Recording reports whether the decision about a task must be recorded; nil if none must. A run that is
	// made again for one answer listens to nothing else.
	Recording Recording
	// Source is the result of the system's own Workload or Files; nil if it has neither. A system may know more
	// of it than its records contain.
	Source workload.Source
	// Program is the text of the scenario's program; empty if it has none.
	Program string
	// Names are those of users, groups and queues, for settings that name them.
	Names *workload.Names
}

// Rand makes streams of random numbers: the same name gives the same fresh stream. It
// changes nothing, so that copies of a run share it.
type Rand func(name string) *rng.Stream

// Recording reports whether the decision about a task must be recorded. It has no side effects.
type Recording func(unit.TaskID) bool

// Wants reports whether somebody may ask for the decision about a task.
func (e *Env) Wants(id unit.TaskID) bool {
	return e.Note != nil || e.Recording != nil && e.Recording(id)
}

// Note is a fact that only the system knows: a message, a price, a score. Its system's NoteKinds
// define the fields of each Kind.
type Note struct {
	At          unit.Time
	Kind        uint8
	Minor       bool // a step among many: the log of its Ref shows it, that of the whole cluster does not
	Node, Other unit.NodeID
	Task        unit.TaskID
	Ref         uint32 // groups the notes of one negotiation, auction …; 0: of none
	Value       float64
	Subtasks    []int32  // of a graph, that it is about; nil if of none, never changed afterwards
	Details     []Detail // further fields, which NoteKinds names; never changed afterwards
}

// LayerSource is a System with heatmap layers of its own: Description.Layers.
type LayerSource interface {
	// FillLayer writes one byte a node into cells for the i-th of them.
	FillLayer(i int, cells []byte)
}

// DeviceSource is a System whose nodes have devices, such as GPUs, that jobs hold whole or in parts.
type DeviceSource interface {
	// DeviceLayer describes the first layer of frames: how much of a node's devices jobs hold.
	DeviceLayer() frame.Layer
	// FillDevices writes the devices of the first nodes, in their order, into d, whose slices it may use
	// again.
	FillDevices(d *frame.Devices, nodes int)
}

// Reporter is a System with figures of its own.
type Reporter interface {
	// Report returns the figures by the names that docs give, for JSON.
	Report() map[string]any
}

// Fairness is a System that knows the finish-time fairness of rigid jobs.
type Fairness interface {
	// Fairness returns it for a job that ends now; 0 if it is not known.
	Fairness(unit.JobID) float64
}

// MetricSource is a System with figures over time of its own:
// Description.Metrics. They are sampled with the physical ones, between events,
// and reports hold their time means.
type MetricSource interface {
	// Measure writes the present value of the i-th of them into values[i].
	Measure(values []float64)
}

// NoteFormatter is a System that puts its notes into words.
type NoteFormatter interface {
	// FormatNote returns one English sentence.
	FormatNote(Note) string
}

// AgentFault is a fault of a system's own parts: its agents and their mail. The physical faults of
// nodes and racks reach a system as events.
type AgentFault struct {
	Kind   string // a FaultKind's ID or Revert
	Target int    // the number in the fault's target; 0 if there is one only
	Value  float64
}

// FaultTarget is a System whose agents and messages can fail.
type FaultTarget interface {
	// Fail makes the fault happen now. Faults that mean nothing to the
	// system are ignored.
	Fail(AgentFault)
}

// TimelineEvent is one moment of a divisible load: the event, its worker, and the group of pieces
// to which the piece belongs.
type TimelineEvent struct {
	At    unit.Time
	Kind  cluster.Kind // LoadArrived, ChunkSent … ChunkLost, NodeDown, NodeUp
	Node  unit.NodeID
	Group uint32  // of ChunkSent, counted from 1; 0: of none
	Value float64 // work units of loads and chunks
}

// TimelineSource is a System that provides the events of a Gantt chart.
type TimelineSource interface {
	// Timeline returns the events since the beginning, in their order. It grows
	// at its end only, belongs to the system, and is empty unless somebody
	// listens to notes; whole is false when there were more than are kept.
	Timeline() (events []TimelineEvent, whole bool)
}

// WarningSource is a System that can report why its run means little.
type WarningSource interface {
	// Warnings returns one sentence a warning.
	Warnings() []string
}

// Auditor is a System with books of its own: claims, reservations, money. They are
// audited with the cluster's sums.
type Auditor interface {
	// Audit recomputes the system's accounts, or compares them with the cluster, and returns an
	// error if they disagree: that ends the run.
	Audit() error
}

// Messenger is a System of agents whose post faults can disturb.
type Messenger interface {
	// Messages returns how many messages were sent and how many got lost.
	Messages() (sent, lost int64)
}

// Decode reads a settings document strictly into settings, which holds the
// defaults: an unknown field or a wrong type is an error that names it. Settings that have
// a method Validate are checked with it.
func Decode(raw json.RawMessage, settings any) error {
	if err := strict.Part(raw, settings); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if s, checked := settings.(interface{ Validate() error }); checked {
		return s.Validate()
	}
	return nil
}
