package static_test

import (
	"io"
	"io/fs"
	"net/http"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"parley/tools/serve/static"
)

// zeros is a site whose one file has so many of them and is nowhere held.
type zeros struct{ size int64 }

func (z zeros) Open(name string) (fs.File, error) {
	info, err := fs.Stat(fstest.MapFS{name: {ModTime: time.Unix(1, 0)}}, name)
	return zeroFile{io.NewSectionReader(nothing{}, 0, z.size), info}, err
}

type zeroFile struct {
	*io.SectionReader
	fs.FileInfo
}

func (f zeroFile) Stat() (fs.FileInfo, error) { return f.FileInfo, nil }
func (f zeroFile) Close() error               { return nil }
func (f zeroFile) Size() int64                { return f.SectionReader.Size() }

type nothing struct{}

func (nothing) ReadAt(p []byte, _ int64) (int, error) { return len(p), nil }

// An answer holds no more of a file than a buffer.
func TestFilesAreStreamed(t *testing.T) {
	handler := static.New(zeros{64 << 20}, "")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := ask(handler, http.MethodHead, "/worker.wasm")
	runtime.ReadMemStats(&after)
	if r.StatusCode != http.StatusOK || r.ContentLength != 64<<20 && r.Header.Get("Content-Length") != "67108864" {
		t.Errorf("%v of length %q", r.Status, r.Header.Get("Content-Length"))
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("64 MB are served with %d bytes of memory", used)
	}
}
