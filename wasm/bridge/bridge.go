//go:build js && wasm

package bridge

import (
	"encoding/json"
	"errors"
	"syscall/js"

	"parley/core/trace"
)

// Post sends a message to the page.
func Post(message map[string]any) { js.Global().Call("postMessage", js.ValueOf(message)) }

// PostValue sends a message that JSON can tell.
func PostValue(message any) { js.Global().Call("postMessage", Value(message)) }

// PostBuffer sends a message with an ArrayBuffer that changes hands.
func PostBuffer(message map[string]any, buffers ...any) {
	js.Global().Call("postMessage", js.ValueOf(message), js.ValueOf(buffers))
}

// Value turns anything that JSON can tell into a JavaScript value.
func Value(x any) js.Value {
	text, err := json.Marshal(x)
	if err != nil {
		return js.Null()
	}
	return js.Global().Get("JSON").Call("parse", string(text))
}

// Trouble tells the page in one sentence what went wrong; the running scenario
// is untouched.
func Trouble(err error) { tell("setting", err) }

// Broken tells the page that the engine itself found something wrong: a sum
// that does not hold, a workload that breaks off.
func Broken(err error) { tell("engine", err) }

func tell(class string, err error) {
	t := map[string]any{"class": class, "sentence": err.Error()}
	var e *trace.Error
	if errors.As(err, &e) {
		t["class"], t["file"] = string(e.Kind), e.File
		if e.Line > 0 {
			t["line"] = e.Line
		}
		if e.Column != "" {
			t["column"], t["value"] = e.Column, e.Value
		}
	}
	Post(map[string]any{"type": "trouble", "trouble": t})
}

// Typed copies numbers into a JavaScript typed array of the given class.
func Typed(class string, bytes []byte, n int) js.Value {
	buffer := js.Global().Get("ArrayBuffer").New(len(bytes))
	js.CopyBytesToJS(js.Global().Get("Uint8Array").New(buffer), bytes)
	return js.Global().Get(class).New(buffer, 0, n)
}

// Now returns the worker's clock in milliseconds.
func Now() float64 { return js.Global().Get("performance").Call("now").Float() }

// Turns calls f on a later turn of the event loop, without the delay that
// nested timers get.
type Turns struct {
	port  js.Value
	asked bool
}

// NewTurns returns turns that call f.
func NewTurns(f func()) *Turns {
	channel := js.Global().Get("MessageChannel").New()
	t := &Turns{port: channel.Get("port2")}
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		t.asked = false
		f()
		return nil
	}))
	return t
}

// Ask makes f run on the next turn, once however often it is asked.
func (t *Turns) Ask() {
	if !t.asked {
		t.asked = true
		t.port.Call("postMessage", 0)
	}
}
