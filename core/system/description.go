package system

import (
	"encoding/json"
	"slices"
	"strings"

	"parley/core/frame"
	"parley/core/metric"
	"parley/core/workload"
)

// Description is all that the rest of the program knows of a system: the check
// of its settings, the page's form, charts, tabs and faults, and what `parley
// systems` prints come from here, so that no other package knows a system by name.
type Description struct {
	ID       string           `json:"id"`    // as scenarios spell it
	Name     string           `json:"name"`  // as people read it
	About    string           `json:"about"` // one sentence
	Paper    string           `json:"paper,omitempty"`
	Supports []workload.Shape `json:"supports"` // the work it can schedule; systems compare where they suit the same
	Provides Provides         `json:"provides,omitempty"`
	// it plays recorded acts, and nothing without their file: lists do not offer it
	Replays  bool      `json:"replays,omitempty"`
	Program  bool      `json:"program,omitempty"` // it plays the text of a scenario's program
	Settings []Setting `json:"settings"`
	Agents   []Role    `json:"agents"`
	// the kind of group that a note's Ref numbers: "negotiation", "round"; empty if it publishes no
	// notes
	Group string `json:"group,omitempty"`
	// its own figures over time, in the order of MetricSource.Measure
	Metrics []metric.Column `json:"metrics"`
	Figures []metric.Column `json:"figures,omitempty"` // the numbers of Reporter.Report
	// Sometimes are the names of those Figures that a report has under some settings only.
	Sometimes []string       `json:"-"`
	Charts    []metric.Chart `json:"charts"`              // of its own and the physical columns, the most telling first
	Omissions []Omission     `json:"omissions,omitempty"` // which figures say that something was late, lost or refused
	// the users' word for one of its nodes: "worker"; empty: "machine"
	Node string `json:"node,omitempty"`
	// racks mean nothing to it: pictures show its nodes in one block
	NoRacks bool `json:"noRacks,omitempty"`
	// the users' word for a zone of a ZoneSource: "site"; empty: it has none
	Zone string `json:"zone,omitempty"`
	// its paper has the classes of load: pictures and the overview show them
	Classes bool `json:"classes,omitempty"`
	Moves   bool `json:"moves,omitempty"` // it migrates tasks: pictures count moves
	// it sends tasks if there is no room: pictures count forced placements
	Forces bool        `json:"forces,omitempty"`
	Now    []Sentence  `json:"now,omitempty"`   // sentences about the present state, for the line above the map
	Story  []Happening `json:"story,omitempty"` // which of its notes the story counts, and in which words
	// the notes about the price of a fault; zero if it has none in credits
	Refund   Refund        `json:"-"`
	Layers   []frame.Layer `json:"layers"`             // its own, in the order of LayerSource.FillLayer
	Views    []View        `json:"views"`              // the most telling first
	Answers  []Answer      `json:"answers,omitempty"`  // the possible outcomes for candidates of a Decision
	Score    string        `json:"score,omitempty"`    // the meaning of the number beside a candidate; empty: a score
	Messages []string      `json:"messages,omitempty"` // the texts of its agents' messages in Decision.Messages
	Terms    []Term        `json:"terms,omitempty"`    // its words, beside Terms
}

// MarshalJSON writes lists that are empty as [], never as null.
func (d Description) MarshalJSON() ([]byte, error) {
	type plain Description
	p := plain(d)
	p.Supports, p.Settings, p.Agents = listed(p.Supports), listed(p.Settings), listed(p.Agents)
	p.Metrics, p.Charts, p.Layers, p.Views = listed(p.Metrics), listed(p.Charts), listed(p.Layers), listed(p.Views)
	return json.Marshal(p)
}

func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Omission describes how a figure over time shows that the system missed something: tasks that
// are late or lost, jobs that are refused.
type Omission struct {
	Column string         `json:"column"`       // of the physical ones or its own
	When   string         `json:"when"`         // of MissedAbove and MissedGrows
	Words  string         `json:"words"`        // before the number: "Auctions failed"
	Of     workload.Shape `json:"of,omitempty"` // the kind of work that it is about; empty: any
}

