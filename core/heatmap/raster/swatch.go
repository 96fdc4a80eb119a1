package raster

import (
	"image/color"

	"parley/core/frame"
)

// Pattern distinguishes categories where colour does not.
type Pattern uint8

// The patterns, as the shader numbers them.
const (
	Solid  Pattern = iota
	Slash          // lines rising to the right
	Back           // lines falling to the right
	Level          // level lines
	Dot            // a dot in the middle
	Cross          // Slash and Back
	Bullet         // a square in the middle
)

// String returns the pattern's name as assets/palettes spells it.
func (p Pattern) String() string {
	return [...]string{"solid", "slash", "back", "level", "dot", "cross", "bullet"}[p]
}

// Swatch is the look of one value of a category.
type Swatch struct {
	Colour  color.RGBA
	Pattern Pattern
}

// NamedSwatches are the looks of values that mean the same in every category. Quiet ones are slate,
// so that values that need attention stand out.
func NamedSwatches(light bool) map[string]Swatch {
	up, idle, down, off := rgb("344050"), rgb("2a3340"), Dark.FailPad, Dark.Stage
	if light {
		up, idle, down, off = rgb("c3cbd6"), rgb("dde2e9"), Light.FailPad, Light.Stage
	}
	return map[string]Swatch{
		"up":         {up, Solid},
		"idle":       {idle, Solid},
		"down":       {down, Slash},
		"overloaded": {rgb("f0e442"), Solid}, // the diamond shows it
		"migrating":  {rgb("56b4e9"), Bullet},
		"off":        {off, Solid}, // an outline shows it
	}
}

// OtherSwatches are the looks of all other values, in their order. The next six values have
// the same colours with the next one's pattern (Swatches), so that 36 differ.
//
// Source of the hues: Okabe and Ito, "Color Universal Design", 2002, chosen to be distinguished
// with any colour vision deficiency. The two blues are third and fourth, where the classes of most
// nodes fall.
func OtherSwatches() []Swatch {
	return []Swatch{
		{rgb("e69f00"), Slash},
		{rgb("009e73"), Level},
		{rgb("0072b2"), Solid},
		{rgb("56b4e9"), Dot},
		{rgb("cc79a7"), Back},
		{rgb("d55e00"), Cross},
	}
}

// Swatches returns the look of each value of a category with these names.
func Swatches(names []string, light bool) []Swatch {
	named, others := NamedSwatches(light), OtherSwatches()
	swatches := make([]Swatch, len(names))
	next := 0
	for i, name := range names {
		swatch, ok := named[name]
		if !ok {
			swatch.Colour = others[next%len(others)].Colour
			swatch.Pattern = others[(next+next/len(others))%len(others)].Pattern
			next++
		}
		swatches[i] = swatch
	}
	return swatches
}

// Table describes the look of each byte of one layer.
type Table struct {
	Colour  [256]color.RGBA
	Pattern [256]Pattern
	Light   [256]bool // marks upon this colour are white; else they are nearly black
}

// Table returns the looks of the layer that fills the squares.
func (s *Scene) Table() *Table {
	t := &Table{}
	var layer frame.Layer
	if s.Look.Fill >= 0 && s.Look.Fill < len(s.Layers) {
		layer = s.Layers[s.Look.Fill]
	}
	swatches := Swatches(layer.Names, s.Look.Light)
	low, high := s.Look.Range()
	for v := range t.Colour {
		switch {
		case layer.Names == nil:
			t.Colour[v] = s.Look.Palette[(min(max(v-low, 0), high-low)*255+(high-low)/2)/(high-low)]
		case v < len(swatches):
			t.Colour[v], t.Pattern[v] = swatches[v].Colour, swatches[v].Pattern
		default: // a value without a name
			t.Colour[v], t.Pattern[v] = rgb("808080"), Cross
		}
		c := t.Colour[v]
		t.Light[v] = luma(c) < 128_000
	}
	return t
}
