package static_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/tools/serve/static"
)

var site = fstest.MapFS{
	"index.html":          {Data: []byte(`<meta charset="utf-8"><style>a{}</style>`)},
	"worker.wasm":         {Data: []byte("\x00asm plain")},
	"worker.wasm.br":      {Data: []byte("brotli")},
	"worker.wasm.gz":      {Data: []byte("gzip")},
	"page.js":             {Data: []byte("js")},
	"page.js.gz":          {Data: []byte("js in gzip")},
	"scenarios/cell.json": {Data: []byte("{}")},
	"odd.bin":             {Data: []byte("?")},
	"_headers":            {Data: []byte("for hosts that read it")},
	".hidden":             {Data: []byte("x")},
}

func ask(handler http.Handler, method, target string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, "http://127.0.0.1/", nil)
	r.URL.Path = target // as it is, not cleaned
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTypesAndEncodings(t *testing.T) {
	for _, c := range []struct{ target, accept, mediaType, encoding, body string }{
		{"/", "gzip, deflate, br, zstd", "text/html; charset=utf-8", "", `<meta charset="utf-8"><style>a{}</style>`},
		{"/index.html", "", "text/html; charset=utf-8", "", `<meta charset="utf-8"><style>a{}</style>`},
		{"/worker.wasm", "gzip, deflate, br, zstd", "application/wasm", "br", "brotli"},
		{"/worker.wasm", "br;q=0, gzip;q=0.5", "application/wasm", "gzip", "gzip"},
		{"/worker.wasm", "BR", "application/wasm", "br", "brotli"},
		{"/worker.wasm", "identity, *", "application/wasm", "", "\x00asm plain"},
		{"/worker.wasm", "", "application/wasm", "", "\x00asm plain"},
		{"/page.js", "br, gzip", "text/javascript; charset=utf-8", "gzip", "js in gzip"},
		{"/scenarios/cell.json", "br", "application/json", "", "{}"},
		{"/odd.bin", "", "application/octet-stream", "", "?"},
	} {
		r := ask(static.New(site, ""), "GET", c.target, "Accept-Encoding", c.accept)
		got := body(t, r)
		if r.StatusCode != 200 || got != c.body ||
			r.Header.Get("Content-Type") != c.mediaType || r.Header.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s for %q: %d, %q, type %q, encoding %q; want 200, %q, %q, %q", c.target, c.accept,
				r.StatusCode, got, r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding"), c.body, c.mediaType, c.encoding)
		}
		if r.ContentLength != int64(len(c.body)) {
			t.Errorf("%s for %q: length %d; want %d", c.target, c.accept, r.ContentLength, len(c.body))
		}
	}
}

func TestEveryAnswerIsSecured(t *testing.T) {
	for _, c := range []struct{ method, target string }{{"GET", "/"}, {"GET", "/worker.wasm"}, {"GET", "/none"}, {"POST", "/"}} {
		h := ask(static.New(site, ""), c.method, c.target).Header
		for name, want := range map[string]string{
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Embedder-Policy": "require-corp",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(name) != want {
				t.Errorf("%s %s: %s is %q; want %q", c.method, c.target, name, h.Get(name), want)
			}
		}
		if powers := h.Get("Permissions-Policy"); !strings.Contains(powers, "camera=(), ") || !strings.Contains(powers, "microphone=()") {
			t.Errorf("%s %s: Permissions-Policy is %q", c.method, c.target, powers)
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "connect-src 'self'") {
			t.Errorf("%s %s: policy %q", c.method, c.target, policy)
		}
		if hasHash := strings.Contains(policy, "sha256-"); hasHash != (c.method == "GET" && c.target == "/") {
			t.Errorf("%s %s: the policy names a style's hash: %v", c.method, c.target, hasHash)
		}
	}
}

func TestReloadIsAnswered304(t *testing.T) {
	h := static.New(site, "")
	plain := ask(h, "GET", "/worker.wasm").Header.Get("ETag")
	packed := ask(h, "GET", "/worker.wasm", "Accept-Encoding", "br").Header.Get("ETag")
	if plain == "" || plain == packed {
		t.Fatalf("ETags %q and %q; want two different ones", plain, packed)
	}
	r := ask(h, "GET", "/worker.wasm", "Accept-Encoding", "br", "If-None-Match", `"other", W/`+packed)
	if r.StatusCode != http.StatusNotModified || body(t, r) != "" {
		t.Errorf("same content: %d; want 304 without a body", r.StatusCode)
	}
	if r := ask(h, "GET", "/worker.wasm", "If-None-Match", packed); r.StatusCode != 200 {
		t.Errorf("the ETag of another encoding: %d; want 200", r.StatusCode)
	}
	changed := static.New(fstest.MapFS{"worker.wasm": {Data: []byte("new build")}}, "")
	if r := ask(changed, "GET", "/worker.wasm", "If-None-Match", plain); r.StatusCode != 200 {
		t.Errorf("changed content: %d; want 200", r.StatusCode)
	}
}

func TestHeadHasNoBody(t *testing.T) {
	r := ask(static.New(site, ""), "HEAD", "/worker.wasm", "Accept-Encoding", "br")
	if r.StatusCode != 200 || r.ContentLength != int64(len("brotli")) || body(t, r) != "" {
		t.Errorf("status %d, length %d; want 200, the length of the body, and no body", r.StatusCode, r.ContentLength)
	}
}

