package message

import (
	"encoding/json"

	"parley/core/frame"
	"parley/core/unit"
	"parley/core/workload"
)

// Open replaces the run; files replace the workload.
type Open struct {
	Scenario json.RawMessage `json:"scenario" ts:"Scenario"`
	// of the run's first moments, as core/choices writes them
	Choices *Binary `json:"choices,omitempty" ts:"ArrayBuffer"`
	Files   []File  `json:"files,omitempty"`
	// the system was not chosen for the files: if it cannot play them, another one does
	Any  bool      `json:"any,omitempty"`
	At   unit.Time `json:"at,omitempty"` // run up to here first
	Play bool      `json:"play"`
	Once bool      `json:"once,omitempty"` // the run is never rewound
	// the scenario is a fork: the number of its act, from 1, that began it; the acts before are its parent's
	Fork int     `json:"fork,omitempty"`
	Room *Extent `json:"room,omitempty"` // that its cells fill; none: of any shape
}

// Extent is a part of the screen, in pixels of the device.
type Extent struct {
	Width   int    `json:"width"` // 0: of any shape
	Height  int    `json:"height"`
	MaxCell int    `json:"maxCell"`         // the largest side of a cell
	Group   string `json:"group,omitempty"` // the grouping of nodes: "site", "machine", "attribute", "zone"; else racks
}

// Room sets the size of the stage and triggers a new layout.
type Room struct {
	Room Extent `json:"room"`
}

// Draw asks for a picture now, and with every frame from now on. Size in pixels of
// the device; 0 × 0: no more pictures.
type Draw struct {
	Width    int         `json:"width"`
	Height   int         `json:"height"`
	Scale    float64     `json:"scale"` // pixels of the device a CSS pixel
	Look     Look        `json:"look"`
	Camera   Camera      `json:"camera"`
	Cell     unit.NodeID `json:"cell"` // under the cursor; -1 if none
	Selected unit.NodeID `json:"selected"`
}

// Picture answers Draw: four bytes a pixel.
type Picture struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Buffer *Binary `json:"buffer" ts:"ArrayBuffer"`
	Moves  bool    `json:"moves"` // something on it is on its way, so another picture follows without a request
}

// Play resumes.
type Play struct{}

// Pause stops.
type Pause struct{}

// Step goes one sample step further and stands still.
type Step struct{}

// Speed is the speed wanted.
type Speed struct {
	Speed float64 `json:"speed"` // simulated seconds a second; 0: as fast as it goes
}

// SlowHealing sets whether time slows while a fault heals.
type SlowHealing struct {
	On      bool `json:"on"`
	Stretch bool `json:"stretch"` // and further in the first second
}

// Seek goes to a time, from the nearest snapshot before it.
type Seek struct {
	At unit.Time `json:"at"`
}

// Switch returns to another course of the run, at the present moment.
type Switch struct {
	Branch int `json:"branch"` // its number
}

// Branches are the courses of the run: the first, and those that began when somebody
// acted in the past of another.
type Branches struct {
	Branches []Branch `json:"branches"`
	Current  int      `json:"current"` // that is played
}

// Branch is one course of the run.
type Branch struct {
	Parent int       `json:"parent"` // -1: it is the first
	At     unit.Time `json:"at"`     // of the act that began it
	Act    string    `json:"act"`    // its kind, as scenarios spell it; "" of the first
	Target string    `json:"target"`
	Value  float64   `json:"value"`
	// acts that it has from its parent: the first ones of its scenario
	Shared   int             `json:"shared"`
	Head     unit.Time       `json:"head"`                   // how far it was played
	Scenario json.RawMessage `json:"scenario" ts:"Scenario"` // that makes it
}

// NearbyNodes asks for the cards of some nodes, and again with every sample until it asks for
// none.
type NearbyNodes struct {
	Nodes []unit.NodeID `json:"nodes"`
	Task  string        `json:"task,omitempty"` // the chosen one
	Hold  bool          `json:"hold,omitempty"` // tasks stay where they are listed: somebody points at one
}

