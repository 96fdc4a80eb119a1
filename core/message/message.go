// Package message defines every message between the page and its programs: the workers of a
// run, of plans, of papers and of sweeps, and the heatmap. Messages are defined only here:
// tools/messages generates site/src/base/messages.ts from this package, and the golden file of
// both sides' tests from its examples.
//
// A message is sent as JSON text that begins with its kind, together with its parts: buffers
// and files, to which the text refers by number.
//
//	{"type":"seek","at":60000000}
//	{"type":"frame","buffer":{"part":0,"as":"ArrayBuffer"}}
//
// Types that belong to a run, a paper or a plan are type parameters here, so that the heatmap's
// program does not include a scheduler.
//
//	text, parts, err := message.Encode(message.Status{…})
//	m, err := message.ToWorker(text, len(parts))
//
// Times are simulated microseconds: whole numbers, which are exact in JavaScript up to 285
// years.
package message

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Message is one message; Kind is its "type".
type Message interface{ Kind() string }

// Part is a piece of a message that crosses beside its text.
type Part struct {
	As    string // the JavaScript class: "ArrayBuffer", "Uint16Array" …
	Bytes []byte // little endian
}

// parted is a message that has parts, in their order.
type parted interface{ parts() []*Binary }

// Encode returns a message's text, a JSON object whose first field is its kind, and the parts that are sent beside it,
// which the text names by number.
func Encode(m Message) (text []byte, parts []Part, err error) {
	if p, ok := m.(parted); ok {
		for _, b := range p.parts() {
			b.Part = len(parts)
			parts = append(parts, Part{b.As, b.Bytes})
		}
	}
	body, err := json.Marshal(m)
	if err != nil {
		return nil, nil, fmt.Errorf("the message %q cannot be written: %w", m.Kind(), err)
	}
	text = append(text, `{"type":`...)
	text = strconv.AppendQuote(text, m.Kind())
	if len(body) > len("{}") {
		text = append(text, ',')
	}
	return append(text, body[1:]...), parts, nil
}
