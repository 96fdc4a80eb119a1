package raster_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
)

// TestOverlay lists what is drawn above the cells, in device pixels:
//
//	scene cells=12 blocks=(2,1) block=(3,2) gap=(2,2) zoom=10 scale=2 size=(400,200) x=-1 y=-1
//	        racks of block cells beside and below each other; groups=(0,1) says which stand together
//	        glyphs: the layers that glyphs need; light, still, no motion: as they say; detail=1
//	frame 2s   what a frame of that moment shows, a line each: cpu 3=80, down 0 1 2, moved 0>3 128 (forced, refused, replaced, asked)
//	tick 2.3s  real time moves on: does anything still move?
//	look zoom=20, cursor=3, selected=4   another camera, other rings
//	list arc glow …   the shapes of these kinds
//
// A frame of 2s comes when real time is 2s as well.
func TestOverlay(t *testing.T) {
	for _, name := range []string{"overlay", "motion"} {
		h := &hand{}
		datadriven.RunTest(t, "testdata/"+name+".txt", h.do)
	}
}

// hand sets scenes.
type hand struct {
	s             *raster.Scene
	width, height int
	scale         float64
}

func (h *hand) do(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "scene":
		h.scene(t, d)
	case "frame":
		h.frame(t, d)
	case "tick":
		if h.s.Motion.Tick(real(t, d)) {
			return "moves\n"
		}
		return "stands\n"
	case "look":
		h.look(t, d)
	case "list":
		return h.list(d)
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	return ""
}

// real is a moment of real time.
func real(t *testing.T, d *datadriven.TestData) time.Duration {
	at, err := time.ParseDuration(d.CmdArgs[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func (h *hand) scene(t *testing.T, d *datadriven.TestData) {
	cells, across, down, wide, high := 0, 1, 1, 0, 0
	d.ScanArgs(t, "cells", &cells)
	d.ScanArgs(t, "blocks", &across, &down)
	d.ScanArgs(t, "block", &wide, &high)
	d.ScanArgs(t, "size", &h.width, &h.height)
	l := frame.Layout{Columns: across*(wide+1) - 1, Rows: down*(high+1) - 1, X: make([]uint16, cells), Y: make([]uint16, cells), Pitch: frame.Pitch{Width: wide, Height: high, Tall: 1}}
	if d.HasArg("gap") {
		d.ScanArgs(t, "gap", &l.Pitch.GapX, &l.Pitch.GapY)
	}
	for i := range across * down {
		l.Blocks = append(l.Blocks, frame.Block{Rack: int32(i), X: i % across * (wide + 1), Y: i / across * (high + 1), Width: wide, Height: high})
		if a, has := d.Arg("groups"); has {
			a.Scan(t, i, &l.Blocks[i].Group)
		}
	}
	for i := range cells {
		b := l.Blocks[i/(wide*high)]
		l.X[i], l.Y[i] = uint16(b.X+i%(wide*high)%wide), uint16(b.Y+i%(wide*high)/wide)
	}
	h.scale = number(t, d, "scale")
	h.s = &raster.Scene{
		Layers: []frame.Layer{{ID: "cpu"}, {ID: "state", Names: []string{"up", "down"}}},
		Layout: l,
		Frame:  frame.Frame{Cells: cells, Layers: [][]byte{make([]byte, cells), make([]byte, cells)}},
		Look:   raster.Look{Palette: raster.Grey(), Light: d.HasArg("light")},
		Cursor: unit.NoNode, Selected: unit.NoNode,
	}
	if !d.HasArg("stopped") {
		h.s.Motion = &raster.Motion{Still: d.HasArg("still")}
	}
	if d.HasArg("glyphs") {
		for _, id := range []string{"memory", "cpu_requested", "memory_requested"} {
			h.s.Layers, h.s.Frame.Layers = append(h.s.Layers, frame.Layer{ID: id}), append(h.s.Frame.Layers, make([]byte, cells))
		}
	}
	h.look(t, d)
}

func (h *hand) look(t *testing.T, d *datadriven.TestData) {
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "zoom":
			h.s.Camera.Zoom = number(t, d, "zoom")
		case "x":
			h.s.Camera.X = number(t, d, "x")
		case "y":
			h.s.Camera.Y = number(t, d, "y")
		case "cursor":
			h.s.Cursor = unit.NodeID(number(t, d, "cursor"))
		case "selected":
			h.s.Selected = unit.NodeID(number(t, d, "selected"))
		case "detail":
			h.s.Left = raster.LevelOfDetail(number(t, d, "detail"))
		}
	}
}

var kinds = map[string]frame.ArcKind{"moved": frame.Moved, "forced": frame.Forced, "refused": frame.Refused, "replaced": frame.Replaced, "asked": frame.Messaged}

func (h *hand) frame(t *testing.T, d *datadriven.TestData) {
	now := real(t, d)
	h.s.Frame.At, h.s.Frame.Arcs = unit.Time(now/time.Microsecond), nil
	clear(h.s.Frame.Layers[1])
	for line := range strings.Lines(d.Input) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Fields(rest)
		layer := 0
		for i, l := range h.s.Layers {
			if l.ID == kind {
				layer = i
			}
		}
		if kind, is := kinds[kind]; is {
			arc := frame.Arc{Kind: kind}
			if _, err := fmt.Sscanf(words[0], "%d>%d", &arc.From, &arc.To); err != nil {
				t.Fatal(err)
			}
			if len(words) > 1 {
				fmt.Sscan(words[1], &arc.Progress)
			}
			h.s.Frame.Arcs = append(h.s.Frame.Arcs, arc)
			continue
		}
		for _, word := range words {
			number, value, has := strings.Cut(word, "=")
			cell, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			if kind == "down" {
				h.s.Frame.Layers[1][cell] = 1
			} else if has {
				fmt.Sscan(value, &h.s.Frame.Layers[layer][cell])
			}
		}
	}
	if h.s.Motion != nil {
		h.s.Motion.Follow(h.s, now)
	}
}

func (h *hand) list(d *datadriven.TestData) string {
	var list raster.List
	h.s.Overlay(&list, h.width, h.height, h.scale)
	var out strings.Builder
	for line := range strings.Lines(list.String()) {
		kind, _, _ := strings.Cut(line, " ")
		if d.HasArg(kind) {
			out.WriteString(line)
		}
	}
	if out.Len() == 0 {
		return "nothing\n"
	}
	return out.String()
}