// Formulas asks to look at all nodes through formulas, and again with every sample until
// both are empty.
type Formulas struct {
	Where string `json:"where"` // a condition: which nodes are kept; "": all of them
	// a number that fills the cells, as a layer after those of the run; "" for no layer
	Score string `json:"score"`
	// that formulas read, by its id; none: the newest one of the first node that has some
	Task string `json:"task,omitempty"`
}

// Inspect asks about a node, and again with every sample until it asks about -1.
type Inspect struct {
	Node unit.NodeID `json:"node"`
	// the node is that on which this task is; while it is on none, the last one
	Follow *Followed `json:"follow,omitempty"`
}

// Followed is a task that is followed, and its state.
type Followed struct {
	Task  string      `json:"task"`  // its id
	Name  string      `json:"name"`  // without it another course of the run could have another task under this id
	State string      `json:"state"` // "running"; "" if the cluster has no task of this id and name
	To    unit.NodeID `json:"to"`    // where it migrates to; -1
}

// Graph asks for the picture of a task graph, and again when it changes, until it asks
// about 0.
type Graph struct {
	Number uint32 `json:"number"`
}

// Explain asks why a task is where it is. If the decision is not in memory, a
// second run looks for it; another question ends that run.
type Explain struct {
	Task string `json:"task"` // its id; "0": never mind
}

// ReadStory requests the log of a group of notes, such as one negotiation.
type ReadStory struct {
	Ref uint32 `json:"ref"` // as a line names it
}

// Fault breaks or mends something now; it becomes part of the scenario.
type Fault struct {
	Fault  string  `json:"kind"`   // as scenarios spell it: "node_down"
	Target string  `json:"target"` // "node.4711", "rack.14", "broker.0", "mail"
	Value  float64 `json:"value,omitempty"`
}

// Cancel ends reading files, a start or a seek.
type Cancel struct{}

// Frame is a picture in the encoding of core/frame; spent, it comes back.
type Frame struct {
	Buffer *Binary `json:"buffer" ts:"ArrayBuffer"`
}

// Ready reports that the worker listens.
type Ready[System any] struct {
	Engine  string   `json:"engine"` // its version
	Systems []System `json:"systems"`
	Names   []Name   `json:"names,omitempty"` // that formulas over nodes may use
}

// Name is a column or a function of formulas.
type Name struct {
	Name  string `json:"name"` // of a function: how it is called
	Unit  string `json:"unit,omitempty"`
	About string `json:"about,omitempty"`
}

// Opened reports that another run was opened; it is at its start.
type Opened struct {
	Scenario    json.RawMessage `json:"scenario" ts:"Scenario"` // with the defaults filled in
	HasMachines bool            `json:"hasMachines"`            // the machines come with the workload
	Shape       workload.Shape  `json:"shape"`                  // the kind of work that comes
	// the choices made for the files, in sentences
	Choices  []string        `json:"choices"`
	Settings json.RawMessage `json:"settings,omitempty" ts:"Setting[]"` // of the scenario's program
	Layers   []frame.Layer   `json:"layers"`
	Layout   Layout          `json:"layout"`
	Files    []FileSummary   `json:"files"`
}

// NewLayout reports that nodes joined.
type NewLayout struct {
	Layout Layout `json:"layout"`
}

// FileSummary is a file that the run plays.
type FileSummary struct {
	File   string `json:"file"`
	Format string `json:"format"` // format and table: "google2011/task_events"
	Label  string `json:"label"`  // a name for people: "task events, part 0"
	SHA256 string `json:"sha256"` // of the stored bytes, 64 hex digits
	Rows   int64  `json:"rows"`
	Bad    int64  `json:"bad"` // rows that were passed over
	Bytes  int64  `json:"bytes"`

	// the rows left out and decisions about all files, in the first one's; sentences without their stops
	Notes []string `json:"notes"`
	Held  *Held    `json:"held,omitempty"` // the content of all files together, in the first one's
}

