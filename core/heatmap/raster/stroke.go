package raster

import (
	"image"
	"math"
)

// paint draws the stroke over picture.
func (s *Stroke) paint(picture *image.RGBA) {
	if len(s.X) == 0 {
		for _, side := range s.Sides() {
			side = side.Intersect(picture.Rect)
			for y := side.Min.Y; y < side.Max.Y; y++ {
				for x := side.Min.X; x < side.Max.X; x++ {
					s.blend(picture, x, y, 1)
				}
			}
		}
		return
	}
	var points []point
	for i := range s.X {
		points = append(points, point{s.X[i], s.Y[i]})
	}
	area := bounds(points...).Inset(-int(s.Width) - 2).Intersect(picture.Rect)
	cover := make([]float64, area.Dx()*area.Dy())
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		near := bounds(a, b).Inset(-int(s.Width) - 2).Intersect(area)
		for y := near.Min.Y; y < near.Max.Y; y++ {
			for x := near.Min.X; x < near.Max.X; x++ {
				at := (y-area.Min.Y)*area.Dx() + x - area.Min.X
				d := distance(point{float64(x) + 0.5, float64(y) + 0.5}, a, b)
				cover[at] = max(cover[at], clamp(float64(s.Width/2)+0.5-d))
			}
		}
	}
	for i, share := range cover {
		if share > 0 {
			s.blend(picture, area.Min.X+i%area.Dx(), area.Min.Y+i/area.Dx(), share)
		}
	}
}

// Sides returns the four bars of the outline of Box; they do not overlap.
func (s *Stroke) Sides() [4]image.Rectangle {
	b, w := s.Box, int(s.Width)
	return [4]image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y, b.Max.X, b.Min.Y+w),
		image.Rect(b.Min.X, b.Max.Y-w, b.Max.X, b.Max.Y),
		image.Rect(b.Min.X, b.Min.Y+w, b.Min.X+w, b.Max.Y-w),
		image.Rect(b.Max.X-w, b.Min.Y+w, b.Max.X, b.Max.Y-w),
	}
}

func (s *Stroke) blend(picture *image.RGBA, x, y int, share float64) {
	under := picture.RGBAAt(x, y)
	under.R, under.G, under.B = tintOf(under).mix(tintOf(s.Colour), float64(share*s.Alpha)).bytes()
	picture.SetRGBA(x, y, under)
}

// distance returns how far p is from the line between a and b.
func distance(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	square := float64(dx*dx) + float64(dy*dy)
	t := 0.0
	if square > 0 {
		t = clamp((float64((p.x-a.x)*dx) + float64((p.y-a.y)*dy)) / square)
	}
	ox, oy := p.x-a.x-float64(dx*t), p.y-a.y-float64(dy*t)
	return math.Sqrt(float64(ox*ox) + float64(oy*oy))
}
