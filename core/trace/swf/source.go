package swf

import (
	"io"
	"math"
	"strconv"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
	"parley/core/workload"
)

// Repairs counts a Source's decisions on the gaps and contradictions of a log. It
// is the summary of a Source's report.
type Repairs struct {
	Machine             Machine `json:"machine_assumed"`
	Jobs                int64   `json:"jobs_played"`
	PartialRows         int64   `json:"partial_rows"`         // of checkpointed or swapped jobs, which another row sums up; left out
	NeverRan            int64   `json:"never_ran"`            // run time 0 or unknown; left out
	WithoutProcessors   int64   `json:"without_processors"`   // neither requested nor allocated; left out
	LargerThanMachine   int64   `json:"larger_than_machine"`  // left out
	ProcessorsAllocated int64   `json:"processors_allocated"` // requested unknown: as many as were allocated
	Preceded            int64   `json:"preceded,omitempty"`   // jobs that come when a preceding one has ended
	Unpreceded          int64   `json:"preceding_job_not_played,omitempty"`
	EstimateFromRun     int64   `json:"estimate_from_run_time"` // requested time unknown or 0: the run time is known beforehand
	KilledAtLimit       int64   `json:"killed_at_limit"`        // ran beyond the requested time; the run is cut there
	OutOfOrder          int64   `json:"out_of_order"`           // submitted before the row above; arrives with that
	NumberedTwice       int64   `json:"numbered_twice"`         // with the number of a job above; its Key has another Index
	Since1970           int64   `json:"since_1970"`             // submitted by the clock of 1970; counted from the first job
	Late                int64   `json:"late"`                   // submitted more than ten years after the first; left out
	LeftOut             int64   `json:"rows_left_out"`          // by trace.Options.EveryJob
}

// Source is a log as a workload: first its machine, then its jobs.
type Source struct {
	log     *log
	options trace.Options
	repairs Repairs
	names   workload.Names
	joined  int64 // nodes so far
	job     workload.Job
	after   [1]workload.Preceding
	key     workload.Key
	seen    played    // how many jobs of each number were played
	origin  unit.Time // the zero of submissions
	held    bool      // the first job was read to see the header
	now     unit.Time
	err     error
}

// Open returns the workload that a log holds. The header is read, up to the first
// job; the whole file if it does not say how many processors there are.
func Open(files []trace.File, o trace.Options) (*Source, error) {
	f, err := one(files)
	if err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	l := openLog(f, o)
	s := &Source{log: l, options: o}
	s.held = s.take(l.next())
	if !s.held && s.err == io.EOF {
		return nil, withoutJobs(f, l.Report())
	}
	if s.held {
		if first := unit.Time(l.Row.Int(submit)); first > longest {
			s.origin = first
			l.Note("submit times are since 1970: they are counted from the first job's, " + strconv.FormatInt(int64(first/unit.Second), 10) + " s")
		}
	}
	largest := int64(0)
	if !l.header.hasProcessors() && s.err == nil {
		if largest, err = largestJob(f, o); err != nil {
			return nil, err
		}
	}
	s.repairs.Machine = machineOf(&l.header, largest)
	l.Note(s.repairs.Machine.String())
	for _, q := range l.header.queues {
		s.names.Label(workload.OfQueues, q.number, q.name)
	}
	return s, nil
}

// largestJob returns the most processors that a job of a log has, from an earlier reading if
// there was one.
func largestJob(f trace.File, o trace.Options) (int64, error) {
	if f.Read != nil {
		if s, is := f.Read.Summary.(Summary); is {
			return s.LargestJob, nil
		}
	}
	report, err := Summarise([]trace.File{f}, o)
	if err != nil {
		return 0, err
	}
	return report.Summary.(Summary).LargestJob, nil
}

// withoutJobs is the error of a log that has no row which can be read.
func withoutJobs(f trace.File, r trace.FileReport) error {
	e := &trace.Error{Kind: trace.NoTasks, File: f.Name, Reason: "is a log with a header and no jobs, so there is nothing to run", Hint: "choose a log that has rows"}
	if r.BadRows > 0 {
		e.Reason = "is a log of which all " + strconv.FormatInt(r.BadRows, 10) + " rows break the format, so there is nothing to run"
	}
	return e
}

// take keeps an error that ends the reading and reports whether there was none.
func (s *Source) take(err error) bool {
	if err != nil {
		s.err = err
	}
	return err == nil
}

// HoldsTasks is true: a log without jobs is not opened.
func (s *Source) HoldsTasks() bool { return true }

// Names has the names of queues that stand in the header.
func (s *Source) Names() *workload.Names { return &s.names }

// Header describes the machine on which the jobs are played: the header of the log says how many
// processors there are, or the largest job does. A row may name a job that precedes its own.
func (s *Source) Header() workload.Header {
	return workload.Header{Shape: workload.ShapeJobs, Assumed: s.repairs.Machine.String(), Follows: true}
}

// Machine returns the machine that the jobs are played on.
func (s *Source) Machine() Machine { return s.repairs.Machine }

// Report returns the report on the rows read so far; its Summary is a Repairs.
func (s *Source) Report() trace.Report {
	return trace.Report{Files: []trace.FileReport{s.log.Report()}, Summary: s.repairs}
}

