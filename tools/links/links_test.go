package links_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/scenario"
	"parley/tools/links"
)

// memory is the least Store.
type memory struct {
	lock sync.Mutex
	kept map[string][]byte
	fail error
}

func (m *memory) Get(_ context.Context, id string) ([]byte, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.fail != nil {
		return nil, m.fail
	}
	if e, ok := m.kept[id]; ok {
		return e, nil
	}
	return nil, links.ErrNone
}

func (m *memory) Put(_ context.Context, id string, entry []byte, _ time.Duration) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.kept == nil {
		m.kept = map[string][]byte{}
	}
	m.kept[id] = entry
	return nil
}

// many lets each request come from another address.
func many() func(*http.Request) string {
	n := 0
	return func(*http.Request) string { n++; return fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255) }
}

// body is one of testdata/bodies.json, which the test on Cloudflare's runtime sends too.
type body struct {
	Name, Query, Body, Base64, Type, With, Says string
	Fill, FillQuery, Status                     int
}

func (b body) request(t testing.TB) *http.Request {
	t.Helper()
	text := []byte(b.Body)
	if b.Base64 != "" {
		var err error
		if text, err = base64.StdEncoding.DecodeString(b.Base64); err != nil {
			t.Fatal(err)
		}
	}
	if b.Fill > 0 {
		text = bytes.Replace(text, []byte("%s"), bytes.Repeat([]byte(max(b.With, "a")), b.Fill), 1)
	}
	query := strings.Replace(b.Query, "%s", strings.Repeat("a", b.FillQuery), 1)
	r := httptest.NewRequest("POST", "/api/links?"+query, bytes.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	if b.Type != "" {
		r.Header.Set("Content-Type", b.Type)
	}
	return r
}

func bodies(t testing.TB) (all []body) {
	t.Helper()
	text, err := os.ReadFile("testdata/bodies.json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func ask(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// said is the sentence of an answer.
func said(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var told struct{ Error string }
	if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil {
		t.Fatalf("%q: %v", w.Body, err)
	}
	return told.Error
}

var isSentence = regexp.MustCompile(`^[A-Z"“].*[.?]$`)

// Every body is answered as the table says; one that is kept opens again as the
// scenario that it was, by both addresses.
func TestBodies(t *testing.T) {
	h := links.New(links.Options{Store: &memory{}, Address: many()})
	for _, b := range bodies(t) {
		t.Run(b.Name, func(t *testing.T) {
			request := b.request(t)
			sent, _ := io.ReadAll(request.Body)
			request.Body = io.NopCloser(bytes.NewReader(sent))
			w := ask(h, request)
			if w.Code != b.Status {
				t.Fatalf("answered %d: %s", w.Code, w.Body)
			}
			if b.Status >= 400 {
				if s := said(t, w); !strings.Contains(s, b.Says) || b.Says == "" || !isSentence.MatchString(s) {
					t.Errorf("says %q, want a sentence with %q", s, b.Says)
				}
				return
			}
			var told struct{ ID, Path string }
			if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || len(told.ID) != links.IDLength || told.Path != "s/"+told.ID {
				t.Fatalf("answered %s", w.Body)
			}
			want, err := scenario.Parse(sent)
			if err != nil {
				t.Fatal(err)
			}
			got, err := scenario.Parse(ask(h, httptest.NewRequest("GET", "/api/links/"+told.ID, nil)).Body.Bytes())
			if err != nil || !reflect.DeepEqual(meaning(t, got), meaning(t, want)) {
				t.Errorf("came back as %s, %v", got.Encode(), err)
			}
			a, opened := follow(t, h, told.Path)
			place, _, _ := scenario.DecodeAddress("#" + b.Query)
			if place.Fill != "" {
				want.View = json.RawMessage(`{"fill":"` + place.Fill + `"}`)
			}
			if !reflect.DeepEqual(meaning(t, opened), meaning(t, want)) {
				t.Errorf("opens %s", opened.Encode())
			}
			a.Packed = nil
			if !reflect.DeepEqual(a, place) {
				t.Errorf("opens at %+v, sent from %+v", a, place)
			}
		})
	}
}

// meaning is a scenario's document as values.
func meaning(t testing.TB, s *scenario.Scenario) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(s.Encode(), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

var refresh = regexp.MustCompile(`content="0; url=([^"]*)"`)

// follow goes where a short link leads, as a browser does.
func follow(t testing.TB, h http.Handler, path string) (scenario.Address, *scenario.Scenario) {
	t.Helper()
	w := ask(h, httptest.NewRequest("GET", "/"+path, nil))
	target := w.Header().Get("Location")
	if found := refresh.FindStringSubmatch(w.Body.String()); w.Code == http.StatusOK && found != nil {
		target = strings.ReplaceAll(found[1], "&amp;", "&")
	} else if w.Code != http.StatusFound {
		t.Fatalf("answered %d: %s", w.Code, w.Body)
	}
	if len(w.Header().Get("Location")) > scenario.PlainLink+3 {
		t.Errorf("a Location of %d bytes, which programs on the way cut", len(target))
	}
	if !strings.HasPrefix(target, "../#") {
		t.Fatalf("leads to %.80q", target)
	}
	a, problems, _ := scenario.DecodeAddress(target)
	s, err := a.Scenario(nil)
	if err != nil || len(problems) > 0 {
		t.Fatalf("leads to %.80q: %v, %v", target, problems, err)
	}
	return a, s
}

// The same content has the same name on every host, and what means the same is the same.
func TestNameIsMadeOfContent(t *testing.T) {
	name := func(query, doc string) string {
		r := httptest.NewRequest("POST", "/api/links?"+query, strings.NewReader(doc))
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
		w := ask(links.New(links.Options{Store: &memory{}}), r)
		var told struct{ ID string }
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return told.ID
	}
	first := name("at=1m&fill=memory", `{"v":1,"system":"central","seed":7}`)
	if again := name("fill=memory&at=60s", ` {"seed":7, "system":"central","v":1,"cluster":{}} `); again != first {
		t.Errorf("%s and %s", first, again)
	}
	if other := name("at=1m&fill=cpu", `{"v":1,"system":"central","seed":7}`); other == first {
		t.Error("another place has the same name")
	}
	if other := name("at=1m&fill=memory", `{"v":1,"system":"central","seed":8}`); other == first {
		t.Error("another seed has the same name")
	}
	// Pinned: names in the world must lead on.
	if first != "WPwDFHtfvFs" {
		t.Errorf("the name is %s", first)
	}
}

func TestOtherRequests(t *testing.T) {
	files := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a file") })
	h := links.New(links.Options{Store: &memory{}, Files: files})
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/", 200, "a file"},
		{"GET", "/index.html", 200, "a file"},
		{"GET", "/api/links", 200, `{"kept_days":365,"most_bytes":65536,"picture_bytes":262144}`},
		{"PUT", "/api/links", 405, "is not possible here; GET, HEAD, POST are."},
		{"OPTIONS", "/api/links", 405, "is not possible here"},
		{"POST", "/api/links/AAAAAAAAAAA", 405, "is not possible here"},
		{"DELETE", "/s/AAAAAAAAAAA", 405, "is not possible here"},
		{"GET", "/api/links/AAAAAAAAAAA", 404, "There is no scenario under this name"},
		{"GET", "/s/AAAAAAAAAAA", 404, "There is no scenario under this name"},
		{"GET", "/s/AAAAAAAAAAB", 404, "cut off"}, // its last two bits are no part of an id
		{"GET", "/s/short", 404, "cut off"},
		{"GET", "/s/%3Cscript%3E", 404, "cut off"},
		{"GET", "/s/..%2f..%2fetc", 404, "cut off"},
		{"GET", "/api/other", 404, "There is nothing under this address"},
		{"GET", "/api/links/", 404, "There is nothing under this address"},
	} {
		w := ask(h, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, w.Body)
		}
		if len(w.Header().Values("Set-Cookie")) > 0 {
			t.Errorf("%s %s sets a cookie", c.method, c.path)
		}
		if c.says != "a file" && (w.Header().Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'")) {
			t.Errorf("%s %s: headers %v", c.method, c.path, w.Header())
		}
	}
}

// One visitor may send so much in a minute, another is not held up, and the next minute is new.
func TestLimit(t *testing.T) {
	now, from := time.Unix(1_800_000_000, 0), ""
	h := links.New(links.Options{
		Store: &memory{}, Now: func() time.Time { return now },
		Address: func(*http.Request) string { return from },
	})
	send := func(address string) int {
		from = address
		return ask(h, body{Body: `{"v":1,"system":"central"}`}.request(t)).Code
	}
	for i := range links.PerMinute {
		if code := send("[2001:db8::1]:4711"); code != http.StatusCreated {
			t.Fatalf("%d of them: %d", i, code)
		}
	}
	for _, c := range []struct {
		address string
		code    int
	}{
		{"[2001:db8::1]:4712", 429}, {"2001:db8::ffff", 429}, {"2001:db8:0:1::1", 201}, {"192.0.2.1:80", 201}, {"::ffff:192.0.2.1", 201}, {"unknown", 201},
	} {
		if code := send(c.address); code != c.code {
			t.Errorf("%s: %d, want %d", c.address, code, c.code)
		}
	}
	now = now.Add(time.Minute)
	if code := send("2001:db8::1"); code != http.StatusCreated {
		t.Errorf("a minute later: %d", code)
	}
}

// What is kept under a name stays, even if another content of that name is found.
func TestNameIsNeverTakenOver(t *testing.T) {
	store := &memory{}
	const id = "AAAAAAAAAAA"
	h := links.NewNamed(links.Options{Store: store}, func([]byte) string { return id })
	request := body{Body: `{"v":1,"system":"central"}`}
	if w := ask(h, request.request(t)); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	if w := ask(h, body{Body: `{"v":1,"system":"yield"}`}.request(t)); w.Code != http.StatusConflict || !strings.Contains(said(t, w), "Another scenario") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := ask(h, httptest.NewRequest("GET", "/api/links/"+id, nil)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "central") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	store.fail = io.ErrUnexpectedEOF
	if w := ask(h, request.request(t)); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "EOF") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A scenario that was altered in the store is not served by either address, whichever of
// its bytes it was, and is replaced when the right one is sent again.
func TestAlteredScenarioIsNotServed(t *testing.T) {
	store := &memory{}
	h := links.New(links.Options{Store: store, Address: many()})
	request := body{Query: "at=5m", Body: `{"v":1,"system":"central","seed":12345}`}
	if w := ask(h, request.request(t)); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	for id, kept := range store.kept {
		for i := range kept {
			store.kept[id] = bytes.Clone(kept)
			store.kept[id][i] ^= 1
			for _, path := range []string{"/api/links/" + id, "/s/" + id} {
				if w := ask(h, httptest.NewRequest("GET", path, nil)); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "was altered after it was sent") {
					t.Fatalf("byte %d: %d %s", i, w.Code, w.Body)
				}
			}
		}
		if w := ask(h, request.request(t)); w.Code != http.StatusCreated || !bytes.Equal(store.kept[id], kept) {
			t.Errorf("sent again: %d %s", w.Code, w.Body)
		}
	}
}

// FuzzKeep sends anything: it is kept and opens as what it says, or refused with a sentence.
func FuzzKeep(f *testing.F) {
	for _, b := range bodies(f) {
		if b.Fill+b.FillQuery == 0 {
			f.Add(b.Query, []byte(b.Body))
		}
	}
	f.Fuzz(func(t *testing.T, query string, doc []byte) {
		h := links.New(links.Options{Store: &memory{}})
		r := httptest.NewRequest("POST", "/api/links", bytes.NewReader(doc))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", "application/json")
		w := ask(h, r)
		if w.Code >= 400 && w.Code < 500 {
			if s := said(t, w); !isSentence.MatchString(strings.ReplaceAll(s, "\n", " ")) {
				t.Fatalf("says %q", s)
			}
			return
		}
		var told struct{ Path string }
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		want, err := scenario.Parse(doc)
		if err != nil {
			t.Fatalf("kept what cannot be read: %v", err)
		}
		a, got := follow(t, h, told.Path)
		if place, _, _ := scenario.DecodeAddress("#" + query); place.Fill == "" && string(got.Encode()) != string(want.Encode()) {
			t.Fatalf("opens %s\nof %s", got.Encode(), want.Encode())
		} else if a.At != place.At {
			t.Fatalf("opens at %v of %v", a.At, place.At)
		}
	})
}

// TestLongestLinks: what is kept leads to a link that is read, however badly it packs.
func TestLongestLinks(t *testing.T) {
	h := links.New(links.Options{Store: &memory{}, Address: many()})
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		const from = "!#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~" // one byte each in JSON
		text := make([]byte, n)
		for i := range text {
			text[i] = from[random.IntN(len(from))]
		}
		return string(text)
	}
	kept := 0
	for n := 46_000; n < 65_400; n += 1100 {
		doc, err := json.Marshal(map[string]any{"v": 1, "system": "central", "about": letters(n)})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", "/api/links?at=5m", bytes.NewReader(doc))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code == http.StatusUnprocessableEntity {
			continue
		}
		var told struct{ Path string }
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusCreated {
			t.Fatalf("%d letters: %d %s", n, w.Code, w.Body)
		}
		kept++
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/"+told.Path, nil))
		page := w.Body.String()
		from := strings.Index(page, "#")
		link := html.UnescapeString(page[from : from+strings.Index(page[from:], `"`)])
		if _, problems, _ := scenario.DecodeAddress(link); len(problems) > 0 {
			t.Errorf("%d letters make a link of %d characters, which says %q", n, len(link), problems)
		}
	}
	if kept == 0 || kept == 18 {
		t.Errorf("%d were kept: the sizes do not go over the limit", kept)
	}
}
