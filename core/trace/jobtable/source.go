package jobtable

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/accounting"
	"parley/core/unit"
	"parley/core/workload"
)

// Source is a table as a workload: first its machine, then its jobs in the order of their
// submission.
type Source struct {
	file     trace.File
	plan     *plan
	options  trace.Options
	reader   *textReader
	report   trace.FileReport
	summary  Summary             // of the first reading
	counts   Summary             // of the jobs played so far
	rows     int64               // read so far, bad ones included
	seen     map[uint64]struct{} // the runs of this reading, hashed
	sorted   []job               // where the rows are out of order
	joined   int64
	found    bool // by an earlier reading
	scanned  bool
	names    workload.Names
	labelled bool // names has them
	job      workload.Job
	after    []workload.Preceding
	depends  waiting
	latest   map[workload.Key]workload.Key // the last run of each job, if jobs name others
	elements map[uint64][]uint32           // the indexes of jobs by their number, likewise
	gathered map[uint64]*gathered
	last     workload.Key
	runs     map[workload.Key]uint32 // runs of each job so far
	err      error
}

// open looks at the beginning of a table. The whole of it is read once before the first
// record, to learn its machine and whether its rows are in order.
func open(files []trace.File, m *mapping, o trace.Options) (*Source, error) {
	if len(files) == 0 {
		return nil, &trace.Error{Kind: trace.Empty, File: "no file", Why: "was given", Hint: "choose a table of jobs"}
	}
	if len(files) > 1 {
		whole, err := joinFiles(files, m)
		if err != nil {
			return nil, err
		}
		files = []trace.File{whole}
	}
	h, err := trace.ReadHead(files[0])
	if err != nil {
		return nil, err
	}
	s := &Source{file: files[0], options: o.WithDefaults()}
	p, why := planOf(h, m)
	if p == nil {
		return nil, &trace.Error{Kind: trace.WrongTable, File: s.file.Name, Why: "has no first line that names its columns", Hint: "write such a line above the rows"}
	}
	if why != nil {
		return nil, &trace.Error{Kind: trace.Unmapped, File: s.file.Name, Why: why.Why, Hint: why.Hint}
	}
	if s.plan = p; p.log != nil {
		p.log.File = s.file.Name
		s.file.Open = asRows(s.file, p.log)
	}
	s.report = trace.FileReport{File: s.file.Name, Format: Name + "/" + p.table, Bad: []trace.BadRow{}}
	s.summary.Table = p.table
	o = s.options
	s.summary.of = reading{skipBad: o.SkipBadRows, listBad: o.ListBad, maxTasks: o.MaxTasks}
	if m != nil {
		s.summary.of.mapping = *m
	}
	if s.known() {
		return s, nil
	}
	s.summary.Mapping = s.plan.proposal()
	s.report.Notes = append(s.report.Notes, "columns read: "+s.summary.Mapping)
	if rest := s.plan.unread(); rest != "" {
		s.report.Notes = append(s.report.Notes, "columns not read: "+rest)
	}
	s.report.Notes = append(s.report.Notes, s.plan.notes...)
	return s, nil
}

// asRows opens a log of accounting as a table without a line of names.
func asRows(f trace.File, log *accounting.Log) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		in, err := trace.Unpack(f, trace.NewMeter(nil, nil))
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{log.Table(in), in}, nil
	}
}

// known takes the result of an earlier reading of the same content with the same options, and
// reports whether there was one.
func (s *Source) known() bool {
	if s.file.Read == nil || len(s.file.Read.Files) != 1 {
		return false
	}
	found, is := s.file.Read.Summary.(Summary)
	if !is || found.of != s.summary.of || found.Jobs == 0 {
		return false
	}
	s.summary, s.report, s.found = found, s.file.Read.Files[0], true
	return true
}

// ready scans the table once, before anything of it is reported.
func (s *Source) ready() error {
	if !s.scanned {
		s.scanned = true
		if !s.found {
			s.err = s.scan()
		}
		if s.err == nil {
			s.err = s.begin()
		}
	}
	return s.err
}

