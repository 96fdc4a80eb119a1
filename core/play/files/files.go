// Package files reads a user's trace files for a player. It detects formats by content, not
// by name, because all parts of a Google table have the same name.
package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"

	"parley/core/feed"
	"parley/core/message"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/jobtable"
	"parley/core/unit"
	"parley/core/workload"
)

// Reader reads every format there is. It implements play.Files.
type Reader struct {
	// Unpack opens files that trace.Members does not unpack, as packed.Open does, which makes a
	// program larger; nil: they are refused in a sentence.
	Unpack func([]trace.File, []trace.Format) ([]trace.File, error)
}

// opened returns files as they are read.
func (r Reader) opened(files []trace.File) ([]trace.File, error) {
	if r.Unpack != nil {
		return r.Unpack(files, formats.All)
	}
	return trace.Members(files, formats.All)
}

// Look implements play.Files. It reads all files once, and then the chosen work again, for its extent. It writes
// the files into s.Workload.Trace, and the end of the work into s unless hasEnd is set. The elements of files
// get their formats.
func (r Reader) Look(s *scenario.Scenario, files []trace.File, hasEnd bool,
	progress func(trace.Progress) error,
) ([]message.FileSummary, error) {
	opened, err := r.opened(files)
	if err != nil {
		return nil, err
	}
	given := files
	files = opened
	sums := make([]*summed, len(files))
	watched := make([]trace.File, len(files))
	for i, f := range files {
		sums[i] = &summed{file: f}
		watched[i] = f
		watched[i].Open = sums[i].open
	}
	known, err := trace.Using(formats.All, s.Workload.Map)
	if err != nil {
		return nil, err
	}
	report, err := trace.Summarise(watched, known,
		trace.Options{SkipBadRows: s.Workload.SkipBadRows, Progress: progress, Slice: feed.SliceOf(&s.Workload.Jobs)})
	if err != nil {
		return nil, err
	}
	copy(given, trace.Known(given, report))
	files = trace.Known(files, report)
	s.Workload.Trace = nil
	listed := make([]message.FileSummary, len(report.Files))
	for i, f := range report.Files {
		sum, err := sums[i].sum()
		if err != nil {
			return nil, err
		}
		listed[i] = message.FileSummary{
			File: f.File, Format: f.Format, SHA256: sum, Rows: f.Rows, Bad: f.BadRows, Bytes: files[i].Size,
			Notes: []string{},
		}
		s.Workload.Trace = append(s.Workload.Trace, scenario.TraceFile{Name: f.File, Format: f.Format})
	}
	label(listed)
	extent, tally, err := readThrough(s, files, progress)
	if err != nil {
		return nil, err
	}
	listed[0].Notes = append(listed[0].Notes, tally.Sentences()...)
	listed[0].Held = &message.Held{
		Of: tally.Of, Rows: tally.Rows, Played: tally.Played, LeftOut: counts(tally.LeftOut),
		Repaired: counts(tally.Repaired),
		Jobs:     extent.Jobs, Processors: extent.Processors, First: extent.First, End: extent.End,
	}
	if !hasEnd {
		extent.Bound(s)
	}
	return listed, nil
}

// Table implements play.Files: it reads the beginning of a table of jobs with a mapping. An error is in Why.
func (r Reader) Table(file trace.File, mapping string) message.Table {
	t := message.Table{
		Columns: []message.TableColumn{}, Fields: jobtable.Fields(), Units: jobtable.Units(),
		Jobs: []message.TableJob{}, LeftOut: []message.HeldCount{},
	}
	if opened, err := r.opened([]trace.File{file}); err == nil && len(opened) == 1 {
		file = opened[0]
	}
	v, err := jobtable.Look(file, mapping)
	if err != nil {
		t.Reason = err.Error()
		return t
	}
	t.Comma, t.Decimal, t.Asks, t.Whole, t.Bad = v.Comma, v.Decimal, v.Asks, v.Whole, v.Bad
	t.Rows, t.Played, t.Widest, t.First, t.Last, t.LeftOut = v.Rows, v.Played, v.Widest, v.First,
		v.Last, counts(v.LeftOut)
	if v.BadRows > 0 {
		t.LeftOut = append(t.LeftOut, message.HeldCount{About: "bad rows", Count: v.BadRows, First: v.Bad})
	}
	for _, c := range v.Columns {
		t.Columns = append(t.Columns, message.TableColumn{
			Name: c.Name, Values: append([]string{}, c.Values...),
			Field: c.Field, Unit: c.Unit, Reads: c.Reads, Guess: c.Guess,
		})
	}
	for _, j := range v.Jobs {
		t.Jobs = append(t.Jobs, message.TableJob(j))
	}
	return t
}

