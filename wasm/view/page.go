//go:build js

package main

import (
	"syscall/js"

	"parley/core/frame"
	"parley/core/heatmap"
	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/unit"
	"parley/wasm/bridge"
)

// page is the window that embeds the view. It keeps the newest message of each kind until the game's
// next tick, so the number of waiting messages stays bounded when the browser stops drawing a hidden
// tab. There is one thread, and neither side yields it while it holds a message.
type page struct {
	window, origin js.Value

	layers   []frame.Layer
	layout   *frame.Layout
	look     *raster.Look
	camera   *raster.Camera
	cursor   *[2]unit.NodeID
	cards    *message.Cards
	left     raster.LevelOfDetail // last one reported to the page
	waiting  bridge.Parts         // with the newest frame
	part     int                  // the index of the frame in it
	incoming bool                 // there is one

	buffer []byte // the frame that is shown
	ground bool   // the body lets the page's stage show through
	still  bool   // reduced motion is requested
	live   bool
}

// connect starts to listen.
func connect() *page {
	global := js.Global()
	p := &page{window: global.Get("parent"), origin: global.Get("location").Get("origin")}
	global.Call("addEventListener", "message", js.FuncOf(func(_ js.Value, args []js.Value) any {
		event := args[0]
		if !event.Get("origin").Equal(p.origin) || !event.Get("source").Equal(p.window) {
			return nil
		}
		if err := p.receive(event.Get("data")); err != nil {
			complain(err)
		}
		tick()
		return nil
	}))
	return p
}

// say posts a message to the page.
func (p *page) say(m message.Message, parts ...js.Value) {
	data, transfer, err := bridge.Write(m, parts...)
	if err != nil {
		complain(err)
		return
	}
	p.window.Call("postMessage", data, p.origin, transfer)
}

// fail reports to the page that nothing will be drawn.
func (p *page) fail(reason string) { p.say(message.Failed{Reason: reason}) }

// receive keeps a message for the next tick. An invalid one returns an error that describes it, and
// leaves the picture unchanged.
func (p *page) receive(data js.Value) error {
	m, parts, err := bridge.Read(data, message.ToView)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case message.Layers:
		p.layers = m.Layers
	case message.NewLayout:
		l := m.Layout
		l.X.Bytes, l.Y.Bytes = parts.Bytes(nil, l.X.Part), parts.Bytes(nil, l.Y.Part)
		p.layout = &frame.Layout{
			Columns: l.Columns, Rows: l.Rows, X: l.X.Uint16s(), Y: l.Y.Uint16s(),
			Pitch: frame.Pitch(l.Pitch),
		}
		for _, b := range l.Blocks {
			p.layout.Blocks = append(p.layout.Blocks, frame.Block(b))
		}
	case message.Look:
		palette, err := raster.PaletteNamed(m.Palette, m.Light)
		if err != nil {
			return err
		}
		p.look = &raster.Look{
			Fill: m.Fill, Palette: palette, Low: byte(min(max(m.Low, 0), 255)),
			High: byte(min(max(m.High, 0), 255)), Light: m.Light,
		}
		p.still = m.Still
	case message.Camera:
		p.camera = &raster.Camera{X: m.X, Y: m.Y, Zoom: m.Zoom}
	case message.Cursor:
		p.cursor = &[2]unit.NodeID{m.Cell, m.Selected}
	case message.Cards:
		p.cards = &m
	case message.Frame:
		p.giveBack() // one that the game never came to
		p.waiting, p.incoming = parts, true
		p.part = m.Buffer.Part
	}
	return nil
}

// Steer implements heatmap.Control: it hands the game what messages have brought since the last call, and reports a
// new level of detail and the first picture to the page. It asks for another call while the picture moves.
func (p *page) Steer(g *heatmap.Game) error {
	g.SetTime(bridge.Clock())
	if !p.ground { // Ebitengine makes the body black when it starts
		p.ground = true
		js.Global().Get("document").Get("body").Get("style").Set("backgroundColor", "transparent")
	}
	if p.layers != nil {
		g.SetLayers(p.layers)
		p.layers = nil
	}
	if p.layout != nil {
		if err := g.SetLayout(*p.layout); err != nil {
			complain(err)
		}
		p.layout = nil
	}
	if p.look != nil {
		g.SetLook(*p.look)
		g.SetStill(p.still)
		p.look = nil
	}
	if p.camera != nil {
		g.SetCamera(*p.camera)
		p.camera = nil
	}
	if p.cursor != nil {
		g.SetCursor(p.cursor[0], p.cursor[1])
		p.cursor = nil
	}
	if p.cards != nil {
		g.SetCards(p.cards.Cards, p.cards.Task)
		p.cards = nil
	}
	if left := g.Left(); left != p.left {
		p.left = left
		p.say(message.LevelOfDetail{Left: int(left)})
	}
	if p.incoming {
		p.buffer = p.waiting.Bytes(p.buffer[:0], p.part)
		p.giveBack()
		if err := g.SetFrame(p.buffer); err != nil {
			complain(err)
		}
	}
	if !p.live && g.Pictures() > 0 {
		p.live = true
		p.say(message.Live{})
	}
	if !p.live || g.Moves() { // to see whether the first picture has been drawn, or until it is still
		tick()
	}
	return nil
}

// complain reports an error to the page's developer.
func complain(err error) {
	js.Global().Get("console").Call("error", "view: "+err.Error())
}

// giveBack returns the waiting frame's buffer to the page for reuse.
func (p *page) giveBack() {
	if p.incoming {
		p.incoming = false
		p.say(message.Frame{Buffer: message.Buffer(nil)}, p.waiting.At(p.part))
	}
}
