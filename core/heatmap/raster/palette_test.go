package raster_test

import (
	"image/color"
	"math"
	"testing"

	"parley/core/heatmap/raster"
)

// On the dark stage the ramps' luma never falls, on the light one it never rises:
// they keep their order in grey and for readers with any colour vision. Cividis and
// viridis are published with that property in a perceptual space; rounding to bytes
// and the simpler luma cost a step at most.
func TestRampsAreMonotone(t *testing.T) {
	for _, name := range raster.PaletteNames() {
		for _, light := range []bool{false, true} {
			palette, err := raster.PaletteNamed(name, light)
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < len(palette); i++ {
				step := luma(palette[i]) - luma(palette[i-1])
				if light {
					step = -step
				}
				if step < -1000 {
					t.Errorf("%s, light %v: turns back at %d", name, light, i)
				}
			}
		}
	}
	if _, err := raster.PaletteNamed("rainbow", false); err == nil || err.Error() != `palette "rainbow" is not known; use dusk, cividis, viridis, grey` {
		t.Errorf("got %v", err)
	}
}

func luma(c color.RGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }

// stops are how many colours of a ramp are to be told apart: nine, as it is made of.
const stops = 9

// With any simulated colour vision deficiency, neighbouring stops of dusk and dawn
// stand at least 6.5 apart (CIEDE2000; 2.3 is just noticeable), lightness is
// monotone, the lowest stop stands out from the stage, and no load looks like a
// failure or a forced move.
func TestRampsWithColourVisionDeficiencies(t *testing.T) {
	for name, ramp := range map[string]struct {
		palette raster.Palette
		theme   raster.Theme
	}{"dusk": {raster.Dusk(), raster.Dark}, "dawn": {raster.Dawn(), raster.Light}} {
		for sight, matrix := range deficiencies {
			lowest, fail, forced := math.Inf(1), math.Inf(1), math.Inf(1)
			rises, falls := true, true
			at := func(i int) lab { return seen(ramp.palette[i*255/(stops-1)], matrix) }
			for i := range stops {
				fail = math.Min(fail, distance(at(i), seen(ramp.theme.Fail, matrix)))
				forced = math.Min(forced, distance(at(i), seen(ramp.theme.Forced, matrix)))
				if i > 0 {
					lowest = math.Min(lowest, distance(at(i-1), at(i)))
					rises, falls = rises && at(i).l > at(i-1).l, falls && at(i).l < at(i-1).l
				}
			}
			ground := distance(at(0), seen(ramp.theme.Stage, matrix))
			t.Logf("%s, %s: neighbours %.1f, failure %.1f, forced %.1f, stage %.1f", name, sight, lowest, fail, forced, ground)
			if lowest < 6.5 || !rises && !falls || fail < 6 || forced < 4.9 || ground < 8 {
				t.Errorf("%s, %s: neighbours %.1f apart (least 6.5), failure %.1f (6), forced %.1f (4.9, which its dashes and its diamond tell too), stage %.1f (8), monotone %v", name, sight, lowest, fail, forced, ground, rises || falls)
			}
		}
	}
}

