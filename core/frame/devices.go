package frame

import (
	"encoding/binary"
	"fmt"
)

// Whole is a whole device, in thousandths, and PartSize the length of an encoded Part.
const (
	Whole    = 1000
	PartSize = 8
)

// Devices describes the devices inside nodes, such as GPUs; the zero value is that nodes have none.
type Devices struct {
	Of    []uint8 // how many devices each cell has
	Parts []Part  // in the order of cells and their devices; those of one device sum to Whole
}

// Part is a part of a device that one owner holds, or that is free.
type Part struct {
	Owner  uint32 // a number for each job that holds devices now, from 1; 0: it is free
	Share  uint16 // in thousandths of the device, at least 1
	Kind   PartKind
	Colour uint8 // of a held part: jobs that share a node have different ones while there are enough
}

// PartKind is the state of a part of a device.
type PartKind uint8

// The kinds of parts.
const (
	Idle    PartKind = iota // free
	Held                    // a job holds it
	Useless                 // free, but of no use to the job that heads the queue
	Failed                  // of a node that is down
)

// Cell calls yield for each part of a cell with the number of its device, the first device being 0.
// from is the index of the cell's first part; the result is that of the next cell.
func (d *Devices) Cell(cell, from int, yield func(device int, p Part)) (next int) {
	next = from
	for device := range int(d.Of[cell]) {
		for sum := 0; sum < Whole && next < len(d.Parts); next++ {
			sum += int(d.Parts[next].Share)
			yield(device, d.Parts[next])
		}
	}
	return next
}

// Fill writes into a layer which part of its devices each cell holds.
func (d *Devices) Fill(cells []byte) {
	next := 0
	for cell, devices := range d.Of {
		held := 0
		next = d.Cell(cell, next, func(_ int, p Part) {
			if p.Kind == Held {
				held += int(p.Share)
			}
		})
		cells[cell] = byte(held * FullScale / max(1, Whole*int(devices)))
	}
}

// append appends the encoding of the devices of a frame that begins at start.
func (d *Devices) append(buf []byte, start, cells int) []byte {
	if len(d.Parts) == 0 {
		return buf
	}
	buf = append(buf, d.Of[:cells]...)
	for (len(buf)-start)%4 != 0 {
		buf = append(buf, 0)
	}
	for _, p := range d.Parts {
		buf = binary.LittleEndian.AppendUint32(buf, p.Owner)
		buf = binary.LittleEndian.AppendUint16(buf, p.Share)
		buf = append(buf, byte(p.Kind), p.Colour)
	}
	return buf
}

// decode reads the devices of cells, which have some parts. Of aliases body.
func (d *Devices) decode(body []byte, cells, parts int) error {
	if parts == 0 {
		return nil
	}
	pad := -cells & 3
	if cells+pad > len(body) || parts > (len(body)-cells-pad)/PartSize {
		return errShort
	}
	d.Of, body = body[:cells:cells], body[cells+pad:]
	for cell, devices := range d.Of {
		for range devices {
			for left := uint16(Whole); left > 0; body = body[PartSize:] {
				if len(d.Parts) == parts {
					return fmt.Errorf("frame: %d parts of devices are too few for cell %d", parts, cell)
				}
				p := Part{
					binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint16(body[4:]), PartKind(body[6]),
					body[7],
				}
				if p.Share == 0 || p.Share > left || p.Kind > Failed {
					return fmt.Errorf(
						"frame: a part of a device of cell %d has %d of %d thousandths and the kind %d; there are %d",
						cell, p.Share, left, p.Kind, Failed+1,
					)
				}
				left -= p.Share
				d.Parts = append(d.Parts, p)
			}
		}
	}
	if len(d.Parts) < parts {
		return fmt.Errorf("frame: %d parts of devices, %d more than its cells have", parts, parts-len(d.Parts))
	}
	return nil
}
