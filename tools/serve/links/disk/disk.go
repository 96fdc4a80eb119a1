// Package disk keeps short links in one file, with bbolt: an entry that was
// accepted is on the disk, whatever happens to the process afterwards.
//
//	store, err := disk.Open("links.db")
//	defer store.Close()
package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"parley/tools/serve/links"
)

// MostBytes bounds the file: some 100,000 scenarios of usual size.
const MostBytes = 1 << 30

var bucket = []byte("links")

// Store is an open file. Each value is the end of its time, in seconds of Unix as
// eight bytes, and the entry.
type Store struct {
	db   *bbolt.DB
	now  func() time.Time
	most int64
}

// Open opens a file, or makes it, and removes what is out of date in it.
func Open(path string) (*Store, error) { return open(path, time.Now, MostBytes) }

func open(path string, now func() time.Time, most int64) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%q is in use by another server; stop it, or choose another file", path)
	case err != nil:
		return nil, fmt.Errorf("%q cannot be opened as a store of links (%w); choose another file", path, err)
	}
	s := &Store{db, now, most}
	if err := s.tidy(); err != nil {
		db.Close()
		return nil, fmt.Errorf("%q cannot be written (%w); choose another file", path, err)
	}
	return s, nil
}

// tidy removes entries whose time is over.
func (s *Store) tidy() error {
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
	if len(value) < 8 || int64(binary.BigEndian.Uint64(value)) <= s.now().Unix() {
		return nil
	}
	return value[8:]
}

// Get implements links.Store.
func (s *Store) Get(_ context.Context, id string) (kept []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		kept = bytes.Clone(s.entry(tx.Bucket(bucket).Get([]byte(id))))
		return nil
	})
	if err == nil && kept == nil {
		err = links.ErrNone
	}
	return kept, err
}

// Put implements links.Store. Entries that come at the same time go to the disk
// together.
func (s *Store) Put(_ context.Context, id string, entry []byte, until time.Time) error {
	value := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(entry)), uint64(until.Unix()))
	value = append(value, entry...)
	return s.db.Batch(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket)
		stats := s.db.Stats()
		free := int64(stats.FreePageN+stats.PendingPageN) * int64(s.db.Info().PageSize)
		if tx.Size()-free > s.most && b.Get([]byte(id)) == nil {
			return links.ErrFull
		}
		return b.Put([]byte(id), value)
	})
}

// Close ends the use of the file.
func (s *Store) Close() error { return s.db.Close() }
