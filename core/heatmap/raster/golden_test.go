package raster_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/heatmap/raster"
	"parley/core/testkit/rastertest"
)

// rewriting reports whether the tests were called with datadriven's -rewrite.
func rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

// TestGolden compares whole pictures, pixel by pixel, with testdata/*.png.
func TestGolden(t *testing.T) {
	for _, p := range []struct {
		name          string
		fill          int
		palette       string
		light         bool
		zoom, scale   float64
		width, height int
	}{
		{"fit", rastertest.CPU, "dusk", false, 8, 1, 160, 100},
		{"light", rastertest.CPU, "dusk", true, 8, 1, 160, 100},
		{"far", rastertest.CPU, "viridis", false, 2.5, 1, 50, 32},
		{"class", rastertest.Class, "cividis", false, 16, 1, 320, 200},
		{"state-hidpi", rastertest.State, "cividis", false, 7, 2, 280, 175},
		{"grey", rastertest.CPU, "grey", false, 5.5, 1, 110, 69},
		{"glyphs", rastertest.CPU, "dusk", false, 22, 1, 440, 270},
		{"glyphs-light", rastertest.CPU, "dusk", true, 22, 1, 440, 270},
		{"devices", rastertest.CPU, "dusk", false, 44, 1, 560, 340},
		{"devices-light", rastertest.CPU, "dusk", true, 80, 1, 640, 340},
		{"devices-small", rastertest.CPU, "dusk", false, 24, 1, 300, 200},
	} {
		t.Run(p.name, func(t *testing.T) {
			s := rastertest.RackLoss()
			if strings.HasPrefix(p.name, "devices") {
				s = rastertest.GPUs()
			}
			palette, err := raster.PaletteNamed(p.palette, p.light)
			if err != nil {
				t.Fatal(err)
			}
			s.Look = raster.Look{Fill: p.fill, Palette: palette, Light: p.light}
			s.Camera.Zoom = p.zoom
			got := new(raster.Canvas).Draw(s, p.width, p.height, p.scale)
			path := filepath.Join("testdata", p.name+".png")
			if rewriting() {
				write(t, path, got)
			}
			want := read(t, path)
			if want.Rect != got.Rect {
				t.Fatalf("%s is %v, drawn %v", path, want.Rect, got.Rect)
			}
			for y := range got.Rect.Dy() {
				for x := range got.Rect.Dx() {
					if a, b := want.RGBAAt(x, y), got.RGBAAt(x, y); a != b {
						t.Fatalf("pixel %d, %d of %s is %v, drawn %v; look at both, then -rewrite", x, y, path, a, b)
					}
				}
			}
		})
	}
}

func write(t *testing.T, path string, picture image.Image) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, picture); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) *image.RGBA {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoded, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewRGBA(decoded.Bounds())
	draw.Draw(picture, picture.Rect, decoded, image.Point{}, draw.Src)
	return picture
}

type swatch struct {
	Colour  string `json:"colour"`
	Pattern string `json:"pattern"`
}

func swatchOf(s raster.Swatch) swatch {
	return swatch{fmt.Sprintf("#%02x%02x%02x", s.Colour.R, s.Colour.G, s.Colour.B), s.Pattern.String()}
}

// TestAssets: the page's legend and its fallback read assets/palettes, the
// heatmap the tables of this package. They are the same; -rewrite writes the
// files anew.
func TestAssets(t *testing.T) {
	sources := map[string]string{
		"dusk":    "Parley's own; dawn on the light stage",
		"cividis": "Nuñez, Anderton, Renslow, PLoS ONE 13(7), 2018",
		"viridis": "Smith, van der Walt, matplotlib 2.0, 2015",
		"grey":    "linear in sRGB from #181818",
	}
	for _, name := range raster.PaletteNames() {
		for suffix, light := range map[string]bool{"": false, "-light": true} {
			palette, err := raster.PaletteNamed(name, light)
			if err != nil {
				t.Fatal(err)
			}
			colours := make([]string, len(palette))
			for i, c := range palette {
				colours[i] = swatchOf(raster.Swatch{Colour: c}).Colour
			}
			compare(t, name+suffix, map[string]any{"name": name, "source": sources[name], "colours": colours})
		}
	}
	named := map[string]swatch{}
	light := map[string]swatch{}
	for name, s := range raster.NamedSwatches(false) {
		named[name] = swatchOf(s)
	}
	for name, s := range raster.NamedSwatches(true) {
		light[name] = swatchOf(s)
	}
	var others []swatch
	for _, s := range raster.OtherSwatches() {
		others = append(others, swatchOf(s))
	}
	compare(t, "category", map[string]any{"name": "category", "source": "hues: Okabe, Ito, Color Universal Design, 2002", "named": named, "light": light, "others": others})
}

func compare(t *testing.T, name string, value any) {
	want, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	path := filepath.Join("..", "..", "..", "assets", "palettes", name+".json")
	if rewriting() {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs from the Go table; run go test ./core/heatmap/raster -run TestAssets -rewrite", path)
	}
}

// No two values of a category share colour or, where both are loads that can
// stand side by side, pattern.
func TestSwatchesDiffer(t *testing.T) {
	names := []string{"down", "overloaded", "idle", "super tight (STA)", "tight (TA)", "proportional (PA)", "disproportionate (DA)"}
	swatches := raster.Swatches(names, false)
	for i, a := range swatches {
		for j, b := range swatches[:i] {
			if a.Colour == b.Colour {
				t.Errorf("%s and %s have one colour", names[i], names[j])
			}
		}
	}
	patterns := map[raster.Pattern]string{}
	for i, s := range swatches[3:] { // the classes of loads
		if other, taken := patterns[s.Pattern]; taken {
			t.Errorf("%s and %s have one pattern", names[3+i], other)
		}
		patterns[s.Pattern] = names[3+i]
	}
}
