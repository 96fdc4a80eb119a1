package play_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/play"
	"parley/core/play/files"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/testkit/runtest"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// desk is a player whose clock moves by tick whenever somebody looks at it, and by hand.
type desk struct {
	*play.Player
	clock, tick time.Duration
	heard       []play.Event
	at          []time.Duration // when
}

func sit(t *testing.T, files play.Files) *desk {
	t.Helper()
	d := &desk{}
	d.Player = play.New(func() time.Duration { d.clock += d.tick; return d.clock }, run.Systems(), files, func(e play.Event) {
		d.heard, d.at = append(d.heard, e), append(d.at, d.clock)
	})
	return d
}

// open brings a run of a small cell, whose clock stands.
func (d *desk) open(t *testing.T, document string, o play.Opening) {
	t.Helper()
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	o.Scenario = s
	d.Open(o)
	for d.Run() == nil {
		d.Slice(time.Millisecond)
	}
	d.heard, d.at = nil, nil
}

// kinds lists what was heard, in order.
func (d *desk) kinds() (list []play.Kind) {
	for _, e := range d.heard {
		list = append(list, e.Kind)
	}
	return list
}

const small = `{"v":1,"system":"central","cluster":{"nodes":10},"until":"40h"}`

// A slice goes on in chunks of simulated time, a second at first: twice as long where
// one took less than a millisecond, half as long where it took more than four. One in
// which nothing happened is followed by a longer one, however long it took.
func TestChunks(t *testing.T) {
	doubled := unit.Time(0)
	for i := range 24 { // of half a millisecond each: 1, 2, 4 … 2,048 s, and then hours
		doubled += min(1<<i*unit.Second, unit.Hour)
	}
	for _, c := range []struct {
		tick  time.Duration
		nodes int         // with many, something happens in every chunk
		want  []unit.Time // the lengths of a few slices of 12 ms
	}{
		{time.Millisecond, 10, []unit.Time{12 * unit.Second, 12 * unit.Second}},
		{4 * time.Millisecond, 10, []unit.Time{3 * unit.Second, 3 * unit.Second}},
		{500 * time.Microsecond, 10, []unit.Time{doubled}},
		{5 * time.Millisecond, 3000, []unit.Time{1750 * unit.Millisecond}},
		{5 * time.Millisecond, 10, []unit.Time{7 * unit.Second}},
	} {
		d := sit(t, nil)
		d.open(t, strings.Replace(small, "10", strconv.Itoa(c.nodes), 1), play.Opening{Play: true})
		d.tick = c.tick
		for i, want := range c.want {
			before := d.Run().Now()
			if next := d.Slice(12 * time.Millisecond); next != play.Busy {
				t.Errorf("a slice at full speed leaves %v to do", next)
			}
			if got := d.Run().Now() - before; got != want {
				t.Errorf("where a chunk takes %v, slice %d went %v, want %v", c.tick, i, got, want)
			}
		}
	}
}

// At a speed a slice goes to where real time is, and says that it is ahead. After more
// than a quarter of a second without a slice it does not catch up with what it missed.
func TestSpeedFollowsRealTime(t *testing.T) {
	d := sit(t, nil)
	d.open(t, small, play.Opening{Play: true})
	d.SetSpeed(60)
	began := d.Run().Now()
	for _, step := range []struct {
		passes time.Duration
		want   unit.Time // simulated since the beginning
	}{
		{0, 0},
		{100 * time.Millisecond, 6 * unit.Second},
		{250 * time.Millisecond, 21 * unit.Second}, // just a quarter of a second
		{50 * time.Millisecond, 24 * unit.Second},
		{10 * time.Second, 39 * unit.Second}, // asleep: a quarter of a second, and on from there
		{100 * time.Millisecond, 45 * unit.Second},
		{200 * time.Millisecond, 57 * unit.Second},
	} {
		d.clock += step.passes
		next := d.Slice(12 * time.Millisecond)
		if got := d.Run().Now() - began; got != step.want || next != play.Ahead {
			t.Errorf("%v later it is at %v and says %v, want %v and ahead", step.passes, got, next, step.want)
		}
	}
	d = sit(t, nil)
	d.open(t, small, play.Opening{Play: true})
	d.SetSpeed(60)
	d.Slice(12 * time.Millisecond)
	d.clock += 200 * time.Millisecond
	d.tick = 2 * time.Millisecond // six chunks of a second fill a slice
	if next := d.Slice(12 * time.Millisecond); next != play.Busy || d.Run().Now() != began+6*unit.Second {
		t.Errorf("a slice that comes to %v of 12 s says %v", d.Run().Now(), next)
	}
}

