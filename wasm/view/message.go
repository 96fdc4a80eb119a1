//go:build js

package main

import (
	"encoding/binary"
	"errors"
	"syscall/js"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/unit"
)

// message is one message of the page, decoded: the field of its kind is set.
type message struct {
	layers []frame.Layer
	layout *frame.Layout
	look   *raster.Look
	camera *raster.Camera
	cursor *[2]unit.NodeID
	buffer js.Value // of a frame
}

// reader reads the fields of a JavaScript object and keeps the first that is
// not what it should be.
type reader struct {
	object js.Value
	err    error
}

func (r *reader) complain(name, want string) {
	if r.err == nil {
		r.err = errors.New("the message's " + name + " is not " + want)
	}
}

func (r *reader) get(name string) js.Value {
	if r.object.Type() != js.TypeObject {
		r.complain(name, "in an object")
		return js.Undefined()
	}
	return r.object.Get(name)
}

func (r *reader) number(name string) float64 {
	if v := r.get(name); v.Type() == js.TypeNumber {
		return v.Float()
	}
	r.complain(name, "a number")
	return 0
}

// whole returns a number cut to the range of a NodeID.
func (r *reader) whole(name string) int {
	return int(min(max(r.number(name), -1), 1<<31-1))
}

func (r *reader) text(name string) string {
	if v := r.get(name); v.Type() == js.TypeString {
		return v.String()
	}
	r.complain(name, "a string")
	return ""
}

func (r *reader) in(name string) *reader { return &reader{object: r.get(name), err: r.err} }

// list returns the elements of an array.
func (r *reader) list(name string) []js.Value {
	v := r.get(name)
	if !js.Global().Get("Array").Call("isArray", v).Bool() {
		r.complain(name, "an array")
		return nil
	}
	values := make([]js.Value, v.Length())
	for i := range values {
		values[i] = v.Index(i)
	}
	return values
}

// uint16s returns the numbers of a Uint16Array.
func (r *reader) uint16s(name string) []uint16 {
	v := r.get(name)
	if !v.InstanceOf(js.Global().Get("Uint16Array")) {
		r.complain(name, "a Uint16Array")
		return nil
	}
	bytes := appendBytes(nil, js.Global().Get("Uint8Array").New(v.Get("buffer"), v.Get("byteOffset"), v.Get("byteLength")))
	numbers := make([]uint16, len(bytes)/2)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint16(bytes[2*i:])
	}
	return numbers
}

// appendBytes appends the bytes of a Uint8Array to dst.
func appendBytes(dst []byte, array js.Value) []byte {
	from, n := len(dst), array.Length()
	if cap(dst) < from+n {
		dst = append(make([]byte, 0, from+n+n/8), dst...)
	}
	dst = dst[:from+n]
	js.CopyBytesToGo(dst[from:], array)
	return dst
}

// readMessage decodes a message of the page.
func readMessage(data js.Value) (message, error) {
	r := &reader{object: data}
	var m message
	switch kind := r.text("type"); kind {
	case "layers":
		m.layers = r.layers()
	case "layout":
		in := r.in("layout")
		m.layout = &frame.Layout{Columns: in.whole("columns"), Rows: in.whole("rows"), X: in.uint16s("x"), Y: in.uint16s("y")}
		r.err = in.err
	case "frame":
		m.buffer = r.get("buffer")
		if !m.buffer.InstanceOf(js.Global().Get("ArrayBuffer")) {
			r.complain("buffer", "an ArrayBuffer")
		}
	case "look":
		palette, err := raster.PaletteNamed(r.text("palette"))
		if err != nil && r.err == nil {
			r.err = err
		}
		m.look = &raster.Look{Fill: r.whole("fill"), Palette: palette}
	case "camera":
		m.camera = &raster.Camera{X: r.number("x"), Y: r.number("y"), Zoom: r.number("zoom")}
	case "cursor":
		m.cursor = &[2]unit.NodeID{unit.NodeID(r.whole("cell")), unit.NodeID(r.whole("selected"))}
	default:
		if r.err == nil {
			r.err = errors.New("no message has the type " + kind)
		}
	}
	return m, r.err
}

func (r *reader) layers() []frame.Layer {
	layers := []frame.Layer{}
	for _, value := range r.list("layers") {
		in := &reader{object: value, err: r.err}
		layer := frame.Layer{ID: in.text("id")}
		if in.err == nil && in.get("names").Truthy() {
			for _, name := range in.list("names") {
				layer.Names = append(layer.Names, name.String())
			}
		}
		if in.err == nil && in.get("top").Truthy() {
			layer.Top = in.number("top")
		}
		r.err = in.err
		layers = append(layers, layer)
	}
	return layers
}
