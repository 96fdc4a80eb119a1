// Package remote controls a player by messages, as the page does with its worker. It decides
// which messages are sent, and how often. The program around it is a few lines and provides
// the clock, the thread and the transport.
//
//	r := remote.New(host, run.Systems(), files.Reader{})
//	r.Receive(m)
//	for wait := r.Turn(); wait >= 0; wait = r.Turn() {
//		sleep(wait)
//	}
package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"parley/core/choices"
	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/play"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/unit"
)

// Host is the program around a Remote.
type Host interface {
	Clock() time.Duration
	Post(message.Message)         // to the page, at once
	File(message.File) trace.File // the file of a message
	Bytes(*message.Binary) []byte // the buffer of a message
	Memory() int64                // bytes that the program holds
	Device() float64              // GB of memory that the device has; 0 if unknown
	Reserve(bytes int)            // memory that a run will need: one large allocation is faster
	Snapshots(bytes int)          // memory of the run's snapshots now, all without pointers
}

// The messages that speak of a run.
type (
	Ready     = message.Ready[system.Description]
	Node      = message.Node[inspect.NodeReport]
	Lines     = message.Lines[inspect.Line, inspect.Counted]
	Decision  = message.Decision[inspect.Decision]
	Incidents = message.Incidents[inspect.Incident]
	Story     = message.Story[inspect.Story]
	Accounts  = message.Accounts[system.Account]
	Graphs    = message.Graphs[system.GraphTask]
	Ended     = message.Ended[run.Report]
)

// sliceLength is how long a slice computes before messages get their turn.
const sliceLength = 12 * time.Millisecond

// Remote executes the page's requests to play.
type Remote struct {
	host     Host
	player   *play.Player
	files    play.Files
	out      output
	node     unit.NodeID         // that is inspected, or unit.NoNode
	followed *message.Followed   // the task whose node it is; nil: of none
	near     message.NearbyNodes // whose tasks are shown
	lens     lens
	room     message.Extent
	picture
}

// New returns a Remote that runs systems and has said that it is ready. files may
// be nil.
func New(host Host, systems run.Registry, files play.Files) *Remote {
	r := &Remote{host: host, files: files, node: unit.NoNode}
	r.scene.Motion, r.pace.Budget = &r.motion, pictureCosts
	r.player = play.New(host.Clock, systems, files, r.hear)
	r.player.Keep(play.Room(host.Device()))
	host.Post(Ready{Engine: run.Engine, Systems: systems.Descriptions(), Names: formulaNames()})
	return r
}

// Slice computes for some milliseconds and posts the messages that are due.
func (r *Remote) Slice() play.Next { return r.player.Slice(sliceLength) }

// ahead is the wait of a run that has caught up with real time.
const ahead = 4 * time.Millisecond

// idle is the result of Turn if there is nothing to do.
const idle time.Duration = -1

// Turn runs one slice and returns the delay before the next; a negative delay means: wait for a message.
func (r *Remote) Turn() time.Duration {
	switch r.Slice() {
	case play.Busy:
		return 0
	case play.Ahead:
		return ahead
	}
	wait := r.player.Settle()
	if next := r.settleMotion(); next > 0 && (wait <= 0 || next < wait) {
		return next
	}
	if wait > 0 {
		return wait
	}
	return idle
}

// Receive handles a message. It changes the player or posts an answer; most effects show only in the next Slice,
// so call Slice afterwards. Messages of other kinds are ignored.
func (r *Remote) Receive(m message.Message) {
	p := r.player
	switch m := m.(type) {
	case message.Open:
		r.open(m)
	case message.LookAtTable:
		if r.files != nil {
			r.host.Post(r.files.Table(r.host.File(m.File), m.Map))
		}
	case message.Play:
		p.Play()
	case message.Pause:
		p.Pause()
	case message.Step:
		p.Step()
	case message.Speed:
		p.SetSpeed(m.Speed)
	case message.SlowHealing:
		p.SetSlowHealing(m.On, m.Stretch)
	case message.Seek:
		p.Seek(m.At)
	case message.Switch:
		p.Switch(m.Branch)
	case message.Graph:
		r.out.graph = drawn{number: m.Number}
		r.tellGraph(true)
	case message.Inspect:
		r.node, r.followed = m.Node, m.Follow
		r.tellNode()
	case message.NearbyNodes:
		r.near = m
		if len(m.Nodes) == 0 {
			r.scene.Cards = nil
		}
		r.tellCards()
		r.paint()
	case message.Formulas:
		r.lens.ask(m)
		if p.Run() != nil {
			r.tellFrame(true)
			r.tellScores(true)
		}
	case message.Explain:
		r.explain(m.Task)
	case message.ReadStory:
		if run := p.Run(); run != nil {
			r.host.Post(Story{Story: run.Story(m.Ref)})
		}
	case message.Compare:
		r.host.Post(compare(m))
	case message.Fault:
		if run := p.Run(); run != nil {
			p.Inject(scenario.Fault{Kind: m.Fault, Target: m.Target, Value: m.Value})
			r.host.Post(message.NewScenario{Scenario: document(run.Scenario())})
		}
	case message.Cancel:
		p.Cancel()
	case message.Room:
		r.settle(m.Room)
	case message.Draw:
		r.draw(m)
	case message.Frame:
		r.out.flying = max(0, r.out.flying-1)
	}
}

