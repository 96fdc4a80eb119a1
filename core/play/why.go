package play

import (
	"errors"
	"time"

	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/unit"
)

// Answer explains why a task is on its node.
type Answer struct {
	Task     unit.TaskID
	Decision *inspect.Decision // nil: there is none, and the event's error says why
	At       unit.Time         // of Searching: where the second run is
	Of       unit.Time         // where the decision was taken
}

// search is a second run of the same scenario and files, up to a decision that the
// first does not remember. It listens to nothing but that, acts on nothing that the
// viewer sees, and is dropped when it has answered. Runs repeat exactly, so that it
// comes to the same decision.
type search struct {
	run        *run.Run
	task       unit.TaskID
	until      unit.Time
	began      time.Duration
	reportedAt time.Duration
}

// A search is reported when it has taken this long.
const searchPatience = 500 * time.Millisecond

// Explain requests the reason why a task is on its node. The event Answered follows, at
// once if the decision is remembered; otherwise when a second run has reached it, which
// advances a slice at a time beside the first. Another question, or unit.NoTask, cancels
// that search.
func (p *Player) Explain(id unit.TaskID) {
	p.search = nil
	if p.run == nil || id == unit.NoTask {
		return
	}
	d, err := p.run.Explain(id)
	if !errors.Is(err, inspect.ErrForgotten) {
		p.answer(id, d, err)
		return
	}
	at, _ := p.run.Decided(id)
	r, err := p.again(id, at)
	if err != nil {
		p.answer(id, d, err)
		return
	}
	p.search = &search{run: r, task: id, until: at, began: p.clock()}
}

// again returns a second run that will come to a decision: from the nearest snapshot
// before that, or from the start.
func (p *Player) again(id unit.TaskID, at unit.Time) (*run.Run, error) {
	if s := p.nearest(at, p.run.Scenario().Faults); s != nil {
		if r, _, err := p.restore(s, p.run.Scenario().Faults); err == nil {
			r.StopReplay()
			return r, nil
		}
	}
	again := p.from
	again.Scenario = p.run.Scenario()
	return p.open(again, run.AskAbout(id))
}

// searchOn plays the second run for a slice of the given length, and answers when it has come to the decision.
func (p *Player) searchOn(length time.Duration) {
	s, begin := p.search, p.clock()
	err := s.run.AdvanceWhile(s.until+1, func() bool { return p.clock()-begin < length })
	if err == nil && s.run.Now() <= s.until && !s.run.Done() {
		if t := p.clock(); t-s.began >= searchPatience && t-s.reportedAt >= tellEvery {
			s.reportedAt = t
			p.hear(Event{Kind: Searching, Answer: Answer{Task: s.task, At: s.run.Now(), Of: s.until}})
		}
		return
	}
	p.search = nil
	if err != nil {
		p.answer(s.task, inspect.Decision{}, err)
		return
	}
	d, err := s.run.Explain(s.task)
	p.answer(s.task, d, err)
}

func (p *Player) answer(id unit.TaskID, d inspect.Decision, err error) {
	a := Answer{Task: id, Decision: &d}
	if err != nil {
		a.Decision = nil
	}
	p.hear(Event{Kind: Answered, Err: err, Answer: a})
}
