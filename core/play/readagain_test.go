package play_test

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/play"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// tape is a recorded workload: a machine, and a task a second that needs no time. Each
// reading of it fails after its own number of tasks; 0: it does not fail.
type tape struct {
	tasks int
	tears []int
	read  int // of what was opened last
}

const taped = `{"v":1,"system":"central","workload":{"trace":[{"name":"tape"}]},"until":"2h"}`

var tapes = []trace.File{{Name: "tape"}}

func (p *tape) Look(*scenario.Scenario, []trace.File, bool, func(trace.Progress) error) ([]message.FileSummary, error) {
	return nil, nil
}

func (*tape) Table(trace.File, string) message.Table { return message.Table{} }

func (p *tape) Open(*scenario.Scenario, []trace.File) (workload.Source, error) {
	tear := 0
	if len(p.tears) > 0 {
		tear, p.tears = p.tears[0], p.tears[1:]
	}
	p.read = 0
	return &reel{tape: p, tear: tear}, nil
}

type reel struct {
	tape *tape
	tear int
}

func (r *reel) Next(to *workload.Record) error {
	switch n := r.tape.read; {
	case r.tear > 0 && n > r.tear:
		return errors.New("the tape is torn")
	case n > r.tape.tasks:
		return io.EOF
	case n == 0:
		*to = workload.Record{Kind: workload.NodeJoins, Node: workload.Node{Capacity: unit.Vec{1e6, 1e6}, Rack: -1, Site: -1}}
	default:
		*to = workload.Record{Kind: workload.TaskArrives, At: unit.Time(n) * unit.Second, Key: workload.Key{Job: uint64(n)}, Task: workload.Task{Lifetime: 1}}
	}
	r.tape.read++
	return nil
}

// A run that goes back in a recorded workload reads it again up to there, for a slice
// at a time, and tells how far the seek is. At 4,500 s that is the machine, 4,499 tasks
// and the one that comes next; it looks at the clock where a multiple of 1,024 records
// is left.
func TestReadsAgain(t *testing.T) {
	p := &tape{tasks: 6000}
	d := sit(t, p)
	d.open(t, taped, play.Opening{Files: tapes})
	d.minutes(75, 90) // 4,500 s and 5,400
	d.heard = nil
	d.tick = 100 * time.Millisecond
	d.Seek(80 * unit.Minute)
	var reads []int
	for d.Run().Behind() {
		before := p.read
		d.Slice(200 * time.Millisecond) // two looks
		reads = append(reads, p.read-before)
	}
	if want := []int{4501 - 3071, 2048, 1023}; !slices.Equal(reads, want) {
		t.Errorf("slices read so many records again: %v, want %v", reads, want)
	}
	told := 0
	for _, e := range d.heard {
		if w := e.Progress; e.Kind == play.Waiting && w.Phase == "seeking" && w.Done == float64(75*unit.Minute) && w.Total == float64(80*unit.Minute) {
			told++
		}
	}
	if told != len(reads) {
		t.Errorf("%d slices told %d times how far the seek is: %v", len(reads), told, d.kinds())
	}
	d.tick = 0
	for d.Slice(time.Hour) != play.Idle {
	}
	if d.Run().Now() != 80*unit.Minute {
		t.Errorf("the seek ends at %v", d.Run().Now())
	}
}

// If a recorded workload cannot be read again, the run stands where it went back to
// and says why.
func TestCannotReadAgain(t *testing.T) {
	d := sit(t, &tape{tasks: 6000, tears: []int{0, 2000}})
	d.open(t, taped, play.Opening{Files: tapes})
	d.minutes(75, 90)
	d.heard = nil
	d.Seek(80 * unit.Minute)
	d.Play()
	next := d.Slice(time.Hour)
	if next != play.Idle || d.Playing() || !slices.Equal(d.kinds(), []play.Kind{play.Opened, play.Broke, play.Moved}) {
		t.Fatalf("a slice says %v and tells %v", next, d.kinds())
	}
	if got := d.heard[1].Err.Error(); got != "the workload cannot be read again: the tape is torn" {
		t.Errorf("it says %q", got)
	}
	if next := d.Slice(time.Hour); next != play.Idle || d.Run().Now() != 75*unit.Minute {
		t.Errorf("the next slice says %v, at %v", next, d.Run().Now())
	}
}