// Happening describes how the notes of one kind are counted in the story: "31 tasks moved".
type Happening struct {
	Kind uint8  `json:"kind"`          // Note.Kind
	One  string `json:"one"`           // the words after the number 1: "task moved"
	Many string `json:"many"`          // the words after any other number: "tasks moved"
	Look string `json:"look"`          // of Looks
	Sum  bool   `json:"sum,omitempty"` // the number is the sum of Note.Value; otherwise how many notes there are
}

// Refund names the kinds of note that report the cost of a fault in credits.
type Refund struct {
	Lost uint8 // Note.Kind: a sold unit of work cannot be delivered on a node that failed; Ref and Task name the unit
	Paid uint8 // Note.Kind: its price is given back; Ref and Task as before, Value in credits
}

// Looks are the symbols of happenings: something arrived, ended well, moved, was turned
// down, needs attention, or was lost.
var Looks = []string{"new", "good", "move", "no", "warn", "bad"}

// Sentence describes the state at any moment of a run, with its latest figures: "{running:task}
// running, {waiting} waiting." A column in braces is its number; with a noun, it agrees with that
// noun; with "%", it is a share in percent.
type Sentence struct {
	Words string         `json:"words"`
	Of    workload.Shape `json:"of,omitempty"` // the kind of work that it is about; empty: any
}

// Figures returns the columns that a sentence names, in their order.
func (s Sentence) Figures() (columns []string) {
	for _, part := range strings.Split(s.Words, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		name, _, _ = strings.Cut(name, ":")
		columns = append(columns, name)
	}
	return columns
}

// The sentences of every system of a kind of work.
var (
	TasksNow = Sentence{Words: "{running:task} running, {waiting} waiting.", Of: workload.ShapeTasks}
	JobsNow  = Sentence{Words: "{running:job} running, {waiting} waiting.", Of: workload.ShapeJobs}
)

// When a figure reports a miss: while it is above 0, or each time it has grown, by
// how much.
const (
	MissedAbove = "above"
	MissedGrows = "grows"
)

// The misses that every system of a kind of work has: more tasks wait than before,
// more rigid jobs do, and deadlines of task graphs passed before these were done.
var (
	TasksWait = Omission{
		Column: metric.Columns[metric.Waiting].ID, When: MissedGrows, Words: "More tasks wait",
		Of: workload.ShapeTasks,
	}
	JobsWait = Omission{
		Column: metric.Columns[metric.Waiting].ID, When: MissedGrows, Words: "More jobs wait",
		Of: workload.ShapeJobs,
	}
	DeadlineMissed = Omission{
		Column: metric.GraphColumns()[0].ID, When: MissedGrows, Words: "Deadlines missed",
		Of: workload.ShapeGraphs,
	}
)

// Answer is the outcome for a candidate of a Decision, for people.
type Answer struct {
	ID    string `json:"id"`    // as Candidate.Answer spells it
	Sign  string `json:"sign"`  // one letter: "✓"
	Words string `json:"words"` // unless Candidate.Why has more
}

// Chosen is the Candidate.Answer of the one that was taken, of every system.
const Chosen = "chosen"

// Provides defines which workload a system makes itself.
type Provides string

// A workload of a system's own is described by the scenario's workload.system.
const (
	ProvidesNothing   Provides = ""           // it has none
	ProvidesOnRequest Provides = "on_request" // where the scenario describes it
	ProvidesAlways    Provides = "always"     // also if the scenario omits it: a default
)

// View is a picture that the page has and only some systems can fill.
type View string

// The views.
const (
	ViewSequence View = "sequence" // the messages behind a decision
	ViewGantt    View = "gantt"    // TimelineSource's events
	ViewGraph    View = "graph"    // subtasks and their dependencies
	ViewAccounts View = "accounts" // AccountSource's: who owns and owes what
	ViewBids     View = "bids"     // ConversationSource's: the newest group of notes, live
	ViewZones    View = "zones"    // ZoneCardSource's, as the stage
)

// Role is a kind of agent, or a part shared by agents that faults can break.
type Role struct {
	ID      string      `json:"id"`                // "broker"
	Name    string      `json:"name"`              // of one: "broker"
	About   string      `json:"about"`             // its task, in words
	On      string      `json:"on,omitempty"`      // "node": one on each; empty: as many as the setting Setting
	Setting string      `json:"setting,omitempty"` // the setting with their number; empty: one
	Faults  []FaultKind `json:"faults"`            // that it knows, beside those of nodes and racks
}

