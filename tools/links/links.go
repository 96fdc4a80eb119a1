// Package links keeps scenarios under short names, for those that are too long for a link. It is
// plain net/http over a small Store, so that the same handler serves in tools/serve, over files, and
// in wasm/edge, over Cloudflare's KV.
//
//	GET  api/links          the host's limits: {"most_bytes":65536,"kept_days":365,"picture_bytes":262144}
//	POST api/links?at=5m&…  keeps the scenario of the body: {"id":"…","path":"s/…"}
//	GET  api/links/{id}     the scenario
//	POST api/pictures       keeps the PNG of the body, 1200 × 630: {"id":"…","path":"api/pictures/…"}
//	GET  api/pictures/{id}  the picture
//	GET  s/{id}             redirects to the page with the scenario; its head has the text for link previews
//
// The query of a POST has the keys of a link for the sender's place and view (core/scenario); the
// scenario itself is the body, and is read as strictly as everywhere else. The name is a hash of the
// content, so the same scenario and place have the same name on every host, and an entry that does
// not match its name is not served. Every refusal is a sentence. Nothing is logged, and no cookie is
// set.
//
//	http.Handle("/", links.New(links.Options{Store: store, Files: files}))
package links

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/scenario"
)

// Limits of stored entries and requests.
const (
	MaxBytes  = 64 << 10             // of a scenario's document
	Kept      = 365 * 24 * time.Hour // from the last time that somebody sent it
	IDLength  = 11                   // characters: 64 bits
	maxPlace  = 4000                 // characters of a POST's query
	maxLink   = 1 << 16              // characters of a link that the page's programs read
	maxDrains = 8 << 20              // bytes of a refused body that are read, to reuse the connection
)

// Errors that a Store answers with.
var (
	ErrNone = errors.New("there is no such entry")
	ErrFull = errors.New("the store is full")
)

// Store keeps entries under ids. It is used by many requests at a time.
type Store interface {
	// Get returns an entry, or ErrNone if there is none or it has expired.
	Get(ctx context.Context, id string) ([]byte, error)
	// Put stores an entry for the given time from now, and replaces one with the same id. When it
	// returns nil, the entry survives the end of the process. It returns ErrFull if there is no
	// room.
	Put(ctx context.Context, id string, entry []byte, life time.Duration) error
}

// Options are the options of a handler.
type Options struct {
	Store   Store
	Files   http.Handler                 // answers all other paths; may be nil
	Address func(r *http.Request) string // of the visitor, for the limit; nil uses the connection's
	Now     func() time.Time             // nil: the clock
	// Allows reports whether a visitor may send one more scenario: nil counts them in
	// this program. A host that has many programs counts for all of them.
	Allows func(ctx context.Context, visitor string) bool
}

// New returns the handler.
func New(o Options) http.Handler { return newHandler(o).mux(o.Files) }

// newHandler returns a handler with the defaults of options that are nil.
func newHandler(o Options) *handler {
	h := &handler{store: o.Store, now: o.Now, address: o.Address, allows: o.Allows, name: Name}
	if h.now == nil {
		h.now = time.Now
	}
	if h.address == nil {
		h.address = func(r *http.Request) string { return r.RemoteAddr }
	}
	if h.allows == nil {
		var l limit
		h.allows = func(_ context.Context, visitor string) bool { return l.allows(visitor, h.now()) }
	}
	return h
}

// mux routes requests to their handlers.
func (h *handler) mux(files http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/links", h.all)
	mux.HandleFunc("/api/links/{id}", h.one)
	mux.HandleFunc("/api/pictures", h.pictures)
	mux.HandleFunc("/api/pictures/{id}", h.picture)
	mux.HandleFunc("/s/{id}", h.lead)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "There is nothing under this address; short links are under api/links.")
	})
	if files != nil {
		mux.Handle("/", files)
	}
	return mux
}

type handler struct {
	store   Store
	now     func() time.Time
	address func(r *http.Request) string
	allows  func(ctx context.Context, visitor string) bool
	name    func(kept []byte) string // Name
}

// entry is a stored link, as JSON.
type entry struct {
	Place    string          `json:"place"`             // keys of a link: Address.Encode without a scenario
	Scenario json.RawMessage `json:"scenario"`          // Brief, without spaces
	Picture  string          `json:"picture,omitempty"` // the id of its picture
}

// all returns the host's limits (GET), or stores an entry (POST).
func (h *handler) all(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		answer(w, http.StatusOK, map[string]int{
			"most_bytes": MaxBytes, "kept_days": int(Kept / (24 * time.Hour)), "picture_bytes": MaxPicture,
		})
	case http.MethodPost:
		h.keep(w, r)
	default:
		notAllowed(w, r, "GET, HEAD, POST")
	}
}

