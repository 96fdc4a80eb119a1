// Package rastertest makes scenes to test pictures with: every renderer of a
// raster.Scene (the raster itself, the shader, the native window) is checked
// against the same small cluster, which shows everything a scene can show.
//
//	scene := rastertest.RackLoss()
//	scene.Camera.Zoom = 12
package rastertest

import (
	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/rng"
	"parley/core/unit"
)

// Names of the values of RackLoss's category layers.
var (
	classes = []string{"down", "overloaded", "idle", "super tight (STA)", "tight (TA)", "proportional (PA)", "disproportionate (DA)"}
	states  = []string{"up", "down", "overloaded", "migrating"}
)

// The layers of RackLoss.
const (
	CPU = iota
	Class
	State
)

// RackLoss returns 120 nodes in ten racks; the fifth rack is down and its
// tasks are moving away, some of them by force. Its camera shows it whole in
// 160 × 100 pixels.
func RackLoss() *raster.Scene {
	const nodes, perRack, lost = 120, 12, 4
	r := rng.New(7, "rastertest")
	rack := make([]int32, nodes)
	cpu, class, state := make([]byte, nodes), make([]byte, nodes), make([]byte, nodes)
	memory, cpuRequested, memoryRequested := make([]byte, nodes), make([]byte, nodes), make([]byte, nodes)
	for i := range nodes {
		memory[i] = byte(30 + r.Intn(180))
		cpuRequested[i], memoryRequested[i] = byte(80+r.Intn(140)), byte(60+r.Intn(150))
	}
	base := 0
	for i := range nodes {
		rack[i] = int32(i / perRack)
		if i%perRack == 0 {
			base = 30 + r.Intn(130)
		}
		cpu[i] = byte(base + r.Intn(60))
		class[i] = byte(2 + r.Intn(len(classes)-2))
		switch {
		case rack[i] == lost:
			cpu[i], class[i], state[i] = 0, 0, 1
		case cpu[i] > frame.FullScale:
			class[i], state[i] = 1, 2
		}
	}
	s := &raster.Scene{
		Layers: []frame.Layer{
			{ID: "cpu", Name: "CPU used"},
			{ID: "class", Name: "Allocation class", Names: classes},
			{ID: "state", Name: "State", Names: states},
			{ID: "memory", Name: "Memory used"},
			{ID: "cpu_requested", Name: "CPU requested"},
			{ID: "memory_requested", Name: "Memory requested"},
		},
		Layout: frame.Fit(rack, 150, 90, 8),
		Frame: frame.Frame{
			At: 5 * unit.Second, Seq: 1, Cells: nodes,
			Layers: [][]byte{cpu, class, state, memory, cpuRequested, memoryRequested},
		},
		Look:     raster.Look{Fill: CPU, Palette: raster.Dusk()},
		Camera:   raster.Camera{X: -0.5, Y: -0.5, Zoom: 8},
		Cursor:   70,
		Selected: 3,
	}
	for i := range 9 {
		kind := [4]frame.ArcKind{frame.Replaced, frame.Moved, frame.Refused, frame.Forced}[i%4]
		to := r.Intn(nodes - perRack)
		if to >= lost*perRack {
			to += perRack
		}
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{
			From: unit.NodeID(lost*perRack + i), To: unit.NodeID(to),
			Progress: uint8(32 * i), Kind: kind,
		})
		state[to] = max(state[to], 3)
	}
	return s
}

// GPUs returns RackLoss with devices inside its nodes: eight, four or none, held whole and in
// parts, idle, useless, and failed where the rack is down.
func GPUs() *raster.Scene {
	s := RackLoss()
	s.Layers[CPU].Devices = "GPU"
	r := rng.New(8, "rastertest")
	d := &s.Frame.Devices
	for cell, state := range s.Frame.Layers[State] {
		devices := [4]uint8{8, 8, 4, 0}[r.Intn(4)]
		d.Of = append(d.Of, devices)
		for range devices {
			job := uint32(r.Intn(9))
			held := frame.Part{Owner: job + 1, Share: frame.Whole, Kind: frame.Held, Colour: uint8(job % 6)}
			switch kind := r.Intn(6); {
			case state == 1:
				d.Parts = append(d.Parts, frame.Part{Share: frame.Whole, Kind: frame.Failed})
			case kind == 0:
				d.Parts = append(d.Parts, frame.Part{Share: frame.Whole, Kind: frame.PartKind(2 * (cell % 2))})
			case kind == 1:
				held.Share = uint16(100 + r.Intn(400))
				other := frame.Part{Owner: 20, Share: 250, Kind: frame.Held, Colour: (held.Colour + 1) % 6}
				d.Parts = append(d.Parts, held, other,
					frame.Part{Share: frame.Whole - 250 - held.Share, Kind: frame.Useless})
			default:
				d.Parts = append(d.Parts, held)
			}
		}
	}
	return s
}