// FaultKind is a fault that a system's agents know.
type FaultKind struct {
	ID        string `json:"id"`               // as scenarios spell it: "broker_down"
	Revert    string `json:"revert,omitempty"` // the kind that mends it; empty: the same with the value 0
	Was       string `json:"-"`                // as earlier versions spelled it, and Revert; still read
	WasRevert string `json:"-"`
	Name      string `json:"name"`             // on a button: "Crash"
	Repair    string `json:"repair,omitempty"` // on the button that mends it: "Restart"
	// the state of its target until then: "is down"; empty: its name and value suffice
	Label string `json:"label,omitempty"`
	// the kind of its targets: "broker" as in "broker.0", "rack", "node"; the word alone if there
	// is one only
	Target string `json:"target"`
	Unique bool   `json:"unique,omitempty"` // there is one target only
	Unit   string `json:"unit,omitempty"`   // of the value
	Value  *Range `json:"value,omitempty"`  // absent: it takes none; from 0 to 1 without a unit it is a share
	// Which names the kind of thing that the value numbers if the target has several and the value
	// selects one for ID and its revert: "auction". With the value 0, the system chooses.
	Which string `json:"which,omitempty"`
	// Setting is the id of the setting that the value takes the place of, if it is no
	// fault at all: see Live.
	Setting string `json:"setting,omitempty"`
}

// Live is the role of the settings that can be changed while the system runs: each is a FaultKind
// of the setting's name, so that a change has a time, is part of the scenario and begins another
// branch in the past. The system receives it by Fail.
func Live(settings []Setting, ids ...string) Role {
	role := Role{ID: "settings", Name: "settings", About: "what can be changed while it runs"}
	for _, s := range settings {
		if slices.Contains(ids, s.ID) {
			role.Faults = append(role.Faults, FaultKind{
				ID: LiveKind(s.ID), Name: s.Name, Target: role.ID, Unique: true,
				Unit: s.Unit, Value: s.Range, Setting: s.ID,
			})
		}
	}
	return role
}

// LiveKind is the kind of the fault that changes a setting: kinds have no points.
func LiveKind(id string) string { return strings.ReplaceAll(id, ".", "_") }

// Counts returns how many agents of a role a settings document asks for, and
// whether the description knows it: those on nodes are as many as these.
func (d Description) Counts(role Role, settings json.RawMessage) (n int, known bool) {
	if role.On != "" {
		return 0, false
	}
	if role.Setting == "" {
		return 1, true
	}
	for _, s := range d.Settings {
		if s.ID == role.Setting {
			x, ok := asNumber(s.in(settings))
			return int(x), ok
		}
	}
	return 0, false
}

// FollowsRecords reports whether a system with these settings puts tasks where the workload recorded them.
func (d Description) FollowsRecords(settings json.RawMessage) bool {
	return slices.ContainsFunc(d.Settings, func(s Setting) bool {
		chosen, is := s.in(settings).(string)
		return is && slices.Contains(s.Recorded, chosen)
	})
}

// HasSetting reports whether the settings have a field of that name.
func (d *Description) HasSetting(field string) bool {
	for i := range d.Settings {
		if id := d.Settings[i].ID; id == field || strings.HasPrefix(id, field+".") {
			return true
		}
	}
	return false
}

// Current returns how a kind of fault is spelled now that earlier versions spelled
// otherwise; others come back as they are.
func (d Description) Current(id string) string {
	for _, role := range d.Agents {
		for _, kind := range role.Faults {
			switch {
			case id == "":
			case id == kind.Was:
				return kind.ID
			case id == kind.WasRevert:
				return kind.Revert
			}
		}
	}
	return id
}

// Fault returns the kind of fault that has an id, or is undone by one, and the
// role that knows it.
func (d Description) Fault(id string) (kind FaultKind, role Role, known bool) {
	for _, role := range d.Agents {
		for _, kind := range role.Faults {
			if kind.ID == id || kind.Revert == id && id != "" {
				return kind, role, true
			}
		}
	}
	return FaultKind{}, Role{}, false
}