// Tally returns the counts of jobs read, left out and repaired so far.
func (s *Source) Tally() trace.Tally {
	c := &s.repairs
	t := trace.NewTally("jobs", []trace.FileReport{s.log.Report()})
	if s.held { // the first one is read and not yet judged
		t.Rows, t.Played = t.Rows-1, t.Played-1
	}
	t.LeaveOut("every_job", "not among the one of every few jobs that is kept", c.LeftOut)
	t.LeaveOut("partial_rows", "parts of jobs that another row sums up", c.PartialRows)
	t.LeaveOut("never_ran", "never ran (run time 0 or unknown)", c.NeverRan)
	t.LeaveOut("without_processors", "without processors, requested or allocated", c.WithoutProcessors)
	t.LeaveOut("late", "submitted more than ten years after the beginning", c.Late)
	t.LeaveOut("larger_than_machine", "larger than the machine", c.LargerThanMachine)
	t.Repair("processors_allocated", "requested processors unknown, as many as were allocated are asked for", c.ProcessorsAllocated)
	t.Repair("preceding_job_not_played", "name a preceding job (field 17) of which no job is played before them: they wait for none", c.Unpreceded)
	t.Repair("estimate_from_run_time", "requested time unknown, the run time is the estimate", c.EstimateFromRun)
	t.Repair("killed_at_limit", "ran beyond the requested time, killed there", c.KilledAtLimit)
	t.Repair("since_1970", "submit times since 1970, counted from the first job's", c.Since1970)
	t.Repair("out_of_order", "submitted before the row above, arriving with it", c.OutOfOrder)
	t.Repair("numbered_twice", "job numbers given before, told apart by a second number", c.NumberedTwice)
	return t
}

// Close ends the reading early.
func (s *Source) Close() error {
	if s.err == nil {
		s.err = io.EOF
		return s.log.Close()
	}
	return nil
}

// Next fills r with the next record, see workload.Source. Errors are io.EOF, a
// *trace.Error, or the error of the progress callback.
func (s *Source) Next(r *workload.Record) error {
	if m := &s.repairs.Machine; s.joined < m.Nodes && (s.err == nil || s.err == io.EOF) {
		*r = m.Node(s.joined)
		s.joined++
		return nil
	}
	for s.err == nil {
		if s.held {
			s.held = false
		} else if !s.take(s.log.next()) {
			break
		}
		if row := &s.log.Row; s.plays(row) {
			*r = workload.Record{At: s.now, Kind: workload.JobArrives, Key: s.key, Job: &s.job}
			return nil
		}
	}
	return s.err
}

// Node returns the record with which the i-th node joins. Its CPU is in proportion to its
// processors; logs have no memory that all of them share.
func (m *Machine) Node(i int64) workload.Record {
	processors := min(m.PerNode, m.Processors-i*m.PerNode)
	cpu := unit.Share(int64(unit.Whole) * processors / m.PerNode)
	return workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: workload.Node{
		Capacity: unit.Vec{unit.CPU: cpu, unit.Memory: unit.Whole}, Rack: -1, Site: -1, Processors: int32(processors),
	}}
}

// plays fills s.job from a row, and reports whether it is a job that is played.
func (s *Source) plays(j *table.Row) bool {
	c, wanted := &s.repairs, processors(j)
	left := (*int64)(nil)
	switch every := s.options.EveryJob; {
	case every > 1 && rng.Mix(j.Value(number))%every != 0:
		left = &c.LeftOut
	case j.Int(status) == partial || j.Int(status) == partialCompleted || j.Int(status) == partialFailed:
		left = &c.PartialRows
	case j.Int(runTime) <= 0:
		left = &c.NeverRan
	case wanted <= 0:
		left = &c.WithoutProcessors
	case unit.Time(j.Int(submit))-s.origin > longest:
		left = &c.Late
	case wanted > c.Machine.Processors:
		left = &c.LargerThanMachine
	}
	if left != nil {
		*left++
		return false
	}
	c.Jobs++
	s.key = workload.Key{Job: j.Value(number), Index: s.seen.of(j.Value(number))}
	if s.key.Index > 0 {
		c.NumberedTwice++
	}
	s.seen.add(s.key.Job)
	s.job = workload.Job{
		Processors: int32(wanted), Run: unit.Time(j.Int(runTime)),
		Estimate: min(unit.Time(j.Int(requestedTime)), longest),
		User:     uint32(max(0, j.Int(user))), Group: uint32(max(0, j.Int(group))),
		Queue: int32(min(j.Int(queue), math.MaxInt32)),
	}
	if kb := j.Int(requestedMemory); kb > 0 && kb < 1<<40/wanted { // of each processor
		s.job.Memory = unit.Bytes(kb) * 1024 * unit.Bytes(wanted)
	}
	if j.Int(requested) <= 0 {
		c.ProcessorsAllocated++
	}
	if before := j.Int(preceding); before > 0 {
		again := s.seen.of(uint64(before))
		if uint64(before) == s.key.Job { // the number itself was counted above
			again--
		}
		if again > 0 {
			c.Preceded++
			s.after[0] = workload.Preceding{
				Key:   workload.Key{Job: uint64(before), Index: again - 1},
				Think: min(unit.Time(max(0, j.Int(thinkTime))), longest),
			}
			s.job.After = s.after[:]
		} else {
			c.Unpreceded++
		}
	}
	if s.job.Estimate <= 0 {
		c.EstimateFromRun++
		s.job.Estimate = s.job.Run
	} else if s.job.Run > s.job.Estimate {
		c.KilledAtLimit++
	}
	at := unit.Time(j.Int(submit)) - s.origin
	if s.origin > 0 {
		c.Since1970++
	}
	if at < s.now {
		c.OutOfOrder++
	}
	s.now = max(s.now, at)
	return true
}
