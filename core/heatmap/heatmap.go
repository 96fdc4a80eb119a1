// Package heatmap shows a cluster as a live picture. It is an ebiten.Game that draws the
// scenes of core/heatmap/raster with one texture and one shader for the cells and one batch of
// triangles for the shapes above them. The page's frame (wasm/view) and the native window
// (tools/desktop) run the same game with different Controls.
//
// A frame's bytes are copied into the texture unchanged. The shader computes colours, gaps,
// hatches and marks, so a picture of a hundred nodes costs the same as one of a hundred
// thousand. Nothing is drawn while nothing changes: call
// ebiten.SetScreenClearedEveryFrame(false) before running it.
//
//	game, err := heatmap.New(control)
//	…
//	ebiten.SetScreenClearedEveryFrame(false)
//	err = ebiten.RunGame(game)
package heatmap

import (
	_ "embed"
	"fmt"
	"math"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/unit"
)

//go:embed cells.kage
var shaderSource []byte

// Control steers a Game, for example by keys and pointer.
type Control interface {
	// Steer is called once a tick, on the game's goroutine, and changes the
	// picture through the Game's setters. Its error ends the game;
	// ebiten.Termination ends it in peace.
	Steer(*Game) error
}

// Game is an ebiten.Game around a raster.Scene. Its methods belong to one
// goroutine, the one that calls Steer.
type Game struct {
	control Control
	scene   raster.Scene
	motion  raster.Motion
	moves   bool // something on the picture moves
	pace    raster.Pace
	squares squares
	shapes  shapes

	now           time.Duration
	width, height float64 // of the screen, CSS pixels
	scale         float64 // device pixels a CSS pixel
	changed       bool
	drawn         struct{ width, height int } // the screen of the last picture
	pictures      int
}

// budget is how long a picture may take while something moves: fewer than 25 a second
// look broken.
const budget = 40 * time.Millisecond

// away is a span between two ticks that does not count as the cost of a picture: the window was hidden.
const away = time.Second

// New returns a game with an empty scene that control steers. It compiles the
// shader.
func New(control Control) (*Game, error) {
	shader, err := ebiten.NewShader(shaderSource)
	if err != nil {
		return nil, fmt.Errorf("the heatmap's shader: %w", err)
	}
	g := &Game{control: control, scale: 1, changed: true}
	g.squares.shader = shader
	g.scene.Look.Palette = raster.Dusk()
	g.scene.Motion, g.pace.Budget = &g.motion, budget
	g.scene.Camera.Zoom = 1
	g.scene.Cursor, g.scene.Selected = unit.NoNode, unit.NoNode
	return g, nil
}

// Scene returns the picture's content, to be read only.
func (g *Game) Scene() *raster.Scene { return &g.scene }

// Size returns the size of the screen in CSS pixels, 0 before the first tick.
func (g *Game) Size() (width, height float64) { return g.width, g.height }

// Scale returns how many pixels of the screen a CSS pixel has.
func (g *Game) Scale() float64 { return g.scale }

// Pictures returns how many pictures with a frame in them have been drawn.
func (g *Game) Pictures() int { return g.pictures }

// SetLayers sets the meaning of the layers of the frames.
func (g *Game) SetLayers(layers []frame.Layer) {
	g.scene.Layers = layers
	g.squares.staleTexels, g.squares.staleTable, g.changed = true, true, true
}

// SetLayout sets the places of the cells. A layout that fails its check is refused and the one
// before stays.
func (g *Game) SetLayout(layout frame.Layout) error {
	if err := layout.Check(); err != nil {
		return err
	}
	g.scene.Layout = layout
	g.squares.staleTexels, g.changed = true, true
	return nil
}

// SetFrame shows an encoded frame. The game reads buf until the next call. A
// buffer that does not decode is refused and the picture stays empty until
// the next one.
func (g *Game) SetFrame(buf []byte) error {
	g.squares.staleTexels, g.changed = true, true
	if err := frame.Decode(buf, &g.scene.Frame); err != nil {
		g.scene.Frame = frame.Frame{}
		return err
	}
	g.motion.Follow(&g.scene, g.now)
	g.moves = g.motion.Tick(g.now)
	return nil
}

// SetTime sets the time, from any beginning, before other setters are called: changes glow and fly
// for a while of it.
func (g *Game) SetTime(now time.Duration) {
	if took := now - g.now; g.moves && took > 0 && took < away {
		g.pace.Took(took)
	}
	g.now = now
	moved := g.moves
	g.moves = g.motion.Tick(now)
	g.changed = g.changed || moved || g.moves
	if g.scene.Left = g.pace.Left; !g.moves {
		g.scene.Left = raster.Everything // a still picture has all the time
	}
}

// Left returns the level of detail that keeps the pace of pictures.
func (g *Game) Left() raster.LevelOfDetail { return g.scene.Left }

// SetCards gives the nodes that are near their tasks; task is the chosen one.
func (g *Game) SetCards(cards []message.Card, task string) {
	g.scene.Cards, g.scene.Task = cards, task
	g.changed = true
}

// Moves reports whether the picture changes even if nothing is set.
func (g *Game) Moves() bool { return g.moves }

// SetStill sets whether motion is reduced.
func (g *Game) SetStill(still bool) { g.motion.Still = still }

// SetLook sets which layer fills the squares, in which colours.
func (g *Game) SetLook(look raster.Look) {
	if look != g.scene.Look {
		g.scene.Look = look
		g.squares.staleTexels, g.squares.staleTable, g.changed = true, true, true
	}
}

// SetCamera sets which part of the grid is seen.
func (g *Game) SetCamera(camera raster.Camera) {
	if camera != g.scene.Camera {
		g.scene.Camera = camera
		g.changed = true
	}
}

// SetCursor rings the cell under the cursor and the selected one;
// unit.NoNode if there is none.
func (g *Game) SetCursor(cursor, selected unit.NodeID) {
	if cursor != g.scene.Cursor || selected != g.scene.Selected {
		g.scene.Cursor, g.scene.Selected = cursor, selected
		g.changed = true
	}
}

// Update implements ebiten.Game.
func (g *Game) Update() error {
	if g.control == nil {
		return nil
	}
	return g.control.Steer(g)
}

// Draw implements ebiten.Game. It leaves the screen as it is when nothing
// changed.
func (g *Game) Draw(screen *ebiten.Image) {
	size := screen.Bounds().Size()
	if !g.changed && g.drawn.width == size.X && g.drawn.height == size.Y {
		return
	}
	g.changed = false
	g.drawn.width, g.drawn.height = size.X, size.Y
	g.squares.draw(screen, &g.scene, g.scale)
	g.shapes.draw(screen, &g.scene, g.scale)
	if g.scene.Frame.Cells > 0 && len(g.scene.Layout.X) > 0 {
		g.pictures++
	}
}

// LayoutF implements ebiten.LayoutFer: the picture has the screen's own
// pixels.
func (g *Game) LayoutF(width, height float64) (float64, float64) {
	scale := ebiten.Monitor().DeviceScaleFactor()
	g.changed = g.changed || scale != g.scale
	g.width, g.height, g.scale = width, height, scale
	return pixels(width, scale), pixels(height, scale)
}

// pixels returns how many pixels of the screen, scale a CSS pixel, a side has: whole
// ones, rounded as Ebitengine rounds the screen, which would else stretch the picture
// by a fraction of a pixel.
func pixels(side, scale float64) float64 { return math.Max(1, math.Floor(side*scale)) }

// Layout implements ebiten.Game; LayoutF is called instead.
func (g *Game) Layout(width, height int) (int, int) { return width, height }
