package remote

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"parley/core/cluster"
	"parley/core/message"
	"parley/core/metric"
	"parley/core/run/inspect"
	"parley/core/system"
	"parley/core/unit"
)

// output is the sent part of the run's state, with the times of sending.
type output struct {
	flying    int // frames under way
	frameAt   time.Duration
	statusAt  time.Duration
	scratch   []byte
	sent      int                // samples sent
	events    int                // of the timeline, sent
	lastAt    unit.Time          // when the last sample was taken
	nodes     int                // cells of the layout that was sent
	zones     []inspect.Zone     // likewise
	incidents []inspect.Incident // as they were sent
	accounts  []system.Account   // likewise
	graphs    []system.GraphTask
	graph     drawn // the task graph that the page shows
}

// How often the page is notified, and how many frames may be under way.
const (
	frameEvery     = 40 * time.Millisecond
	statusEvery    = 250 * time.Millisecond
	maxFlying      = 2
	latestLines    = 60
	latestCounted  = 24
	listedAccounts = 80 // of those with the largest turnover
	maxCards       = 64 // more have no room on a stage
)

// tell posts the messages that are due; all of them if always is set. During a seek frames are as
// rare as figures, so that they do not delay it.
func (r *Remote) tell(always bool) {
	o, t, pause := &r.out, r.host.Clock(), frameEvery
	if r.player.Seeking() {
		pause = statusEvery
	}
	due := always || t-o.statusAt >= statusEvery
	if n := r.player.Run().View().Nodes(); n != o.nodes && due {
		o.nodes = n
		r.host.Post(message.NewLayout{Layout: r.layout()})
	}
	if always || t-o.frameAt >= pause && o.flying < maxFlying {
		o.frameAt = t
		r.tellFrame(always)
	}
	if due {
		o.statusAt = t
		r.tellColumns()
		r.tellStatus()
		r.tellCourse()
		r.tellNode()
		r.tellScores(false)
		r.tellCards()
		r.tellLines()
		r.tellIncidents()
		r.tellAccounts()
		r.tellGraphs()
		r.tellGraph(always)
	}
}

// tellIncidents posts all incidents if any has changed since the last message.
func (r *Remote) tellIncidents() {
	if now := r.player.Run().Incidents(); !slices.Equal(now, r.out.incidents) {
		r.out.incidents = now
		r.host.Post(Incidents{Incidents: now})
	}
}

// tellAccounts posts the accounts of parties if they have changed.
func (r *Remote) tellAccounts() {
	if now, rest := r.player.Run().Accounts(listedAccounts); !slices.Equal(now, r.out.accounts) {
		r.out.accounts = now
		r.host.Post(Accounts{Accounts: now, Rest: rest})
	}
}

// tellOpened posts the description of the run that was opened. Settings are sent only for a user's program:
// those of other systems are in Ready.
func (r *Remote) tellOpened() {
	run := r.player.Run()
	r.out.nodes = run.View().Nodes()
	var settings json.RawMessage
	if d := run.System(); d.Program {
		settings, _ = json.Marshal(d.Settings) // texts, bools and numbers
	}
	r.host.Post(message.Opened{
		Settings: settings,
		Scenario: document(run.Scenario()), HasMachines: run.HasMachines(), Shape: run.Shape(),
		Choices: append([]string{}, run.Choices()...), Layers: run.Layers(), Layout: r.layout(),
		Files: append([]message.FileSummary{}, r.player.Files()...),
	})
}

// tellBranches posts the branches of the run, and the scenario of the current one.
func (r *Remote) tellBranches() {
	all, current := r.player.Branches()
	out := message.Branches{Current: current}
	for _, b := range all {
		out.Branches = append(out.Branches,
			message.Branch{
				Parent: b.Parent, At: b.At, Act: b.Act.Kind, Target: b.Act.Target, Value: b.Act.Value,
				Shared: b.Shared, Head: b.Head, Scenario: document(r.player.Scenario(b)),
			})
	}
	r.host.Post(out)
	r.host.Post(message.NewScenario{Scenario: document(r.player.Run().Scenario())})
}

