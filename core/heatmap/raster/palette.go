package raster

import (
	"fmt"
	"image/color"
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

// Grey runs from a grey that still stands out from the stage to white, linear
// in sRGB.
func Grey() Palette {
	var p Palette
	for i := range p {
		v := uint8(24 + (i*231+127)/255)
		p[i] = color.RGBA{v, v, v, 255}
	}
	return p
}

// PaletteNames lists the ramps as links spell them, the first choice first.
func PaletteNames() []string { return []string{"cividis", "viridis", "grey"} }

// PaletteNamed returns the ramp that links spell so.
func PaletteNamed(name string) (Palette, error) {
	switch name {
	case "cividis":
		return Cividis(), nil
	case "viridis":
		return Viridis(), nil
	case "grey":
		return Grey(), nil
	}
	return Palette{}, fmt.Errorf("palette %q is not known; use %s", name, strings.Join(PaletteNames(), ", "))
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
