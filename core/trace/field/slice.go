package field

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/words"
	"parley/core/workload"
)

// survey is a first reading of files of which only a part is wanted. It keeps no work, only the
// data with which the second reading skips the rest.
type survey struct {
	first     unit.Time            // the first submission; unknown if none was seen
	instances map[borgKey]struct{} // of Google 2019: those with a row within the slice
	jobs      map[uint64]struct{}  // their collections
	pai       *paiSurvey           // of PAI
}

// borgKey is an instance of a collection of Google's trace of 2019.
type borgKey struct {
	job   uint64
	index uint32
}

// slice prepares a collection that keeps a part of the work.
func (c *collection) slice() {
	s := &c.options.Slice
	c.sliced = !s.IsZero()
	if len(s.Users) > 0 {
		c.wanted = map[uint32]bool{}
		for _, name := range s.Users {
			c.wanted[c.userOf(name)] = true
		}
	}
}

// surveys reports whether a slice needs a first reading: its times count from the first
// submission, or whether a row is in it depends on other rows.
func (c *collection) surveys() bool {
	s := &c.options.Slice
	return (s.From > 0 || s.To > 0) && (c.data.sinceFirst || c.data == google2019)
}

// look reads the files for a survey.
func (s *Source) look() error {
	seen := &survey{first: unknown, instances: map[borgKey]struct{}{}, jobs: map[uint64]struct{}{}}
	if s.data == pai2020 && slices.ContainsFunc(s.tables,
		func(t *schema) bool { return t.name == "pai_job_table" || t.name == "pai_instance_table" }) {
		seen.pai = &paiSurvey{named: map[string]struct{}{}, tasks: map[[2]string]struct{}{}}
	}
	read := func() error {
		c := newCollection(s.data, s.options)
		c.looks = seen
		reports := slices.Clone(s.reports) // only the last reading is reported
		return c.readAll(s.files, s.tables, reports, trace.NewMeter(s.files, s.options.Progress))
	}
	err := read()
	if seen.pai != nil && err == nil { // its first submission decides which rows the next reading marks
		seen.first, seen.pai.marks = seen.pai.firstOf(seen.first), true
		err = read()
	}
	s.all.seen = seen
	return err
}

// outside reports whether work is not of the slice, and counts it.
func (c *collection) outside(it *item) bool {
	at := it.submit
	if at == unknown {
		at = it.start
	}
	if l := c.looks; l != nil {
		if at != unknown && (l.first == unknown || at < l.first) {
			l.first = at
		}
		c.forget()
		return true
	}
	zero := unit.Time(0)
	if c.data.sinceFirst && c.seen != nil && c.seen.first != unknown {
		zero = c.seen.first
	}
	from := c.options.Slice.From
	if at = max(0, at-zero); c.options.Slice.Holds(at, it.class) && (c.wanted == nil || c.wanted[it.user]) {
		return false
	}
	if at < from && (it.end == unknown || it.end-zero > from) {
		c.count("left_out_but_alive_when_the_slice_begins", int64(it.count))
	}
	c.leaveOutside()
	c.forget()
	return true
}

// leaveOutside counts a row that is outside the slice.
func (c *collection) leaveOutside() {
	c.leave("outside_the_slice", "outside the slice that is read (workload.jobs)")
}

// holds reports whether a moment of the trace is within the slice.
func (c *collection) holds(at unit.Time) bool {
	zero := unit.Time(0)
	if c.seen != nil && c.seen.first != unknown {
		zero = c.seen.first
	} else if c.looks != nil && c.looks.first != unknown {
		zero = c.looks.first
	}
	return c.options.Slice.Holds(max(0, at-zero), c.anyClass())
}

// forget forgets the job of the present row, if no row above is of it.
func (c *collection) forget() {
	if c.fresh != "" {
		delete(c.taken, c.jobs[c.fresh])
		delete(c.jobs, c.fresh)
		c.fresh = ""
		c.size--
	}
}

// apart reports whether an interval has no moment within the slice.
func (c *collection) apart(from, to unit.Time) bool {
	s := &c.options.Slice
	return c.sliced && !c.data.sinceFirst && (s.To > 0 && from >= s.To || to != unknown && to < s.From)
}

// empty is the error of a slice that holds no work, though the files do.
func (c *collection) empty(file string, rows int64) error {
	s := &c.options.Slice
	var parts []string
	if s.From > 0 || s.To > 0 {
		to := "the end"
		if s.To > 0 {
			to = fmt.Sprintf("%g s", s.To.Seconds())
		}
		parts = append(parts, fmt.Sprintf("submitted from %g s to %s", s.From.Seconds(), to))
	}
	if len(s.Users) > 0 {
		parts = append(parts, "of the users "+strings.Join(s.Users, ", "))
	}
	if len(s.Classes) > 0 {
		parts = append(parts, "of the chosen classes")
	}
	return &trace.Error{
		Kind: trace.NoTasks, File: file, Reason: fmt.Sprintf("holds %s of work, and none %s", words.Count(rows, "row"),
			strings.Join(parts, ", ")),
		Hint: "choose another part with workload.jobs: parley trace tells the times of the files, which are counted from the first submission where the trace has its own zero",
	}
}

// holdsEvent reports whether a row of Google's trace of 2019 is read.
func (c *collection) holdsEvent(at unit.Time, job uint64, index uint32) bool {
	if !c.sliced {
		return true
	}
	key := borgKey{job, index}
	if l := c.looks; l != nil {
		if c.options.Slice.Holds(at, c.anyClass()) {
			l.instances[key], l.jobs[job] = struct{}{}, struct{}{}
		}
		return false
	}
	if c.seen == nil {
		return true
	}
	_, is := c.seen.instances[key]
	return is
}

// anyClass is a class that the slice has: which class an instance is of is judged when all its
// rows are known.
func (c *collection) anyClass() workload.PriorityClass {
	if list := c.options.Slice.Classes; len(list) > 0 {
		return list[0]
	}
	return workload.Batch
}

// holdsCollection reports whether a row about a collection is read.
func (c *collection) holdsCollection(at unit.Time, id uint64) bool {
	switch {
	case !c.sliced:
		return true
	case c.looks != nil:
		return false
	case c.seen == nil:
		return true
	case !c.has("instance_events"):
		return c.options.Slice.Holds(at, c.anyClass())
	}
	_, is := c.seen.jobs[id]
	return is
}
