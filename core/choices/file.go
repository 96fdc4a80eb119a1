package choices

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"parley/core/strict"
)

// A file is the magic, then parts with their lengths: the head as JSON, then the planes of
// the tape; and at its end a CRC-32 of all before it.
const (
	magic    = "parley choices 1\n"
	maxHead  = 1 << 20
	maxBytes = 64 << 20
)

// planes returns the parts of a file behind its head.
func (t *Tape) planes() []*[]byte {
	return []*[]byte{&t.low, &t.high, &t.draws, &t.looks, &t.wides, &t.lists}
}

// Bytes returns the tape as a file, which Read reads.
func (t *Tape) Bytes() ([]byte, error) {
	head, err := json.Marshal(t.Head)
	if err != nil {
		return nil, err
	}
	out := append([]byte(magic), parted(head)...)
	for _, plane := range t.planes() {
		part := *plane
		if plane == &t.looks && empty(part) {
			part = nil
		}
		out = append(out, parted(part)...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out)), nil
}

func parted(part []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(part))), part...)
}

func empty(plane []byte) bool {
	for _, b := range plane {
		if b != 0 {
			return false
		}
	}
	return true
}

// Read reads a file. The tape holds the bytes: they must not change afterwards.
func Read(file []byte) (*Tape, error) {
	switch {
	case len(file) > maxBytes:
		return nil, fmt.Errorf("recorded choices: the file has %d bytes, and at most %d are read", len(file), maxBytes)
	case len(file) < len(magic)+4 || string(file[:len(magic)]) != magic:
		return nil,
			errors.New(
				"recorded choices: the file does not begin as one, or another version wrote it: make gallery records it anew",
			)
	}
	end := len(file) - 4
	if crc32.ChecksumIEEE(file[:end]) != binary.LittleEndian.Uint32(file[end:]) {
		return nil, errors.New("recorded choices: the file is damaged: its checksum differs from its content")
	}
	rest, t := file[len(magic):end], &Tape{}
	var head []byte
	for i, part := range append([]*[]byte{&head}, t.planes()...) {
		if len(rest) < 4 || uint32(len(rest)-4) < binary.LittleEndian.Uint32(rest) {
			return nil, fmt.Errorf("recorded choices: the file ends within its part %d", i+1)
		}
		n := int(binary.LittleEndian.Uint32(rest))
		*part, rest = rest[4:4+n:4+n], rest[4+n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("recorded choices: %d bytes follow the last part", len(rest))
	}
	if len(head) > maxHead {
		return nil, fmt.Errorf("recorded choices: the head has %d bytes, and at most %d are read", len(head), maxHead)
	}
	if err := strict.Decode(head, &t.Head); err != nil {
		return nil, fmt.Errorf("recorded choices: head: %w", err)
	}
	return t, t.validate()
}

// validate checks that the parts are of one number of choices (looks has two bytes for each, or none) and that the
// checks are in the order of time, the last one at the end.
func (t *Tape) validate() error {
	n := len(t.low)
	if len(t.high) != n || len(t.draws) != n || len(t.looks) != 0 && len(t.looks) != 2*n {
		return fmt.Errorf("recorded choices: the parts are of %d, %d, %d and %d choices", n, len(t.high), len(t.draws),
			len(t.looks)/2)
	}
	for i, c := range t.Checks {
		if i > 0 && c.At <= t.Checks[i-1].At {
			return fmt.Errorf("recorded choices: head: checks[%d] is not after the check before it", i)
		}
	}
	if n := len(t.Checks); n == 0 || t.Checks[n-1].At != t.Until {
		return errors.New("recorded choices: head: no check is at the end of the choices")
	}
	return nil
}
