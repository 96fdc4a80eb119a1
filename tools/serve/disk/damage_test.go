package disk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"parley/tools/links"
)

// stored writes a store with entries of many sizes, some put twice and some removed, and
// returns its file and what it holds.
func stored(t *testing.T, path string, now time.Time, n int) (content []byte, kept map[string][]byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	s, _ := mustOpen(t, path, func() time.Time { return now }, MostBytes)
	kept = map[string][]byte{}
	for i := range n {
		id, entry := entryOf(fmt.Sprint(i) + strings.Repeat("x", random.IntN(40*(1+i%7*i%300))))
		life := time.Hour
		if i%5 == 0 {
			life = time.Second
		} else {
			kept[id] = entry
		}
		for range 1 + i%3 {
			if err := s.Put(context.Background(), id, entry, now.Add(life)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content, kept
}

var oneSentence = regexp.MustCompile(`^[A-Z"“][^\n]*[^\n.]\.?$`)

// A damaged store never ends the program: it is opened as it is where the damage is in no
// part that counts, or a sentence says what happened. What was not touched is served,
// what was altered is not, and the store takes new links.
func TestDamagedStores(t *testing.T) {
	stores := 400
	if testing.Short() {
		stores = 60
	}
	dir, now := t.TempDir(), time.Unix(1_800_000_000, 0)
	var contents [][]byte
	var kepts []map[string][]byte
	for i, n := range []int{3, 40, 400} {
		content, kept := stored(t, filepath.Join(dir, fmt.Sprint("whole", i)), now, n)
		contents, kepts = append(contents, content), append(kepts, kept)
	}
	random := rand.New(rand.NewPCG(7, 11))
	now = now.Add(time.Minute)
	told, served, asWhole := 0, 0, 0
	for n := range stores {
		which := n % len(contents)
		whole, kept := contents[which], kepts[which]
		damaged, what := bytes.Clone(whole), ""
		switch place := random.IntN(len(whole)); random.IntN(8) {
		case 0:
			what, damaged = fmt.Sprintf("cut at %d", place), damaged[:place]
		case 1: // a page of zeros
			place &^= 4095
			what = fmt.Sprintf("zeros at %d", place)
			clear(damaged[place:min(place+4096, len(damaged))])
		case 2: // the head of a page, or what it says of its first elements
			place = place&^4095 + random.IntN(64)
			what = fmt.Sprintf("byte %d", place)
			damaged[place] ^= byte(1 + random.IntN(255))
		case 3: // noise
			what = fmt.Sprintf("noise at %d", place)
			for i := place; i < min(place+1+random.IntN(5000), len(damaged)); i++ {
				damaged[i] = byte(random.Uint32())
			}
		case 4: // a page in the place of another one
			from, to := random.IntN(len(whole)/4096)*4096, place&^4095
			what = fmt.Sprintf("page %d over %d", from/4096, to/4096)
			copy(damaged[to:to+4096], whole[from:])
		case 5: // a digit
			if at := bytes.IndexAny(damaged[place:], "0123456789"); at >= 0 {
				place += at
			}
			what = fmt.Sprintf("another digit at %d", place)
			damaged[place] ^= 1
		case 6: // both beginnings
			what = "no beginning"
			clear(damaged[:8192])
		default:
			what = fmt.Sprintf("bit at %d", place)
			damaged[place] ^= 1 << random.IntN(8)
		}
		path := filepath.Join(dir, fmt.Sprintf("links-%d.db", n))
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, said, err := open(path, func() time.Time { return now }, MostBytes, nil)
		if err != nil {
			// Too little is left to know that it was a store.
			if len(damaged) > pageHead+4 && !bytes.Equal(damaged[:8192], make([]byte, 8192)) || !oneSentence.MatchString(err.Error()) {
				t.Errorf("store %d, %s: %v", n, what, err)
			}
			told++
			continue
		}
		if said != "" {
			told++
			if aside, err := os.ReadFile(path + ".damaged"); err != nil || !bytes.Equal(aside, damaged) || !oneSentence.MatchString(said) {
				t.Errorf("store %d, %s: %q, %v", n, what, said, err)
			}
		} else {
			asWhole++
		}
		for id, entry := range kept {
			got, err := s.Get(context.Background(), id)
			switch intact := bytes.Contains(damaged, append([]byte(id), valueOf(entry, now.Add(time.Hour-time.Minute))...)); {
			case err == nil && !bytes.Equal(got, entry):
				t.Errorf("store %d, %s: %s is served as %.60q", n, what, id, got)
			case err == nil:
				served++
			case !errors.Is(err, links.ErrNone) || intact || said == "" && len(damaged) > 0:
				t.Errorf("store %d, %s: %s: %v (untouched: %v; said %q)", n, what, id, err, intact, said)
			}
		}
		id, entry := entryOf("another")
		if err := s.Put(context.Background(), id, entry, now.Add(time.Hour)); err != nil {
			t.Errorf("store %d, %s: a new link: %v", n, what, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("store %d, %s: %v", n, what, err)
		}
		if s, said, err = open(path, func() time.Time { return now }, MostBytes, nil); err != nil || said != "" {
			t.Errorf("store %d, %s: a second time: %q, %v", n, what, said, err)
		} else if err := s.Close(); err != nil {
			t.Error(err)
		}
		os.Remove(path)
		os.Remove(path + ".damaged")
	}
	t.Logf("%d damaged stores: %d with a sentence, %d damaged where nothing counts; %d links served, none altered", stores, told, asWhole, served)
	if told < stores/4 || served < stores {
		t.Errorf("%d of %d stores were found damaged, %d links served: the test damages too little or too much", told, stores, served)
	}
}

// A server that is running keeps its store, however it looks from outside.
func TestDamagedStoreInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	content, _ := stored(t, path, time.Now(), 40)
	s, _ := mustOpen(t, path, time.Now, MostBytes)
	defer s.Close()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(make([]byte, 4096), int64(len(content))&^4095-4096); err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("damage"), 20); err != nil {
		t.Fatal(err)
	}
	if _, said, err := Open(path); err == nil || !strings.Contains(err.Error(), "in use by another server") {
		t.Errorf("%q, %v", said, err)
	}
}

// A file that loses its end under a running server is an error of each request, not the
// server's end.
func TestFileThatIsCutWhileItIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	_, kept := stored(t, path, time.Now(), 400)
	s, _ := mustOpen(t, path, time.Now, MostBytes)
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for id := range kept {
		if _, err := s.Get(context.Background(), id); err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("all links are served from a file that has lost its end")
	}
	id, entry := entryOf("another")
	_ = s.Put(context.Background(), id, entry, time.Now().Add(time.Hour))
	_ = s.Close()
}

// Files of earlier versions, whose times have no checksum, are read, and nothing is said.
func TestEarlierFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	id, entry := entryOf("of an earlier version")
	now := time.Unix(1_800_000_000, 0)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket(bucket)
		if err != nil {
			return err
		}
		return b.Put([]byte(id), append(binary.BigEndian.AppendUint64(nil, uint64(now.Unix()+60)), entry...))
	}), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	s, _ := mustOpen(t, path, func() time.Time { return now }, MostBytes)
	defer s.Close()
	if got, err := s.Get(context.Background(), id); err != nil || !bytes.Equal(got, entry) {
		t.Errorf("%q, %v", got, err)
	}
	now = now.Add(time.Minute)
	if _, err := s.Get(context.Background(), id); !errors.Is(err, links.ErrNone) {
		t.Errorf("after its time: %v", err)
	}
}
