package links

import "net/http"

// NewNamed is New with another way to name an entry.
func NewNamed(o Options, name func([]byte) string) http.Handler {
	h := newHandler(o)
	h.name = name
	return h.mux(o.Files)
}