// Open implements play.Files.
func (r Reader) Open(s *scenario.Scenario, files []trace.File) (workload.Source, error) {
	files, err := r.opened(files)
	if err != nil {
		return nil, err
	}
	return feed.Open(s, files, formats.All, trace.Options{SkipBadRows: s.Workload.SkipBadRows})
}

// counts are the counts of a tally as the page shows them.
func counts(of []trace.Count) []message.HeldCount {
	list := make([]message.HeldCount, len(of))
	for i, c := range of {
		list[i] = message.HeldCount{About: c.About, Count: c.Count, First: c.First}
	}
	return list
}

// readThrough reads the workload of files once. It returns its extent, with the end of the last
// record about a task rounded up to a sample because machines are often known for much longer, and
// the counts of its rows.
func readThrough(s *scenario.Scenario, files []trace.File, progress func(trace.Progress) error) (feed.Extent,
	trace.Tally, error,
) {
	source, err := feed.Open(s, files, formats.All,
		trace.Options{SkipBadRows: s.Workload.SkipBadRows, Progress: progress})
	if err != nil {
		return feed.Extent{}, trace.Tally{}, err
	}
	if !feed.HoldsWork(source) { // recorded acts: the scenario brings the work, and says when it ends
		return feed.Extent{First: -1, End: unit.Time(s.Until)}, source.Tally(), source.Close()
	}
	extent, err := feed.Measure(source)
	tally := source.Tally()
	extent.End = max((extent.End+run.SampleStep-1)/run.SampleStep*run.SampleStep, run.SampleStep)
	return extent, tally, errors.Join(err, source.Close())
}

// label sets the label of each file: its table and its part, or its number among the files of its format.
func label(files []message.FileSummary) {
	of := map[string]int{}
	for _, f := range files {
		of[f.Format]++
	}
	seen := map[string]int{}
	for i := range files {
		f := &files[i]
		_, table, _ := strings.Cut(f.Format, "/")
		words := []string{strings.ReplaceAll(table, "_", " ")}
		if part := partOf(path.Base(f.File)); part != "" {
			words = append(words, "part "+part)
		} else if of[f.Format] > 1 {
			words = append(words, fmt.Sprintf("%d of %d", seen[f.Format]+1, of[f.Format]))
		}
		seen[f.Format]++
		f.Label = strings.Join(words, ", ")
	}
}

// partOf returns the number of a part in a name such as
// "part-00012-of-00500.csv.gz": "12"; nothing if there is none.
func partOf(name string) string {
	_, digits, found := strings.Cut(name, "part-")
	n := 0
	for n < len(digits) && '0' <= digits[n] && digits[n] <= '9' {
		n++
	}
	if !found || n == 0 {
		return ""
	}
	if short := strings.TrimLeft(digits[:n], "0"); short != "" {
		return short
	}
	return "0"
}

// summed is a file whose stored bytes are hashed while somebody reads them.
type summed struct {
	file trace.File
	hash hash.Hash
	at   int64 // bytes hashed
	done bool
}

func (s *summed) open() (io.ReadCloser, error) {
	in, err := s.file.Open()
	if err != nil {
		return nil, err
	}
	return &tee{ReadCloser: in, to: s}, nil
}

// sum returns the SHA-256 of the whole file in hexadecimal. It reads the bytes that the reader left unread; a
// file that was given twice is hashed once.
func (s *summed) sum() (string, error) {
	if !s.done {
		in, err := s.open()
		if err != nil {
			return "", fmt.Errorf("%s cannot be opened: %w", s.file.Name, trace.Reason(err))
		}
		_, err = io.Copy(io.Discard, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return "", fmt.Errorf("%s cannot be read: %w", s.file.Name, trace.Reason(err))
		}
	}
	return hex.EncodeToString(s.hash.Sum(nil)), nil
}

// tee hashes the bytes that are read through it, from the beginning.
type tee struct {
	io.ReadCloser
	to *summed
	at int64
}

// Read implements io.Reader. It hashes only bytes that were not hashed before.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	s := t.to
	if s.hash == nil {
		s.hash = sha256.New()
	}
	if from := s.at - t.at; from < int64(n) {
		s.hash.Write(p[from:n])
		s.at = t.at + int64(n)
	}
	t.at += int64(n)
	if err == io.EOF {
		s.done = true
	}
	return n, err
}
