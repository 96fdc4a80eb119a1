package raster_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/testkit/rastertest"
	"parley/core/unit"
)

// However many messages come, sixty rings are drawn at most, of the whole list.
func TestMessagesAreSampledEvenly(t *testing.T) {
	s := rastertest.RackLoss()
	s.Motion = &raster.Motion{}
	s.Motion.Follow(s, 0)
	s.Frame.Arcs = nil
	for i := range 1200 {
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: 0, To: unit.NodeID(1 + i/12), Kind: frame.Messaged})
	}
	s.Frame.At += unit.Second
	s.Motion.Follow(s, time.Millisecond)
	s.Motion.Tick(100 * time.Millisecond)
	var list raster.List
	s.Overlay(&list, 160, 100, 1)
	cells := 0
	for _, shape := range list.Shapes {
		if shape.Name == "message" {
			cells++
		}
	}
	if cells != 60 {
		t.Errorf("%d rings are drawn of 1,200 messages", cells)
	}
	if s.Motion.Tick(700*time.Millisecond) && strings.Contains(listed(s, 160, 100), "message") {
		t.Error("messages pulse for longer than half a second")
	}
}
