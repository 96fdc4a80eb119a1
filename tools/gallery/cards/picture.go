package cards

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"slices"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// themes are those of the page.
var themes = []string{"dark", "light"}

// room is the size of a picture in pixels.
type room struct{ width, height int }

const (
	side   = 40 // of the largest cell
	margin = 8
	moves  = 20 * unit.Second // whose arcs are drawn
)

// sizeOf returns the size of a card's picture: the first card is the largest.
func sizeOf(card int) room {
	if card == 0 {
		return room{640, 440}
	}
	return room{384, 216}
}

// fillOf returns the layer that a scenario's page shows.
func fillOf(s *scenario.Scenario) string {
	var view struct {
		Fill string `json:"fill"`
	}
	if json.Unmarshal(s.View, &view) != nil || view.Fill == "" {
		return "cpu"
	}
	return view.Fill
}

// drawn returns the run's frame as a PNG for each theme.
func drawn(r *run.Run, fill string, size room) (map[string][]byte, error) {
	layers := r.Layers()
	layer := slices.IndexFunc(layers, func(l frame.Layer) bool { return l.ID == fill })
	if layer < 0 {
		return nil, fmt.Errorf("the scenario's view fills by %q, and there is no such layer", fill)
	}
	var shown frame.Frame
	if err := frame.Decode(r.Frame(nil), &shown); err != nil {
		return nil, err
	}
	low, high := fitted(layers, &shown, layer)
	pictures := map[string][]byte{}
	limit := raster.Largest(layers)
	layout, _ := r.LayoutIn(size.width-2*margin, size.height-2*margin, max(side, int(limit)*side/48), "")
	for _, theme := range themes {
		light := theme == "light"
		palette, err := raster.PaletteNamed("dusk", light)
		if err != nil {
			return nil, err
		}
		scene := raster.Scene{
			Layers: layers,
			Layout: layout,
			Frame:  shown,
			Look:   raster.Look{Fill: layer, Palette: palette, Low: low, High: high, Light: light},
			Cursor: unit.NoNode, Selected: unit.NoNode,
			Motion: &raster.Motion{Still: true},
		}
		scene.Camera = filling(&scene.Layout, size, limit)
		scene.Motion.Follow(&scene, 0)
		var out bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out,
			new(raster.Canvas).Draw(&scene, size.width, size.height, 1)); err != nil {
			return nil, err
		}
		pictures[theme] = out.Bytes()
	}
	return pictures, nil
}

// filling returns the camera that shows the whole layout, or, if that would leave a
// quarter of the picture empty, the middle of it in the least whole pixels a cell that
// leave nothing empty, if at least half of it is in the picture.
func filling(l *frame.Layout, size room, limit float64) raster.Camera {
	w, h := l.Size()
	width, height := float64(size.width), float64(size.height)
	whole := raster.Fit(l, width, height, 1, limit)
	if float64(w*h)*whole.Zoom*whole.Zoom >= 0.75*width*height {
		return whole
	}
	zoom := math.Ceil(max(width/w, height/h))
	if zoom > side || width*height < 0.5*float64(w*h)*zoom*zoom {
		return whole
	}
	return raster.Camera{X: (w - width/zoom) / 2, Y: (h - height/zoom) / 2, Zoom: zoom}
}

// fitted returns where a layer's colours begin and end: from the 1st to the 99.5th
// percentile of the nodes that are up, and at least a tenth of the scale apart, as
// the page does.
func fitted(layers []frame.Layer, shown *frame.Frame, layer int) (low, high uint8) {
	if layers[layer].Names != nil {
		return 0, 0
	}
	values := slices.Clone(shown.Layers[layer])
	if state := slices.IndexFunc(layers, func(l frame.Layer) bool { return l.ID == "state" }); state >= 0 {
		down := slices.Index(layers[state].Names, "down")
		cell := 0
		values = slices.DeleteFunc(values, func(byte) bool {
			cell++
			return int(shown.Layers[state][cell-1]) == down
		})
	}
	slices.Sort(values)
	if len(values) == 0 || values[len(values)-1] == 0 {
		return 0, 0
	}
	at := func(share float64) int { return int(values[min(len(values)-1, int(share*float64(len(values))))]) }
	first, last := at(0.01)/4*4, min(254, (at(0.995)+3)/4*4)
	last = max(last, first+20)
	return uint8(first), uint8(min(254, last))
}
