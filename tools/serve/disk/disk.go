// Package disk keeps links in a folder, one file each: an entry that was accepted is on the disk,
// whatever happens to the process afterwards.
//
//	store, note, err := disk.Open("links", warn)
//	defer store.Close()
//
// A file is named by the entry's id in hex and by the age of the store at which it expires. The age
// counts the seconds that a server ran, by a clock that cannot be set, so that no date deletes a
// link. Files are kept for a while after they expire, and warn receives a sentence about each
// removal.
package disk

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/tools/durable"
	"parley/tools/links"
)

const (
	MaxBytes = 1 << 30             // of all files: some 100,000 scenarios of usual size
	Delay    = 30 * 24 * time.Hour // for which a link stays on the disk after its time

	tidyEvery  = 10 * time.Minute // interval at which the age is written and expired links are looked for
	renewAfter = 24 * time.Hour   // additional life for which a link's file gets another name
	block      = 4 << 10          // bytes that a file takes at least
	ageName    = "age"
	partEnding = ".part" // of a file that is being written
)

// Store is an open folder.
type Store struct {
	dir    string
	disk   durable.System
	limit  int64
	warn   func(string)
	since  func() time.Duration // since the store was opened
	ended  chan struct{}        // closed by Close
	tidies sync.WaitGroup

	lock   sync.Mutex
	before time.Duration // the age when the store was opened
	marked time.Duration // the age on the disk
	files  map[string]place
	size   int64
	over   int // expired links at the last warning
	parts  int
}

// place is the file of a link.
type place struct {
	end  int64 // the age in seconds at which its time is over
	size int64
}

func (p place) name(key string) string { return key + "." + strconv.FormatInt(p.end, 10) }

// keyOf returns an id as names of files have it: in letters of one case.
func keyOf(id string) (string, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil || len(id) != links.IDLength {
		return "", fmt.Errorf("%.20q is no name of a link", id)
	}
	return hex.EncodeToString(raw), nil
}

// Open opens a folder, or makes it. If an earlier version wrote a file in its place, Open moves its
// links over once and keeps the file under another name. note is a sentence about such a change;
// empty if there was none. warn receives later removals.
func Open(path string, warn func(string)) (s *Store, note string, err error) {
	began := time.Now()
	ticker := time.NewTicker(tidyEvery)
	s, note, err = open(path, durable.Disk(), func() time.Duration { return time.Since(began) }, MaxBytes, ticker.C, warn)
	if err != nil {
		ticker.Stop()
	}
	return s, note, err
}

// open is Open with a disk, a clock since the start, a limit of size in bytes and a tick for tidying. It starts the
// goroutine that Close ends.
func open(path string, d durable.System, since func() time.Duration, limit int64, tick <-chan time.Time, warn func(string)) (*Store, string, error) {
	note, err := moveOver(d, path)
	if err == nil {
		if err = os.Mkdir(path, 0o700); errors.Is(err, fs.ErrExist) {
			err = nil
		} else if err == nil {
			err = d.Sync(filepath.Dir(path))
		}
	}
	s := &Store{dir: path, disk: d, limit: limit, warn: warn, since: since, ended: make(chan struct{}), files: map[string]place{}}
	if err == nil {
		err = s.list()
	}
	if err == nil {
		err = s.mark()
	}
	if err != nil {
		return nil, "", fmt.Errorf("%q cannot be opened as a store of links (%w); choose another folder", path, err)
	}
	s.tidy()
	s.tidies.Go(func() {
		for {
			select {
			case <-s.ended:
				return
			case <-tick:
				s.tidy()
			}
		}
	})
	return s, note, nil
}

// list reads the index of the links from the names of files. It removes the remains of interrupted writes. A file
// that is not a link is an error, so that a wrong folder is not taken for a store.
func (s *Store) list() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	newest := int64(0)
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, partEnding) {
			_ = s.disk.Remove(filepath.Join(s.dir, name))
			continue
		}
		key, text, _ := strings.Cut(name, ".")
		end, err := strconv.ParseInt(text, 10, 64)
		if raw, wrong := hex.DecodeString(key); wrong != nil || len(raw) != 8 || err != nil || end < 0 {
			if name != ageName && len(entries) > 0 && !strings.HasPrefix(name, ".") {
				return fmt.Errorf("it holds %q, which is no link", name)
			}
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		p := place{end, info.Size()}
		if other, twice := s.files[key]; twice { // a renewal was interrupted: the longer one counts
			if other.end > p.end {
				p, other = other, p
			}
			_ = s.disk.Remove(filepath.Join(s.dir, other.name(key)))
			s.size -= taken(other.size)
		}
		s.files[key] = p
		s.size += taken(p.size)
		newest = max(newest, end)
	}
	s.before = s.age(time.Duration(newest) * time.Second)
	return nil
}

// taken returns the disk space of a file of a size.
func taken(size int64) int64 { return (size + block - 1) / block * block }

