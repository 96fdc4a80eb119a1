package sweeps

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"parley/core/study"
)

// ErrStopped means that the caller stopped the run.
var ErrStopped = errors.New("stopped")

// Failures are runs without a result. Other results are kept, and failed runs are tried again when
// the sweep continues.
type Failures struct {
	Runs  int
	First string // in the order of the sweep
	run   study.Run
}

func (f *Failures) add(s *study.Study, r study.Run, reason string) {
	if f.Runs++; f.Runs == 1 || cmp.Or(cmp.Compare(r.Cell, f.run.Cell), cmp.Compare(r.Seed, f.run.Seed)) < 0 {
		f.run, f.First = r, fmt.Sprintf("%s, seed %d: %s", describe(s, r), r.Seed, reason)
	}
}

// Error implements error.
func (f *Failures) Error() string {
	return fmt.Sprintf("runs that failed: %d, the first: %s", f.Runs, f.First)
}

// Player plays the missing runs of a sweep.
type Player struct {
	Sweep    *study.Study
	Have     *study.Results
	Keep     func(study.Result) error
	Pool     *Pool
	Stop     <-chan struct{}
	Progress func(finished int) // since the beginning of Play
	Every    time.Duration      // between two looks at the progress
}

// Play plays a share of the sweep to its end.
func (p *Player) Play(shard study.Shard) error {
	queue := study.NewQueue(p.Sweep, p.Have, shard)
	failures := &Failures{}
	finished := 0
	tick := time.NewTicker(p.Every)
	defer tick.Stop()
	for {
		for p.Pool.Idle() > 0 {
			r, ok, err := queue.Take()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			p.Pool.Play(r)
		}
		if p.Pool.Busy() == 0 {
			break
		}
		select {
		case <-p.Stop:
			return ErrStopped
		case <-tick.C:
		case a := <-p.Pool.Answers:
			if err := p.Pool.Took(a); err != nil {
				return err
			}
			if failed := a.Answer.Failed; failed != "" {
				failures.add(p.Sweep, a.Run, failed)
			} else {
				a.Answer.Result.At = p.Sweep.Where(a.Run)
				if err := p.Keep(a.Answer.Result); err != nil {
					return err
				}
				finished++
			}
			if err := queue.Done(a.Run, a.Answer.Failed != ""); err != nil {
				return err
			}
		}
		p.Progress(finished)
	}
	if failures.Runs > 0 {
		return failures
	}
	return nil
}

// describe names the cell of a run.
func describe(s *study.Study, r study.Run) string {
	text := ""
	for i, v := range s.Cell(r.Cell).Values {
		if i > 0 {
			text += ", "
		}
		text += s.Axes[i].Path + " " + study.Value{Value: v}.Text()
	}
	if text == "" {
		return "the base"
	}
	return text
}
