package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/tools/links"
)

// entryOf returns an entry and its name.
func entryOf(text string) (id string, entry []byte) {
	entry = fmt.Appendf(nil, `{"place":"","scenario":{"v":1,"system":"central","about":%q}}`, text)
	return links.Name(entry), entry
}

// mustOpen opens a store that is not damaged.
func mustOpen(t *testing.T, path string, now func() time.Time, most int64) (*Store, chan<- time.Time) {
	t.Helper()
	tick := make(chan time.Time)
	s, said, err := open(path, now, most, tick)
	if err != nil || said != "" {
		t.Fatalf("%q, %v", said, err)
	}
	return s, tick
}

func TestKeepsUntilItsTimeIsOver(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "links.db")
	var lock sync.Mutex
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { lock.Lock(); defer lock.Unlock(); return now }
	move := func(by time.Duration) { lock.Lock(); defer lock.Unlock(); now = now.Add(by) }
	s, tick := mustOpen(t, path, clock, MostBytes)
	for text, until := range map[string]time.Time{"a": now.Add(time.Hour), "b": now.Add(2 * time.Hour)} {
		id, entry := entryOf(text)
		if err := s.Put(ctx, id, entry, until); err != nil {
			t.Fatal(err)
		}
	}
	has := func(text string, want error) {
		t.Helper()
		id, entry := entryOf(text)
		e, err := s.Get(ctx, id)
		if !errors.Is(err, want) || want == nil && !bytes.Equal(e, entry) {
			t.Errorf("%s: %q, %v", text, e, err)
		}
	}
	has("a", nil)
	has("c", links.ErrNone)
	move(time.Hour)
	has("a", links.ErrNone)
	has("b", nil)
	tick <- now
	tick <- now // the first is over when the second is taken
	move(-time.Hour)
	has("a", links.ErrNone) // it was removed while the store was open, not only hidden
	has("b", nil)
	move(2 * time.Hour)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = mustOpen(t, path, clock, MostBytes)
	defer s.Close()
	move(-2 * time.Hour)
	has("b", links.ErrNone) // it was removed when the store was opened
}

func TestFullIsToldAndRoomIsUsedAgain(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "links.db")
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	s, _ := mustOpen(t, path, clock, 1<<18)
	put := func(n int) error {
		id, entry := entryOf(strings.Repeat(string(rune('0'+n)), 1<<14) + now.String())
		return s.Put(ctx, id, entry, now.Add(time.Hour))
	}
	fill := func() (n int, err error) {
		for ; n < 100 && err == nil; n++ {
			err = put(n)
		}
		return n, err
	}
	first, err := fill()
	if !errors.Is(err, links.ErrFull) || first < 5 {
		t.Fatalf("%d entries of 16 KB in 256 KB: %v", first, err)
	}
	if err := put(0); err != nil {
		t.Errorf("an entry that is there: %v", err)
	}
	now = now.Add(90 * time.Minute)
	s.Close()
	s, _ = mustOpen(t, path, clock, 1<<18)
	defer s.Close()
	if second, err := fill(); !errors.Is(err, links.ErrFull) || second < first-2 {
		t.Errorf("after their time %d entries of %d have room: %v", second, first, err)
	}
}

func TestFilesThatAreNoStoreAreSentences(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no store\n"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	used := filepath.Join(dir, "used")
	s, _, err := Open(used)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for path, says := range map[string]string{text: "choose another file", dir: "choose another file", filepath.Join(dir, "none", "x"): "choose another file", used: "in use by another server"} {
		s, _, err := Open(path)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if kept, err := os.ReadFile(text); err != nil || len(kept) != 90_000 {
		t.Errorf("a file that is no store was touched: %v", err)
	}
}

// Requests that come at the same time are all kept.
func TestManyAtATime(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "links.db")
	s, _ := mustOpen(t, path, time.Now, MostBytes)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			id, entry := entryOf(fmt.Sprint(i))
			if err := s.Put(ctx, id, entry, time.Now().Add(time.Hour)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = mustOpen(t, path, time.Now, MostBytes)
	defer s.Close()
	for i := range 200 {
		id, entry := entryOf(fmt.Sprint(i))
		if got, err := s.Get(ctx, id); err != nil || !bytes.Equal(got, entry) {
			t.Errorf("%d: %q, %v", i, got, err)
		}
	}
}
