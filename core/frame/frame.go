// Package frame turns the state of a cluster into the bytes of one picture: a
// header, layers × cells bytes, and the arcs of running migrations.
//
// A frame crosses from the simulation's thread to the picture's, so it is one
// flat little-endian buffer that either side reads in place:
//
//	offset size
//	0      4    magic "PFR1"
//	4      2    layers
//	6      2    flags, zero
//	8      4    cells
//	12     4    arcs
//	16     8    simulated time in µs
//	24     4    sequence number
//	28     4    parts of devices; 0: nodes have none, and the frame ends after the arcs
//	32     …    layer 0: one byte a cell; layer 1; …
//	…      12   an arc: from cell u32, to cell u32, progress u8 (0..255), kind u8, zero u16
//	…      1    devices of cell 0, of cell 1; …
//	…      8    a part of a device: owner u32, share u16 in thousandths, kind u8, colour u8
//
// Arcs and parts start at the next multiple of four. Parts are in the order of cells and their
// devices, and those of one device sum to 1000. A cell is one node, in order of its unit.NodeID;
// where it is drawn is the Layout's affair.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"

	"parley/core/unit"
)

// HeaderSize is the length of a frame's header, ArcSize that of one arc.
const (
	HeaderSize = 32
	ArcSize    = 12
)

const magic = "PFR1"

// Layer describes the meaning of one layer's bytes.
type Layer struct {
	ID   string `json:"id"`   // as links spell it: "cpu"
	Name string `json:"name"` // as people read it: "CPU used"
	Unit string `json:"unit"` // what 100 % is: "share of the node"
	// of a category: the name of each value; none: a ramp where 0..200 is 0..100 % and 255 is 127 % or more
	Names []string `json:"names,omitempty"`
	Top   float64  `json:"top,omitempty"` // of a ramp: the number that the value 200 stands for; 0 means 100 %

	// of a ramp that begins at another number than 0: the numbers for the values 0 and 200
	Ends []float64 `json:"ends,omitempty"`

	// Devices is the name of a node's devices, as "GPU", if the layer is the number of devices that
	// jobs hold: larger cells show the devices themselves.
	Devices string `json:"devices,omitempty"`

	About string `json:"about,omitempty"` // how to read it, in a sentence or two
	// of a category: value 1 + (n−1) mod Graphs belongs to task graph n; 0 if values are not graphs
	Graphs int `json:"graphs,omitempty"`
}

// IsShare reports whether the layer is a ramp in per cent. Above 100 % a node is
// overloaded.
func (l Layer) IsShare() bool { return l.Names == nil && l.Top == 0 && l.Ends == nil }

// FullScale is the byte that stands for 100 % of a ramp layer: bytes above it
// show overload.
const FullScale = 200

// Arc is a move of a task, under way or just over, or a message.
type Arc struct {
	From, To unit.NodeID
	Progress uint8 // 0 at the start, 255 at the end
	Kind     ArcKind
}

// ArcKind describes how a task moves.
type ArcKind uint8

// The kinds of arcs.
const (
	Moved    ArcKind = iota // a migration that both sides agreed on
	Forced                  // one that was forced upon its target
	Refused                 // one that came to nothing
	Replaced                // a task whose node went down runs elsewhere
	Messaged                // no task moves: a message came
)

// Frame is a decoded frame. Its layers alias the buffer it was read from.
type Frame struct {
	At     unit.Time
	Seq    uint32
	Cells  int
	Layers [][]byte
	Arcs   []Arc

	Devices Devices
}

// Append appends f's encoding to buf and returns it. Every layer must hold
// f.Cells bytes.
func Append(buf []byte, f *Frame) []byte {
	start := len(buf)
	buf = append(buf, magic...)
	buf = binary.LittleEndian.AppendUint16(buf, uint16(len(f.Layers)))
	buf = binary.LittleEndian.AppendUint16(buf, 0)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.Cells))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(f.Arcs)))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.At))
	buf = binary.LittleEndian.AppendUint32(buf, f.Seq)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(f.Devices.Parts)))
	for _, layer := range f.Layers {
		buf = append(buf, layer[:f.Cells]...)
	}
	for (len(buf)-start)%4 != 0 {
		buf = append(buf, 0)
	}
	for _, a := range f.Arcs {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(a.From))
		buf = binary.LittleEndian.AppendUint32(buf, uint32(a.To))
		buf = append(buf, a.Progress, byte(a.Kind), 0, 0)
	}
	return f.Devices.append(buf, start, f.Cells)
}

var errShort = errors.New("frame: shorter than its header says")

// Decode reads buf into f, reusing f's slices. The layers alias buf.
func Decode(buf []byte, f *Frame) error {
	if len(buf) < HeaderSize || string(buf[:4]) != magic {
		return fmt.Errorf("frame: %d bytes that do not start with %q", len(buf), magic)
	}
	layers := int(binary.LittleEndian.Uint16(buf[4:]))
	cells := int(binary.LittleEndian.Uint32(buf[8:]))
	arcs := int(binary.LittleEndian.Uint32(buf[12:]))
	body := buf[HeaderSize:]
	if cells > len(body) || layers*cells > len(body) {
		return errShort
	}
	f.At = unit.Time(binary.LittleEndian.Uint64(buf[16:]))
	f.Seq = binary.LittleEndian.Uint32(buf[24:])
	f.Cells = cells
	f.Layers = f.Layers[:0]
	for range layers {
		f.Layers = append(f.Layers, body[:cells:cells])
		body = body[cells:]
	}
	f.Arcs = f.Arcs[:0]
	parts := int(binary.LittleEndian.Uint32(buf[28:]))
	f.Devices = Devices{Parts: f.Devices.Parts[:0]}
	if arcs == 0 && parts == 0 {
		return nil
	}
	pad := -(HeaderSize + layers*cells) & 3
	if pad > len(body) || arcs > (len(body)-pad)/ArcSize {
		return errShort
	}
	body = body[pad:]
	for range arcs {
		from, to := binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint32(body[4:])
		if int64(from) >= int64(cells) || int64(to) >= int64(cells) {
			return fmt.Errorf("frame: an arc from cell %d to %d of %d", from, to, cells)
		}
		if body[9] > byte(Messaged) {
			return fmt.Errorf("frame: an arc of the kind %d; there are %d", body[9], Messaged+1)
		}
		f.Arcs = append(f.Arcs, Arc{unit.NodeID(from), unit.NodeID(to), body[8], ArcKind(body[9])})
		body = body[ArcSize:]
	}
	return f.Devices.decode(body, cells, parts)
}