// deficiencies are matrices on linear sRGB at full strength.
//
// Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for
// Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, table 1.
var deficiencies = map[string][9]float64{
	"normal": {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protan": {.152286, 1.052583, -.204868, .114503, .786281, .099216, -.003882, -.048116, 1.051998},
	"deutan": {.367322, .860646, -.227968, .280085, .672501, .047413, -.01182, .04294, .968881},
	"tritan": {1.255528, -.076749, -.178779, -.078411, .930809, .147602, .004733, .691367, .3039},
}

type lab struct{ l, a, b float64 }

// seen is a colour in CIELAB (D65) as someone sees it.
func seen(c color.RGBA, m [9]float64) lab {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	v := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var w [3]float64
	for i := range w {
		w[i] = math.Min(1, math.Max(0, m[3*i]*v[0]+m[3*i+1]*v[1]+m[3*i+2]*v[2]))
	}
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16.0/116
	}
	x := f((0.4124564*w[0] + 0.3575761*w[1] + 0.1804375*w[2]) / 0.95047)
	y := f(0.2126729*w[0] + 0.7151522*w[1] + 0.072175*w[2])
	z := f((0.0193339*w[0] + 0.119192*w[1] + 0.9503041*w[2]) / 1.08883)
	return lab{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// distance is CIEDE2000 (Sharma, Wu, Dalal, Color Research and Application 30(1),
// 2005).
func distance(p, q lab) float64 {
	const rad = math.Pi / 180
	mean := (math.Hypot(p.a, p.b) + math.Hypot(q.a, q.b)) / 2
	g := 0.5 * (1 - math.Sqrt(math.Pow(mean, 7)/(math.Pow(mean, 7)+math.Pow(25, 7))))
	a1, a2 := p.a*(1+g), q.a*(1+g)
	c1, c2 := math.Hypot(a1, p.b), math.Hypot(a2, q.b)
	hue := func(a, b float64) float64 { return math.Mod(math.Atan2(b, a)/rad+360, 360) }
	h1, h2 := hue(a1, p.b), hue(a2, q.b)
	turn := h2 - h1
	switch {
	case c1*c2 == 0:
		turn = 0
	case turn > 180:
		turn -= 360
	case turn < -180:
		turn += 360
	}
	dh := 2 * math.Sqrt(c1*c2) * math.Sin(turn*rad/2)
	lm, cm, hm := (p.l+q.l)/2, (c1+c2)/2, (h1+h2)/2
	if c1*c2 == 0 {
		hm = h1 + h2
	} else if math.Abs(h1-h2) > 180 {
		if hm < 180 {
			hm += 180
		} else {
			hm -= 180
		}
	}
	t := 1 - 0.17*math.Cos((hm-30)*rad) + 0.24*math.Cos(2*hm*rad) + 0.32*math.Cos((3*hm+6)*rad) - 0.2*math.Cos((4*hm-63)*rad)
	sl := 1 + 0.015*(lm-50)*(lm-50)/math.Sqrt(20+(lm-50)*(lm-50))
	sc, sh := 1+0.045*cm, 1+0.015*cm*t
	rt := -2 * math.Sqrt(math.Pow(cm, 7)/(math.Pow(cm, 7)+math.Pow(25, 7))) * math.Sin(60*rad*math.Exp(-((hm-275)/25)*((hm-275)/25)))
	dl, dc, dhh := (q.l-p.l)/sl, (c2-c1)/sc, dh/sh
	return math.Sqrt(dl*dl + dc*dc + dhh*dhh + rt*dc*dhh)
}

// The distance is that of the published pairs.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		p, q lab
		want float64
	}{ // Sharma, Wu, Dalal, table 1, pairs 1, 7, 14, 17 and 31
		{lab{50, 2.6772, -79.7751}, lab{50, 0, -82.7485}, 2.0425},
		{lab{50, 0, 0}, lab{50, -1, 2}, 2.3669},
		{lab{50, -0.0010, 2.4900}, lab{50, 0.0011, -2.4900}, 4.7461},
		{lab{50, 2.5, 0}, lab{73, 25, -18}, 27.1492},
		{lab{90.8027, -2.0831, 1.4410}, lab{91.1528, -1.6435, 0.0447}, 1.4441},
	} {
		if got := distance(c.p, c.q); math.Abs(got-c.want) > 5e-5 {
			t.Errorf("%v and %v: %.4f, published %.4f", c.p, c.q, got, c.want)
		}
	}
}

// Of a category with more values than there are colours, the first 36 differ by colour and pattern.
func TestManyValuesDiffer(t *testing.T) {
	seen := map[raster.Swatch]int{}
	for i, look := range raster.Swatches(make([]string, 36), false) {
		if before, ok := seen[look]; ok {
			t.Errorf("values %d and %d look alike: %v %s", before, i, look.Colour, look.Pattern)
		}
		seen[look] = i
	}
}