// begin opens the file for the second reading.
func (s *Source) begin() (err error) {
	s.seen = map[uint64]struct{}{}
	meter := trace.NewMeter([]trace.File{s.file}, s.options.Progress)
	s.reader, err = newTextReader(s.file, s.plan, meter)
	return err
}

// read moves to the next good row.
func (s *Source) read(j *job, report *trace.FileReport) error {
	for {
		err := s.reader.next(j)
		var bad *trace.Error
		if err == nil {
			report.Rows++
			if j.why == played && s.repeats(j) {
				j.why = again
			}
			return nil
		}
		if !errors.As(err, &bad) || bad.Kind != trace.BadLine || !s.options.SkipBadRows {
			return err
		}
		report.AddBad(bad, s.options.ListBad)
	}
}

// mostSeen bounds how many runs are remembered, at about 40 bytes each.
const mostSeen = 4 << 20

// repeats reports whether an earlier row has the same run: a job that ran over the end of a
// month is in both months' files. A requeued job's runs differ in their start.
func (s *Source) repeats(j *job) bool {
	h := rng.Mix(j.number)
	for _, v := range [...]uint64{uint64(j.index), uint64(j.submit), uint64(j.start), uint64(j.end), uint64(j.run)} {
		h = rng.Mix(h ^ v)
	}
	if _, is := s.seen[h]; is {
		return true
	}
	if len(s.seen) < mostSeen {
		s.seen[h] = struct{}{}
	}
	return false
}

// scan reads all rows once.
func (s *Source) scan() error {
	if err := s.begin(); err != nil {
		return err
	}
	m := &s.summary
	m.States = map[string]int64{}
	var j job
	var held load
	var report trace.FileReport
	unwaited := false
	first, before, latest := unit.Time(math.MaxInt64), unit.Time(0), unit.Time(0)
	err := s.read(&j, &report)
	for ; err == nil; err = s.read(&j, &report) {
		m.count(&j)
		if j.why != played {
			continue
		}
		if j.submit < before {
			m.OutOfOrder++
		}
		before, latest = j.submit, max(latest, j.submit)
		first = min(first, j.submit)
		m.Jobs++
		if j.component {
			m.part(&j)
		}
		m.LargestJob = max(m.LargestJob, j.processors)
		if s.plan.gpus {
			m.GPUHours += float64(float64(j.processors)*j.run.Seconds()) / 3600
		}
		switch {
		case j.start >= 0:
			held.add(j.start, j.processors)
			held.add(j.start+j.run, -j.processors)
		case s.plan.gpus && s.plan.at[start] < 0: // no table of its kind has a machine or a wait
			unwaited = true
			held.add(j.submit, j.processors)
			held.add(j.submit+j.run, -j.processors)
		}
	}
	m.joinParts()
	m.name(s.reader.people())
	err = errors.Join(ending(err), s.reader.Close())
	s.report.Rows, s.report.Bad, s.report.BadRows = report.Rows, append(s.report.Bad, report.Bad...), report.BadRows
	if err != nil {
		return err
	}
	if m.Jobs == 0 {
		hint := "export jobs that have ended"
		if m.NoSubmission > 0 {
			hint = "say what stands for the submission, as in --map submit=start"
		}
		return &trace.Error{Kind: trace.NoTasks, File: s.file.Name, Why: s.empty(report), Hint: hint}
	}
	if m.OutOfOrder > 0 && m.Jobs > int64(s.options.MaxTasks) {
		return &trace.Error{Kind: trace.TooLarge, File: s.file.Name, Why: fmt.Sprintf("has %d rows that are not in the order of submission, and sorting holds at most %d jobs", m.Jobs, s.options.MaxTasks), Hint: "sort the file by submission, or allow more with --max-tasks"}
	}
	s.report.FirstS, s.report.LastS = first.Seconds(), latest.Seconds()
	if first > longest {
		s.summary.origin = first
	}
	s.assume(held.peak(), unwaited)
	return nil
}

