package window

import (
	"fmt"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
)

// View has the camera, the pointer and the selection of a viewer: plain values, changed by plain
// methods.
type View struct {
	Camera           raster.Camera
	Width, Height    float64 // of the window, CSS pixels
	Fitted           bool    // the camera shows everything, whatever the window's size
	Cursor, Selected unit.NodeID
	Fill             int // the layer's index

	layers []frame.Layer
	layout *frame.Layout
	cells  []unit.NodeID // on each square of the grid, row by row
}

// NewView returns an empty view that will show everything.
func NewView() *View {
	return &View{
		Fitted: true, Cursor: unit.NoNode, Selected: unit.NoNode, layout: &frame.Layout{Columns: 1, Rows: 1},
		Camera: raster.Camera{Zoom: 1},
	}
}

// Show gives the view other layers and another layout. The selection and the layer that fills the
// cells are kept if they still exist.
func (v *View) Show(layers []frame.Layer, layout *frame.Layout) {
	v.layers = layers
	if v.Fill >= len(layers) {
		v.Fill = 0
	}
	if layout == v.layout {
		return
	}
	v.layout = layout
	v.cells = make([]unit.NodeID, layout.Columns*layout.Rows)
	for i := range v.cells {
		v.cells[i] = unit.NoNode
	}
	for cell := range layout.X {
		v.cells[int(layout.Y[cell])*layout.Columns+int(layout.X[cell])] = unit.NodeID(cell)
	}
	for _, at := range []*unit.NodeID{&v.Cursor, &v.Selected} {
		if int(*at) >= len(layout.X) {
			*at = unit.NoNode
		}
	}
	v.refit()
}

// Resize sets the window's size.
func (v *View) Resize(width, height float64) {
	if width != v.Width || height != v.Height {
		v.Width, v.Height = width, height
		v.refit()
	}
}

func (v *View) refit() {
	if v.Fitted && v.Width > 0 && v.Height > 0 {
		v.Camera = raster.Fit(v.layout, v.Width, v.Height, 1, raster.Largest(v.layers))
	}
}

// Fit shows everything.
func (v *View) Fit() {
	v.Fitted = true
	v.refit()
}

// Zoom makes squares factor times as large around a point of the window.
func (v *View) Zoom(factor, x, y float64) {
	v.Fitted = false
	v.Camera = v.Camera.Zoomed(factor, x, y)
}

// Pan moves the picture by CSS pixels, as far as some of it stays in the
// middle.
func (v *View) Pan(dx, dy float64) {
	v.Fitted = false
	middleX, middleY := v.Width/2/v.Camera.Zoom, v.Height/2/v.Camera.Zoom
	width, height := v.layout.Size()
	v.Camera.X = min(max(v.Camera.X-dx/v.Camera.Zoom, -middleX), width-middleX)
	v.Camera.Y = min(max(v.Camera.Y-dy/v.Camera.Zoom, -middleY), height-middleY)
}

// Focus centres the selection, or the cursor, and zooms in. If it is there already, or nothing is
// selected, Focus shows everything.
func (v *View) Focus() {
	cell := v.Selected
	if cell == unit.NoNode {
		cell = v.Cursor
	}
	if cell == unit.NoNode {
		v.Fit()
		return
	}
	camera := v.Camera
	camera.Zoom = max(camera.Zoom, 24)
	camera = camera.Centred(v.layout, cell, v.Width, v.Height)
	if camera == v.Camera {
		v.Fit()
		return
	}
	v.Camera, v.Fitted = camera, false
}

// Cell returns the cell under a point of the window, or unit.NoNode.
func (v *View) Cell(x, y float64) unit.NodeID {
	column, _ := v.layout.Across().Index(v.Camera.X + x/v.Camera.Zoom)
	row, _ := v.layout.Down().Index(v.Camera.Y + y/v.Camera.Zoom)
	return v.on(column, row)
}

func (v *View) on(column, row int) unit.NodeID {
	if column < 0 || row < 0 || column >= v.layout.Columns || row >= v.layout.Rows || v.cells == nil {
		return unit.NoNode
	}
	return v.cells[row*v.layout.Columns+column]
}

// Move takes the cursor to the next cell in a direction, over gaps, and the
// camera after it if it left the window.
func (v *View) Move(right, down int) {
	if len(v.layout.X) == 0 {
		return
	}
	if v.Cursor == unit.NoNode {
		v.Cursor = max(v.Selected, 0)
		return
	}
	column, row := int(v.layout.X[v.Cursor])+right, int(v.layout.Y[v.Cursor])+down
	for column >= 0 && row >= 0 && column < v.layout.Columns && row < v.layout.Rows {
		if cell := v.on(column, row); cell != unit.NoNode {
			v.Cursor = cell
			break
		}
		column, row = column+right, row+down
	}
	x := (v.layout.Across().At(int(v.layout.X[v.Cursor])) + 0.5 - v.Camera.X) * v.Camera.Zoom
	y := (v.layout.Down().At(int(v.layout.Y[v.Cursor])) + 0.5 - v.Camera.Y) * v.Camera.Zoom
	if x < 0 || y < 0 || x > v.Width || y > v.Height {
		v.Camera, v.Fitted = v.Camera.Centred(v.layout, v.Cursor, v.Width, v.Height), false
	}
}

// maxCards limits the cards shown at once.
const maxCards = 64

// CardNodes returns the cells in the window if they are large enough for cards.
func (v *View) CardNodes() (all []unit.NodeID) {
	if v.Camera.Zoom < raster.MinCardWidth {
		return nil
	}
	across, down := v.layout.Across(), v.layout.Down()
	column, _ := across.Index(v.Camera.X)
	row, _ := down.Index(v.Camera.Y)
	for y := max(row, 0); y < v.layout.Rows && down.At(y) < v.Camera.Y+v.Height/v.Camera.Zoom; y++ {
		for x := max(column, 0); x < v.layout.Columns && across.At(x) < v.Camera.X+v.Width/v.Camera.Zoom; x++ {
			if cell := v.on(x, y); cell != unit.NoNode && len(all) < maxCards {
				all = append(all, cell)
			}
		}
	}
	return all
}

// NextFill fills the cells by the next layer.
func (v *View) NextFill() {
	if len(v.layers) > 0 {
		v.Fill = (v.Fill + 1) % len(v.layers)
	}
}

// Describe describes the cell under the pointer, or the selected one, in a frame; "" if there is
// neither.
func (v *View) Describe(f *frame.Frame) string {
	cell := v.Cursor
	if cell == unit.NoNode {
		cell = v.Selected
	}
	if cell == unit.NoNode || v.Fill >= len(v.layers) || v.Fill >= len(f.Layers) || int(cell) >= f.Cells {
		return ""
	}
	layer, value := v.layers[v.Fill], f.Layers[v.Fill][cell]
	var words string
	switch share := float64(value) / frame.FullScale; {
	case int(value) < len(layer.Names):
		words = layer.Names[value]
	case layer.Top > 0:
		words = fmt.Sprintf("%.0f", share*layer.Top)
	default:
		words = fmt.Sprintf("%.0f %%", share*100)
	}
	if layer.Names == nil && value == 255 {
		words += " or more"
	}
	return fmt.Sprintf("node %d: %s %s", cell, layer.Name, words)
}
