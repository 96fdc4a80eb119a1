package disk

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/tools/durable"
	"parley/tools/durable/durabletest"
	"parley/tools/links"
)

const day = 24 * time.Hour

// quick is a disk whose syncs do nothing: real ones take most of the time of a test.
var quick = (&durabletest.Failing{}).System()

// entryOf returns an entry and its name.
func entryOf(text string) (id string, entry []byte) {
	entry = fmt.Appendf(nil, `{"place":"","scenario":{"v":1,"system":"central","about":%q}}`, text)
	return links.Name(entry), entry
}

// opened is a store of a test with its clock, which stands still until it is moved, and what it told.
type opened struct {
	*Store
	t    *testing.T
	ran  *atomic.Int64
	told []string
}

func mustOpen(t *testing.T, path string, limit int64) *opened {
	t.Helper()
	o := &opened{t: t, ran: &atomic.Int64{}}
	s, stated, err := open(path, quick, func() time.Duration { return time.Duration(o.ran.Load()) }, limit, nil, func(s string) { o.told = append(o.told, s) })
	if err != nil || stated != "" {
		t.Fatalf("%q, %v", stated, err)
	}
	o.Store = s
	return o
}

// again closes the store and opens its folder.
func (o *opened) again() *opened {
	o.t.Helper()
	if err := o.Close(); err != nil {
		o.t.Fatal(err)
	}
	return mustOpen(o.t, o.dir, o.limit)
}

func (o *opened) put(text string) {
	o.t.Helper()
	id, entry := entryOf(text)
	if err := o.Put(context.Background(), id, entry, links.Kept); err != nil {
		o.t.Fatal(err)
	}
}

func (o *opened) has(text string, want error) {
	o.t.Helper()
	id, entry := entryOf(text)
	got, err := o.Get(context.Background(), id)
	if !errors.Is(err, want) || want == nil && !bytes.Equal(got, entry) {
		o.t.Errorf("%s: %q, %v, want %v", text, got, err, want)
	}
}

func (o *opened) run(d time.Duration) {
	o.ran.Add(int64(d))
	o.tidy()
}

// TestAge: a link lives for 365 days in which a server runs, its file for 30 more, and each is told. What is sent
// again lives anew.
func TestAge(t *testing.T) {
	o := mustOpen(t, filepath.Join(t.TempDir(), "links"), MaxBytes)
	o.put("a")
	o.put("b")
	o.run(200 * day)
	o = o.again() // the days count that were before
	o.put("b")
	o.put("c")
	o.run(165*day - time.Second)
	o.has("a", nil)
	o.run(2 * time.Second)
	o.has("a", links.ErrNone)
	o.has("b", nil)
	if want := fmt.Sprintf("1 short links are over their time of 365 days and lead nowhere; their files stay for 30 days more in %q.", o.dir); strings.Join(o.told, "|") != want {
		t.Errorf("it tells %q, want %q", o.told, want)
	}
	o = o.again()
	o.has("a", links.ErrNone)
	o.put("a") // it was not removed: it lives again
	o.has("a", nil)
	o.run(200*day + time.Second)
	o.has("b", links.ErrNone)
	o.told = nil
	o.run(30 * day)
	if want := "2 short links were removed, 30 days after their time was over."; strings.Join(o.told, "|") != want {
		t.Errorf("it tells %q, want %q", o.told, want)
	}
	names, _ := os.ReadDir(o.dir)
	if len(names) != 2 {
		t.Errorf("there are %v", names)
	}
	o.has("a", nil)
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}

// TestNoClock: a clock that goes a year on while the server is off, or is set while it runs, ends no link:
// the store asks none. A lost or altered age makes links live longer, never shorter.
func TestNoClock(t *testing.T) {
	for _, text := range []string{"", "99999999999 00000000\n", "40000000 \n", "-5 x", "0"} {
		o := mustOpen(t, filepath.Join(t.TempDir(), "links"), MaxBytes)
		o.put("a")
		o.run(100 * day)
		o.put("b")
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.dir, ageName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o = mustOpen(t, o.dir, o.limit)
		o.has("a", nil)
		o.has("b", nil)
		o.run(265*day - time.Second)
		o.has("a", nil)
		o.run(101 * day)
		o.has("b", links.ErrNone)
		o.Close()
	}
	old := time.Unix(0, 0)
	o := mustOpen(t, filepath.Join(t.TempDir(), "links"), MaxBytes)
	o.put("a")
	names, _ := os.ReadDir(o.dir)
	for _, n := range names {
		os.Chtimes(filepath.Join(o.dir, n.Name()), old, old)
	}
	o = o.again()
	o.has("a", nil)
	o.Close()
}

