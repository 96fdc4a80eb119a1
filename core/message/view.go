package message

import (
	"parley/core/frame"
	"parley/core/unit"
)

// Layers says what the layers of the frames to come mean.
type Layers struct {
	Layers []frame.Layer `json:"layers"`
}

// Look is how cells are filled.
type Look struct {
	Fill    int    `json:"fill"` // the layer's index
	Palette string `json:"palette" ts:"\"dusk\" | \"cividis\" | \"viridis\" | \"grey\""`
	Low     int    `json:"low"`   // the byte where a ramp begins
	High    int    `json:"high"`  // and where it ends; 0: at 100 %
	Light   bool   `json:"light"` // the stage is light
	Still   bool   `json:"still"` // little motion is wanted
}

// Camera is what the view looks at.
type Camera struct {
	X    float64 `json:"x"` // the grid square at the top left
	Y    float64 `json:"y"`
	Zoom float64 `json:"zoom"` // CSS pixels a square
}

// Cursor is which cells are marked; -1: none.
type Cursor struct {
	Cell     unit.NodeID `json:"cell"`
	Selected unit.NodeID `json:"selected"`
}

// ViewReady says that the view listens and wants everything told; again after the
// browser took the graphics card away.
type ViewReady struct{}

// Live says that the first frame is on the screen.
type Live struct{}

// Failed says that nothing will be drawn: the page keeps its own drawing.
type Failed struct {
	Reason string `json:"reason"`
}

func (Layers) Kind() string    { return "layers" }
func (Look) Kind() string      { return "look" }
func (Camera) Kind() string    { return "camera" }
func (Cursor) Kind() string    { return "cursor" }
func (ViewReady) Kind() string { return "ready" }
func (Live) Kind() string      { return "live" }
func (Failed) Kind() string    { return "failed" }
