package disk

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/tools/serve/links"
)

func TestKeepsUntilItsTimeIsOver(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "links.db")
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	s, err := open(path, clock, MostBytes)
	if err != nil {
		t.Fatal(err)
	}
	for id, until := range map[string]time.Time{"a": now.Add(time.Hour), "b": now.Add(2 * time.Hour)} {
		if err := s.Put(ctx, id, []byte("entry "+id), until); err != nil {
			t.Fatal(err)
		}
	}
	has := func(id string, want error) {
		t.Helper()
		e, err := s.Get(ctx, id)
		if !errors.Is(err, want) || want == nil && string(e) != "entry "+id {
			t.Errorf("%s: %q, %v", id, e, err)
		}
	}
	has("a", nil)
	has("c", links.ErrNone)
	now = now.Add(time.Hour)
	has("a", links.ErrNone)
	has("b", nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = open(path, clock, MostBytes); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now = now.Add(-time.Hour)
	has("a", links.ErrNone) // it was removed, not only hidden
	has("b", nil)
}

func TestFullIsToldAndRoomIsUsedAgain(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "links.db")
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	s, err := open(path, clock, 1<<18)
	if err != nil {
		t.Fatal(err)
	}
	fill := func() (n int, err error) {
		for ; n < 100 && err == nil; n++ {
			err = s.Put(ctx, string(rune('0'+n))+now.String(), bytes.Repeat([]byte("a"), 1<<14), now.Add(time.Hour))
		}
		return n, err
	}
	first, err := fill()
	if !errors.Is(err, links.ErrFull) || first < 5 {
		t.Fatalf("%d entries of 16 KB in 256 KB: %v", first, err)
	}
	if err := s.Put(ctx, "0"+now.String(), []byte("again"), now.Add(2*time.Hour)); err != nil {
		t.Errorf("an entry that is there: %v", err)
	}
	now = now.Add(90 * time.Minute)
	s.Close()
	if s, err = open(path, clock, 1<<18); err != nil {
		t.Fatal(err)
	}
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
	s, err := Open(used)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for path, says := range map[string]string{text: "choose another file", dir: "choose another file", filepath.Join(dir, "none", "x"): "choose another file", used: "in use by another server"} {
		s, err := Open(path)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