// TestPicturesLeaveRoom: what is too large for a scenario fills half of the store at most.
func TestPicturesLeaveRoom(t *testing.T) {
	o := mustOpen(t, filepath.Join(t.TempDir(), "links"), 8*links.MaxBytes)
	for n, want := range []error{nil, links.ErrFull} {
		id, entry := entryOf(strings.Repeat(string(rune('a'+n)), 3*links.MaxBytes))
		if err := o.Put(context.Background(), id, entry, links.Kept); !errors.Is(err, want) {
			t.Errorf("picture %d: %v, want %v", n, err, want)
		}
	}
	id, entry := entryOf("a scenario")
	if err := o.Put(context.Background(), id, entry, links.Kept); err != nil {
		t.Error(err)
	}
	o.Close()
}

func TestFullIsToldAndRoomIsUsedAgain(t *testing.T) {
	o := mustOpen(t, filepath.Join(t.TempDir(), "links"), 1<<18)
	put := func(n int) error {
		id, entry := entryOf(strings.Repeat(string(rune('0'+n)), 1<<14) + fmt.Sprint(o.ran.Load()))
		return o.Put(context.Background(), id, entry, links.Kept)
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
	o.run(links.Kept + Delay + time.Second)
	if second, err := fill(); !errors.Is(err, links.ErrFull) || second != first {
		t.Errorf("after their time %d entries of %d have room: %v", second, first, err)
	}
	o.Close()
}

// TestFoldersThatAreNoStore: other files and folders are left as they are, with a sentence.
func TestFoldersThatAreNoStore(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no store\n"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{text: "it is no store of links", dir: `it holds "text", which is no link`, filepath.Join(dir, "none", "x"): "choose another folder"} {
		s, _, err := Open(path, nil)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if kept, err := os.ReadFile(text); err != nil || len(kept) != 90_000 {
		t.Errorf("a file that is no store was touched: %v", err)
	}
	o := mustOpen(t, filepath.Join(dir, "links"), MaxBytes)
	for _, id := range []string{"", "../../x", "..%2f..%2fx", "AAAAAAAAAA/", "AAAAAAAAAAB", strings.Repeat("A", 12), base64.RawURLEncoding.EncodeToString([]byte("../../x"))} {
		if _, err := o.Get(context.Background(), id); err == nil || errors.Is(err, links.ErrNone) {
			t.Errorf("%q is looked up: %v", id, err)
		}
		if err := o.Put(context.Background(), id, []byte("x"), links.Kept); err == nil {
			t.Errorf("%q is kept", id)
		}
	}
	o.Close()
}

// TestManyAtATime: requests that come at the same time are all kept, also those for the same link.
func TestManyAtATime(t *testing.T) {
	o := mustOpen(t, filepath.Join(t.TempDir(), "links"), MaxBytes)
	o.disk = durable.Disk()
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			id, entry := entryOf(fmt.Sprint(i / 2))
			if err := o.Put(context.Background(), id, entry, links.Kept); err != nil {
				t.Error(err)
			}
			if got, err := o.Get(context.Background(), id); err != nil || !bytes.Equal(got, entry) {
				t.Errorf("%d: %q, %v", i, got, err)
			}
		})
	}
	all.Wait()
	size := o.size
	o = o.again()
	if o.size != size || len(o.files) != 100 {
		t.Errorf("%d links take %d bytes, and %d were counted", len(o.files), o.size, size)
	}
	for i := range 100 {
		o.has(fmt.Sprint(i), nil)
	}
	o.Close()
}

