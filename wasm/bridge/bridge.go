//go:build js && wasm

// Package bridge exchanges messages and their parts with the page, and schedules turns of the
// event loop. Package core/message defines the messages.
package bridge

import (
	"errors"
	"syscall/js"
	"time"

	"parley/core/message"
)

// Parts are the buffers and files that accompany a message's text.
type Parts struct{ list js.Value }

// At returns a part.
func (p Parts) At(i int) js.Value { return p.list.Index(i) }

// Bytes appends the bytes of a buffer to dst.
func (p Parts) Bytes(dst []byte, i int) []byte {
	array := js.Global().Get("Uint8Array").New(p.At(i))
	from, n := len(dst), array.Length()
	if cap(dst) < from+n {
		dst = append(make([]byte, 0, from+n+n/8), dst...)
	}
	dst = dst[:from+n]
	js.CopyBytesToGo(dst[from:], array)
	return dst
}

// Decode is message.ToWorker and its like.
type Decode func(text []byte, parts int) (message.Message, error)

// Read decodes the message of an event.
func Read(data js.Value, decode Decode) (message.Message, Parts, error) {
	if data.Type() != js.TypeObject || data.Get("text").Type() != js.TypeString ||
		!js.Global().Get("Array").Call("isArray", data.Get("parts")).Bool() {
		return nil, Parts{}, errors.New("a message is an object of text and parts, and this is none")
	}
	parts := Parts{data.Get("parts")}
	m, err := decode([]byte(data.Get("text").String()), parts.list.Length())
	return m, parts, err
}

// Listen calls receive with every message of the page to this worker, and replaces an earlier
// receiver. A message that cannot be decoded is reported to the page.
func Listen(decode Decode, receive func(message.Message, Parts)) {
	js.Global().Set("parley", js.ValueOf(map[string]any{
		"post": js.FuncOf(func(_ js.Value, args []js.Value) any {
			m, parts, err := Read(args[0], decode)
			if err != nil {
				Post(message.NewTrouble{Trouble: message.Trouble{Class: "engine", Sentence: err.Error()}})
				return nil
			}
			receive(m, parts)
			return nil
		}),
	}))
	if ready := js.Global().Get("parleyReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
}

// Work answers the messages of the page one after another, each for as long as it takes. Messages
// passed to send are posted before the work continues. The page ends the worker to cancel.
func Work(decode Decode, answer func(m message.Message, parts Parts, send func(message.Message)) message.Message) {
	type request struct {
		m     message.Message
		parts Parts
	}
	queue, wake := make(chan request, 100), make(chan struct{}, 1)
	breath := NewTurns(func() { wake <- struct{}{} })
	Listen(decode, func(m message.Message, parts Parts) { queue <- request{m, parts} })
	go func() {
		for a := range queue {
			Post(answer(a.m, a.parts, func(m message.Message) {
				Post(m)
				breath.Ask()
				<-wake
			}))
		}
	}()
}

// Post sends a message to the page.
func Post(m message.Message, spare ...js.Value) {
	if data, parts, err := Write(m, spare...); err == nil {
		js.Global().Call("postMessage", data, parts)
	} else if _, again := m.(message.NewTrouble); !again {
		Post(message.NewTrouble{Trouble: message.Trouble{Class: "engine", Sentence: err.Error()}})
	}
}

// Write returns a message as it crosses, and the parts that change hands. Spare
// buffers of the right size are used again; a part without bytes is the spare one.
func Write(m message.Message, spare ...js.Value) (data map[string]any, transfer []any, err error) {
	text, parts, err := message.Encode(m)
	if err != nil {
		return nil, nil, err
	}
	transfer = make([]any, len(parts))
	for i, p := range parts {
		if len(p.Bytes) == 0 && len(spare) > 0 { // returned unchanged
			transfer[i] = spare[0]
			continue
		}
		buffer := js.Undefined()
		for _, s := range spare {
			if s.Get("byteLength").Int() == len(p.Bytes) {
				buffer = s
			}
		}
		if buffer.IsUndefined() {
			buffer = js.Global().Get("ArrayBuffer").New(len(p.Bytes))
		}
		js.CopyBytesToJS(js.Global().Get("Uint8Array").New(buffer), p.Bytes)
		transfer[i] = buffer
	}
	return map[string]any{"text": string(text), "parts": transfer}, transfer, nil
}

// Clock returns the worker's clock.
func Clock() time.Duration {
	return time.Duration(js.Global().Get("performance").Call("now").Float() * 1e6)
}

// Turns calls a function on a later turn of the event loop, without the delay that
// nested timers get.
type Turns struct {
	port      js.Value
	late      js.Func
	requested bool
}

// NewTurns returns turns that call f.
func NewTurns(f func()) *Turns {
	channel := js.Global().Get("MessageChannel").New()
	t := &Turns{port: channel.Get("port2")}
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		t.requested = false
		f()
		return nil
	}))
	t.late = js.FuncOf(func(js.Value, []js.Value) any {
		t.Ask()
		return nil
	})
	return t
}

// Ask makes f run on the next turn, once even if Ask is called several times.
func (t *Turns) Ask() {
	if !t.requested {
		t.requested = true
		t.port.Call("postMessage", 0)
	}
}

// AskIn makes f run after some time.
func (t *Turns) AskIn(d time.Duration) {
	js.Global().Call("setTimeout", t.late, float64(d)/1e6)
}
