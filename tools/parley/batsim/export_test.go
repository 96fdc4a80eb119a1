package batsim

import (
	"bytes"
	"io"
	"math"

	"parley/core/protocol"
	"parley/core/unit"
	"parley/tools/parley/external"
)

// ParseAllocation and FormatAllocation are those of messages.
var (
	ParseAllocation  = parseAllocation
	FormatAllocation = formatAllocation
)

// Receive shakes hands with what a peer sends, and receives a message.
func Receive(text []byte) ([]byte, error) {
	r, err := newRequest(struct {
		io.Reader
		io.Writer
	}{bytes.NewReader(text), io.Discard})
	if err != nil {
		return nil, err
	}
	return r.receive()
}

// Reply takes in a reply about a waiting job, and returns the acts that follow at once and
// after all that was planned.
func Reply(text []byte) ([]protocol.Act, error) {
	s := New("tcp://x", external.Options{})
	s.resources = make([]unit.NodeID, 4)
	s.jobs[1], s.names["w0!1"] = &job{name: "w0!1", size: 3}, 1
	m, err := read(text)
	if err == nil {
		err = s.decide(m, 0)
	}
	if err != nil {
		return nil, err
	}
	return append(s.answer(0).Acts, s.answer(math.MaxInt64/8).Acts...), nil
}