// TestFailuresAtEveryCall: whichever write, sync or rename fails, alone or as the last thing before the machine
// goes down, every link that was accepted is there afterwards, none is altered, and the store goes on.
func TestFailuresAtEveryCall(t *testing.T) {
	for _, reason := range []error{syscall.EIO, syscall.ENOSPC} {
		if testing.Short() && reason == syscall.ENOSPC {
			continue // -short: one kind of failure
		}
		for _, down := range []bool{false, true} {
			failed := true
			for at := 1; failed; at++ {
				path := filepath.Join(t.TempDir(), "links")
				mustOpen(t, path, MaxBytes).again().Close()
				f := &durabletest.Failing{At: at, Down: down, Err: reason}
				var ran atomic.Int64
				accepted := map[string]bool{}
				if s, _, err := open(path, f.System(), func() time.Duration { return time.Duration(ran.Load()) }, MaxBytes, nil, nil); err == nil {
					for _, text := range []string{"a", "b", "a", "c", "b"} {
						id, entry := entryOf(text)
						switch err := s.Put(context.Background(), id, entry, links.Kept); {
						case err == nil:
							accepted[text] = true
						case errors.Is(reason, syscall.ENOSPC) && !errors.Is(err, links.ErrFull) && !errors.Is(err, reason):
							t.Errorf("call %d: %v", at, err)
						}
						ran.Add(int64(40 * day)) // so that what comes again is renewed
					}
					for text := range accepted {
						id, entry := entryOf(text)
						if got, err := s.Get(context.Background(), id); err != nil || !bytes.Equal(got, entry) {
							t.Errorf("call %d (down: %v): %s is not served: %q, %v", at, down, text, got, err)
						}
					}
					_ = s.Close()
				}
				failed = f.Calls >= at
				o := mustOpen(t, path, MaxBytes)
				for _, text := range []string{"a", "b", "c"} {
					id, entry := entryOf(text)
					got, err := o.Get(context.Background(), id)
					if err == nil && !bytes.Equal(got, entry) || err != nil && (accepted[text] || !errors.Is(err, links.ErrNone)) {
						t.Errorf("call %d (down: %v): %s, accepted %v, is %q, %v", at, down, text, accepted[text], got, err)
					}
					o.put(text)
					o.has(text, nil)
				}
				if names, _ := filepath.Glob(filepath.Join(path, "*"+partEnding)); len(names) > 0 {
					t.Errorf("call %d: %v stay", at, names)
				}
				o.Close()
			}
		}
	}
}

// earlier returns a file that an earlier version wrote, with twelve links.
func earlier(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open("testdata/earlier.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func earlierText(i int) string { return fmt.Sprint(i, strings.Repeat(" long", i*i*9)) }

// TestMovesOver: a file of an earlier version is read once; whatever call fails meanwhile, it is done again or
// ended the next time, and the file is kept.
func TestMovesOver(t *testing.T) {
	content := earlier(t)
	failed := true
	for at := 0; failed; at++ {
		path := filepath.Join(t.TempDir(), "links.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f := &durabletest.Failing{At: at, Down: true, Err: syscall.EIO}
		since := func() time.Duration { return 0 }
		s, stated, err := open(path, f.System(), since, MaxBytes, nil, nil)
		failed = at == 0 || f.Calls >= at
		if err == nil {
			s.Close()
			if want := fmt.Sprintf("The 12 short links of %q, a file of an earlier version, were moved into a folder of that name, where their time begins anew; the file is %q now.", path, path+".earlier"); stated != want {
				t.Errorf("it says %q, want %q", stated, want)
			}
		}
		s, _, err = open(path, quick, since, MaxBytes, nil, nil)
		if err != nil {
			t.Fatal(at, err)
		}
		o := &opened{Store: s, t: t}
		for i := range 12 {
			o.has(earlierText(i), nil)
		}
		o.Close()
		kept := false
		names, _ := filepath.Glob(path + "*")
		for _, name := range names {
			text, err := os.ReadFile(name)
			kept = kept || err == nil && bytes.Equal(text, content)
		}
		if !kept {
			t.Errorf("call %d: the file is gone: %v", at, names)
		}
	}
}

// TestMovesDamagedFilesOver: of a damaged file all links come over that it did not touch.
func TestMovesDamagedFilesOver(t *testing.T) {
	content := earlier(t)
	for at := 0; at < len(content); at += 4096 {
		if testing.Short() && at%(8*4096) != 0 {
			continue // -short: some of the pages
		}
		path := filepath.Join(t.TempDir(), "links.db")
		damaged := bytes.Clone(content)
		clear(damaged[at:min(at+4096, len(damaged))])
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, stated, err := open(path, quick, func() time.Duration { return 0 }, MaxBytes, nil, nil)
		if err != nil || !strings.Contains(stated, "were moved into a folder") {
			t.Fatal(stated, err)
		}
		for i := range 12 {
			id, entry := entryOf(earlierText(i))
			got, err := s.Get(context.Background(), id)
			if whole := bytes.Contains(damaged, entry) && bytes.Contains(damaged, []byte(id)); whole != (err == nil) || err == nil && !bytes.Equal(got, entry) {
				t.Errorf("zeros at %d: link %d: %v, whole: %v", at, i, err, whole)
			}
		}
		s.Close()
	}
}
