package raster_test

import (
	"testing"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
)

// BenchmarkTexels is what a new frame of 100,000 nodes costs before it goes to
// the graphics card.
func BenchmarkTexels(b *testing.B) {
	const nodes = 100_000
	rack := make([]int32, nodes)
	for i := range rack {
		rack[i] = int32(i / 48)
	}
	s := raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}, {ID: "state", Names: []string{"up", "down", "overloaded", "migrating"}}},
		Layout: frame.Racks(rack, 1.6),
		Frame:  frame.Frame{Cells: nodes, Layers: [][]byte{make([]byte, nodes), make([]byte, nodes)}},
		Cursor: unit.NoNode, Selected: unit.NoNode,
	}
	var texels []byte
	for b.Loop() {
		texels = s.Texels(texels)
	}
}