// A real directory with secrets beside it and links that lead there.
func TestNothingButPublicFiles(t *testing.T) {
	top := t.TempDir()
	dist := filepath.Join(top, "dist")
	if err := os.MkdirAll(filepath.Join(dist, "scenarios"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"secret": "secret", "dist/index.html": "page", "dist/.env": "secret", "dist/_headers": "secret", "dist/scenarios/a.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret", filepath.Join(dist, "link.txt")); err != nil {
		t.Skip("this machine makes no symbolic links:", err)
	}
	root, err := os.OpenRoot(dist)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	h := static.New(root.FS(), "")
	if got := body(t, ask(h, "GET", "/")); got != "page" {
		t.Fatalf("the page itself: %q", got)
	}
	for _, target := range []string{
		"/../secret", "/..%2fsecret", "/scenarios/../../secret", "//secret", "/link.txt", "/.env", "/_headers",
		"/scenarios", "/scenarios/", "/scenarios/../index.html", "/index.html/", "/none", "/a\x00b", "",
	} {
		r := ask(h, "GET", target)
		got := body(t, r)
		if target == "" { // an empty path is the page
			if got != "page" {
				t.Errorf("empty path: %q", got)
			}
			continue
		}
		if r.StatusCode != http.StatusNotFound || !strings.HasPrefix(got, "There is no ") {
			t.Errorf("%q: %d %q; want 404 and a sentence", target, r.StatusCode, got)
		}
	}
}

func TestOnlyReading(t *testing.T) {
	r := ask(static.New(site, ""), "DELETE", "/index.html")
	if r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("DELETE: %d, Allow %q; want 405 and GET, HEAD", r.StatusCode, r.Header.Get("Allow"))
	}
}

// large is a site with one file that must not be held as a whole.
type large struct {
	fstest.MapFS
	largest *int
}

func (l large) Open(name string) (fs.File, error) {
	f, err := l.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return watched{f.(seekable), l.largest}, nil
}

type seekable interface {
	fs.File
	io.Seeker
}

// watched notes the most that was read at a time.
type watched struct {
	seekable
	largest *int
}

func (w watched) Read(p []byte) (int, error) {
	*w.largest = max(*w.largest, len(p))
	return w.seekable.Read(p)
}

// However many browsers ask for the renderer, nobody holds its 12 MB in one piece.
func TestLargeFilesAreStreamed(t *testing.T) {
	limit, content := 0, make([]byte, 4<<20)
	handler := static.New(large{fstest.MapFS{"worker.wasm": {Data: content}}, &limit}, "")
	if got := body(t, ask(handler, http.MethodGet, "/worker.wasm")); len(got) != len(content) {
		t.Errorf("%d of %d bytes came", len(got), len(content))
	}
	if limit > 1<<18 {
		t.Errorf("%d bytes were read at a time", limit)
	}
}

// What no build has compressed is, once for as long as it does not change.
func TestCompressesWhatTheBuildHasNot(t *testing.T) {
	text := strings.Repeat("All that the page says. ", 400)
	site := fstest.MapFS{"page.js": {Data: []byte(text)}, "picture.png": {Data: []byte(text)}}
	h := static.New(site, "")
	r := ask(h, "GET", "/page.js", "Accept-Encoding", "gzip")
	zip, err := gzip.NewReader(r.Body)
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("encoding %q, %v", r.Header.Get("Content-Encoding"), err)
	}
	if got, err := io.ReadAll(zip); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if again := ask(h, "GET", "/page.js", "Accept-Encoding", "gzip", "If-None-Match", r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again it answers %d", again.StatusCode)
	}
	if plain := ask(h, "GET", "/page.js"); plain.Header.Get("Content-Encoding") != "" || plain.Header.Get("ETag") == r.Header.Get("ETag") {
		t.Errorf("who takes no gzip gets %q with the same ETag %v", plain.Header.Get("Content-Encoding"), plain.Header.Get("ETag"))
	}
	if picture := ask(h, "GET", "/picture.png", "Accept-Encoding", "gzip"); picture.Header.Get("Content-Encoding") != "" {
		t.Error("pictures are compressed already")
	}
	site["page.js"] = &fstest.MapFile{Data: []byte(strings.Repeat("Another build. ", 400)), ModTime: time.Now()}
	if changed := ask(h, "GET", "/page.js", "Accept-Encoding", "gzip"); changed.Header.Get("ETag") == r.Header.Get("ETag") {
		t.Error("a changed file comes as it was")
	}
}

// Other sites may frame the page where whoever serves it says so, also from a page that is
// isolated; all other files are for the page alone.
func TestFrames(t *testing.T) {
	for _, c := range []struct{ frames, policy, page string }{
		{"", "frame-ancestors 'self'", "same-origin"},
		{"https://a.example", "frame-ancestors 'self' https://a.example", "cross-origin"},
	} {
		h := static.New(site, c.frames)
		page := ask(h, "GET", "/").Header
		if got := page.Get("Content-Security-Policy"); !strings.HasSuffix(got, c.policy) {
			t.Errorf("the policy ends %q, want %q", got, c.policy)
		}
		if got := page.Get("Cross-Origin-Resource-Policy"); got != c.page {
			t.Errorf("with frames %q the page is for %q, want %q", c.frames, got, c.page)
		}
		if got := ask(h, "GET", "/worker.wasm").Header.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
			t.Errorf("with frames %q a program is for %q, want same-origin", c.frames, got)
		}
	}
}
