// Package durabletest has a disk that fails.
package durabletest

import (
	"io/fs"

	"parley/tools/durable"
)

// Failing is the disk of a test: its call of a given number fails, and with Down each later one too,
// as after a crash of the machine. Its syncs do nothing else, because real ones take most of the
// time of a test.
type Failing struct {
	At    int // the call that fails, from 1; 0 if none does
	Down  bool
	Err   error
	Calls int
}

func (f *Failing) fails() error {
	f.Calls++
	if f.At > 0 && (f.Calls == f.At || f.Down && f.Calls > f.At) {
		return f.Err
	}
	return nil
}

type failingFile struct {
	durable.File
	f *Failing
}

// Write implements File. If it fails, it writes a part.
func (f failingFile) Write(p []byte) (int, error) {
	if err := f.f.fails(); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

// Sync implements File.
func (f failingFile) Sync() error { return f.f.fails() }

// System returns the failing disk.
func (f *Failing) System() durable.System {
	disk := durable.Disk()
	return durable.System{
		Create: func(path string, mode fs.FileMode) (durable.File, error) {
			if err := f.fails(); err != nil {
				return nil, err
			}
			file, err := disk.Create(path, mode)
			return failingFile{file, f}, err
		},
		Rename: func(from, to string) error { return f.failsOr(func() error { return disk.Rename(from, to) }) },
		Remove: func(path string) error { return f.failsOr(func() error { return disk.Remove(path) }) },
		Sync:   func(string) error { return f.fails() },
	}
}

func (f *Failing) failsOr(do func() error) error {
	if err := f.fails(); err != nil {
		return err
	}
	return do()
}