// Held describes the content of files and the counts of their rows.
type Held struct {
	Of         string      `json:"of"`   // the rows' noun: "jobs", "tasks", "rows"
	Rows       int64       `json:"rows"` // rows read, bad ones included
	Played     int64       `json:"played"`
	LeftOut    []HeldCount `json:"leftOut"`    // by reason
	Repaired   []HeldCount `json:"repaired"`   // decisions on incomplete rows
	Jobs       int64       `json:"jobs"`       // rigid jobs; 0: other work
	Processors int64       `json:"processors"` // that the files name
	First      unit.Time   `json:"first"`      // the first record about work; -1: there is none
	End        unit.Time   `json:"end"`        // the end of the work
}

// HeldCount counts the rows to which one rule was applied.
type HeldCount struct {
	About string `json:"about"` // for people: "never ran (run time 0 or unknown)"
	Count int64  `json:"count"`
	First string `json:"first,omitempty"` // the error in the first of them
}

// NewScenario is the scenario as it stands now: a fault was added.
type NewScenario struct {
	Scenario json.RawMessage `json:"scenario" ts:"Scenario"`
}

// Columns are the samples since the last time.
type Columns struct {
	Reset   bool        `json:"reset"` // the first ones of a run, or all of them again
	At      []unit.Time `json:"at"`
	Columns []Column    `json:"columns"`
}

// Column is a row of numbers that a chart draws against the sample times.
type Column struct {
	ID     string    `json:"id"`   // "overloaded_pct"
	Name   string    `json:"name"` // "Overloaded nodes"
	Unit   string    `json:"unit"` // "%", "MB", ""
	Values []float64 `json:"values"`
}

// NewStatus reports the state of the run.
type NewStatus struct {
	Status Status `json:"status"`
}

// Status is the state of a run and its speed.
type Status struct {
	At      unit.Time `json:"at"`
	Until   unit.Time `json:"until"` // where the run ends
	Playing bool      `json:"playing"`
	Ended   bool      `json:"ended"`
	Seeking bool      `json:"seeking,omitempty"` // on the way to a time that was asked for
	// wanted, simulated seconds a second; 0: as fast as it goes
	Speed float64 `json:"speed"`
	// simulated seconds a second at most, because a fault heals; 0: any
	Slowed          float64 `json:"slowed,omitempty"`
	Reached         float64 `json:"reached"`  // the same, measured over the last second
	Possible        float64 `json:"possible"` // simulated seconds a second of pure computing
	Events          uint64  `json:"events"`   // kernel events so far
	EventsPerSecond float64 `json:"eventsPerSecond"`
	Memory          int64   `json:"memory"` // bytes that the engine holds
	Digest          string  `json:"digest"` // 16 hex digits, of the run so far
	// of the figures in the system's sentence and charts, by column
	Present map[string]float64 `json:"present"`
	// the most important figure of each of Layout.Zones, in a few words; "" if there is none
	Zones []string `json:"zones,omitempty"`
	// the cards of Layout.Zones, of a system with the view "zones"
	Cards []ZoneCard `json:"cards,omitempty"`
	// running, waiting, submitted, migrating, overloaded, idle, down …
	Counts map[string]float64 `json:"counts"`
}

// Node answers Inspect.
type Node[Report any] struct {
	Report   Report    `json:"report"`
	Followed *Followed `json:"followed,omitempty"` // that Inspect follows
}

// Scored answers Formulas. If a formula is wrong, the last one that was right is used.
type Scored struct {
	Wrong []WrongFormula `json:"wrong"`
	// a byte for each node: 1 if the condition holds and the score is a number
	Keep *Binary `json:"keep" ts:"ArrayBuffer"`
	Kept int     `json:"kept"` // how many nodes have a 1 in Keep
	Low  float64 `json:"low"`  // the least score of these nodes
	High float64 `json:"high"` // and the greatest
	// the scores that 0 and 200 in the layer stand for; empty without a layer
	Ends []float64 `json:"ends"`
	Unit string    `json:"unit"`           // of scores: "a share of a machine"
	Task string    `json:"task,omitempty"` // the name of the task, if the formulas read one
	// nodes that are up and have room for that task, the highest score first
	Best []ScoredNode `json:"best"`
}