// keep stores the scenario of the body as a link, with the place and the picture of the query, and answers with
// its id.
func (h *handler) keep(w http.ResponseWriter, r *http.Request) {
	body := h.body(w, r, "application/json", MaxBytes, "scenario")
	if body == nil {
		return
	}
	query, picture, err := h.pictureIn(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, sentence(err))
		return
	}
	place, err := placeOf(query)
	if err != nil {
		refuse(w, http.StatusBadRequest, sentence(err))
		return
	}
	kept, err := pack(body, place, picture)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, sentence(err))
		return
	}
	h.keepEntry(w, r, kept, "s/")
}

// body returns the body of a request, of a media type and up to most bytes; nil if it is refused, which it has
// answered. noun is the thing sent, for the answer. It counts the request for the visitor's limit.
func (h *handler) body(w http.ResponseWriter, r *http.Request, kind string, most int64, noun string) []byte {
	defer io.Copy(io.Discard, io.LimitReader(r.Body, maxDrains)) //nolint:errcheck // who sends no more is gone
	if !h.allows(r.Context(), visitor(h.address(r))) {
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusTooManyRequests, fmt.Sprintf("This host keeps %d short links a minute for one visitor; wait a minute and send it again.", PerMinute))
		return nil
	}
	// A form of another site can send other types unasked; this one makes the browser ask first, and gets no answer.
	if sent, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || sent != kind {
		refuse(w, http.StatusUnsupportedMediaType, fmt.Sprintf("A %s is sent with Content-Type: %s.", noun, kind))
		return nil
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		refuse(w, http.StatusUnsupportedMediaType, fmt.Sprintf("A %s is sent as it is, without a Content-Encoding.", noun))
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("The %s came in part only; send it again.", noun))
		return nil
	}
	if int64(len(body)) > most {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The %s has more than %d bytes, which is what this host keeps; send it as a file.", noun, most))
		return nil
	}
	return body
}

// keepEntry stores an entry and answers with its id, and its path beneath under. The name of an entry follows
// from its content, so the same entry is stored once.
func (h *handler) keepEntry(w http.ResponseWriter, r *http.Request, kept []byte, under string) {
	id := h.name(kept)
	switch err := h.put(r.Context(), id, kept); {
	case errors.Is(err, errTaken):
		refuse(w, http.StatusConflict, "Another scenario has the name that this one would have; change something in it, such as its name.")
	case errors.Is(err, ErrFull):
		refuse(w, http.StatusInsufficientStorage, "This host has no room for more short links; send the scenario as a file.")
	case err != nil:
		refuse(w, http.StatusInternalServerError, "This host cannot keep the link now; try again later, or send the scenario as a file.")
	default:
		answer(w, http.StatusCreated, map[string]string{"id": id, "path": under + id})
	}
}

// pictureIn returns the query without its picture, and the id of the picture, which must exist.
func (h *handler) pictureIn(r *http.Request) (query, picture string, err error) {
	var rest []string
	for _, part := range strings.Split(r.URL.RawQuery, "&") {
		if id, is := strings.CutPrefix(part, "picture="); is {
			picture = id
		} else {
			rest = append(rest, part)
		}
	}
	query = strings.Join(rest, "&")
	if picture == "" {
		return query, "", nil
	}
	if !isID(picture) {
		return "", "", errors.New("the address names a picture by what is no name")
	}
	kept, err := h.store.Get(r.Context(), picture)
	if err != nil || h.name(kept) != picture || pictureOf(kept) == nil {
		return "", "", errors.New("the picture that the address names is not here; send it first")
	}
	return query, picture, nil
}

var errTaken = errors.New("the id belongs to another entry")

// put stores an entry, but does not replace a different one of the same name: a client that finds
// two contents with one hash cannot change the target of a link. An entry that was altered in the
// store no longer matches its name, and is replaced.
func (h *handler) put(ctx context.Context, id string, kept []byte) error {
	before, err := h.store.Get(ctx, id)
	switch {
	case err == nil && !bytes.Equal(before, kept) && h.name(before) == id:
		return errTaken
	case err != nil && !errors.Is(err, ErrNone):
		return err
	}
	return h.store.Put(ctx, id, kept, Kept)
}

// placeOf reads the query of a POST: keys of a link that do not describe the scenario.
func placeOf(query string) (string, error) {
	if len(query) > maxPlace {
		return "", fmt.Errorf("the address has %d characters after ?: at most %d are read", len(query), maxPlace)
	}
	a, problems, _ := scenario.DecodeAddress("#" + query)
	if len(a.More) > 0 {
		problems = append(problems, fmt.Sprintf("the address says %q, which means nothing in a link", a.More[0][0]))
	}
	if len(problems) > 0 {
		return "", errors.New(problems[0])
	}
	if a.Base != "" || a.Name != "" || a.System != "" || a.Nodes != nil || a.Seed != nil || a.Faults != nil || len(a.Settings) > 0 || a.Packed != nil {
		return "", errors.New("the address says something of the scenario, which belongs into the body alone")
	}
	return a.Encode(), nil
}

