//go:build js && wasm

// Command edge keeps short links on Cloudflare Workers: the handler of tools/links over a KV
// namespace. worker.mjs is its entry.
package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"

	"parley/tools/links"
)

func main() {
	// Collecting costs most of a request's time while the heap is as small as here: it
	// may grow to the few megabytes that a hundred requests leave, and not beyond.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(32 << 20)
	workers.ServeNonBlock(whole{links.New(links.Options{Store: namespace("LINKS"), Allows: allows})})
	workers.Ready()
	select {} // the library's own Serve ends after the first answer
}

// whole takes requests and hands answers over in one piece: streams between Go and
// JavaScript take longer than all the rest, and leave callbacks behind.
type whole struct{ handler http.Handler }

// bodyHeader names the body of a request, which worker.mjs has read. No visitor can set it:
// worker.mjs passes on only the headers in its list.
const bodyHeader = "Parley-Body"

// ServeHTTP answers a request whose body worker.mjs has read. After a panic of the handler it answers with an error,
// because the other requests of this program must go on.
func (h whole) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := wholeAnswer{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		if recover() != nil {
			a.status = http.StatusInternalServerError
			a.body.Reset()
			a.body.WriteString(`{"error":"This host failed; try again later."}`)
		}
		w.WriteHeader(a.status)
		answer := js.ValueOf(a.body.String())
		if w.Header().Get("Content-Type") == "image/png" { // the only binary answer
			answer = js.Global().Get("Uint8Array").New(a.body.Len())
			js.CopyBytesToJS(answer, a.body.Bytes())
		}
		w.(interface{ WriteRawJSBody(js.Value) }).WriteRawJSBody(answer)
	}()
	r.Body = body(r.Header.Get(bodyHeader))
	h.handler.ServeHTTP(&a, r)
}

// body takes the body of a request from worker.mjs, which forgets it.
func body(name string) io.ReadCloser {
	if name == "" {
		return http.NoBody
	}
	from := js.Global().Get("context").Call("take", name)
	text := make([]byte, from.Get("byteLength").Int())
	js.CopyBytesToGo(text, from)
	return io.NopCloser(bytes.NewReader(text))
}

// wholeAnswer collects an answer until it is handed over in one piece.
type wholeAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (a *wholeAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *wholeAnswer) Write(text []byte) (int, error) { return a.body.Write(text) }

// allows queries the host's rate limit, which wrangler.jsonc sets to links.PerMinute. A limit that
// does not answer delays no request.
func allows(_ context.Context, visitor string) bool {
	answer, err := await(cloudflare.GetBinding("LIMIT").Call("limit", map[string]any{"key": visitor}))
	return err != nil || answer.Get("success").Bool()
}

// namespace is a KV namespace, by the name of its binding.
type namespace string

// Get implements links.Store.
func (n namespace) Get(_ context.Context, id string) ([]byte, error) {
	entry, err := await(cloudflare.GetBinding(string(n)).Call("get", id))
	if err != nil {
		return nil, err
	}
	if entry.IsNull() {
		return nil, links.ErrNone
	}
	return []byte(entry.String()), nil
}

// Put implements links.Store.
func (n namespace) Put(_ context.Context, id string, entry []byte, life time.Duration) error {
	_, err := await(cloudflare.GetBinding(string(n)).Call("put", id, string(entry), map[string]any{"expirationTtl": int(life.Seconds())}))
	return err
}

// await waits for a promise. The library's own, and its KV, leave one of two callbacks
// behind with every promise.
func await(promise js.Value) (js.Value, error) {
	answer := make(chan js.Value, 1)
	failure := make(chan error, 1)
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer <- args[0]
		return nil
	})
	defer kept.Release()
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		failure <- errors.New(args[0].Call("toString").String())
		return nil
	})
	defer broken.Release()
	promise.Call("then", kept, broken)
	select {
	case value := <-answer:
		return value, nil
	case err := <-failure:
		return js.Undefined(), err
	}
}
