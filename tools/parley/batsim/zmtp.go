package batsim

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxMessage limits a message of either side, in bytes.
const maxMessage = 16 << 20

// The flags of a frame of ZMTP 3.0 (https://rfc.zeromq.org/spec/23).
const (
	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// greeting is the first message of both sides: a signature, version 3.0 and the mechanism NULL,
// which neither encrypts nor identifies.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:32], "NULL")
	return g
}

// request is a ZeroMQ socket of type REQ over one connection: it sends a message and
// receives one, in turn.
type request struct {
	in  *bufio.Reader
	out io.Writer
}

// newRequest shakes hands over a connection as ZMTP 3.0 prescribes, with a peer of type REP or ROUTER, without
// encryption. Errors are about the peer, as the end of a sentence.
func newRequest(conn io.ReadWriter) (*request, error) {
	r := &request{bufio.NewReaderSize(conn, 1<<16), conn}
	ready := []byte("\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ\x08Identity\x00\x00\x00\x00")
	if _, err := conn.Write(greeting()); err != nil {
		return nil, err
	}
	var theirs [64]byte
	if _, err := io.ReadFull(r.in, theirs[:]); err != nil {
		return nil, err
	}
	switch {
	case theirs[0] != 0xff || theirs[9] != 0x7f:
		return nil, errors.New("what answers there is no ZeroMQ socket")
	case theirs[10] < 3:
		return nil, fmt.Errorf("it speaks version %d of ZeroMQ's protocol: version 3 or later is needed", theirs[10])
	case string(theirs[12:17]) != "NULL\x00":
		return nil, errors.New("its socket wants encryption or a password, which is not supported: leave it plain")
	}
	if err := r.frame(flagCommand, ready); err != nil {
		return nil, err
	}
	flags, body, err := r.receiveFrame()
	if err != nil {
		return nil, err
	}
	if flags&flagCommand == 0 || len(body) < 6 || string(body[:6]) != "\x05READY" {
		return nil, errors.New("its first frame is not READY")
	}
	kind, err := property(body[6:], "Socket-Type")
	if err == nil && kind != "REP" && kind != "ROUTER" {
		err = fmt.Errorf("its socket is of type %q: bind one of type REP", kind)
	}
	return r, err
}

// property returns the property name of the body of READY, a list of pairs: the length of the name in one byte, the
// name, the length of the value in four, the value.
func property(list []byte, name string) (string, error) {
	for len(list) > 0 {
		n := int(list[0])
		if len(list) < 1+n+4 {
			break
		}
		size := int64(binary.BigEndian.Uint32(list[1+n:]))
		rest := list[1+n+4:]
		if size > int64(len(rest)) {
			break
		}
		if string(list[1:1+n]) == name {
			return string(rest[:size]), nil
		}
		list = rest[size:]
	}
	return "", fmt.Errorf("its READY has no whole %s", name)
}

// frame sends one frame.
func (r *request) frame(flags byte, body []byte) error {
	head := []byte{flags, byte(len(body))}
	if len(body) > 255 {
		head = binary.BigEndian.AppendUint64([]byte{flags | flagLong}, uint64(len(body)))
	}
	_, err := r.out.Write(append(head, body...))
	return err
}

// send sends a message, after the empty frame that a REQ socket puts before it.
func (r *request) send(message []byte) error {
	if err := r.frame(flagMore, nil); err != nil {
		return err
	}
	return r.frame(0, message)
}

// receiveFrame receives one frame, up to maxMessage bytes. io.EOF means that the connection ended between frames,
// io.ErrUnexpectedEOF that it ended within one.
func (r *request) receiveFrame() (flags byte, body []byte, err error) {
	if flags, err = r.in.ReadByte(); err != nil {
		return 0, nil, err
	}
	if flags&^(flagMore|flagLong|flagCommand) != 0 {
		return 0, nil, fmt.Errorf("a frame has the flags %#x, which ZeroMQ does not know", flags)
	}
	size := make([]byte, 1)
	if flags&flagLong != 0 {
		size = make([]byte, 8)
	}
	if _, err := io.ReadFull(r.in, size); err != nil {
		return 0, nil, cutOff(err)
	}
	n := uint64(size[0])
	if len(size) == 8 {
		n = binary.BigEndian.Uint64(size)
	}
	if n > maxMessage {
		return 0, nil, fmt.Errorf("a frame has %d bytes: at most %d MB are read", n, maxMessage>>20)
	}
	body, err = io.ReadAll(io.LimitReader(r.in, int64(n)))
	if err == nil && uint64(len(body)) < n {
		err = io.ErrUnexpectedEOF
	}
	return flags, body, cutOff(err)
}

// cutOff turns the end of a connection within a frame into io.ErrUnexpectedEOF.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// receive receives a message: an empty frame, then one with the content. Commands between
// messages are passed over.
func (r *request) receive() ([]byte, error) {
	var parts [][]byte
	sum := 0
	for {
		flags, body, err := r.receiveFrame()
		if err != nil {
			return nil, err
		}
		if flags&flagCommand != 0 {
			continue
		}
		if sum += len(body) + 1; sum > maxMessage {
			return nil, fmt.Errorf("a message has more than %d MB", maxMessage>>20)
		}
		if parts = append(parts, body); flags&flagMore == 0 {
			break
		}
	}
	if len(parts) != 2 || len(parts[0]) != 0 {
		return nil, fmt.Errorf("a message has %d frames: one is expected after an empty one", len(parts))
	}
	return parts[1], nil
}