// The rates are those of the last half second: of all of it, and of what the slices in
// it took; here a slice of 248 looks at the clock, and two looks for a snapshot
// between two slices.
func TestRates(t *testing.T) {
	d := sit(t, nil)
	d.open(t, small, play.Opening{Play: true})
	d.tick = time.Millisecond
	d.Slice(248 * time.Millisecond)
	fired := d.Run().Events()
	if reached, possible, events := d.Rates(); reached != 0 || possible != 0 || events != 0 {
		t.Errorf("after a quarter of a second there are rates: %v, %v, %v", reached, possible, events)
	}
	d.Slice(248 * time.Millisecond) // from its first look to the last of this: half a second
	reached, possible, events := d.Rates()
	if math.Abs(reached-2*248/.502) > 1e-6 || possible != 248/.249 || math.Abs(events-float64(d.Run().Events()-fired)/.502) > 1e-6 {
		t.Errorf("reached %v, possible %v, %v events a second", reached, possible, events)
	}
	d.tick = 0
	for range 10 { // slices that take no time
		d.clock += 100 * time.Millisecond
		d.SetSpeed(60)
		d.Slice(12 * time.Millisecond)
	}
	if _, possible, _ := d.Rates(); !(possible < 1e9) {
		t.Errorf("%v seconds a second are possible", possible)
	}
}

// Half a second is enough, to the very nanosecond; if nothing happens in it the rates
// are taken all the same.
func TestRatesAreOfHalfASecond(t *testing.T) {
	d := sit(t, nil)
	d.open(t, small, play.Opening{Play: true})
	d.clock = time.Hour
	quarters := func(last time.Duration) (reached, events float64) {
		d.Slice(time.Second)
		d.clock += 250 * time.Millisecond
		d.Slice(time.Second)
		d.clock += last
		d.Slice(time.Second)
		reached, _, events = d.Rates()
		return reached, events
	}
	d.SetSpeed(60)
	if reached, events := quarters(250*time.Millisecond - 1); reached != 0 || events != 0 {
		t.Errorf("a nanosecond early the rates are %v and %v", reached, events)
	}
	if d.clock++; d.Slice(time.Second) != play.Ahead {
		t.Error("a slice at 60 s a second is not ahead")
	}
	if reached, _, events := d.Rates(); reached != 60 || events <= 0 {
		t.Errorf("after half a second the rates are %v and %v", reached, events)
	}
	d.SetSpeed(1e-6)
	if reached, events := quarters(250 * time.Millisecond); reached != 0 || events != 0 {
		t.Errorf("where nothing happens the rates are %v and %v", reached, events)
	}
}

// A seek that ends where the run stands changes nothing more: Opening.At of just its
// beginning.
func TestOpenAtTheBeginning(t *testing.T) {
	d := sit(t, nil)
	d.open(t, small, play.Opening{At: 1})
	if next := d.Slice(time.Millisecond); next != play.Idle || len(d.heard) > 0 {
		t.Errorf("a slice says %v and tells %v", next, d.kinds())
	}
}

// While a run starts, it is told ten times a second how far that is. A slice looks at
// the clock after every thousand records of the workload.
func TestStartIsToldOf(t *testing.T) {
	d := sit(t, nil)
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","cluster":{"nodes":1500},"until":"1h"}`))
	if err != nil {
		t.Fatal(err)
	}
	d.clock, d.tick = time.Hour, 25*time.Millisecond
	d.Open(play.Opening{Scenario: s})
	want := d.clock
	for d.Run() == nil {
		d.Slice(50 * time.Millisecond) // a look before, two between, one after
	}
	told := d.heard[:max(0, len(d.heard)-2)] // behind them it is opened and stands
	for i, e := range told {
		if want += 100 * time.Millisecond; e.Kind != play.Waiting || e.Progress.Phase != "starting" || d.at[i] != want {
			t.Errorf("event %d is %v at %v, want waiting at %v", i, e.Kind, d.at[i], want)
		}
	}
	if len(told) < 3 {
		t.Errorf("only %v was heard", d.kinds())
	}
}

