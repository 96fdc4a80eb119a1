package remote

import (
	"time"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/message"
)

// picture draws the scene if the page has no graphics card that draws it, and until
// that one does.
type picture struct {
	scene   raster.Scene
	motion  raster.Motion
	canvas  raster.Canvas
	request message.Draw
	at      time.Duration // when the last one was begun
	took    time.Duration
	moves   bool // something does on the last one
	pace    raster.Pace
}

// Pictures are at least pictureEvery apart. They may take minShare of the worker's time, and maxShare
// of the time that a run at full speed leaves.
const (
	pictureEvery = 50 * time.Millisecond
	minShare     = 0.25
	maxShare     = 0.75
)

// pictureCosts is the time that a picture may take before parts of it are left out.
const pictureCosts = 60 * time.Millisecond

// The largest picture that is drawn, in pixels: that of a screen of 8 K.
const maxPixels = 7680 * 4320

// settle lays the cells out for another room.
func (r *Remote) settle(room message.Extent) {
	r.room = room
	if r.player.Run() != nil {
		r.host.Post(message.NewLayout{Layout: r.layout()})
		r.paint()
	}
}

// draw takes the settings of pictures, and posts one.
func (r *Remote) draw(m message.Draw) {
	palette, err := raster.PaletteNamed(m.Look.Palette, m.Look.Light)
	if err != nil {
		r.refuse("setting", err)
		return
	}
	s := &r.scene
	if m.Width < 1 || m.Height < 1 || m.Width > maxPixels/m.Height {
		m.Width, m.Height = 0, 0
	}
	first := r.request.Width == 0
	r.request = m
	s.Look = LookOf(m.Look, palette)
	s.Camera = raster.Camera(m.Camera)
	s.Cursor, s.Selected = m.Cell, m.Selected
	r.motion.Still = m.Look.Still
	if first && r.player.Run() != nil && len(r.out.scratch) > 0 && frame.Decode(r.out.scratch, &s.Frame) == nil {
		r.motion.Follow(s, r.host.Clock()) // a frame that was not to be drawn
	}
	r.paint()
}

// LookOf is a message's look with its palette.
func LookOf(m message.Look, palette raster.Palette) raster.Look {
	return raster.Look{
		Fill: m.Fill, Palette: palette, Low: byte(min(max(m.Low, 0), 255)),
		High: byte(min(max(m.High, 0), 255)), Light: m.Light,
	}
}

// follow takes the frame that was sent, and draws it when it is time.
func (r *Remote) follow(always bool) {
	if r.request.Width == 0 || frame.Decode(r.out.scratch, &r.scene.Frame) != nil {
		return
	}
	now := r.host.Clock()
	r.motion.Follow(&r.scene, now)
	reached, possible, _ := r.player.Rates()
	if always || now-r.at >= interval(r.took, reached, possible) {
		r.paint()
	}
}

// interval returns the least time between the beginnings of two pictures, from the time that one takes
// and from the speed that the run reaches and the speed that it could reach.
func interval(took time.Duration, reached, possible float64) time.Duration {
	share := minShare
	if possible > 0 {
		share = max(share, maxShare*(1-reached/possible))
	}
	return max(pictureEvery, time.Duration(float64(took)/share))
}

// settleMotion draws on while something moves on the last picture of a run that stands: what led to a moment
// would stay upon it otherwise. It returns the time until the next picture, 0 if none is needed.
func (r *Remote) settleMotion() time.Duration {
	if !r.moves || r.request.Width == 0 {
		return 0
	}
	next := r.at + interval(r.took, 0, 1) - r.host.Clock()
	if next <= 0 {
		r.paint()
		next = pictureEvery
	}
	if !r.moves {
		return 0
	}
	return next
}

// paint posts a picture of the last frame, if pictures are wanted.
func (r *Remote) paint() {
	if r.request.Width == 0 || r.player.Run() == nil {
		return
	}
	if len(r.out.scratch) > 0 {
		_ = frame.Decode(r.out.scratch, &r.scene.Frame) // it is the Remote's own
	}
	begin := r.host.Clock()
	r.moves = r.motion.Tick(begin)
	if r.scene.Left = r.pace.Left; !r.moves {
		r.scene.Left = raster.Everything // a still picture has all the time
	}
	p := r.canvas.Draw(&r.scene, r.request.Width, r.request.Height, r.request.Scale)
	r.host.Post(message.Picture{
		Width: r.request.Width, Height: r.request.Height, Buffer: message.Buffer(p.Pix), Moves: r.moves,
	})
	r.at = begin
	if r.took = r.host.Clock() - begin; r.moves && r.pace.Took(r.took) {
		r.host.Post(message.LevelOfDetail{Left: int(r.pace.Left)})
	}
}
