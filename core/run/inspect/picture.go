package inspect

import (
	"slices"

	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// picture is the buffer of a run's frames.
type picture struct {
	frame frame.Frame
	drawn unit.Time // of the last frame
}

// Layers describes the layers of Frame.
func (r *Inspector) Layers() []frame.Layer {
	layers := slices.Concat(frame.Physical(), r.of.About.Layers, r.supplyLayers(), r.groupLayers())
	if d, ok := r.of.System.(system.DeviceSource); ok {
		layers[0] = d.DeviceLayer()
	}
	return layers
}

// Frame appends the picture of the present state to buf, with more layers after those of
// Layers.
func (r *Inspector) Frame(buf []byte, more ...[]byte) []byte {
	f, own, supplies := &r.picture.frame, len(r.of.About.Layers), r.of.Names.Supplies()
	extra := own + len(supplies) + len(r.of.Names.Groups())
	frame.Paint(r.of.View, r.of.Clock.Now(), extra, f)
	layers := f.Layers[len(f.Layers)-extra:]
	if l, ok := r.of.System.(system.LayerSource); ok {
		for i := range own {
			l.FillLayer(i, layers[i])
		}
	}
	for i := range supplies {
		r.fillSupply(&supplies[i], layers[own+i])
	}
	r.fillGroups(layers[own+len(supplies):])
	if d, ok := r.of.System.(system.DeviceSource); ok {
		d.FillDevices(&f.Devices, f.Cells)
		f.Devices.Fill(f.Layers[0])
	}
	r.of.Incidents.draw(f)
	r.of.Notes.draw(f, r.picture.drawn)
	r.picture.drawn = f.At
	drawn := *f
	drawn.Layers = append(drawn.Layers[:len(drawn.Layers):len(drawn.Layers)], more...)
	return frame.Append(buf, &drawn)
}

// Arrive notes that the run was brought to this moment: the next frame shows no messages of
// the way, which take but a moment.
func (r *Inspector) Arrive() { r.picture.drawn = r.of.Clock.Now() }
