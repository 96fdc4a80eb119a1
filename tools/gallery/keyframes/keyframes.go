// Package keyframes records a picture of the scenario that the page opens with, which the page shows
// until the simulation is loaded: a frame of the run at the moment where the run itself continues,
// when its tasks have been placed. It records the layout of the cells too, so that the page can draw
// them without the core.
//
//	file, err := keyframes.Record(".")
//
// The file is raw deflate over
//
//	size  content
//	4     length of the head, little-endian
//	…     the Head as JSON
//	…     the frames in core/frame's encoding, one after the other, as long as the
//	      head gives; each byte less the one at the same place of the frame before
package keyframes

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// File is the path of the recording in a checkout, with slashes.
const File = "assets/keyframes.bin"

// Scenario is the recorded scenario: site/src/model/address.ts, DEFAULT_BASE.
const Scenario = "google-cell"

// moment is when the frame is taken: as soon as every task has found its place. The run takes
// over at the same moment: two tasks move then, later there are more, and it takes longer to get there.
const moment = 4 * unit.Second

// LargestCell limits the side of a cell in device pixels. No screen shows 12,500 larger ones.
const LargestCell = 32

// Head describes the frames.
type Head struct {
	Scenario string        `json:"scenario"`
	Digest   string        `json:"digest"`  // of the run at its last frame
	Lengths  []int         `json:"lengths"` // of the frames, bytes
	Layers   []frame.Layer `json:"layers"`
	Racks    int           `json:"racks"` // racks of the cells, one after the other
	Rack     int           `json:"rack"`  // cells in each but perhaps the last
	Shapes   [][6]int      `json:"shapes"`
}

// Record plays the scenario of the checkout at root and returns the file.
func Record(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, "assets", "scenarios", Scenario+".json"))
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(text)
	if err != nil {
		return nil, err
	}
	r, err := run.Open(s, nil)
	if err != nil {
		return nil, err
	}
	if err := r.Advance(moment); err != nil {
		return nil, err
	}
	frames := [][]byte{r.Frame(nil)}
	if waiting := r.View().Totals().Waiting; waiting > 0 {
		return nil, fmt.Errorf("%d tasks of %s wait at %v: the recording is to begin when all are placed", waiting,
			Scenario, scenario.Duration(moment))
	}
	racks := r.View().Racks()
	head := Head{Scenario: Scenario, Digest: r.Digest().String(), Layers: r.Layers()}
	if head.Racks, head.Rack, err = regular(racks); err != nil {
		return nil, err
	}
	for _, s := range frame.Shapes(racks, LargestCell) {
		head.Shapes = append(head.Shapes, [6]int{s.Across, s.Down, s.Width, s.Height, s.GapX, s.GapY})
	}
	for _, f := range frames {
		head.Lengths = append(head.Lengths, len(f))
	}
	return pack(head, frames)
}

// regular returns the number of racks and the cells in each, if the cells fill them one after the
// other.
func regular(racks []int32) (count, cells int, err error) {
	for cells < len(racks) && racks[cells] == 0 {
		cells++
	}
	for cell, rack := range racks {
		if int(rack) != cell/max(1, cells) {
			return 0, 0,
				fmt.Errorf("cell %d stands in rack %d: the page lays out racks of %d cells one after the other",
					cell, rack, cells)
		}
	}
	return (len(racks) + cells - 1) / cells, cells, nil
}

func pack(head Head, frames [][]byte) ([]byte, error) {
	encoded, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	body := append(binary.LittleEndian.AppendUint32(nil, uint32(len(encoded))), encoded...)
	var before []byte
	for _, f := range frames {
		for i, b := range f {
			if i < len(before) {
				b -= before[i]
			}
			body = append(body, b)
		}
		before = f
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
