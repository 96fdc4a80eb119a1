// Package static serves the built page: its files with their types, compressed by a precompressed
// neighbour or by gzip that is made once and kept, an ETag of the content so that a reload receives
// 304, and the headers that keep a user's files in the tab. Names are plain, not hashed: every
// answer has no-cache, which means "ask before you reuse", so page, worker and view are always of
// one build.
//
//	root, err := os.OpenRoot("dist")
//	http.Serve(listener, static.New(root.FS(), ""))
//
// An os.Root cannot be left by a path or a symbolic link. Directories are never
// listed, and names that start with a dot or an underscore are not served.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/tools/csp"
)

// types are the media types the page is made of. Go's own table depends on the
// machine's files, and a wrong type for wasm or a script stops the page.
var types = map[string]string{
	".css":         "text/css; charset=utf-8",
	".csv":         "text/csv; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
}

// encodings in the order of preference, with the ending of the compressed neighbour of a file.
var encodings = []struct{ name, ending string }{{"br", ".br"}, {"gzip", ".gz"}}

// New returns a handler for the files of site. They may change while it serves.
// frames are the origins, with spaces between them, that may show the page in a frame
// of theirs beside its own.
func New(site fs.FS, frames string) http.Handler {
	return &handler{site: site, frames: frames, packed: map[string]packed{}}
}

type handler struct {
	site   fs.FS
	frames string
	lock   sync.Mutex
	packed map[string]packed // by name: files that no build has compressed
}

// packed is a file with gzip, of one moment.
type packed struct {
	modified time.Time
	size     int64
	content  []byte
}

// file is a regular, public file of the site, open at its beginning. It is never
// held as a whole: the largest one, the renderer, has 12 MB, and any number of
// browsers may ask for it at a time.
type file struct {
	io.ReadSeekCloser
	modified time.Time
	size     int64
}

// maxPage limits the HTML that is read as a whole for its policy.
const maxPage = 1 << 20

// ServeHTTP answers GET and HEAD with a file of the site, compressed if the client accepts it, with an ETag of
// the content. HTML gets a policy made of its content and is refused to sites that may not frame it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	secure(header)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, fmt.Sprintf("This server only hands out files; %s is not possible.", r.Method), http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	plain, err := h.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		http.Error(w, fmt.Sprintf("There is no %q here; the page is at \"/\".", r.URL.Path), http.StatusNotFound)
		return
	}
	if err != nil {
		h.broken(w, r, err)
		return
	}
	defer plain.Close()
	header.Set("Content-Type", mediaType(name))
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	if path.Ext(name) == ".html" {
		page, err := io.ReadAll(io.LimitReader(plain, maxPage))
		if err != nil {
			h.broken(w, r, err)
			return
		}
		header.Set("Content-Security-Policy", csp.Framed(page, h.frames))
		header.Set("Vary", "Accept-Encoding, Referer, Sec-Fetch-Dest, Sec-Fetch-Site")
		if h.frames != "" { // an isolated page may show only such documents; the policy restricts the sites
			header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		}
		if origin := h.stranger(r); origin != "" {
			refuse(w, origin)
			return
		}
	}
	body := plain
	for _, e := range encodings {
		if !accepts(r.Header.Values("Accept-Encoding"), e.name) {
			continue
		}
		if packed, err := h.open(name + e.ending); err == nil {
			defer packed.Close()
			body = packed
			header.Set("Content-Encoding", e.name)
			break
		}
	}
	if header.Get("Content-Encoding") == "" && compresses(name, plain.size) && accepts(r.Header.Values("Accept-Encoding"), "gzip") {
		content, err := h.pack(name, plain)
		if err != nil {
			h.broken(w, r, err)
			return
		}
		body = file{nothing{bytes.NewReader(content)}, plain.modified, int64(len(content))}
		header.Set("Content-Encoding", "gzip")
	}
	hash := sha256.New()
	if _, err = body.Seek(0, io.SeekStart); err == nil {
		var size int64
		size, err = io.Copy(hash, body)
		if header.Get("Content-Encoding") != "" { // ServeContent leaves its length open
			header.Set("Content-Length", strconv.FormatInt(size, 10))
		}
	}
	if err != nil {
		header.Del("Content-Encoding")
		header.Del("Content-Length")
		h.broken(w, r, err)
		return
	}
	header.Set("ETag", `"`+hex.EncodeToString(hash.Sum(nil)[:16])+`"`)
	http.ServeContent(w, r, "", body.modified, body) // it seeks back to the beginning
}

// broken answers that a file is there and cannot be read.
func (h *handler) broken(w http.ResponseWriter, r *http.Request, err error) {
	http.Error(w, fmt.Sprintf("%q cannot be read: %v.", r.URL.Path, err), http.StatusInternalServerError)
}

// leastPacked is the size from which gzip is worth its trouble, maxPacked that up to
// which a result is kept in memory.
const leastPacked, maxPacked = 1 << 10, 32 << 20

// compresses reports whether gzip makes a file smaller.
func compresses(name string, size int64) bool {
	return path.Ext(name) != ".png" && path.Ext(name) != ".ico" && leastPacked <= size && size <= maxPacked
}

// pack returns a file compressed with gzip. The result is kept while the file's time and size stay.
func (h *handler) pack(name string, plain file) ([]byte, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if p, made := h.packed[name]; made && p.modified.Equal(plain.modified) && p.size == plain.size {
		return p.content, nil
	}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err = plain.Seek(0, io.SeekStart); err == nil {
		if _, err = io.Copy(zip, plain); err == nil {
			err = zip.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	h.packed[name] = packed{plain.modified, plain.size, out.Bytes()}
	return out.Bytes(), nil
}

// nothing is a reader whose Close does nothing.
type nothing struct{ *bytes.Reader }

func (nothing) Close() error { return nil }

// open opens the file of a name, without a leading slash. It returns fs.ErrNotExist for anything but a regular,
// public file of the site. The caller closes it.
func (h *handler) open(name string) (file, error) {
	if !fs.ValidPath(name) || hidden(name) {
		return file{}, fs.ErrNotExist
	}
	info, err := fs.Stat(h.site, name)
	if err != nil || !info.Mode().IsRegular() {
		return file{}, fs.ErrNotExist // also for a link that leads out of the site
	}
	opened, err := h.site.Open(name)
	if err != nil {
		return file{}, err
	}
	seeker, is := opened.(io.ReadSeekCloser)
	if !is {
		opened.Close()
		return file{}, errors.New("it cannot be read twice")
	}
	return file{seeker, info.ModTime(), info.Size()}, nil
}

// hidden reports whether a name is part of a deployment, not of the page.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

func mediaType(name string) string {
	if t, known := types[path.Ext(name)]; known {
		return t
	}
	return "application/octet-stream"
}

// secure sets the headers of every answer, errors too.
func secure(header http.Header) {
	header.Set("Content-Security-Policy", csp.Header(nil))
	for _, line := range csp.Beside() {
		header.Set(line[0], line[1])
	}
}

// accepts reports whether Accept-Encoding lines name the encoding with a weight other than 0. A star does not count.
func accepts(lines []string, encoding string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
			if !strings.EqualFold(strings.TrimSpace(name), encoding) {
				continue
			}
			q, isWeight := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			value, err := strconv.ParseFloat(q, 64)
			return !isWeight || err != nil || value > 0
		}
	}
	return false
}
