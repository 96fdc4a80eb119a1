package keyframes_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
	"parley/tools/gallery/keyframes"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew")

// picture is one frame on one stage, as the page's drawing is held to it by
// site/test/unit/keyframes.test.ts.
type picture struct {
	Width, Height int     // of the stage, CSS pixels
	Scale         float64 // pixels of the screen a CSS pixel
	Light         bool
	Low, High     uint8 // of the ramp
	Frame         int
	Columns, Rows int
	Pitch         frame.Pitch
	Camera        raster.Camera
	Hash          string // of the pixels
}

// What menus and legend cover, CSS pixels: store.ts, emptyState.
const (
	top, right, bottom, left = 52, 16, 56, 16
)

// TestPictures draws frames by core/heatmap/raster: the stages of windows of 1280 ×
// 800, 390 × 844 and 640 × 400, and others. The page draws the same pixels.
func TestPictures(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(keyframes.File)))
	if err != nil {
		t.Fatal(err)
	}
	head, frames, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	racks := make([]int32, 12_500)
	for i := range racks {
		racks[i] = int32(i / head.Rack)
	}
	var drawn []picture
	for _, p := range []picture{
		{Width: 976, Height: 467, Scale: 1},
		{Width: 976, Height: 467, Scale: 1, Light: true},
		{Width: 390, Height: 490, Scale: 3},
		{Width: 390, Height: 490, Scale: 1, Light: true},
		{Width: 640, Height: 270, Scale: 1},
		{Width: 1616, Height: 747, Scale: 1.25},
		{Width: 1136, Height: 600, Scale: 1.5, Light: true},
	} {
		p.Low, p.High = 40, 160
		device := func(css int) int { return int(float64(css) * p.Scale) }
		scene := raster.Scene{Layers: head.Layers, Cursor: unit.NoNode, Selected: unit.NoNode}
		if err := frame.Decode(frames[0], &scene.Frame); err != nil {
			t.Fatal(err)
		}
		scene.Frame.Arcs = nil // the page draws none before the run is there
		scene.Layout = frame.Fit(racks, device(p.Width-left-right), device(p.Height-top-bottom), device(48))
		palette, err := raster.PaletteNamed("dusk", p.Light)
		if err != nil {
			t.Fatal(err)
		}
		scene.Look = raster.Look{Palette: palette, Low: p.Low, High: p.High, Light: p.Light}
		scene.Camera = raster.Fit(&scene.Layout, float64(p.Width-left-right), float64(p.Height-top-bottom), p.Scale, 48)
		scene.Camera.X -= left / scene.Camera.Zoom
		scene.Camera.Y -= top / scene.Camera.Zoom
		p.Columns, p.Rows, p.Pitch, p.Camera = scene.Layout.Columns, scene.Layout.Rows, scene.Layout.Pitch, scene.Camera
		p.Hash = fmt.Sprintf("%x", sha256.Sum256(new(raster.Canvas).Draw(&scene, device(p.Width), device(p.Height), p.Scale).Pix))
		drawn = append(drawn, p)
	}
	want, err := json.MarshalIndent(drawn, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const name = "testdata/pictures.json"
	if *rewrite {
		if err := os.WriteFile(name, append(want, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	there, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.TrimSpace(there), want) {
		t.Errorf("%s holds other pictures; go test ./tools/gallery/keyframes -run Pictures -rewrite draws them anew", name)
	}
}
