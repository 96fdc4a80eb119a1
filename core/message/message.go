// Package message holds every message between the page and its programs: the workers
// of a run, of plans, of papers and of sweeps, and the heatmap's view. It is the one place where a
// message is defined: site/src/base/messages.ts is made from it by
// tools/messages, and testdata of both sides' tests by its examples.
//
// A message crosses as JSON text with its kind first, and beside the text its
// parts: buffers and files, to which the text refers by number.
//
//	{"type":"seek","at":60000000}
//	{"type":"frame","buffer":{"part":0,"as":"ArrayBuffer"}}
//
// What only a run, a paper or a plan can say is a type parameter here, so that
// the view does not carry a scheduler for a name.
//
//	text, parts, err := message.Encode(message.Status{…})
//	m, err := message.ToWorker(text, len(parts))
//
// Times are simulated microseconds: whole numbers, exact in JavaScript up to 285
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

// Encode returns a message's text and parts.
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