// WrongFormula reports the error in a formula.
type WrongFormula struct {
	Of       string `json:"of" ts:"\"where\" | \"score\""`
	Column   int    `json:"column"` // the character, from 1
	Sentence string `json:"sentence"`
}

// ScoredNode is a node with its score, and its use with the task there, as
// shares of the node.
type ScoredNode struct {
	Node  unit.NodeID `json:"node"`
	Score float64     `json:"score"`
	After []float64   `json:"after"`
}

// Lines are the newest notes of the whole cluster, and the groups that its story
// counts, both newest first.
type Lines[Line, Counted any] struct {
	Lines []Line    `json:"lines"`
	Story []Counted `json:"story"`
}

// Incidents are the latest faults of nodes with their outcomes, newest first.
type Incidents[Incident any] struct {
	Incidents []Incident `json:"incidents"`
}

// Progress reports how much of a long operation is done.
type Progress struct {
	Files []FileProgress `json:"files"`
	Phase string         `json:"phase" ts:"\"reading\" | \"seeking\" | \"starting\""`
	Done  float64        `json:"done"`  // bytes, µs, tasks
	Total float64        `json:"total"` // 0: unknown
}

// FileProgress is the file that is being read.
type FileProgress struct {
	File   string  `json:"file"`
	Format string  `json:"format"` // "" until detected
	Bytes  int64   `json:"bytes"`
	Total  int64   `json:"total"`
	Rate   float64 `json:"rate"` // bytes a second
	Rows   int64   `json:"rows"`
}

// Decision answers Explain. While a second run is on its way to it, there is neither
// a decision nor why there is none.
type Decision[Why any] struct {
	Task     string    `json:"task"` // its id
	Decision *Why      `json:"decision,omitempty"`
	Reason   string    `json:"why,omitempty"`  // why there is none
	Done     unit.Time `json:"done,omitempty"` // where the second run is
	Of       unit.Time `json:"of,omitempty"`   // where the decision was taken
}

// Story answers ReadStory.
type Story[Log any] struct {
	Story Log `json:"story"`
}

// Accounts lists the balances and debts of the system's parties.
type Accounts[Account any] struct {
	Accounts []Account `json:"accounts"`
	Rest     int       `json:"rest"` // parties left out
}

// Graphs are the task graphs that the system works on.
type Graphs[Task any] struct {
	Graphs []Task `json:"graphs"`
	Rest   int    `json:"rest"` // graphs left out
}

// GraphPicture answers Graph. The constant part is sent once: later Shape is false
// and Depth, From and To are empty.
type GraphPicture struct {
	Number uint32  `json:"number"`
	Over   bool    `json:"over"` // it is done, given up, or never was
	Shape  bool    `json:"shape"`
	Depth  *Binary `json:"depth" ts:"Int32Array"` // by subtask
	From   *Binary `json:"from" ts:"Int32Array"`  // by arc
	To     *Binary `json:"to" ts:"Int32Array"`    // likewise
	// by subtask: the node that has it; -1 if none; -2 - node: done there
	Agents *Binary `json:"agents" ts:"Int32Array"`
}

// Course has the new marks of a divisible load since the last message.
type Course struct {
	Reset bool     `json:"reset"` // the first marks of a run
	Whole bool     `json:"whole"` // false: there were more than are kept
	Kinds []string `json:"kinds"` // of marks, by number
	// five a mark: µs, kind, node, round from 1 (0 if none), work units
	Marks   *Binary        `json:"marks" ts:"Float64Array"`
	Figures map[string]any `json:"figures"` // the system's own, as the report has them
}

// NewTrouble reports an error; a running scenario is unaffected.
type NewTrouble struct {
	Trouble Trouble `json:"trouble"`
}

