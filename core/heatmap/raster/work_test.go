package raster_test

import (
	"testing"

	"parley/core/heatmap/raster"
)

// TestWorkOfAPicture: what a picture of a busy moment is made of, which is what its time
// goes with on any machine. Above the cells there is as much as moves, however many
// cells there are, and nearer only cards besides; below it four bytes a square of the
// grid; and no more than a few things are allocated.
func TestWorkOfAPicture(t *testing.T) {
	for _, limit := range []struct {
		nodes                    int
		near                     float64
		shapes, triangles, bytes int
	}{
		{12_500, 1, 1_200, 34_000, 66_792},
		{12_500, 8, 6_200, 16_000, 66_792},
		{100_000, 1, 1_200, 34_000, 524_864},
		{100_000, 8, 400, 13_000, 524_864},
	} {
		s := crowd(limit.nodes)
		s.Camera = s.Camera.Zoomed(limit.near, 488, 233)
		var list raster.List
		var mesh raster.Mesh
		var texels []byte
		picture := func() {
			texels = s.Texels(texels)
			s.Overlay(&list, 976, 467, 1)
			mesh.Fill(&list)
		}
		picture()
		shapes, triangles, bytes := len(list.Shapes), len(mesh.Indices)/3, len(texels)
		t.Logf("%d nodes, %v times as near: %d shapes, %d triangles, %d bytes", limit.nodes, limit.near, shapes, triangles, bytes)
		if shapes > limit.shapes || triangles > limit.triangles || bytes > limit.bytes {
			t.Errorf("%d nodes, %v times as near: %d shapes, %d triangles, %d bytes; the budget is %d, %d, %d", limit.nodes, limit.near, shapes, triangles, bytes, limit.shapes, limit.triangles, limit.bytes)
		}
		if n := testing.AllocsPerRun(5, picture); n > 20 {
			t.Errorf("%d nodes, %v times as near: %v allocations a picture", limit.nodes, limit.near, n)
		}
	}
}
