package play_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/play"
	"parley/core/play/files"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/unit"
)

// TestScripts plays what testdata says:
//
//	clock tick=100us            the clock moves by so much whenever somebody looks at it
//	file NAME                   a file with the rows below; broken: it ends with an error
//	open [play] [at=1m] [files=a,b] [end] [any]   a scenario; end: it says itself when it ends; any: nobody chose its system for the files
//	play | pause | step | cancel | speed 600 | seek 10m
//	down n4                     the node crashes, as if somebody had clicked
//	slices 10                   so many slices
//	await idle | opened | …     slices until there is nothing to do, or this is heard
//	wait 2s                     real time passes, in steps of 5 ms, with slices between
//	explain n4                  ask why its first task is there; nothing: never mind
//	state
//
// and prints what the listener heard, equal things once with their number.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		h := &house{files: map[string]trace.File{}, tick: 100 * time.Microsecond}
		h.player = play.New(h.now, run.Systems(), files.Reader{}, h.hear)
		return h.do
	})
}

// most bounds the slices of one command.
const most = 100_000

type house struct {
	player *play.Player
	files  map[string]trace.File
	clock  time.Duration
	tick   time.Duration
	heard  []string
	kinds  []play.Kind // heard since a slice began
}

func (h *house) now() time.Duration {
	h.clock += h.tick
	return h.clock
}

var kinds = [...]string{"waiting", "opened", "moved", "stood", "ended", "cancelled", "refused", "broke", "searching", "answered"}

func (h *house) hear(e play.Event) {
	h.kinds = append(h.kinds, e.Kind)
	text := kinds[e.Kind]
	switch {
	case e.Err != nil:
		text += ": " + e.Err.Error()
	case e.Kind == play.Answered:
		d := e.Answer.Decision
		text += fmt.Sprintf(": to node %d at %v, %d candidates, %s", d.To, d.At, len(d.Candidates), d.Rule)
	case e.Kind == play.Waiting:
		text += " " + e.Progress.Phase
	case e.Kind == play.Ended || e.Kind == play.Opened:
		text += " at " + h.player.Run().Now().String()
	}
	if n := len(h.heard); n == 0 || h.heard[n-1] != text {
		h.heard = append(h.heard, text)
	}
}

func (h *house) do(t *testing.T, d *datadriven.TestData) string {
	word := func(i int) string { return d.CmdArgs[i].Key }
	p := h.player
	h.heard = nil
	switch d.Cmd {
	case "clock":
		h.tick = duration(t, d.CmdArgs[0].Vals[0])
	case "file":
		h.files[word(0)] = file(word(0), d.Input, d.HasArg("broken"))
	case "open":
		h.open(t, d)
	case "play":
		p.Play()
	case "pause":
		p.Pause()
	case "step":
		p.Step()
	case "cancel":
		p.Cancel()
	case "speed":
		var speed float64
		fmt.Sscan(word(0), &speed)
		p.SetSpeed(speed)
	case "seek":
		p.Seek(moment(t, word(0)))
	case "slices":
		var n int
		fmt.Sscan(word(0), &n)
		for range n {
			p.Slice(12 * time.Millisecond)
		}
	case "await":
		h.await(t, word(0))
	case "wait":
		for end := h.clock + duration(t, word(0)); h.clock < end; {
			h.clock += 5 * time.Millisecond
			p.Slice(12 * time.Millisecond)
		}
	case "explain":
		p.Explain(h.firstTask(t, word(0)))
	case "state":
		return h.state()
	case "down":
		p.Inject(scenario.Fault{Kind: "node_down", Target: "node." + strings.TrimPrefix(word(0), "n")})
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	if len(h.heard) == 0 {
		return "nothing\n"
	}
	return strings.Join(h.heard, "\n") + "\n"
}

func (h *house) open(t *testing.T, d *datadriven.TestData) {
	s, err := scenario.Parse([]byte(d.Input))
	if err != nil {
		t.Fatal(err)
	}
	o := play.Opening{Scenario: s, Play: d.HasArg("play"), HasEnd: d.HasArg("end"), Any: d.HasArg("any")}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "at":
			o.At = moment(t, a.Vals[0])
		case "files":
			for _, name := range a.Vals {
				o.Files = append(o.Files, h.files[name])
			}
		}
	}
	h.player.Open(o)
}

// await takes slices until one leaves nothing to do, or something is heard.
func (h *house) await(t *testing.T, subject string) {
	for range most {
		h.kinds = nil
		next := h.player.Slice(12 * time.Millisecond)
		if next == play.Idle || slices.ContainsFunc(h.kinds, func(k play.Kind) bool { return kinds[k] == subject }) {
			return
		}
	}
	t.Errorf("%d slices brought no %s", most, subject)
}

func (h *house) firstTask(t *testing.T, subject string) unit.TaskID {
	if subject == "nothing" {
		return unit.NoTask
	}
	var n unit.NodeID
	if _, err := fmt.Sscanf(subject, "n%d", &n); err != nil {
		t.Fatal(err)
	}
	for id := range h.player.Run().View().Tasks(n) {
		return id
	}
	t.Fatalf("%s has no task", subject)
	return unit.NoTask
}

func (h *house) state() string {
	p := h.player
	if p.Run() == nil {
		return "no run\n"
	}
	at := p.Run().Now()
	shown := at / unit.Second * unit.Second
	out := fmt.Sprintf("at %v of %v, nodes %d, down %d", shown, p.Run().Until(), p.Run().View().Nodes(), p.Run().View().Nodes()-p.Run().View().Totals().NodesUp)
	if p.Playing() {
		out += ", playing"
	}
	if p.Run().Done() {
		out += ", done"
	}
	for _, sentence := range p.Run().Choices() {
		out += "\n" + p.Run().Scenario().System + " " + string(p.Run().Scenario().Settings) + ": " + sentence
	}
	for _, f := range p.Files() {
		out += fmt.Sprintf("\n%s: %s, %d rows, %s…", f.File, f.Label, f.Rows, f.SHA256[:8])
	}
	return out + "\n"
}

func file(name, rows string, broken bool) trace.File {
	return trace.File{Name: name, Size: int64(len(rows)), Open: func() (io.ReadCloser, error) {
		var in io.Reader = strings.NewReader(rows + "\n")
		if broken {
			in = io.MultiReader(in, failing{})
		}
		return io.NopCloser(in), nil
	}}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func duration(t *testing.T, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func moment(t *testing.T, text string) unit.Time {
	d, err := scenario.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return unit.Time(d)
}

// However a run is played, it is the same run.
func TestPlayingChangesNothing(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","seed":7,"cluster":{"nodes":40},"until":"10m"}`))
	if err != nil {
		t.Fatal(err)
	}
	want, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := want.Advance(want.Until()); err != nil {
		t.Fatal(err)
	}
	for _, tick := range []time.Duration{30 * time.Microsecond, 300 * time.Microsecond, 2 * time.Millisecond} {
		var clock time.Duration
		p := play.New(func() time.Duration { clock += tick; return clock }, run.Systems(), nil, func(play.Event) {})
		p.Open(play.Opening{Scenario: s, At: 3 * unit.Minute, Play: true})
		for i := 0; p.Slice(12*time.Millisecond) != play.Idle; i++ {
			if i == 20 {
				p.Seek(unit.Minute) // back to the start and on again
			}
			p.SetSpeed(float64(i % 3 * 600))
		}
		if got := p.Run().Digest(); got != want.Digest() || p.Run().Now() != want.Until() {
			t.Errorf("with a clock of %v the digest is %v at %v, want %v", tick, got, p.Run().Now(), want.Digest())
		}
	}
}
