//go:build js && wasm

// Command edge keeps short links on Cloudflare Workers: the handler of
// tools/serve/links over a KV namespace. worker.mjs beside it is its entry.
package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"syscall/js"
	"time"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"
	"github.com/syumai/workers/cloudflare/kv"

	"parley/tools/serve/links"
)

func main() {
	workers.ServeNonBlock(whole{links.New(links.Options{Store: namespace("LINKS"), Allows: allows})})
	workers.Ready()
	select {} // the library's own Serve ends after the first answer
}

// whole hands a handler's answers over in one piece: a stream between Go and
// JavaScript takes longer than all the rest.
type whole struct{ handler http.Handler }

// ServeHTTP implements http.Handler.
func (h whole) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := piece{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		if recover() != nil { // the other requests of this program go on
			a.status = http.StatusInternalServerError
			a.body.Reset()
			a.body.WriteString(`{"error":"This host failed; try again later."}`)
		}
		w.WriteHeader(a.status)
		w.(interface{ WriteRawJSBody(js.Value) }).WriteRawJSBody(js.ValueOf(a.body.String()))
	}()
	if r.Body == nil { // as the library gives a request without one
		r.Body = http.NoBody
	}
	h.handler.ServeHTTP(&a, r)
	_, _ = io.Copy(io.Discard, r.Body) // a body that is left breaks the connection's next request
}

// piece is an answer that is being written.
type piece struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (a *piece) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *piece) Write(text []byte) (int, error) { return a.body.Write(text) }

// allows asks the host's rate limit, which wrangler.jsonc sets to links.PerMinute. A
// limit that does not answer holds nobody up.
func allows(_ context.Context, visitor string) bool {
	answer := make(chan bool, 1)
	told := js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer <- args[0].Get("success").Bool()
		return nil
	})
	failed := js.FuncOf(func(js.Value, []js.Value) any {
		answer <- true
		return nil
	})
	defer told.Release()
	defer failed.Release()
	cloudflare.GetBinding("LIMIT").Call("limit", map[string]any{"key": visitor}).Call("then", told, failed)
	return <-answer
}

// namespace is a KV namespace, by the name of its binding.
type namespace string

// missing is what the library reads for a key that is not there.
const missing = "<null>"

// Get implements links.Store.
func (n namespace) Get(_ context.Context, id string) ([]byte, error) {
	space, err := kv.NewNamespace(string(n))
	if err != nil {
		return nil, err
	}
	entry, err := space.GetString(id, nil)
	if err == nil && entry == missing {
		err = links.ErrNone
	}
	return []byte(entry), err
}

// Put implements links.Store.
func (n namespace) Put(_ context.Context, id string, entry []byte, until time.Time) error {
	space, err := kv.NewNamespace(string(n))
	if err != nil {
		return err
	}
	return space.PutString(id, string(entry), &kv.PutOptions{Expiration: int(until.Unix())})
}