// tabNodes is the greatest number of nodes in a tab: some 5 KB each with their tasks, of
// the 4 GB that WebAssembly can address (site/src/model/address.ts, TAB_NODES).
const tabNodes = 250_000

// Each node needs some 20 KB with all its records. maxReserved is the most memory that is
// reserved at once, so that phones can play too.
const (
	nodeBytes   = 20 << 10
	maxReserved = 256 << 20
)

// Needs returns how many bytes are reserved for a cell of a given number of nodes.
func Needs(nodes int) int { return min(nodes*nodeBytes, maxReserved) }

// open reads the scenario and the files of m, and lets the player open them; an error is posted. HasEnd is set
// if the scenario names a trace and writes until itself: otherwise the trace's end may replace the default.
func (r *Remote) open(m message.Open) {
	s, err := scenario.Parse(m.Scenario)
	if err != nil {
		r.refuse("setting", err)
		return
	}
	if s.Cluster.Nodes > tabNodes {
		r.refuse("setting", fmt.Errorf("cluster.nodes is %d: a tab has memory for %d; play a larger cell with parley run", s.Cluster.Nodes, tabNodes))
		return
	}
	var given struct{ Until *string }
	hasEnd := json.Unmarshal(m.Scenario, &given) == nil && given.Until != nil && len(s.Workload.Trace) > 0
	o := play.Opening{Scenario: s, HasEnd: hasEnd, Any: m.Any, At: m.At, Play: m.Play, Once: m.Once, Fork: m.Fork}
	for _, f := range m.Files {
		o.Files = append(o.Files, r.host.File(f))
	}
	if m.Choices != nil {
		// a damaged recording is not worth a word: the run searches
		o.Choices, _ = choices.Read(r.host.Bytes(m.Choices))
	}
	if m.Room != nil {
		r.room = *m.Room
	}
	r.host.Reserve(Needs(s.Cluster.Nodes))
	r.player.Open(o)
}

// explain asks the player for the decision about a task; the answer arrives as an event. An invalid number is
// refused, and unit.NoTask, which no run has, is answered at once.
func (r *Remote) explain(task string) {
	id, err := taskID(task)
	if err != nil {
		r.refuse("setting", err)
		return
	}
	r.player.Explain(id)
	if id == unit.NoTask {
		r.host.Post(Decision{Task: task}) // every request is answered
	}
}

// taskID parses a task ID of a message: a decimal number as text, because numbers of JavaScript cannot represent
// all IDs.
func taskID(text string) (unit.TaskID, error) {
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return unit.NoTask, errors.New("a task is known by its number, which " + strconv.Quote(text) + " is not")
	}
	return unit.TaskID(id), nil
}

// answer posts the answer to Explain, or, for an event Searching, the progress of the search for it.
func (r *Remote) answer(e play.Event) {
	m := Decision{Task: strconv.FormatUint(uint64(e.Answer.Task), 10), Decision: e.Answer.Decision}
	switch {
	case e.Err != nil:
		m.Reason = e.Err.Error()
	case e.Kind == play.Searching:
		m.Done, m.Of = e.Answer.At, e.Answer.Of
	}
	r.host.Post(m)
}

// hear converts an event of the player to messages. At Opened it also resets all that is known about the page's
// view of the last run.
func (r *Remote) hear(e play.Event) {
	switch e.Kind {
	case play.Waiting:
		r.host.Post(e.Progress)
	case play.Opened:
		r.node, r.followed, r.near, r.lens = unit.NoNode, nil, message.NearbyNodes{}, lens{}
		r.motion, r.scene.Layers = raster.Motion{Still: r.motion.Still}, r.player.Run().Layers()
		now := r.host.Clock()
		r.out = output{flying: r.out.flying, frameAt: now, statusAt: now}
		r.tellOpened()
	case play.Moved:
		r.tell(false)
	case play.Stood:
		r.tell(true)
	case play.Ended:
		run := r.player.Run()
		r.host.Post(Ended{Digest: run.Digest().String(), Report: run.Report()})
	case play.Cancelled:
		r.host.Post(message.Cancelled{})
	case play.Branched:
		r.tellBranches()
	case play.Searching, play.Answered:
		r.answer(e)
	case play.Refused:
		r.refuse("setting", e.Err)
	case play.Broke:
		r.refuse("engine", e.Err)
	}
}

// refuse posts an error in one sentence.
func (r *Remote) refuse(class string, err error) {
	r.host.Post(message.NewTrouble{Trouble: TroubleOf(class, err)})
}

// TroubleOf converts an error for the page. class is replaced if the error is one about a file or a program, which
// also has its place there.
func TroubleOf(class string, err error) message.Trouble {
	t := message.Trouble{Class: class, Sentence: err.Error()}
	var e *trace.Error
	if errors.As(err, &e) {
		t.Class, t.File, t.Line, t.Column = string(e.Kind), e.File, e.Line, e.Column
		if e.Column != "" {
			t.Value = e.Value
		}
	}
	var text system.TextError
	if errors.As(err, &text) {
		line, column := text.Place()
		t.Class, t.Line, t.Column = "program", int64(line), strconv.Itoa(column)
	}
	return t
}

// document writes a scenario.
func document(s *scenario.Scenario) json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}