// A search is told of when it has taken half a second, and ten times a second from
// then on. Beside a run that plays it has half of each slice. It begins at the snapshot
// before the decision, if there is one, and comes to the same decision as from the start.
func TestSearchIsToldOf(t *testing.T) {
	d := sit(t, nil)
	d.open(t, `{"v":1,"system":"central","seed":7,"cluster":{"nodes":600},"until":"1h"}`, play.Opening{})
	id, decided := lateAndForgotten(t, d)
	nearest := unit.Time(0)
	for _, at := range play.Times(d.Player) {
		if at <= decided {
			nearest = max(nearest, at)
		}
	}
	found := func() string {
		d.heard, d.at = nil, nil
		d.clock, d.tick = time.Hour, 20*time.Millisecond
		d.Explain(id)
		began, last := d.clock, time.Duration(0)
		for range 40 {
			d.Slice(20 * time.Millisecond) // a look before, one between, one after
		}
		for i, e := range d.heard {
			if e.Kind == play.Searching {
				if gap := d.at[i] - began - last; last == 0 && gap != 540*time.Millisecond || last > 0 && gap != 120*time.Millisecond {
					t.Errorf("a search in slices of 60 ms is told of %v later", gap)
				}
				last = d.at[i] - began
				if e.Answer.At < nearest {
					t.Errorf("it is at %v, and %v is a snapshot", e.Answer.At, nearest)
				}
			}
		}
		if last == 0 {
			t.Error("the search is never told of")
		}
		for d.tick = 0; d.heard[len(d.heard)-1].Kind != play.Answered; {
			d.Slice(time.Hour)
		}
		return fmt.Sprintf("%+v", *d.heard[len(d.heard)-1].Answer.Decision)
	}
	decision := found()
	play.WithoutPast(d.Player) // from here on the search is from the start
	nearest = 0
	if again := found(); again != decision {
		t.Errorf("from the start is found\n%s\nand from the snapshot\n%s", again, decision)
	}
	for _, playing := range []bool{false, true} {
		d.heard, d.at = nil, nil
		d.clock, d.tick = time.Hour, 20*time.Millisecond
		length := 60 * time.Millisecond // a look before, three between, one after: 100 ms
		if playing {
			d.SetSpeed(1e-6)
			d.Play()
			length *= 2
		}
		d.Explain(id)
		began := d.clock
		for range 30 {
			if next := d.Slice(length); next != play.Busy {
				t.Fatalf("a slice with a search says %v", next)
			}
		}
		var told []time.Duration
		for i, e := range d.heard {
			if e.Kind == play.Searching {
				told = append(told, d.at[i]-began)
				if e.Answer.Task != id || e.Answer.Of != decided {
					t.Errorf("told of is %+v", e.Answer)
				}
			}
		}
		if first := 500 * time.Millisecond; playing {
			// A slice takes 100 ms for the search and three looks for the run; the fourth is the first behind half a second.
			if len(told) != 27 || told[0] != 580*time.Millisecond || told[1] != 740*time.Millisecond {
				t.Errorf("beside a run that plays it is told of at %v", told)
			}
		} else if len(told) != 26 || told[0] != first || told[1] != first+100*time.Millisecond || told[25] != 3*time.Second {
			t.Errorf("it is told of at %v", told)
		}
	}
}

