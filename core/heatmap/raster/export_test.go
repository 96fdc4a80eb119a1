package raster

import (
	"parley/core/frame"
	"parley/core/unit"
)

// Put adds a shape at places to a list.
func Put(l *List, s Shape, places ...[2]float64) {
	var points []point
	for _, p := range places {
		points = append(points, point{p[0], p[1]})
	}
	l.add(s, points...)
}

// Flights are the arcs to draw.
func Flights(s *Scene) []Flight { return s.flights() }

// Changed are the cells that changed, Asked those that were spoken to.
func Changed(m *Motion) []unit.NodeID { return cells(m.changed) }

func Asked(m *Motion) []unit.NodeID { return cells(m.contacted) }

func cells(list []changed) (all []unit.NodeID) {
	for _, c := range list {
		all = append(all, c.cell)
	}
	return all
}

// CardMeasures are the numbers that the words on a card share with its bars.
func CardMeasures() map[string]float64 {
	return map[string]float64{
		"NEAR": MinCardWidth, "PAD": cardPad, "HEAD": cardHead, "KEYS": cardKeys, "BAR": cardBar, "ROW": cardRow, "NAMES": cardNames, "GAP": cardGap, "OVER": cardOver,
		"DEVICE": minDevice, "LARGEST": Largest(nil), "LARGEST_WITH_DEVICES": Largest([]frame.Layer{{Devices: "GPU"}}), "NAMED": named,
	}
}
