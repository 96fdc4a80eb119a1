package feed

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// arrival is a job of a log in memory.
type arrival struct {
	at  unit.Time
	key workload.Key
	job workload.Job
}

// week is the length of the cycle that a resample preserves: hours of the day and days of the
// week.
const week = 7 * unit.Day

// longTerm is the shortest activity of a long-term user: other users come once, for a
// project (Zakay and Feitelson).
const longTerm = 12 * week

// maxHeld is the greatest number of jobs of a log in memory, unless --max-tasks sets another.
const maxHeld = 4_000_000

// resample is a log whose jobs are drawn from another one at random. It has as many whole
// weeks as that log.
type resample struct {
	trace.Source
	jobs  scenario.Jobs
	seed  uint64
	limit int
	drawn []arrival
	ready bool
	job   workload.Job
}

func newResample(s *scenario.Scenario, source trace.Source, limit int) *resample {
	return &resample{Source: source, jobs: s.Workload.Jobs, seed: s.Seed, limit: cmp.Or(limit, maxHeld)}
}

// Next implements workload.Source. At the first job it reads all others and draws the resample.
func (s *resample) Next(r *workload.Record) error {
	if !s.ready {
		if err := s.Source.Next(r); err != nil || r.Kind != workload.JobArrives {
			return err
		}
		all, err := drained(s.Source, *r, "workload.jobs.resample", s.limit)
		if err == nil {
			s.drawn, err = draw(all, &s.jobs, rng.New(s.seed, "workload/resample"))
		}
		if err != nil {
			return err
		}
		s.ready = true
	}
	if len(s.drawn) == 0 {
		return io.EOF
	}
	next := s.drawn[0]
	s.drawn, s.job = s.drawn[1:], next.job
	*r = workload.Record{At: next.at, Kind: workload.JobArrives, Key: next.key, Job: &s.job}
	return nil
}

// draw returns a resample of jobs, which are in the order of their arrival and at least one. The log must have
// at least twice as many whole weeks as a block. The jobs of a resample have no predecessors.
func draw(all []arrival, jobs *scenario.Jobs, random *rng.Stream) ([]arrival, error) {
	for i := range all {
		all[i].job.After, all[i].job.Singleton = nil, false // the jobs of a resample are others
	}
	first := all[0].at
	whole := int((all[len(all)-1].at - first) / week)
	block := max(1, jobs.BlockWeeks)
	if whole < 2*block {
		return nil,
			fmt.Errorf(
				"workload.jobs.resample: the log has %s in full, and a resample of blocks of %s needs at least %d: choose shorter blocks or a longer log", system.Count(float64(whole), "week"), system.Count(float64(block), "week"), 2*block,
			)
	}
	byWeek := make([][]arrival, whole) // times are within the week
	for _, a := range all {
		if w := int((a.at - first) / week); w < whole {
			a.at = (a.at - first) % week
			byWeek[w] = append(byWeek[w], a)
		}
	}
	var drawn []arrival
	if jobs.Resample == scenario.ResampleWeeks {
		drawn = drawWeeks(byWeek, block, random)
	} else {
		drawn = drawUsers(byWeek, random)
	}
	slices.SortStableFunc(drawn, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	seen := map[workload.Key]uint32{} // a job that is drawn again is another job
	for i := range drawn {
		key := &drawn[i].key
		again := seen[*key]
		seen[*key]++
		key.Index += again << 16
	}
	return drawn, nil
}

// drawWeeks joins blocks of weeks that begin at random weeks (moving blocks), until there
// are as many weeks as before.
func drawWeeks(byWeek [][]arrival, block int, random *rng.Stream) (drawn []arrival) {
	for to := 0; to < len(byWeek); {
		from := random.Intn(len(byWeek) - block + 1)
		for k := 0; k < block && to < len(byWeek); k++ {
			for _, a := range byWeek[from+k] {
				a.at += unit.Time(to) * week
				drawn = append(drawn, a)
			}
			to++
		}
	}
	return drawn
}

// drawUsers draws as many long-term users, and as many others, as there are, with
// replacement. All jobs of a drawn user move by the same random number of whole weeks; those
// beyond the end come at the beginning, so that the load is the same all the time.
func drawUsers(byWeek [][]arrival, random *rng.Stream) (drawn []arrival) {
	jobs := map[uint32][]arrival{}
	var users []uint32
	for w, list := range byWeek {
		for _, a := range list {
			a.at += unit.Time(w) * week
			if jobs[a.job.User] == nil {
				users = append(users, a.job.User)
			}
			jobs[a.job.User] = append(jobs[a.job.User], a)
		}
	}
	var classes [2][]uint32
	for _, u := range users {
		class := 0
		if own := jobs[u]; own[len(own)-1].at-own[0].at >= longTerm {
			class = 1
		}
		classes[class] = append(classes[class], u)
	}
	span, name := unit.Time(len(byWeek))*week, uint32(0)
	for _, class := range classes {
		for range class {
			user, shift := class[random.Intn(len(class))], unit.Time(random.Intn(len(byWeek)))*week
			name++
			for _, a := range jobs[user] {
				a.at, a.job.User = (a.at+shift)%span, name
				drawn = append(drawn, a)
			}
		}
	}
	return drawn
}