// empty says why a table has no job that ran.
func (s *Source) empty(report trace.FileReport) string {
	switch {
	case report.Rows+report.BadRows == 0:
		return "has no row with a job"
	case report.Rows == 0:
		return "has no good row: all " + strconv.FormatInt(report.BadRows, 10) + " break the table"
	}
	return "holds no job that ran; rows left out: " + s.summary.leftOut()
}

// ending returns an error that is not the end of the file.
func ending(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// summarise returns the report of the reading that open did.
func (s *Source) summarise() (trace.Report, error) {
	if err := s.scan(); err != nil {
		return s.Report(), err
	}
	return trace.Report{Files: []trace.FileReport{s.report}, Summary: s.summary}, nil
}

// BringsMachines is true: they follow from the table or the mapping.
func (s *Source) BringsMachines() bool { return true }

// HoldsTasks is true: a table without a job that ran is not opened.
func (s *Source) HoldsTasks() bool { return true }

// Names has the names of users, groups, queues and QOS.
func (s *Source) Names() *workload.Names {
	if s.ready() == nil && !s.labelled {
		s.labelled = true
		for of, list := range s.summary.people {
			for i, name := range list.names {
				s.names.Label(workload.Numbering(of), list.numbers[i], name)
			}
		}
	}
	return &s.names
}

// Follows is true: a row may name a job that precedes its own.
func (s *Source) Follows() bool { return true }

// Shape returns the shape of the workload: rigid jobs.
func (s *Source) Shape() workload.Shape { return workload.ShapeJobs }

// Says returns what a person must know of a run beside the counts.
func (s *Source) Says() []string {
	if s.plan.gpus {
		return []string{gpuNote}
	}
	return nil
}

// Assumed describes the machine on which the jobs are played.
func (s *Source) Assumed() string {
	if s.ready() != nil {
		return ""
	}
	return s.summary.Machine.String()
}

// Report returns what was read so far.
func (s *Source) Report() trace.Report {
	return trace.Report{Files: []trace.FileReport{s.report}, Summary: s.summary}
}

// Tally returns what became of the rows read so far.
func (s *Source) Tally() trace.Tally {
	t := trace.Tally{Of: "rows", LeftOut: []trace.Count{}, Repaired: []trace.Count{}, Rows: s.rows, Played: s.rows}
	bad := trace.NewTally("rows", []trace.FileReport{s.report})
	t.LeftOut = append(t.LeftOut, bad.LeftOut...)
	if len(t.LeftOut) > 0 {
		t.Played -= t.LeftOut[0].Count
	}
	s.counts.tell(&t)
	return t
}

// Close ends the reading early.
func (s *Source) Close() error {
	open := s.scanned && s.err == nil
	if s.scanned = true; open || s.err == nil {
		s.err = io.EOF
	}
	if open {
		return s.reader.Close()
	}
	return nil
}

// Next fills r with the next record, see workload.Source.
func (s *Source) Next(r *workload.Record) error {
	if err := s.ready(); err != nil && err != io.EOF {
		return err
	}
	if m := &s.summary.Machine; s.joined < m.Nodes && (s.err == nil || s.err == io.EOF) {
		*r = m.Node(s.joined)
		s.joined++
		return nil
	}
	if s.err == nil && s.summary.OutOfOrder > 0 && s.sorted == nil {
		s.sort()
	}
	var j job
	for s.err == nil {
		if s.summary.OutOfOrder > 0 {
			if len(s.sorted) == 0 {
				s.err = io.EOF
				break
			}
			j, s.sorted = s.sorted[0], s.sorted[1:]
		} else if !s.following(&j) {
			break
		}
		if s.gathers(&j) {
			continue
		}
		if s.plays(&j) {
			*r = workload.Record{At: j.submit - s.summary.origin, Kind: workload.JobArrives, Key: s.last, Job: &s.job}
			return nil
		}
	}
	return s.err
}

// following reads the next row that is a job, and keeps the error that ends the reading.
func (s *Source) following(j *job) bool {
	for {
		var report trace.FileReport
		err := s.read(j, &report)
		s.rows += report.Rows + report.BadRows
		if err != nil {
			s.err = errors.Join(ending(err), s.reader.Close())
			if s.err == nil {
				s.err = io.EOF
			}
			return false
		}
		if left := s.counts.left(j.why); left != nil {
			*left++
			continue
		}
		return true
	}
}

// sort reads all jobs and sorts them by their submission; those of one moment stay in the
// order of the table.
func (s *Source) sort() {
	s.sorted = make([]job, 0, s.summary.Jobs)
	var j job
	for s.following(&j) {
		j.state = ""
		s.sorted = append(s.sorted, j)
	}
	if s.err == io.EOF {
		s.err = nil
	}
	slices.SortStableFunc(s.sorted, func(a, b job) int { return cmp.Compare(a.submit, b.submit) })
	s.counts.OutOfOrder = s.summary.OutOfOrder
}

// unused returns the key of a job's next run: its own, or for a further run, which the table
// has of a job that was requeued, the next index that no job has.
func (s *Source) unused(key workload.Key) workload.Key {
	if s.runs == nil {
		s.runs = map[workload.Key]uint32{}
	}
	if len(s.runs) >= mostSeen {
		return key
	}
	first := key
	for n := s.runs[first]; ; n++ {
		if key.Index = first.Index + n; n == 0 || s.runs[key] == 0 {
			s.runs[first] = n + 1
			if n > 0 {
				s.runs[key] = 1
			}
			return key
		}
	}
}

// plays fills s.job and reports whether the job is played.
func (s *Source) plays(j *job) bool {
	c := &s.counts
	rows := int64(max(1, len(j.parts)))
	switch every := s.options.EveryJob; {
	case every > 1 && rng.Mix(j.number)%every != 0:
		c.LeftOut += rows
		return false
	case j.submit-s.summary.origin > longest:
		c.Late += rows
		return false
	case j.processors > s.summary.Machine.Processors:
		c.Larger += rows
		return false
	}
	if len(j.parts) > 0 {
		c.PartsJoined += rows
	}
	if j.uneven {
		c.PartsUneven++
	}
	if j.later != ([3]unit.Time{}) {
		c.ShownTwice++
	}
	if j.skipped {
		c.Skipped++
	}
	key := workload.Key{Job: j.number, Index: j.index}
	s.last = s.unused(key)
	s.job = workload.Job{Processors: int32(j.processors), Run: j.run, Estimate: j.limit, User: j.user, Group: j.group, Queue: j.queue, QOS: j.qos, Throttle: s.summary.throttles[j.number], Components: j.parts}
	if s.summary.dependent > 0 {
		s.job.Fails, s.job.Name = j.fails, j.name
	}
	if j.partly {
		c.Partly++
	}
	if j.switches {
		c.Switches++
	}
	switch {
	case len(j.parts) > 0:
	case s.plan == nil || !s.plan.gpus: // else processors are GPUs
		s.job.Need = j.need()
	}
	if j.depends != "" {
		s.follow(j)
	}
	if before := (workload.Key{Job: j.before}); j.before > 0 && before != (workload.Key{Job: key.Job}) && s.runs[before] > 0 {
		s.after = append(s.after[:0], s.job.After...)
		s.after = append(s.after, workload.Preceding{Key: before, Think: min(j.think, longest)})
		s.job.After = s.after
	} else if j.before > 0 {
		c.Unpreceded++
	}
	s.came(j.number, j.index)
	if s.job.Estimate <= 0 {
		c.EstimateFromRun++
		s.job.Estimate = s.job.Run
	} else if s.job.Run > s.job.Estimate {
		c.KilledAtLimit++
	}
	return true
}
