// Package sweeps plays sweeps: on the cores of this machine, on a Slurm cluster or on Kubernetes.
// Package core/study defines the runs and their statistics; this package has the processes, the
// files and the reports for people.
//
// A folder of results holds
//
//	sweep.json      the sweep, with its base inside
//	results.jsonl   a line a run, appended as runs end
//	parts/          results of shards: *.part while they play, *.jsonl when they are done
//	table.json, table.csv, results.parquet, *.svg, report.html
package sweeps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/core/study"
	"parley/core/trace"
	"parley/tools/durable"
)

const (
	resultsFile = "results.jsonl"
	partsFolder = "parts"
)

// Folder is a folder of results.
type Folder struct {
	dir    string
	have   *study.Results
	out    *os.File // where results are appended
	name   string   // of out
	final  string   // out's name after all runs are played; "" keeps its name
	lock   io.Closer
	seen   map[string]int64  // sizes of files that were read
	counts map[string][2]int // repairs of files, and lines without a checksum
	lines  map[string][]byte // whole lines of files that were read; nil if they are not kept
	open   func(name string) (*os.File, error)
}

// OpenFolder opens a folder for this process alone, creates it if it is missing, and reads its
// results.
func OpenFolder(dir string, have *study.Results) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(dir, err)
	}
	lock, err := lockFile(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, err
	}
	f := newFolder(dir, have)
	f.lock, f.name = lock, filepath.Join(dir, resultsFile)
	if err := f.openResults(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return f, nil
}

// ReadFolder reads the results of a folder into have, and returns their lines, without a lock and without a half
// last line.
func ReadFolder(dir string, have *study.Results) (lines []byte, err error) {
	return newFolder(dir, have).readLines()
}

// readLines reads all results and returns their lines, by the names of their files. Each file is read once: a
// shard may rename its file at any time.
func (f *Folder) readLines() (lines []byte, err error) {
	f.lines = map[string][]byte{}
	if err := f.Refresh(); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.lines)) {
		lines = append(lines, f.lines[name]...)
	}
	return lines, nil
}

func newFolder(dir string, have *study.Results) *Folder {
	return &Folder{dir: dir, have: have, seen: map[string]int64{}, counts: map[string][2]int{}, open: os.Open}
}

// openResults reads all results and opens results.jsonl behind its last whole line; the rest is cut off.
func (f *Folder) openResults() error {
	if err := f.Refresh(); err != nil {
		return err
	}
	out, err := os.OpenFile(f.name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return unwritable(f.name, err)
	}
	whole, err := study.NewResults(f.have.Engine).Read(f.name, out)
	if err == nil {
		if err = out.Truncate(whole); err == nil {
			_, err = out.Seek(whole, io.SeekStart)
		}
		if err != nil {
			err = unwritable(f.name, err)
		}
	}
	if err != nil {
		return errors.Join(err, out.Close())
	}
	f.out = out
	return nil
}

// OpenPart opens a folder that several machines share, for one attempt at a shard. It
// writes to a file of its own, which is renamed when the shard is done: a program that reads
// the folder never meets two writers of one file.
func OpenPart(dir string, have *study.Results, shard study.Shard, attempt string) (*Folder, error) {
	parts := filepath.Join(dir, partsFolder)
	if err := os.MkdirAll(parts, 0o755); err != nil {
		return nil, unwritable(parts, err)
	}
	f := newFolder(dir, have)
	if err := f.Refresh(); err != nil {
		return nil, err
	}
	base := filepath.Join(parts, fmt.Sprintf("shard-%d-of-%d.%s", shard.Number, shard.Of, attempt))
	f.name, f.final = base+".part", base+".jsonl"
	out, err := os.OpenFile(f.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, unwritable(f.name, err)
	}
	f.out = out
	return f, nil
}

// Refresh reads the files whose size has changed since the last call, and corrects the counts of repairs. If a
// shard renames its file meanwhile, Refresh lists the files again, so that none is passed over and none counts
// under two names.
func (f *Folder) Refresh() error {
	var before []string
	for again := true; again; {
		names, err := f.list()
		if err != nil {
			return err
		}
		again = false
		if slices.Equal(names, before) {
			break // a name that leads nowhere
		}
		before = names
		for _, name := range names {
			gone, err := f.read(name)
			if err != nil {
				return err
			}
			again = again || gone
		}
		listed := func(name string) bool { _, is := slices.BinarySearch(names, name); return is }
		maps.DeleteFunc(f.seen, func(name string, _ int64) bool { return !listed(name) })
		maps.DeleteFunc(f.counts, func(name string, _ [2]int) bool { return !listed(name) })
		maps.DeleteFunc(f.lines, func(name string, _ []byte) bool { return !listed(name) })
	}
	f.have.Repairs, f.have.NoSums = 0, 0
	for _, n := range f.counts {
		f.have.Repairs += n[0]
		f.have.NoSums += n[1]
	}
	return nil
}

// list returns the names of the files with results that there are, sorted. A file that is renamed while it is
// listed may be there under both its names.
func (f *Folder) list() (names []string, err error) {
	if results := filepath.Join(f.dir, resultsFile); exists(results) {
		names = append(names, results)
	}
	for _, pattern := range []string{"*.part", "*.jsonl"} {
		more, err := filepath.Glob(filepath.Join(escaped(f.dir), partsFolder, pattern))
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	return names, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// escaped keeps a folder's name from being a pattern.
func escaped(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// read reads one file of results, unless its size is known. gone means that the file has been renamed or removed
// since it was listed.
func (f *Folder) read(name string) (gone bool, err error) {
	file, err := f.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, fmt.Errorf("%s cannot be read: %w", name, trace.Reason(err))
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, fmt.Errorf("%s cannot be read: %w", name, trace.Reason(err))
	}
	if size, known := f.seen[name]; known && size == info.Size() {
		return false, nil
	}
	repairs, noSums := f.have.Repairs, f.have.NoSums
	var text bytes.Buffer
	in := io.Reader(file)
	if f.lines != nil {
		in = io.TeeReader(file, &text)
	}
	whole, err := f.have.Read(name, in)
	if err != nil {
		return false, err
	}
	if f.lines != nil {
		f.lines[name] = text.Bytes()[:whole]
	}
	f.seen[name], f.counts[name] = info.Size(), [2]int{f.have.Repairs - repairs, f.have.NoSums - noSums}
	return false, nil
}

// Add adds a result to those in memory and appends it to the file. The file is not synced.
func (f *Folder) Add(r study.Result) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	if err := f.have.Add(r, f.name); err != nil {
		return err
	}
	if _, err := f.out.Write(line); err != nil {
		return unwritable(f.name, err)
	}
	return nil
}

// Done syncs the file of a shard and renames it to its final name; for other folders it does nothing.
func (f *Folder) Done() error {
	if f.final == "" {
		return nil
	}
	if err := f.out.Sync(); err != nil {
		return unwritable(f.name, err)
	}
	if err := os.Rename(f.name, f.final); err != nil {
		return unwritable(f.final, err)
	}
	return nil
}

// Close ends the use of the folder.
func (f *Folder) Close() error {
	err := f.out.Close()
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// Replace writes a file of the folder as a whole or not at all.
func Replace(name string, content []byte) error {
	if err := durable.Disk().Replace(name, name+".new", content, 0o644); err != nil {
		return unwritable(name, err)
	}
	return nil
}

func unwritable(name string, err error) error {
	return fmt.Errorf("%s cannot be written: %w", name, trace.Reason(err))
}