// layout arranges the nodes in the room of the page and returns the message about it. It sets the layout and the
// zones that later pictures use.
func (r *Remote) layout() message.Layout {
	run := r.player.Run()
	l, groups := run.LayoutIn(r.room.Width, r.room.Height, max(1, r.room.MaxCell), r.room.Group)
	out := message.Layout{
		Columns: l.Columns, Rows: l.Rows, Blocks: make([]message.Block, len(l.Blocks)),
		X: message.Uint16s(l.X), Y: message.Uint16s(l.Y), Rack: message.Int32s(run.View().Racks()),
		Pitch: message.Pitch(l.Pitch), Groups: groups, NoRacks: run.NoRacks(),
	}
	r.picture.scene.Layout = l
	r.out.zones = run.Zones()
	for _, z := range r.out.zones {
		out.Zones = append(out.Zones, message.Zone{Name: z.Name, Rack: z.Rack})
	}
	for i, b := range l.Blocks {
		out.Blocks[i] = message.Block(b)
	}
	return out
}

// tellFrame posts the picture. Post must have copied the buffer when it returns, because the next call
// overwrites it. The frame counts as under way until the page acknowledges it with message.Frame.
func (r *Remote) tellFrame(always bool) {
	r.out.scratch = r.player.Run().Frame(r.out.scratch[:0], r.look(always)...)
	r.out.flying++
	r.host.Post(message.Frame{Buffer: message.Buffer(r.out.scratch)})
	r.follow(always)
}

// tellColumns posts the samples since the last message. All of them are sent again with Reset if the table has become
// shorter or has merged rows: then the time at the place of the last sent sample differs. Before the first sample
// each call posts an empty Reset.
func (r *Remote) tellColumns() {
	o, t := &r.out, r.player.Run().Table()
	n, reset := len(t.Rows), o.sent == 0
	if o.sent > n || o.sent > 0 && t.At[o.sent-1] != o.lastAt {
		o.sent, reset = 0, true
	}
	if n == o.sent && !reset {
		return
	}
	from, described := o.sent, t.Columns()
	kept := t.Kept()
	columns := make([]message.Column, len(kept))
	for k, c := range kept {
		values := make([]float64, n-from)
		for i := range values {
			values[i] = t.Value(from+i, c)
		}
		columns[k] = message.Column{
			ID: described[c].ID, Name: described[c].Name, Unit: described[c].Unit,
			Values: values,
		}
	}
	o.sent = n
	if n > 0 {
		o.lastAt = t.At[n-1]
	}
	r.host.Post(message.Columns{Reset: reset, At: append([]unit.Time{}, t.At[from:]...), Columns: columns})
}

// tellStatus posts the figures of the run at this moment, and the kept snapshots to the host.
func (r *Remote) tellStatus() {
	run := r.player.Run()
	totals, nodes := run.View().Totals(), run.View().Nodes()
	row := metric.Row{}
	if n := len(run.Table().Rows); n > 0 {
		row = run.Table().Rows[n-1]
	}
	up := float64(totals.NodesUp)
	reached, possible, events := r.player.Rates()
	r.host.Snapshots(r.player.Kept())
	var zones []string
	var cards []message.ZoneCard
	for _, z := range r.out.zones {
		zones = append(zones, run.ZoneFigure(z))
		if card, has := run.ZoneCard(z); has {
			cards = append(cards, message.ZoneCard(card))
		}
	}
	r.host.Post(message.NewStatus{Status: message.Status{
		At: run.Now(), Until: run.Until(), Playing: r.player.Playing(), Ended: run.Done(), Seeking: r.player.Seeking(),
		Speed: r.player.Speed(), Slowed: r.player.Slowed(), Reached: reached, Possible: possible,
		Events: run.Events(), EventsPerSecond: events, Memory: r.host.Memory(), Digest: run.Digest().String(),
		Present: run.Present(), Zones: zones, Cards: cards,
		Counts: map[string]float64{
			"running": float64(totals.Running), "waiting": float64(totals.Waiting), "migrating": float64(totals.Migrating),
			"submitted": float64(totals.Submitted), "nodes": float64(nodes), "down": float64(nodes - totals.NodesUp),
			"overloaded": math.Round(row[metric.Overloaded] / 100 * up), "idle": math.Round(row[metric.Idle] / 100 * up),
			"migrations": float64(totals.Migrations), "migrated_mb": float64(totals.Moved) / float64(unit.MB),
		},
	}})
}

