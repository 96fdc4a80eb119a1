package deploy

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// packer is one way to compress, as the ending of its files names it.
type packer struct {
	ending string
	open   func(io.Writer) (io.WriteCloser, error)
}

var packers = []packer{
	{".br", func(w io.Writer) (io.WriteCloser, error) {
		return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: 24}), nil
	}},
	{".gz", func(w io.Writer) (io.WriteCloser, error) {
		return gzip.NewWriterLevel(w, gzip.BestCompression) // without a time: the same bytes each time
	}},
}

// quick packs programs alone, in seconds: for the server of this machine.
var quick = []packer{{".br", func(w io.Writer) (io.WriteCloser, error) {
	return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: 7, LGWin: 24}), nil
}}}

// compressible are the endings worth compressing; images are compressed already.
var compressible = []string{".css", ".csv", ".html", ".js", ".json", ".svg", ".txt", ".wasm"}

// Pack returns the .br and .gz neighbours of files that are smaller than the file. The best
// compression of the renderer takes half a minute, so results are kept in the directory cache, which
// has those of the last call.
func Pack(files map[string][]byte, cache string) (map[string][]byte, error) {
	return packAll(files, compressible, packers, cache)
}

// PackPrograms returns the .br neighbours of the WebAssembly programs, packed quickly: they
// are a fifth larger than Pack's. The cache is as Pack's, and not the same directory.
func PackPrograms(files map[string][]byte, cache string) (map[string][]byte, error) {
	return packAll(files, []string{".wasm"}, quick, cache)
}

// packAll compresses the files with some endings by each packer, on all cores, and returns the results that are
// smaller, by name. Entries of the cache that it did not use are removed.
func packAll(files map[string][]byte, endings []string, packers []packer, cache string) (map[string][]byte, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	type job struct {
		name    string
		content []byte
		packer  packer
	}
	var jobs []job
	for name, content := range files {
		if slices.Contains(endings, filepath.Ext(name)) {
			for _, p := range packers {
				jobs = append(jobs, job{name, content, p})
			}
		}
	}
	// The longest first, so that no core waits for it in the end.
	slices.SortFunc(jobs, func(a, b job) int {
		if len(a.content) != len(b.content) {
			return len(b.content) - len(a.content)
		}
		return strings.Compare(a.name+a.packer.ending, b.name+b.packer.ending)
	})

	packed := map[string][]byte{}
	kept := map[string]bool{}
	var failed error
	var mu sync.Mutex
	var wait sync.WaitGroup
	next := make(chan job)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for j := range next {
				entry, content, err := pack(j.content, j.packer, cache)
				mu.Lock()
				failed = errors.Join(failed, err)
				kept[entry] = true
				if len(content) < len(j.content) {
					packed[j.name+j.packer.ending] = content
				}
				mu.Unlock()
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	wait.Wait()
	if failed != nil {
		return nil, failed
	}
	return packed, forget(cache, kept)
}

// pack compresses content, or takes the result from the cache; entry is its file
// name there.
func pack(content []byte, p packer, cache string) (entry string, packed []byte, err error) {
	hash := sha256.Sum256(content)
	entry = hex.EncodeToString(hash[:]) + p.ending
	file := filepath.Join(cache, entry)
	if packed, err = os.ReadFile(file); err == nil {
		return entry, packed, nil
	}
	var out bytes.Buffer
	w, err := p.open(&out)
	if err != nil {
		return entry, nil, err
	}
	if _, err = w.Write(content); err == nil {
		err = w.Close()
	}
	if err != nil {
		return entry, nil, err
	}
	return entry, out.Bytes(), put(file, out.Bytes())
}

// A file of the cache that is being written ends in partEnding. Writing takes less than a second: one older than
// partLives is of a build that was interrupted.
const (
	partEnding = ".part"
	partLives  = time.Hour
)

// put writes a file under a name of its own first: an interrupted build leaves no half
// of it, and two that write the same one do not meet.
func put(file string, content []byte) error {
	part, err := os.CreateTemp(filepath.Dir(file), "*"+partEnding)
	if err != nil {
		return err
	}
	_, err = part.Write(content)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err == nil {
		return os.Rename(part.Name(), file)
	}
	return errors.Join(err, os.Remove(part.Name()))
}

// forget removes the entries of the cache that are not in kept, but not the files that another build is writing.
// An entry that another build has removed meanwhile is not an error.
func forget(cache string, kept map[string]bool) error {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if kept[e.Name()] || !e.Type().IsRegular() || beingWritten(e) {
			continue
		}
		if err := os.Remove(filepath.Join(cache, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// beingWritten reports whether a build is writing an entry of the cache.
func beingWritten(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && filepath.Ext(e.Name()) == partEnding && time.Since(info.ModTime()) < partLives
}