// Trouble describes an error in a file, link or setting: one sentence and its place.
type Trouble struct {
	// Class is that of a file, of a scenario ("setting"; "program": the text of its
	// program; "missing": it did not come) or of the engine ("engine": the run broke, the engine lives; "gone":
	// it did not start, or ended).
	Class    string `json:"class" ts:"\"unknown\" | \"bad-line\" | \"damaged\" | \"unreadable\" | \"too-large\" | \"empty\" | \"wrong-table\" | \"columns\" | \"no-tasks\" | \"setting\" | \"program\" | \"missing\" | \"engine\" | \"gone\""`
	Sentence string `json:"sentence"`
	File     string `json:"file,omitempty"`
	Line     int64  `json:"line,omitempty"`
	Column   string `json:"column,omitempty"`
	Value    string `json:"value,omitempty"`
}

// Cancelled answers Cancel.
type Cancelled struct{}

// Ended reports that the run is over.
type Ended[Report any] struct {
	Digest string `json:"digest"`
	Report Report `json:"report"`
}

func (Open) Kind() string         { return "open" }
func (LookAtTable) Kind() string  { return "lookattable" }
func (Table) Kind() string        { return "table" }
func (Play) Kind() string         { return "play" }
func (Pause) Kind() string        { return "pause" }
func (Step) Kind() string         { return "step" }
func (Speed) Kind() string        { return "speed" }
func (Seek) Kind() string         { return "seek" }
func (Switch) Kind() string       { return "switch" }
func (Branches) Kind() string     { return "branches" }
func (SlowHealing) Kind() string  { return "slow_healing" }
func (NearbyNodes) Kind() string  { return "nearby_nodes" }
func (Formulas) Kind() string     { return "formulas" }
func (Scored) Kind() string       { return "scored" }
func (Inspect) Kind() string      { return "inspect" }
func (Graph) Kind() string        { return "graph" }
func (Explain) Kind() string      { return "explain" }
func (ReadStory) Kind() string    { return "read_story" }
func (Fault) Kind() string        { return "fault" }
func (Cancel) Kind() string       { return "cancel" }
func (Room) Kind() string         { return "room" }
func (Draw) Kind() string         { return "draw" }
func (Picture) Kind() string      { return "picture" }
func (Frame) Kind() string        { return "frame" }
func (Ready[_]) Kind() string     { return "ready" }
func (Opened) Kind() string       { return "opened" }
func (NewLayout) Kind() string    { return "layout" }
func (NewScenario) Kind() string  { return "scenario" }
func (Columns) Kind() string      { return "columns" }
func (NewStatus) Kind() string    { return "status" }
func (Node[_]) Kind() string      { return "node" }
func (Lines[_, _]) Kind() string  { return "lines" }
func (Incidents[_]) Kind() string { return "incidents" }
func (Progress) Kind() string     { return "progress" }
func (Decision[_]) Kind() string  { return "decision" }
func (Story[_]) Kind() string     { return "story" }
func (Accounts[_]) Kind() string  { return "accounts" }
func (Graphs[_]) Kind() string    { return "graphs" }
func (GraphPicture) Kind() string { return "graphpicture" }
func (Course) Kind() string       { return "course" }
func (NewTrouble) Kind() string   { return "trouble" }
func (Cancelled) Kind() string    { return "cancelled" }
func (Ended[_]) Kind() string     { return "ended" }

func (m Open) parts() []*Binary {
	if m.Choices == nil {
		return nil
	}
	return []*Binary{m.Choices}
}
func (m Frame) parts() []*Binary     { return []*Binary{m.Buffer} }
func (m Picture) parts() []*Binary   { return []*Binary{m.Buffer} }
func (m Opened) parts() []*Binary    { return m.Layout.parts() }
func (m NewLayout) parts() []*Binary { return m.Layout.parts() }
func (m Scored) parts() []*Binary    { return []*Binary{m.Keep} }
func (m Course) parts() []*Binary    { return []*Binary{m.Marks} }
func (m GraphPicture) parts() []*Binary {
	return []*Binary{m.Depth, m.From, m.To, m.Agents}
}
func (l Layout) parts() []*Binary { return []*Binary{l.X, l.Y, l.Rack} }
