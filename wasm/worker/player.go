//go:build js && wasm

package main

import (
	"strconv"
	"syscall/js"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/wasm/bridge"
)

// player holds the run and plays it.
type player struct {
	run      *run.Run
	document *scenario.Scenario
	files    []trace.File
	list     []map[string]any // the files as the page is told of them
	playing  bool
	told     bool      // the end was told
	speed    float64   // simulated seconds a second wanted; 0: as fast as it goes
	seek     unit.Time // run up to here without regard to speed; -1: no
	resume   bool      // play after seeking
	node     unit.NodeID
	reading  *reading
	coming   *coming
	turn     *bridge.Turns
	pace     pace
	out      output
}

// keptNotes is how many notes of the agents the inspector can look back on.
const keptNotes = 20_000

func newPlayer() *player {
	p := &player{seek: -1, node: unit.NoNode}
	p.turn = bridge.NewTurns(p.slice)
	return p
}

// receive handles one message of protocol.ts's ToWorker.
func (p *player) receive(m js.Value) {
	switch m.Get("type").String() {
	case "open":
		p.open(m)
	case "play":
		p.playing = p.run != nil
		p.coming.play(true)
		p.pace.restart()
		p.turn.Ask()
	case "pause":
		p.playing = false
		p.coming.play(false)
		p.tell(true)
	case "step":
		p.step()
	case "speed":
		p.speed = max(0, m.Get("speed").Float())
		p.pace.restart()
	case "seek":
		p.seekTo(unit.Time(m.Get("at").Float()))
	case "inspect":
		p.node = unit.NodeID(m.Get("node").Int())
		p.tellNode()
	case "explain":
		p.explain(m.Get("task").String())
	case "negotiation":
		if p.run != nil {
			bridge.Post(map[string]any{"type": "story", "story": bridge.Value(p.run.Story(uint32(m.Get("ref").Int())))})
		}
	case "fault":
		if p.run != nil {
			if err := p.run.Inject(fault(m)); err != nil {
				bridge.Trouble(err)
			}
			bridge.Post(map[string]any{"type": "scenario", "scenario": bridge.Value(p.run.Scenario())})
			p.tell(true)
			p.turn.Ask()
		}
	case "cancel":
		p.cancel()
	case "frame":
		p.out.giveBack(m.Get("buffer"))
	}
}

// explain tells why a task is where it is.
func (p *player) explain(task string) {
	id, err := strconv.ParseUint(task, 10, 64)
	if err != nil || p.run == nil {
		return
	}
	d, err := p.run.Explain(unit.TaskID(id))
	if err != nil {
		bridge.Post(map[string]any{"type": "decision", "task": task, "why": err.Error()})
		return
	}
	bridge.Post(map[string]any{"type": "decision", "task": task, "decision": bridge.Value(d)})
}

// fault reads a fault message; Inject checks it.
func fault(m js.Value) scenario.Fault {
	f := scenario.Fault{Kind: m.Get("kind").String(), Target: m.Get("target").String()}
	if v := m.Get("value"); v.Type() == js.TypeNumber {
		f.Value = v.Float()
	}
	return f
}

// open replaces the run, after its files were read once from end to end.
func (p *player) open(m js.Value) {
	text := js.Global().Get("JSON").Call("stringify", m.Get("scenario")).String()
	s, err := scenario.Parse([]byte(text))
	if err != nil {
		bridge.Trouble(err)
		return
	}
	p.abandon()
	p.coming = nil
	want := opening{document: s, play: m.Get("play").Bool(), at: -1}
	want.ends = len(s.Workload.Trace) > 0 && m.Get("scenario").Get("until").Type() == js.TypeString
	if at := m.Get("at"); at.Type() == js.TypeNumber {
		want.at = unit.Time(at.Float())
	}
	if list := m.Get("files"); list.Type() == js.TypeObject && list.Length() > 0 {
		p.reading = read(p, want, list)
		return
	}
	p.start(want, nil, nil)
}

// opening is a run that is asked for.
type opening struct {
	document *scenario.Scenario
	play     bool
	at       unit.Time // -1: the beginning
	ends     bool      // the document was made for its files and says when
}

// start makes the run and shows it. Where that fails the old run goes on.
func (p *player) start(want opening, files []trace.File, list []map[string]any) {
	r, err := openRun(want.document, files)
	if err != nil {
		bridge.Trouble(err)
		return
	}
	p.coming = &coming{run: r, want: want, files: files, list: list, began: bridge.Now()}
	p.turn.Ask()
}

func openRun(s *scenario.Scenario, files []trace.File) (*run.Run, error) {
	if len(files) == 0 {
		return run.Open(s, nil, run.KeepNotes(keptNotes))
	}
	source, err := run.OpenTrace(s, files, formats.All, trace.Options{SkipBadRows: s.Workload.SkipBadRows})
	if err != nil {
		return nil, err
	}
	return run.Open(s, source, run.KeepNotes(keptNotes))
}

// seekTo runs to a time; back means again from the start.
func (p *player) seekTo(at unit.Time) {
	if p.run == nil {
		return
	}
	at = max(1, min(at, p.run.Until()))
	play := p.playing
	if p.seek >= 0 {
		play = p.resume
	}
	if at < p.run.Now() {
		p.start(opening{document: p.run.Scenario(), play: play, at: at}, p.files, p.list)
		return
	}
	p.seek, p.resume, p.playing = at, play, false
	p.turn.Ask()
}

func (p *player) step() {
	if p.run != nil {
		p.playing = false
		p.advance((p.run.Now()/run.SampleStep + 1) * run.SampleStep)
		p.tell(true)
	}
}

// cancel ends reading files, or a seek where it is.
func (p *player) cancel() {
	if p.reading != nil {
		p.abandon()
		bridge.Post(map[string]any{"type": "cancelled"})
	} else if p.coming != nil {
		p.coming = nil
		bridge.Post(map[string]any{"type": "cancelled"})
		p.turn.Ask()
	} else if p.seek >= 0 {
		p.seek = -1
		bridge.Post(map[string]any{"type": "cancelled"})
		p.tell(true)
	}
}

// abandon lets go of files that are being read; the reading ends by itself at
// its next breath.
func (p *player) abandon() {
	if p.reading != nil {
		p.reading.stopped = true
		p.reading = nil
	}
}

// slice advances the run for a few milliseconds and asks for the next turn.
func (p *player) slice() {
	if p.coming != nil {
		p.bring()
		return
	}
	if p.run == nil || p.run.Done() && p.seek < 0 {
		p.tell(false)
		return
	}
	switch {
	case p.seek >= 0:
		p.pace.run(p.run, p.seek, p.advance)
		if p.run.Now() >= p.seek || p.run.Done() {
			p.seek = -1
			p.playing = p.resume
			p.pace.restart()
			p.tell(true)
		} else {
			p.tellSeeking()
		}
	case p.playing:
		p.pace.run(p.run, p.pace.target(p.run.Now(), p.speed), p.advance)
	default:
		return
	}
	p.tell(false)
	if !p.run.Done() {
		p.turn.Ask()
	}
}

// advance runs to a time and tells what went wrong, if anything.
func (p *player) advance(to unit.Time) {
	wasDone := p.run.Done()
	if err := p.run.Advance(to); err != nil && !wasDone {
		bridge.Broken(err)
	}
	if p.run.Done() && !p.told {
		p.told = true
		p.playing = false
		p.tell(true)
		bridge.Post(map[string]any{"type": "ended", "digest": p.run.Digest().String(), "report": bridge.Value(p.run.Report())})
	}
}
