package keyframes_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"parley/tools/gallery/keyframes"
)

// read returns what a file holds.
func read(file []byte) (keyframes.Head, [][]byte, error) {
	var head keyframes.Head
	body, err := io.ReadAll(flate.NewReader(bytes.NewReader(file)))
	if err != nil {
		return head, nil, err
	}
	short := errors.New("it is shorter than its head says")
	if len(body) < 4 || uint64(len(body)-4) < uint64(binary.LittleEndian.Uint32(body)) {
		return head, nil, short
	}
	told, body := body[4:4+binary.LittleEndian.Uint32(body)], body[4+binary.LittleEndian.Uint32(body):]
	if err := json.Unmarshal(told, &head); err != nil {
		return head, nil, err
	}
	var frames [][]byte
	var before []byte
	for _, length := range head.Lengths {
		if length < 0 || length > len(body) {
			return head, nil, short
		}
		f := bytes.Clone(body[:length])
		body = body[length:]
		for i := range min(len(f), len(before)) {
			f[i] += before[i]
		}
		frames, before = append(frames, f), f
	}
	return head, frames, nil
}
