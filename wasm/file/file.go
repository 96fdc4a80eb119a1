//go:build js && wasm

// Package file reads files of the page, piece by piece, for programs in workers.
package file

import (
	"errors"
	"io"
	"syscall/js"

	"parley/core/message"
	"parley/core/trace"
)

// Open returns a File of the page as the core reads it.
func Open(f message.File, file js.Value) trace.File {
	return trace.File{
		Name: f.Name, Size: f.Size,
		Open: func() (io.ReadCloser, error) { return &reader{file: file, size: f.Size}, nil },
	}
}

// reader reads a File piece by piece, synchronously: workers may.
type reader struct {
	file   js.Value
	size   int64
	at     int64
	shared js.Value // an Uint8Array into which site/src/worker/main.ts reads
	piece  [pieceSize]byte
	rest   []byte
}

const pieceSize = 1 << 20

// Read implements io.Reader. It reads a piece of pieceSize from the browser when the last one is used up.
func (r *reader) Read(p []byte) (n int, err error) {
	defer func() {
		if e := recover(); e != nil { // a file that changed on the disk throws
			err = errors.New("it changed, was removed or is a folder")
		}
	}()
	if len(r.rest) == 0 {
		if r.at >= r.size {
			return 0, io.EOF
		}
		end := min(r.at+pieceSize, r.size)
		if r.shared.IsUndefined() {
			r.shared = js.Global().Get("Uint8Array").New(pieceSize)
		}
		js.Global().Call("parleyRead", r.file, float64(r.at), float64(end), r.shared)
		r.rest = r.piece[:js.CopyBytesToGo(r.piece[:end-r.at], r.shared)]
		r.at = end
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *reader) Close() error {
	r.rest, r.at = nil, r.size
	return nil
}