// tellCourse posts the events of the timeline since the last message, five numbers each: time, kind, node, group
// and value. Reset means that they are the first.
func (r *Remote) tellCourse() {
	run := r.player.Run()
	events, whole := run.Timeline()
	from := r.out.events
	if r.out.events = len(events); from == len(events) {
		return
	}
	kinds := []string{}
	for k := cluster.Kind(0); k <= cluster.SubtaskWithdrawn; k++ {
		kinds = append(kinds, k.String())
	}
	numbers := make([]float64, 0, 5*(len(events)-from))
	for _, e := range events[from:] {
		numbers = append(numbers, float64(e.At), float64(e.Kind), float64(e.Node), float64(e.Group), e.Value)
	}
	r.host.Post(message.Course{
		Reset: from == 0, Whole: whole, Kinds: kinds, Marks: message.Float64s(numbers),
		Figures: run.Report().System,
	})
}

// tellNode posts the report of the inspected node, if there is one. If a task is followed, its node is inspected.
// After an error the inspection ends.
func (r *Remote) tellNode() {
	run := r.player.Run()
	if r.node == unit.NoNode || run == nil {
		return
	}
	followed, err := r.following(run.View())
	if err == nil {
		var report inspect.NodeReport
		if report, err = run.Inspect(r.node); err == nil {
			r.host.Post(Node{Report: report, Followed: followed})
			return
		}
	}
	r.node, r.followed = unit.NoNode, nil
	r.refuse("setting", err)
}

// following makes the node of the followed task the inspected one, and returns the task's state; nil if no task
// is followed. A task that has ended, or whose ID has another name now, has the state "".
func (r *Remote) following(v cluster.View) (*message.Followed, error) {
	if r.followed == nil {
		return nil, nil
	}
	id, err := taskID(r.followed.Task)
	if err != nil {
		return nil, err
	}
	out := message.Followed{Task: r.followed.Task, Name: r.followed.Name, To: unit.NoNode}
	if t, here := v.Task(id); here && t.Key.TaskName() == out.Name {
		out.State, out.To = t.State.String(), t.Target
		if t.Node != unit.NoNode {
			r.node = t.Node
		}
	}
	return &out, nil
}

// tellCards posts the cards of the nodes that the page asked for, maxCards at most, with their tasks. With Hold,
// tasks keep their places in the list. It also puts the cards into the scene.
func (r *Remote) tellCards() {
	run := r.player.Run()
	if len(r.near.Nodes) == 0 || run == nil {
		return
	}
	out, before := message.Cards{Cards: []message.Card{}, Task: r.near.Task}, r.scene.Cards
	for _, n := range r.near.Nodes[:min(len(r.near.Nodes), maxCards)] {
		if n >= 0 && int(n) < run.View().Nodes() {
			card := Card(run.View(), n)
			if at := slices.IndexFunc(before, func(c message.Card) bool { return c.Node == n }); r.near.Hold &&
				at >= 0 {
				card.Tasks = held(before[at].Tasks, card.Tasks)
			}
			out.Cards = append(out.Cards, card)
		}
	}
	r.scene.Cards, r.scene.Task = out.Cards, out.Task
	r.host.Post(out)
}

// held returns the tasks of now in the order of before: one that is gone keeps its place and uses nothing, and
// new ones are last.
func held(before, now []message.CardTask) []message.CardTask {
	out := append([]message.CardTask{}, before...)
	for i := range out {
		out[i].Used = nil
	}
	for _, t := range now {
		at := 0
		for at < len(out) && out[at].ID != t.ID {
			at++
		}
		if at == len(out) {
			out = append(out, t)
		}
		out[at] = t
	}
	for i := range out {
		if out[i].Used == nil {
			out[i].Used = make([]float64, unit.Resources)
		}
	}
	return out
}

// tellLines posts the latest notes of the whole cluster.
func (r *Remote) tellLines() {
	if lines := r.player.Run().Lines(unit.NoNode, latestLines); len(lines) > 0 {
		r.host.Post(Lines{Lines: lines, Story: r.player.Run().Counted(latestCounted)})
	}
}
