package swf

import (
	"io"

	"parley/core/trace"
	"parley/core/trace/table"
)

// Summary summarises the rows of a log as they are: nothing is repaired.
type Summary struct {
	Header            Header           `json:"header"`
	Machine           Machine          `json:"machine_assumed"`
	Jobs              int64            `json:"jobs"` // rows
	FirstJob          int64            `json:"first_job"`
	LastJob           int64            `json:"last_job"`
	FirstS            float64          `json:"first_s"`
	LastS             float64          `json:"last_s"`
	Users             int              `json:"users"`
	LargestJob        int64            `json:"largest_job_processors"`
	Status            map[string]int64 `json:"status"`
	WithoutWait       int64            `json:"without_wait"`
	WithoutRun        int64            `json:"without_run_time"`
	ZeroRun           int64            `json:"zero_run_time"`
	WithoutAllocated  int64            `json:"without_allocated_processors"`
	WithoutRequested  int64            `json:"without_requested_processors"`
	AllocatedDiffers  int64            `json:"allocated_other_than_requested"`
	WithoutEstimate   int64            `json:"without_requested_time"`
	Preceded          int64            `json:"name_a_preceding_job,omitempty"`
	BeyondEstimate    int64            `json:"run_beyond_requested_time"`
	LargerThanMachine int64            `json:"larger_than_machine"`
	OutOfOrder        int64            `json:"submitted_out_of_order"`
	MaxJobsOtherThan  bool             `json:"max_jobs_other_than_rows"`
}

// statusNames are the states as summaries spell them.
var statusNames = map[int64]string{
	unknown: "unknown", failed: "failed", completed: "completed", partial: "partial_continued",
	partialCompleted: "partial_completed", partialFailed: "partial_failed", cancelled: "cancelled",
}

// Summarise reads all rows and returns their summary. With an error it returns
// the part read before it.
func Summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	f, err := one(files)
	if err != nil {
		return trace.Report{}, err
	}
	o = o.WithDefaults()
	l := openLog(f, o)
	s := Summary{Status: map[string]int64{}}
	users := map[int64]bool{}
	var sizes sizes
	for err = l.next(); err == nil; err = l.next() {
		s.add(&l.Row, &sizes)
		if len(users) < o.MaxTasks && l.Row.Int(user) >= 0 {
			users[l.Row.Int(user)] = true
		}
	}
	s.Header, s.Users = l.header, len(users)
	s.Machine = machineOf(&s.Header, s.LargestJob)
	s.LargerThanMachine = sizes.above(s.Machine.Processors)
	s.FirstS, s.LastS = l.Report().FirstS, l.Report().LastS
	s.MaxJobsOtherThan = s.Header.MaxJobs != s.Jobs
	l.Note(s.Machine.String())
	if err == io.EOF {
		err = nil
	}
	return trace.Report{Files: []trace.FileReport{l.Report()}, Summary: s}, err
}

// add counts a row.
func (s *Summary) add(j *table.Row, z *sizes) {
	if s.Jobs == 0 {
		s.FirstJob = j.Int(number)
	}
	s.Jobs++
	s.LastJob = j.Int(number)
	s.LargestJob = max(s.LargestJob, processors(j))
	z.add(processors(j))
	name, known := statusNames[j.Int(status)]
	if !known {
		name = "other"
	}
	s.Status[name]++
	for _, c := range []struct {
		is bool
		n  *int64
	}{
		{j.Int(wait) < 0, &s.WithoutWait},
		{j.Int(runTime) < 0, &s.WithoutRun},
		{j.Int(runTime) == 0, &s.ZeroRun},
		{j.Int(allocated) < 0, &s.WithoutAllocated},
		{j.Int(requested) < 0, &s.WithoutRequested},
		{j.Int(allocated) != j.Int(requested), &s.AllocatedDiffers},
		{j.Int(requestedTime) < 0, &s.WithoutEstimate},
		{j.Int(preceding) > 0, &s.Preceded},
		{j.Int(requestedTime) >= 0 && j.Int(runTime) > j.Int(requestedTime), &s.BeyondEstimate},
		{j.Int(submit) < z.before, &s.OutOfOrder},
	} {
		if c.is {
			*c.n++
		}
	}
	z.before = max(z.before, j.Int(submit))
}

// sizes counts jobs by their processors, so that those which are larger than the
// machine can be counted once it is known; and holds the latest submission.
type sizes struct {
	jobs   map[int64]int64
	before int64
}

func (z *sizes) add(processors int64) {
	if z.jobs == nil {
		z.jobs = map[int64]int64{}
	}
	z.jobs[processors]++
}

func (z *sizes) above(limit int64) (n int64) {
	for processors, jobs := range z.jobs {
		if processors > limit {
			n += jobs
		}
	}
	return n
}
