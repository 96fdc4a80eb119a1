package raster_test

import (
	"slices"
	"testing"
	"time"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/testkit/rastertest"
	"parley/core/unit"
)

// busy is RackLoss while everything moves at once: cells change, messages come.
func busy() *raster.Scene {
	s := rastertest.RackLoss()
	s.Motion = &raster.Motion{}
	s.Motion.Follow(s, 0)
	for i := range 6 {
		s.Frame.Layers[rastertest.CPU][9*i] ^= 0x40
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: unit.NodeID(i), To: unit.NodeID(100 + i), Kind: frame.Messaged})
	}
	s.Frame.At += unit.Second
	s.Motion.Follow(s, 100*time.Millisecond)
	s.Motion.Tick(300 * time.Millisecond)
	return s
}

// What is dropped goes in its order, and cells, racks, rims and heads of arcs stay.
func TestDetailDropsInOrder(t *testing.T) {
	var list raster.List
	count := func(left raster.LevelOfDetail) map[string]int {
		s := busy()
		s.Left = left
		s.Overlay(&list, 160, 100, 1)
		of := map[string]int{}
		for _, shape := range list.Shapes {
			of[shape.Name]++
		}
		return of
	}
	whole := count(raster.Everything)
	t.Logf("everything: %v", whole)
	if whole["message"] != 6 || whole["glow"] == 0 || whole["arc"] == 0 || whole["rack"] == 0 || whole["changed"] == 0 {
		t.Fatalf("the busy scene shows %v", whole)
	}
	for left, gone := range map[raster.LevelOfDetail][]string{raster.NoRings: {"message"}, raster.NoGlow: {"message", "glow"}, raster.NoTails: {"message", "glow"}} {
		for kind, n := range count(left) {
			if slices.Contains(gone, kind) || n != whole[kind] && kind != "arc" {
				t.Errorf("level %d: %d of %q, of %d", left, n, kind, whole[kind])
			}
		}
		for kind := range whole {
			if now := count(left)[kind]; now == 0 && !slices.Contains(gone, kind) {
				t.Errorf("level %d: no %q is left", left, kind)
			}
		}
	}
	length := func(left raster.LevelOfDetail) (sum float64) {
		s := busy()
		s.Left = left
		s.Overlay(&list, 160, 100, 1)
		for i := range list.Shapes {
			if list.Shapes[i].Name == "arc" {
				sum += list.Length(i)
			}
		}
		return sum
	}
	if all, heads := length(raster.NoGlow), length(raster.NoTails); heads > all/2 {
		t.Errorf("arcs are %.0f px long, and %.0f without their tails", all, heads)
	}
}
