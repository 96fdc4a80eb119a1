// Package disk keeps links in a file, with bbolt: an entry that was
// accepted is on the disk, whatever happens to the process afterwards.
//
//	store, said, err := disk.Open("links.db")
//	defer store.Close()
//
// Open reads the whole file first. If it is damaged, the entries that can be read go to
// a new file in its place, the damaged one gets the ending .damaged, and said says so.
package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"parley/tools/links"
)

// MostBytes bounds the file: some 100,000 scenarios of usual size.
const MostBytes = 1 << 30

// tidyEvery is how often entries whose time is over are removed.
const tidyEvery = time.Hour

var bucket = []byte("links")

// timeSize is the size of what stands before the entry in a value: the end of its time
// in seconds of Unix as four bytes, behind their CRC-32; or, in files of earlier
// versions, as eight bytes that begin with four zeros.
const timeSize = 8

// valueOf returns what is kept of an entry.
func valueOf(entry []byte, until time.Time) []byte {
	end := binary.BigEndian.AppendUint32(nil, uint32(until.Unix()))
	value := binary.BigEndian.AppendUint32(make([]byte, 0, timeSize+len(entry)), crc32.ChecksumIEEE(end))
	return append(append(value, end...), entry...)
}

// until returns the end of an entry's time.
func until(value []byte) time.Time {
	return time.Unix(int64(binary.BigEndian.Uint32(value[4:])), 0)
}

// timely reports whether the time of a value is as it was written.
func timely(value []byte) bool {
	sum := binary.BigEndian.Uint32(value)
	return sum == 0 || sum == crc32.ChecksumIEEE(value[4:timeSize])
}

// Store is an open file.
type Store struct {
	db      *bbolt.DB
	file    *os.File    // of db
	broken  atomic.Bool // bbolt ended in the middle of something: it may hold locks
	now     func() time.Time
	most    int64
	ended   chan struct{} // closed by Close
	tidies  sync.WaitGroup
	lock    sync.Mutex // of waiting
	waiting []put
	writing sync.Mutex
}

// put is an entry on its way to the disk.
type put struct {
	id, value []byte
	done      chan error
}

// Open opens a file, or makes it, and removes entries whose time is over, now and every
// hour. said is a sentence about a file that was damaged; empty: it was not.
func Open(path string) (s *Store, said string, err error) {
	ticker := time.NewTicker(tidyEvery)
	s, said, err = open(path, time.Now, MostBytes, ticker.C)
	if err != nil {
		ticker.Stop()
	}
	return s, said, err
}

func open(path string, now func() time.Time, most int64, tick <-chan time.Time) (*Store, string, error) {
	damage := check(path)
	if errors.Is(damage, os.ErrNotExist) {
		damage = nil
	}
	s := &Store{now: now, most: most, ended: make(chan struct{})}
	// With damage it is opened for the lock alone, which another server may have.
	err := s.openFile(path, damage != nil)
	if err == nil && damage == nil {
		if damage = s.guarded(s.tidy); damage != nil {
			err = s.close()
		}
	}
	said := ""
	if errors.As(err, new(wrong)) {
		damage, err = err, nil
	}
	if damage != nil && !refused(err) {
		s.broken.Store(false)
		if said, err = rescue(path, now(), damage); err == nil {
			if err = s.openFile(path, false); err == nil {
				err = s.guarded(s.tidy)
			}
		}
	}
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, "", fmt.Errorf("%q is in use by another server; stop it, or choose another file", path)
	case err != nil:
		return nil, "", fmt.Errorf("%q cannot be opened as a store of links (%w); choose another file", path, err)
	}
	s.tidies.Go(func() {
		for {
			select {
			case <-s.ended:
				return
			case <-tick:
				_ = s.guarded(s.tidy) // Get hides what it could not remove
			}
		}
	})
	return s, said, nil
}

// refused reports whether a file cannot be opened for another reason than its content.
func refused(err error) bool {
	return errors.Is(err, bolterrors.ErrTimeout) || errors.As(err, new(*os.PathError))
}

// openFile opens the file; for its lock alone, it is closed again.
func (s *Store) openFile(path string, lockAlone bool) error {
	options := &bbolt.Options{Timeout: time.Second, ReadOnly: lockAlone, OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		f, err = os.OpenFile(name, flag, mode)
		s.file = f
		return f, err
	}}
	err := s.guarded(func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if err == nil && lockAlone {
		err = s.close()
	}
	if errors.As(err, new(wrong)) && s.file != nil {
		s.file.Close() // and its lock
	}
	return err
}

// close closes the file, also where bbolt cannot.
func (s *Store) close() error {
	if s.broken.Load() {
		return s.file.Close()
	}
	return s.guarded(s.db.Close)
}

// wrong is what bbolt found where it trusts its file.
type wrong struct{ what any }

// Error implements error.
func (w wrong) Error() string { return fmt.Sprint(w.what) }

// guarded makes an error of a panic, and of an access to a page that the file does not
// have any more. After one the store only fails.
func (s *Store) guarded(f func() error) (err error) {
	if s.broken.Load() {
		return wrong{"the store is damaged"}
	}
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if what := recover(); what != nil {
			s.broken.Store(true)
			err = wrong{what}
		}
	}()
	return f()
}

// tidy removes entries whose time is over.
func (s *Store) tidy() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		var over [][]byte
		err = b.ForEach(func(id, value []byte) error {
			if s.entry(value) == nil {
				over = append(over, bytes.Clone(id))
			}
			return nil
		})
		for _, id := range over {
			err = errors.Join(err, b.Delete(id))
		}
		return err
	})
}

// entry returns what a value holds, nil where its time is over.
func (s *Store) entry(value []byte) []byte {
	if len(value) < timeSize || !until(value).After(s.now()) {
		return nil
	}
	return value[timeSize:]
}

// Get implements links.Store.
func (s *Store) Get(_ context.Context, id string) (kept []byte, err error) {
	err = s.guarded(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			kept = bytes.Clone(s.entry(tx.Bucket(bucket).Get([]byte(id))))
			return nil
		})
	})
	if err == nil && kept == nil {
		err = links.ErrNone
	}
	return kept, err
}

// Put implements links.Store. Entries that come while others are written go to the disk
// together.
func (s *Store) Put(_ context.Context, id string, entry []byte, until time.Time) error {
	p := put{[]byte(id), valueOf(entry, until), make(chan error, 1)}
	s.lock.Lock()
	s.waiting = append(s.waiting, p)
	first := len(s.waiting) == 1
	s.lock.Unlock()
	if first {
		s.writing.Lock()
		s.lock.Lock()
		all := s.waiting
		s.waiting = nil
		s.lock.Unlock()
		s.write(all)
		s.writing.Unlock()
	}
	return <-p.done
}

// write writes entries in one transaction, and answers all of them.
func (s *Store) write(all []put) {
	full := make([]bool, len(all))
	err := s.guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			b, stats := tx.Bucket(bucket), s.db.Stats()
			free := int64(stats.FreePageN+stats.PendingPageN) * int64(s.db.Info().PageSize)
			size := tx.Size() - free
			for i, p := range all {
				if full[i] = size > s.most && b.Get(p.id) == nil; full[i] {
					continue
				}
				if err := b.Put(p.id, p.value); err != nil {
					return err
				}
				size += int64(len(p.value))
			}
			return nil
		})
	})
	for i, p := range all {
		if err == nil && full[i] {
			p.done <- links.ErrFull
		} else {
			p.done <- err
		}
	}
}

// Close ends the use of the file.
func (s *Store) Close() error {
	close(s.ended)
	s.tidies.Wait()
	return s.close()
}