// lateAndForgotten lets a cell run for a while and most racks blink twice, whose tasks
// are placed anew: so many decisions that those of the other racks are forgotten. It
// returns the task there that was placed last.
func lateAndForgotten(t *testing.T, d *desk) (id unit.TaskID, decided unit.Time) {
	t.Helper()
	seek := func(at unit.Time) {
		for d.Seek(at); d.Slice(time.Second) != play.Idle; {
		}
	}
	seek(15 * unit.Minute)
	for i, kind := range []string{"rack_down", "rack_up", "rack_down", "rack_up"} {
		for rack := 2; rack < 12; rack++ {
			d.Inject(scenario.Fault{Kind: kind, Target: fmt.Sprintf("rack.%d", rack)})
		}
		seek(unit.Time(16+i) * unit.Minute)
	}
	for _, task := range everyTask(d.Run()) {
		if _, err := d.Run().Explain(task); errors.Is(err, inspect.ErrForgotten) {
			if at, _ := d.Run().Decided(task); at > decided {
				id, decided = task, at
			}
		}
	}
	if decided < unit.Minute {
		t.Fatalf("the latest that is forgotten was decided at %v", decided)
	}
	return id, decided
}

// shelf is a file of ten pieces, which are read one after the other.
type shelf struct{ left int }

func (f *shelf) Look(_ *scenario.Scenario, _ []trace.File, _ bool, progress func(trace.Progress) error) ([]message.FileSummary, error) {
	for ; f.left > 0; f.left-- {
		if err := progress(trace.Progress{Total: 1000}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (*shelf) Table(trace.File, string) message.Table { return message.Table{} }

func (*shelf) Open(*scenario.Scenario, []trace.File) (workload.Source, error) { return nil, nil }

// Files are read a slice at a time, three times as long as the run plays, and the rate is what was read by the time
// that it took.
func TestReadingIsToldOf(t *testing.T) {
	s, err := scenario.Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	f := &shelf{left: 20}
	d := sit(t, f)
	d.tick = 100 * time.Millisecond
	d.clock = time.Hour
	d.Open(play.Opening{Scenario: s, Files: []trace.File{{Name: "a"}}})
	began := d.clock + d.tick // its first look
	d.Slice(700 * time.Millisecond / 3)
	if f.left != 19 { // it stands in the second piece: looks at 100, 400 and 700 ms
		t.Errorf("%d of 20 pieces are left", f.left)
	}
	if got := d.kinds(); !slices.Equal(got, []play.Kind{play.Waiting, play.Waiting}) {
		t.Fatalf("a slice tells %v", got)
	}
	for i, e := range d.heard {
		if want := 1000 / (d.at[i] - d.tick - began).Seconds(); e.Progress.Files[0].Rate != want {
			t.Errorf("the rate is %v, want %v", e.Progress.Files[0].Rate, want)
		}
	}
}

// However slow the clock says that everything is, each slice reads a piece or plays on,
// and stretches without events are passed in few slices.
func TestSlowClockGetsOn(t *testing.T) {
	d := sit(t, &shelf{left: 20})
	d.tick = time.Minute
	s, err := scenario.Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	d.Open(play.Opening{Scenario: s, Files: []trace.File{{Name: "a"}}, Play: true})
	slices := 0
	for ; d.Run() == nil && slices < 1000; slices++ {
		d.Slice(time.Millisecond)
	}
	if d.Run() == nil {
		t.Fatalf("after %d slices nothing is opened", slices)
	}
	events := d.Run().Events()
	for slices = 0; d.Run().Now() < d.Run().Until() && slices < 1_000_000; slices++ {
		d.Slice(time.Millisecond)
	}
	if events = d.Run().Events() - events; !d.Run().Done() || slices > 10*int(events) {
		t.Errorf("%d slices for %d events, and it is done: %v", slices, events, d.Run().Done())
	}
}

// A large cell places a hundred thousand tasks in its first second: that is played in pieces, so
// that messages are answered meanwhile.
func TestFirstSecondOfALargeCell(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: plays a large cell")
	}
	var now time.Duration
	p := play.New(func() time.Duration { now += time.Millisecond; return now }, run.Systems(), files.Reader{}, func(play.Event) {})
	p.Open(play.Opening{Scenario: runtest.Parse(t, `{"v":1,"system":"negotiation","cluster":{"nodes":5000},"until":"1h"}`), At: unit.Minute})
	for p.Run() == nil {
		p.Slice(12 * time.Millisecond)
	}
	if p.Slice(12 * time.Millisecond); p.Run().Now() > 100*unit.Millisecond {
		t.Errorf("the first slice went to %v", p.Run().Now())
	}
}
