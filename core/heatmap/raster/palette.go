package raster

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
)

// Palette is the colours of a ramp, from nothing to 100 %.
type Palette [256]color.RGBA

// Cividis is the ramp of first choice: its order is read alike with and
// without a colour vision deficiency, and in grey.
//
// Source: the table published with Nuñez, Anderton and Renslow, "Optimizing
// colormaps with consideration for color vision deficiency to enable accurate
// interpretation of scientific data", PLoS ONE 13(7), 2018.
func Cividis() Palette { return parse(cividisTable) }

// Viridis is the ramp of Smith and van der Walt, matplotlib 2.0, 2015 (CC0).
func Viridis() Palette { return parse(viridisTable) }

// Grey runs from a grey that still stands out from the dark stage to white, linear
// in sRGB.
func Grey() Palette { return between("181818", "ffffff") }

// Dusk is the ramp of the dark stage: more load is lighter. It has no red and no
// pink, which are failure and force; a test computes how far its stops stand apart
// with simulated colour vision deficiencies.
func Dusk() Palette {
	return between("2d2468", "2e3f87", "1f6095", "097f94", "2e9a8b", "78b172", "d7b84f", "fcd387", "fef4d7")
}

// Dawn is the ramp of the light stage: more load is darker.
func Dawn() Palette {
	return between("f4eecc", "f3da96", "edb85c", "79b575", "349f88", "157f92", "215a8f", "2b3680", "23185a")
}

// PaletteNames lists the ramps as links spell them, the first choice first.
func PaletteNames() []string { return []string{"dusk", "cividis", "viridis", "grey"} }

// PaletteNamed returns the ramp that links spell so, for the dark stage or the
// light one. On the light one more load is darker: dusk becomes Dawn there, and the
// others run backwards, grey from one that stands out from white.
func PaletteNamed(name string, light bool) (Palette, error) {
	switch {
	case name == "dusk" && light:
		return Dawn(), nil
	case name == "dusk":
		return Dusk(), nil
	case name == "grey" && light:
		return between("d8d8d8", "101010"), nil
	case name == "grey":
		return Grey(), nil
	case name == "cividis":
		return Cividis().turned(light), nil
	case name == "viridis":
		return Viridis().turned(light), nil
	}
	return Palette{}, fmt.Errorf("palette %q is not known; use %s", name, strings.Join(PaletteNames(), ", "))
}

func (p Palette) turned(around bool) Palette {
	if around {
		slices.Reverse(p[:])
	}
	return p
}

// between returns the ramp over stops that lie evenly, straight in sRGB.
func between(stops ...string) (p Palette) {
	for i := range p {
		place := i * (len(stops) - 1)
		k := min(place/255, len(stops)-2)
		part := place - 255*k
		a, b := rgb(stops[k]), rgb(stops[k+1])
		mix := func(x, y uint8) uint8 { return uint8((int(x)*(255-part) + int(y)*part + 127) / 255) }
		p[i] = color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
	}
	return p
}

// parse reads a table of this package: 256 times six hex digits.
func parse(table string) (p Palette) {
	for i := range p {
		p[i] = rgb(table[6*i : 6*i+6])
	}
	return p
}

// rgb reads six hex digits.
func rgb(hex string) color.RGBA {
	digit := func(i int) uint8 { return uint8(strings.IndexByte("0123456789abcdef", hex[i])) }
	return color.RGBA{digit(0)<<4 | digit(1), digit(2)<<4 | digit(3), digit(4)<<4 | digit(5), 255}
}
