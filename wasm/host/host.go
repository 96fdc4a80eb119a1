//go:build js && wasm

// Package host runs a remote player in a browser's worker: it provides clock, thread,
// messages and files. Everything runs on the worker's one thread. A slice takes a few
// milliseconds, and between slices the browser delivers messages, so that Pause and Cancel
// are answered at once.
package host

import (
	"syscall/js"
	"time"

	"parley/core/message"
	"parley/core/play"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/trace"
	"parley/wasm/bridge"
	"parley/wasm/file"
	"parley/wasm/memory"
)

type host struct {
	remote *remote.Remote
	turns  *bridge.Turns
	parts  bridge.Parts // of the message that is being received
	spare  []js.Value   // frames that came back
	memory.Heap
}

// Start starts the host, which plays the page's runs with systems. files may be nil.
func Start(systems run.Registry, files play.Files) {
	h := &host{}
	h.turns = bridge.NewTurns(h.turn)
	h.remote = remote.New(h, systems, files)
	bridge.Listen(message.ToWorker, h.receive)
}

func (h *host) receive(m message.Message, parts bridge.Parts) {
	h.parts = parts
	if f, ok := m.(message.Frame); ok && len(h.spare) < 2 {
		h.spare = append(h.spare, parts.At(f.Buffer.Part))
	}
	h.remote.Receive(m)
	h.turns.Ask()
}

func (h *host) turn() {
	if wait := h.remote.Turn(); wait == 0 {
		h.turns.Ask()
	} else if wait > 0 {
		h.turns.AskIn(wait)
	}
}

// Clock implements remote.Host.
func (h *host) Clock() time.Duration { return bridge.Clock() }

// Post implements remote.Host. Frames go in buffers that came back.
func (h *host) Post(m message.Message) {
	if _, ok := m.(message.Frame); ok {
		bridge.Post(m, h.spare...)
		h.spare = nil
		return
	}
	bridge.Post(m)
}

// Device implements remote.Host: browsers report it roughly, or not.
func (h *host) Device() float64 {
	if device := js.Global().Get("navigator").Get("deviceMemory"); device.Type() == js.TypeNumber {
		return device.Float()
	}
	return 0
}

// Bytes implements remote.Host.
func (h *host) Bytes(b *message.Binary) []byte { return h.parts.Bytes(nil, b.Part) }

// File implements remote.Host.
func (h *host) File(f message.File) trace.File { return file.Open(f, h.parts.At(f.Part)) }
