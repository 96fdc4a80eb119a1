package message

import (
	"parley/core/frame"
	"parley/core/unit"
)

// Layers describes the layers of the next frames.
type Layers struct {
	Layers []frame.Layer `json:"layers"`
}

// Look describes how cells are filled.
type Look struct {
	Fill    int    `json:"fill"` // the layer's index
	Palette string `json:"palette" ts:"\"dusk\" | \"cividis\" | \"viridis\" | \"grey\""`
	Low     int    `json:"low"`   // the byte where a ramp begins
	High    int    `json:"high"`  // and where it ends; 0: at 100 %
	Light   bool   `json:"light"` // the stage is light
	Still   bool   `json:"still"` // little motion is wanted
}

// Camera describes the visible part of the map.
type Camera struct {
	X    float64 `json:"x"` // the grid square at the top left
	Y    float64 `json:"y"`
	Zoom float64 `json:"zoom"` // CSS pixels a square
}

// Cursor is which cells are marked; -1 if none.
type Cursor struct {
	Cell     unit.NodeID `json:"cell"`
	Selected unit.NodeID `json:"selected"`
}

// Cards are the nodes that are near enough to show their tasks, and the task that is
// chosen among them, if one is.
type Cards struct {
	Cards []Card `json:"cards"`
	Task  string `json:"task,omitempty"`
}

// Card is a node with its tasks. Resources are shares of the node, in the order of
// NodeReport.
type Card struct {
	Node      unit.NodeID `json:"node"`
	Up        bool        `json:"up"`
	Class     string      `json:"class"`
	Capacity  []float64   `json:"capacity"` // fractions of the reference machine
	Used      []float64   `json:"used"`
	Requested []float64   `json:"requested"`
	Tasks     []CardTask  `json:"tasks"` // those of production first, then those that request most CPU
	More      int         `json:"more"`  // tasks not listed
}

// CardTask is a task on a card.
type CardTask struct {
	ID         string    `json:"id"` // for Explain
	Name       string    `json:"name"`
	Production bool      `json:"production"`
	Used       []float64 `json:"used"`
}

// LevelOfDetail describes the parts left out of pictures to keep the frame rate: 0 none, 1 the rings
// of messages, 2 the glow too, 3 the tails of arcs too.
type LevelOfDetail struct {
	Left int `json:"left"`
}

// ViewReady reports that the view is ready and requests the whole state; again after the
// browser took the graphics card away.
type ViewReady struct{}

// Live reports that the first frame is on the screen.
type Live struct{}

// Failed reports that nothing will be drawn: the page keeps its own drawing.
type Failed struct {
	Reason string `json:"reason"`
}

func (Layers) Kind() string        { return "layers" }
func (Look) Kind() string          { return "look" }
func (Camera) Kind() string        { return "camera" }
func (Cursor) Kind() string        { return "cursor" }
func (Cards) Kind() string         { return "cards" }
func (LevelOfDetail) Kind() string { return "level_of_detail" }
func (ViewReady) Kind() string     { return "ready" }
func (Live) Kind() string          { return "live" }
func (Failed) Kind() string        { return "failed" }