// age returns the age of the store that was written last. If it is lost, the lower bound is returned: the age at
// which the newest link, whose end is newest, was stored.
func (s *Store) age(newest time.Duration) time.Duration {
	text, err := os.ReadFile(filepath.Join(s.dir, ageName))
	if err == nil {
		if number, sum, is := strings.Cut(strings.TrimSpace(string(text)), " "); is && sum == sumOf(number) {
			if seconds, err := strconv.ParseInt(number, 10, 64); err == nil && seconds >= 0 && seconds < 1<<33 {
				return time.Duration(seconds) * time.Second
			}
		}
	}
	return max(0, newest-links.Kept)
}

func sumOf(number string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(number))) }

// now returns the age. The lock is held.
func (s *Store) now() time.Duration { return s.before + s.since() }

// mark writes the age. The lock is held, or the store is not yet open.
func (s *Store) mark() error {
	now := s.now()
	number := strconv.FormatInt(int64(now/time.Second), 10)
	err := s.disk.Replace(filepath.Join(s.dir, ageName), filepath.Join(s.dir, ageName+partEnding), []byte(number+" "+sumOf(number)+"\n"), 0o600)
	if err == nil {
		s.marked = now
	}
	return err
}

// tidy writes the age and removes links whose time has been over for Delay. It warns of removals, and of expired
// links if there are more than before.
func (s *Store) tidy() {
	s.lock.Lock()
	defer s.lock.Unlock()
	_ = s.mark() // an age that is not written is less: links stay longer
	now, over, removed := int64(s.now()/time.Second), 0, 0
	for key, p := range s.files {
		switch {
		case now < p.end:
		case now < p.end+int64(Delay/time.Second):
			over++
		case s.disk.Remove(filepath.Join(s.dir, p.name(key))) == nil:
			removed++
			delete(s.files, key)
			s.size -= taken(p.size)
		}
	}
	if over > s.over && s.warn != nil {
		s.warn(fmt.Sprintf("%d short links are over their time of %d days and lead nowhere; their files stay for %d days more in %q.", over, links.Kept/(24*time.Hour), Delay/(24*time.Hour), s.dir))
	}
	if removed > 0 && s.warn != nil {
		s.warn(fmt.Sprintf("%d short links were removed, %d days after their time was over.", removed, Delay/(24*time.Hour)))
	}
	s.over = over
}

// Get implements links.Store: it returns links.ErrNone for a link that does not exist or is over its time.
func (s *Store) Get(_ context.Context, id string) ([]byte, error) {
	key, err := keyOf(id)
	if err != nil {
		return nil, err
	}
	for range 2 { // a second time where it was renewed meanwhile
		s.lock.Lock()
		p, has := s.files[key]
		over := int64(s.now()/time.Second) >= p.end
		s.lock.Unlock()
		if !has || over {
			return nil, links.ErrNone
		}
		text, err := os.ReadFile(filepath.Join(s.dir, p.name(key)))
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, links.ErrNone
}

// Put implements links.Store: it stores a link, or renews one that is there. It returns links.ErrFull if the
// store, or the half of it that pictures may take, has no room.
func (s *Store) Put(_ context.Context, id string, entry []byte, life time.Duration) error {
	key, err := keyOf(id)
	if err != nil {
		return err
	}
	s.lock.Lock()
	before, has := s.files[key]
	after := place{int64((s.now() + life) / time.Second), int64(len(entry))}
	room := s.limit
	if len(entry) > 2*links.MaxBytes {
		room /= 2 // pictures leave room for scenarios
	}
	if !has && s.size+taken(after.size) > room {
		s.lock.Unlock()
		return links.ErrFull
	}
	s.parts++
	part := filepath.Join(s.dir, key+"."+strconv.Itoa(s.parts)+partEnding)
	if has {
		defer s.lock.Unlock()
		return s.renew(key, part, before, after, entry)
	}
	s.lock.Unlock() // others write at the same time
	err = s.disk.Replace(filepath.Join(s.dir, after.name(key)), part, entry, 0o600)
	s.lock.Lock()
	defer s.lock.Unlock()
	if err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			return links.ErrFull
		}
		return err
	}
	if other, has := s.files[key]; has { // it came twice at a time
		s.size -= taken(other.size)
		if other.end != after.end {
			_ = s.disk.Remove(filepath.Join(s.dir, other.name(key)))
		}
	}
	s.files[key] = after
	s.size += taken(after.size)
	return nil
}

// renew lengthens the time of a link that is there, unless it was renewed recently, and repairs its content. The
// lock is held.
func (s *Store) renew(key, part string, before, after place, entry []byte) error {
	from, to := filepath.Join(s.dir, before.name(key)), filepath.Join(s.dir, after.name(key))
	if there, err := os.ReadFile(from); err != nil || !bytes.Equal(there, entry) { // damaged: it is written again
		if err := s.disk.Replace(from, part, entry, 0o600); err != nil {
			return err
		}
	}
	if after.end-before.end < int64(renewAfter/time.Second) && before.end > int64(s.now()/time.Second) {
		return nil
	}
	if err := s.disk.Rename(from, to); err != nil {
		return err
	}
	s.files[key] = after
	s.size += taken(after.size) - taken(before.size)
	return s.disk.Sync(s.dir)
}

// Close ends the use of the folder.
func (s *Store) Close() error {
	close(s.ended)
	s.tidies.Wait()
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.mark()
}
