package deploy_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"

	"parley/tools/build/deploy"
)

// read returns what a directory holds, by slash-separated name.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		got[filepath.ToSlash(relative)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestWriteLeavesNothingOfAnEarlierBuild(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	first := map[string][]byte{
		"index.html": []byte("one"), "page.js": []byte("old"), "page.js.br": []byte("old, packed"), "scenarios/gone.json": []byte("{}"),
	}
	if err := deploy.Write(dir, first); err != nil {
		t.Fatal(err)
	}
	second := map[string][]byte{"index.html": []byte("one"), "page.js": []byte("new"), "palettes/grey.json": []byte("[]")}
	if err := deploy.Write(dir, second); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"index.html": "one", "page.js": "new", "palettes/grey.json": "[]"}
	if diff := cmp.Diff(want, read(t, dir)); diff != "" {
		t.Errorf("after the second build (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "scenarios")); !os.IsNotExist(err) {
		t.Errorf("the empty directory is still there (%v)", err)
	}
}

func TestWriteRefusesADirectoryThatIsNoPage(t *testing.T) {
	for name, files := range map[string][]string{
		"documents":  {"thesis.txt"},
		"a checkout": {"index.html", "go.mod"},
	} {
		dir := t.TempDir()
		for _, file := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte("precious"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := read(t, dir)
		err := deploy.Write(dir, map[string][]byte{"index.html": []byte("page")})
		if err == nil || !strings.Contains(err.Error(), "choose another --out") {
			t.Errorf("%s: %v; want a sentence", name, err)
		}
		if diff := cmp.Diff(before, read(t, dir)); diff != "" {
			t.Errorf("%s: changed (-before +after):\n%s", name, diff)
		}
	}
}

func TestPackedFilesUnpackToTheirOriginal(t *testing.T) {
	long := bytes.Repeat([]byte("agents negotiate; "), 500)
	files := map[string][]byte{"page.js": long, "scenarios/a.json": long, "tiny.css": []byte("a{}"), "icon.png": long}
	cache := filepath.Join(t.TempDir(), "packed")
	packed, err := deploy.Pack(files, cache)
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]func(io.Reader) (io.Reader, error){
		".br": func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		".gz": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	}
	for _, name := range []string{"page.js", "scenarios/a.json"} {
		for ending, unpack := range open {
			r, err := unpack(bytes.NewReader(packed[name+ending]))
			if err != nil {
				t.Errorf("%s%s: %v", name, ending, err)
				continue
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, long) {
				t.Errorf("%s%s unpacks to %d bytes, %v; want the %d of its original", name, ending, len(got), err, len(long))
			}
		}
	}
	if len(packed) != 4 {
		t.Errorf("packed %d files; want 4: what grows and what is compressed already stays alone", len(packed))
	}
	again, err := deploy.Pack(files, cache)
	if err != nil || !maps.EqualFunc(packed, again, bytes.Equal) {
		t.Errorf("from the cache: %v, different bytes", err)
	}
	anew, err := deploy.Pack(files, filepath.Join(t.TempDir(), "another"))
	if err != nil || !maps.EqualFunc(packed, anew, bytes.Equal) {
		t.Errorf("packed anew: %v, different bytes", err)
	}
	if _, err := deploy.Pack(map[string][]byte{"page.js": []byte("a{}")}, cache); err != nil {
		t.Fatal(err)
	}
	if left := read(t, cache); len(left) != 2 {
		t.Errorf("the cache holds %d files after a build with one; want its two", len(left))
	}
}

// A build leaves the file that another one is writing into the same cache, and removes one that an interrupted build
// has left.
func TestPackLeavesWhatAnotherBuildWrites(t *testing.T) {
	cache := t.TempDir()
	now, old := filepath.Join(cache, "1.part"), filepath.Join(cache, "2.part")
	for _, name := range []string{now, old} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := deploy.Pack(map[string][]byte{"page.js": []byte("a{}")}, cache); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(now); err != nil {
		t.Errorf("what another build is writing: %v", err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what an interrupted build left: %v", err)
	}
}

// Programs alone are packed quickly, as Brotli, and what the cache held of others goes.
func TestPackPrograms(t *testing.T) {
	cache := t.TempDir()
	program := bytes.Repeat([]byte("wasm "), 1000)
	packed, err := deploy.PackPrograms(map[string][]byte{"a.wasm": program, "page.js": program, "tiny.wasm": {0}}, cache)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) != 1 {
		t.Fatalf("%d files are packed, want a.wasm.br alone", len(packed))
	}
	got, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed["a.wasm.br"])))
	if err != nil || !bytes.Equal(got, program) {
		t.Errorf("a.wasm.br unfolds to %d bytes, %v", len(got), err)
	}
}
