package raster_test

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/heatmap/raster"
)

// TestMesh tells the triangles of shapes and how they are painted:
//
//	mesh           a shape a line: its kind, width, alpha at the first and at the last point, its points
//	paint size=(4,4)   a triangle a line: x, y and alpha of white of its corners; a digit is ninths of white
func TestMesh(t *testing.T) {
	datadriven.RunTest(t, "testdata/mesh.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "mesh":
			return triangles(t, d)
		case "paint":
			return painted(t, d)
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
}

func triangles(t *testing.T, d *datadriven.TestData) string {
	var list raster.List
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		s := raster.Shape{Kind: raster.ShapeKind(slices.Index([]string{"area", "line", "glow"}, words[0])), Colour: color.RGBA{255, 51, 0, 255}}
		for i, to := range []*float64{&s.Width, &s.Alpha, &s.End} {
			fmt.Sscan(words[1+i], to)
		}
		var places [][2]float64
		for _, word := range words[4:] {
			var at [2]float64
			if _, err := fmt.Sscanf(word, "%g,%g", &at[0], &at[1]); err != nil {
				t.Fatal(err)
			}
			places = append(places, at)
		}
		raster.Put(&list, s, places...)
	}
	var mesh raster.Mesh
	mesh.Fill(&list)
	var out strings.Builder
	for i, v := range mesh.Vertices {
		fmt.Fprintf(&out, "%d: %.4g,%.4g", i, v.X, v.Y)
		if v.A > 0 {
			fmt.Fprintf(&out, " %.3g %.3g %.3g %.3g", v.R, v.G, v.B, v.A)
		}
		out.WriteByte('\n')
	}
	for i := 0; i < len(mesh.Indices); i += 3 {
		separator := " "
		if i%36 == 33 || i+3 == len(mesh.Indices) {
			separator = "\n"
		}
		fmt.Fprintf(&out, "%d-%d-%d%s", mesh.Indices[i], mesh.Indices[i+1], mesh.Indices[i+2], separator)
	}
	return out.String()
}

func painted(t *testing.T, d *datadriven.TestData) string {
	var mesh raster.Mesh
	for line := range strings.Lines(d.Input) {
		for _, word := range strings.Fields(line) {
			var v raster.Vertex
			if _, err := fmt.Sscanf(word, "%g,%g,%g", &v.X, &v.Y, &v.A); err != nil {
				t.Fatal(err)
			}
			v.R, v.G, v.B = v.A, v.A, v.A
			mesh.Indices = append(mesh.Indices, uint32(len(mesh.Vertices)))
			mesh.Vertices = append(mesh.Vertices, v)
		}
	}
	width, height := 0, 0
	d.ScanArgs(t, "size", &width, &height)
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	mesh.Paint(picture)
	var out strings.Builder
	for y := range height {
		for x := range width {
			c := picture.RGBAAt(x, y)
			if c.R != c.G || c.G != c.B {
				t.Errorf("pixel %d, %d is %v", x, y, c)
			}
			out.WriteByte(".123456789"[(int(c.R)*9+127)/255])
		}
		out.WriteByte('\n')
	}
	return out.String()
}