// pack checks a scenario and returns its stored form: equal bytes for documents that mean the same.
func pack(doc []byte, place, picture string) ([]byte, error) {
	if !utf8.Valid(doc) {
		return nil, errors.New("the scenario is not UTF-8 text")
	}
	s, err := scenario.Parse(doc)
	if err != nil {
		return nil, err
	}
	var brief bytes.Buffer
	if err := json.Compact(&brief, s.Brief()); err != nil {
		return nil, err
	}
	kept, err := json.Marshal(entry{place, brief.Bytes(), picture})
	if err != nil {
		return nil, err
	}
	if surely(brief.Len(), len(place)) {
		return kept, nil
	}
	link, err := linkOf(kept)
	if err == nil && len(link) > maxLink {
		err = fmt.Errorf("the scenario makes a link of %d characters, of which %d are read: send it as a file", len(link), maxLink)
	}
	return kept, err
}

// surely reports whether a scenario of n bytes makes a link that can be read, without packing it,
// which would take most of the time of a request: incompressible content grows by less than 64
// bytes, and by a third in letters.
func surely(scenario, place int) bool {
	return place+(scenario+64)*4/3+64 <= maxLink
}

// Name returns the name of an entry: the first 64 bits of its SHA-256 in base64url.
func Name(kept []byte) string {
	sum := sha256.Sum256(kept)
	return base64.RawURLEncoding.EncodeToString(sum[:8])
}

// linkOf returns the link of an entry, from # on.
func linkOf(kept []byte) (string, error) {
	var e entry
	if err := json.Unmarshal(kept, &e); err != nil {
		return "", err
	}
	if len(e.Scenario) == 0 {
		return "", errors.New("it is a picture")
	}
	a, _, _ := scenario.DecodeAddress("#" + e.Place)
	a.Packed = e.Scenario
	return "#" + a.Encode(), nil
}

// one answers with the scenario of a name.
func (h *handler) one(w http.ResponseWriter, r *http.Request) {
	kept, status, reason := h.find(w, r)
	if kept == nil {
		if reason != "" {
			refuse(w, status, reason)
		}
		return
	}
	var e entry
	if err := json.Unmarshal(kept, &e); err != nil || len(e.Scenario) == 0 {
		refuse(w, http.StatusInternalServerError, broken)
		return
	}
	answer(w, http.StatusOK, e.Scenario)
}

const (
	broken  = "What this host keeps under this name cannot be read any more."
	altered = "What this host keeps under this name was altered after it was sent; send the scenario again."
)

// find returns the entry that a request names, or why there is none; that is empty
// where it was said already.
func (h *handler) find(w http.ResponseWriter, r *http.Request) (kept []byte, status int, reason string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		notAllowed(w, r, "GET, HEAD")
		return nil, 0, ""
	}
	id := r.PathValue("id")
	if !isID(id) {
		return nil, http.StatusNotFound, fmt.Sprintf("A short link has %d letters, digits, - and _ behind the last /; was this one cut off?", IDLength)
	}
	kept, err := h.store.Get(r.Context(), id)
	switch {
	case errors.Is(err, ErrNone):
		return nil, http.StatusNotFound, "There is no scenario under this name here: it was never sent, or its time is over."
	case err != nil:
		return nil, http.StatusInternalServerError, "This host cannot look the link up now; try again later."
	case h.name(kept) != id:
		return nil, http.StatusInternalServerError, altered
	}
	return kept, 0, ""
}

// isID reports whether a text is the name of an entry.
func isID(text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == 8 && len(text) == IDLength
}

// sentence turns an error into a complete sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + strings.TrimRight(text[1:], ".?") + "."
}

// answer writes a JSON document.
func answer(w http.ResponseWriter, status int, document any) {
	text, err := json.Marshal(document)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"The answer cannot be written."}`)
	}
	header := w.Header()
	secure(header)
	header.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// refuse answers with a sentence.
func refuse(w http.ResponseWriter, status int, reason string) {
	answer(w, status, map[string]string{"error": reason})
}

func notAllowed(w http.ResponseWriter, r *http.Request, methods string) {
	w.Header().Set("Allow", methods)
	refuse(w, http.StatusMethodNotAllowed, fmt.Sprintf("%.20q is not possible here; %s are.", r.Method, methods))
}

// secure sets the headers of every answer.
func secure(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}
