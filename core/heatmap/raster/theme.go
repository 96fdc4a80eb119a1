package raster

import "image/color"

// Theme is the colours of a stage beside those of its cells.
type Theme struct {
	Stage      color.RGBA // the ground of the picture
	Plate      color.RGBA // under empty areas: a glyph's square, a rack that wipes
	Fail       color.RGBA // edge and hatch of failed nodes
	FailFar    color.RGBA // failed nodes too small for a hatch
	FailPad    color.RGBA // under the hatch
	Forced     color.RGBA // moved by force
	Arc        color.RGBA // arcs, rings, and the rim of changes
	Glow       color.RGBA // around changes
	Ink        color.RGBA // marks of a glyph
	Faint      color.RGBA // lines of a glyph
	Selected   color.RGBA // ring of the selection
	Cursor     color.RGBA // ring of the cursor
	Production color.RGBA // a task of production
	Batch      color.RGBA // any other task
	Card       color.RGBA // the ground of a card
}

// Dark and Light are the two stages.
var (
	Dark = Theme{
		Stage: rgb("080b11"), Plate: rgb("10151e"), Fail: rgb("ff6f61"), FailFar: rgb("8e343a"), FailPad: rgb("43101a"), Forced: rgb("ff8fd0"),
		Arc: rgb("e6f4ff"), Glow: rgb("9fdcff"), Ink: rgb("e8ecf2"), Faint: rgb("8e99a8"), Selected: rgb("7fb0ff"), Cursor: rgb("ffffff"),
		Production: rgb("2fa597"), Batch: rgb("7d86dd"), Card: rgb("12161d"),
	}
	Light = Theme{
		Stage: rgb("fbfcfd"), Plate: rgb("e9edf2"), Fail: rgb("b3261e"), FailFar: rgb("d98078"), FailPad: rgb("f3c6c1"), Forced: rgb("b0137f"),
		Arc: rgb("1b2740"), Glow: rgb("1b2740"), Ink: rgb("14181f"), Faint: rgb("5f6877"), Selected: rgb("1f5fd0"), Cursor: rgb("14181f"),
		Production: rgb("1c7f86"), Batch: rgb("5a63b8"), Card: rgb("ffffff"),
	}
)

// Theme returns the colours of the look's stage.
func (l Look) Theme() *Theme {
	if l.Light {
		return &Light
	}
	return &Dark
}
