package raster_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
)

// crowd is so many nodes on a stage of 976 × 467 pixels, with a rack down, and as much
// in motion as a picture draws: 120 arcs, 60 messages, 160 nodes that changed.
func crowd(nodes int) *raster.Scene {
	rack := make([]int32, nodes)
	for i := range rack {
		rack[i] = int32(i / 48)
	}
	cpu, state := make([]byte, nodes), make([]byte, nodes)
	for i := range cpu {
		cpu[i] = byte(40 + 37*i%130)
		if rack[i] == 17 {
			state[i] = 1
		}
	}
	s := &raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}, {ID: "state", Names: []string{"up", "down", "overloaded", "migrating"}}, {ID: "memory"}, {ID: "cpu_requested"}, {ID: "memory_requested"}},
		Layout: frame.Fit(rack, 944, 360, 48),
		Frame:  frame.Frame{Cells: nodes, Layers: [][]byte{cpu, state, cpu, cpu, cpu}},
		Look:   raster.Look{Palette: raster.Dusk()},
		Cursor: unit.NoNode, Selected: 5, Motion: &raster.Motion{},
	}
	s.Camera = raster.Fit(&s.Layout, 976, 467, 1, 48)
	s.Motion.Follow(s, 0)
	for i := range 200 {
		cpu[i*(nodes/200)] ^= 0x60
	}
	for i := range 120 {
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: unit.NodeID(17*48 + i%48), To: unit.NodeID(i * (nodes / 120)), Kind: frame.ArcKind(i % 4)})
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: 0, To: unit.NodeID(i * (nodes / 130)), Kind: frame.Messaged})
	}
	s.Frame.At = unit.Second
	s.Motion.Follow(s, time.Second)
	s.Motion.Tick(1300 * time.Millisecond)
	return s
}

var sizes = []int{12_500, 100_000}

// BenchmarkTexels is what a new frame costs before it goes to the graphics card.
func BenchmarkTexels(b *testing.B) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			s := crowd(nodes)
			var texels []byte
			for b.Loop() {
				texels = s.Texels(texels)
			}
		})
	}
}

// BenchmarkList is what a picture of a busy moment costs beside that: the list of what
// is drawn above the cells, and its triangles.
func BenchmarkList(b *testing.B) {
	for _, nodes := range sizes {
		for _, near := range []float64{1, 8} {
			b.Run(fmt.Sprint(nodes, " zoomed ", near), func(b *testing.B) {
				s := crowd(nodes)
				s.Camera = s.Camera.Zoomed(near, 488, 233)
				var list raster.List
				var mesh raster.Mesh
				for b.Loop() {
					s.Overlay(&list, 976, 467, 1)
					mesh.Fill(&list)
				}
			})
		}
	}
}

// BenchmarkPicture is a whole picture without a graphics card.
func BenchmarkPicture(b *testing.B) {
	for _, nodes := range sizes {
		b.Run(fmt.Sprint(nodes), func(b *testing.B) {
			s := crowd(nodes)
			var canvas raster.Canvas
			for b.Loop() {
				canvas.Draw(s, 976, 467, 1)
			}
		})
	}
}
