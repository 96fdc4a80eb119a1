//go:build js && wasm

// Package file reads files of the page, piece by piece, for programs in workers.
package file

import (
	"errors"
	"io"
	"runtime"
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
	file  js.Value
	size  int64
	at    int64
	piece [pieceSize]byte
	rest  []byte
}

// A browser without ArrayBuffer.transfer (of 2024) frees a piece when Go has collected the value that names it, and reading
// makes little garbage.
const pieceSize, collectEvery = 1 << 20, 256 << 20

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
		buffer := js.Global().Get("FileReaderSync").New().Call("readAsArrayBuffer",
			r.file.Call("slice", float64(r.at), float64(end)))
		r.rest = r.piece[:js.CopyBytesToGo(r.piece[:], js.Global().Get("Uint8Array").New(buffer))]
		if r.at = end; buffer.Get("transfer").Type() == js.TypeFunction {
			buffer.Call("transfer", 0) // its bytes are free at once
		} else if r.at%collectEvery == 0 {
			runtime.GC()
		}
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
