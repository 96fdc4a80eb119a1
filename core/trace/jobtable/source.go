package jobtable

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/accounting"
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
		return nil, &trace.Error{Kind: trace.Empty, File: "no file", Reason: "was given", Hint: "choose a table of jobs"}
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
		return nil, &trace.Error{
			Kind: trace.WrongTable, File: s.file.Name,
			Reason: "has no first line that names its columns", Hint: "write such a line above the rows",
		}
	}
	if why != nil {
		return nil, &trace.Error{Kind: trace.Unmapped, File: s.file.Name, Reason: why.Reason, Hint: why.Hint}
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
			if j.reason == played && s.repeats(j) {
				j.reason = again
			}
			return nil
		}
		if !errors.As(err, &bad) || bad.Kind != trace.BadLine || !s.options.SkipBadRows {
			return err
		}
		report.AddBad(bad, s.options.ListBad)
	}
}

// maxSeen limits how many runs are remembered, at about 40 bytes each.
const maxSeen = 4 << 20

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
	if len(s.seen) < maxSeen {
		s.seen[h] = struct{}{}
	}
	return false
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

// Next fills r with the next record, see workload.Source: the nodes of the machine first, then the jobs in the order of
// submission. If the table is in another order, all jobs are read and sorted before the first one.
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
		s.readSorted()
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
		if left := s.counts.left(j.reason); left != nil {
			*left++
			continue
		}
		return true
	}
}

// readSorted reads all jobs and sorts them by their submission; those of one moment stay in the
// order of the table.
func (s *Source) readSorted() {
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
