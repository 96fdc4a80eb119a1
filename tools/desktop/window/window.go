// Package window controls the heatmap of a native window: it turns keys and the pointer into wishes
// to the player and changes of the view, as the page does, and shows the page's texts in the
// window's title.
//
//	w := window.New(player, "Google cell", systems)
//	game, err := heatmap.New(w)
//	…
//	err = ebiten.RunGame(game)
package window

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"parley/core/frame"
	"parley/core/heatmap"
	"parley/core/heatmap/raster"
	"parley/core/message"
	core "parley/core/play"
	"parley/core/run/inspect"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/tools/desktop/play"
)

// Keys describes the keys, for --help.
const Keys = `Space play · [ ] speed · . to the next minute · W S or + - zoom · A D pan · 0 everything · F centre, again everything
V fill · G group · arrows cursor · Enter select · Esc cancels what takes long, or back · K fail the selected node, R restore it · 1-6 system
The wheel zooms, dragging pans, a click selects.`

// System is one of the systems that the keys 1 to 6 choose.
type System struct{ ID, Name string }

// Window is a heatmap.Control.
type Window struct {
	player  *play.Player
	name    string // of the scenario
	systems []System
	system  string // the name of the running system

	nearby   []unit.NodeID // whose cards were requested
	group    int           // of groups
	view     *View
	began    time.Time
	shown    play.Snapshot
	frame    frame.Frame
	spent    []byte
	title    string
	layout   *frame.Layout // that the game has
	pressed  bool          // the left button
	dragging bool
	x, y     float64 // where the pointer was
}

// New returns the control of a scenario with a name, which runs under the
// system with the given name.
func New(player *play.Player, name, system string, systems []System) *Window {
	return &Window{player: player, name: name, system: system, systems: systems, view: NewView(), began: time.Now()}
}

// View returns where the viewer looks.
func (w *Window) View() *View { return w.view }

// Steer implements heatmap.Control.
func (w *Window) Steer(g *heatmap.Game) error {
	if err := w.follow(g); err != nil {
		return err
	}
	w.listen(g.Scale())
	w.look(g)
	if title := w.Title(); title != w.title {
		w.title = title
		ebiten.SetWindowTitle(title)
	}
	return nil
}

// follow shows the player's latest snapshot.
func (w *Window) follow(g *heatmap.Game) error {
	g.SetTime(time.Since(w.began))
	w.view.Resize(g.Size())
	if s, fresh := w.player.Take(w.spent); fresh {
		w.spent = nil
		return w.show(g, s)
	}
	return nil
}

// look passes the view to the game.
func (w *Window) look(g *heatmap.Game) {
	if nearby := w.view.CardNodes(); !slices.Equal(nearby, w.nearby) {
		w.nearby = nearby
		w.player.ShowCards(nearby)
	}
	g.SetCamera(w.view.Camera)
	g.SetCursor(w.view.Cursor, w.view.Selected)
	g.SetLook(raster.Look{Fill: w.view.Fill, Palette: g.Scene().Look.Palette})
}

// listen reads keys and pointer.
func (w *Window) listen(scale float64) {
	for _, key := range inpututil.AppendJustPressedKeys(nil) {
		w.Press(key)
	}
	for _, key := range []ebiten.Key{
		ebiten.KeyW, ebiten.KeyS, ebiten.KeyA, ebiten.KeyD, ebiten.KeyArrowLeft,
		ebiten.KeyArrowRight, ebiten.KeyArrowUp, ebiten.KeyArrowDown,
	} {
		if held := inpututil.KeyPressDuration(key); held > 20 && held%3 == 0 { // ticks of 1/60 s
			w.Press(key)
		}
	}
	for _, char := range ebiten.AppendInputChars(nil) { // wherever a keyboard has them
		w.Type(char)
	}
	x, y := ebiten.CursorPosition()
	_, wheel := ebiten.Wheel()
	w.Point(float64(x)/scale, float64(y)/scale, ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft), wheel)
}

// show gives a snapshot to the game. It passes layers and layouts only if they changed, because the
// game uploads them.
func (w *Window) show(g *heatmap.Game, s play.Snapshot) error {
	if s.Frame == nil { // only its texts changed
		w.shown.Waiting, w.shown.Err, w.shown.Speed = s.Waiting, s.Err, s.Speed
		return nil
	}
	w.view.Show(s.Layers, s.Layout)
	if s.Layout != w.layout {
		w.layout = s.Layout
		g.SetLayers(s.Layers)
		if err := g.SetLayout(*s.Layout); err != nil {
			return err
		}
	}
	g.SetCards(s.Cards, "")
	old := w.shown.Frame
	w.shown = s
	if err := g.SetFrame(s.Frame); err != nil {
		return err
	}
	w.spent = old
	return frame.Decode(s.Frame, &w.frame)
}

// Press carries out the command of a key, given by its position on the keyboard.
func (w *Window) Press(key ebiten.Key) {
	v := w.view
	switch key {
	case ebiten.KeySpace:
		w.player.Toggle()
	case ebiten.KeyBracketLeft:
		w.player.Faster(-1)
	case ebiten.KeyBracketRight:
		w.player.Faster(1)
	case ebiten.KeyPeriod:
		w.player.Ask(func(p *core.Player) { p.Step() })
	case ebiten.KeyW:
		v.Zoom(zoomStep, v.Width/2, v.Height/2)
	case ebiten.KeyS:
		v.Zoom(1/zoomStep, v.Width/2, v.Height/2)
	case ebiten.KeyA:
		v.Pan(panStep, 0)
	case ebiten.KeyD:
		v.Pan(-panStep, 0)
	case ebiten.KeyDigit0, ebiten.KeyNumpad0:
		v.Fit()
	case ebiten.KeyF:
		v.Focus()
	case ebiten.KeyV:
		v.NextFill()
	case ebiten.KeyG:
		w.group = (w.group + 1) % len(groups)
		w.player.Group(groups[w.group])
	case ebiten.KeyArrowLeft:
		v.Move(-1, 0)
	case ebiten.KeyArrowRight:
		v.Move(1, 0)
	case ebiten.KeyArrowUp:
		v.Move(0, -1)
	case ebiten.KeyArrowDown:
		v.Move(0, 1)
	case ebiten.KeyEnter, ebiten.KeyNumpadEnter:
		v.Selected = v.Cursor
	case ebiten.KeyEscape:
		if w.shown.Waiting != nil {
			w.player.Ask(func(p *core.Player) { p.Cancel() })
			return
		}
		v.Selected, v.Cursor = unit.NoNode, unit.NoNode
	case ebiten.KeyK:
		w.fault("node_down")
	case ebiten.KeyR:
		w.fault("node_up")
	default:
		if n := int(key - ebiten.KeyDigit1); n >= 0 && n < min(6, len(w.systems)) {
			w.system = w.systems[n].Name
			w.player.Choose(w.systems[n].ID)
		}
	}
}

// groups are the groupings through which the key G cycles, racks first.
var groups = []string{"", inspect.BySite, inspect.ByMachine, inspect.ByAttribute, inspect.ByZone}

// A key zooms by zoomStep and pans by panStep CSS pixels, as on the page.
const (
	zoomStep = 1.4
	panStep  = 80
)

// Type carries out the command of a character, independent of its position on the keyboard.
func (w *Window) Type(char rune) {
	switch char {
	case '+':
		w.Press(ebiten.KeyW)
	case '-':
		w.Press(ebiten.KeyS)
	}
}

func (w *Window) fault(kind string) {
	if w.view.Selected != unit.NoNode {
		fault := scenario.Fault{Kind: kind, Target: fmt.Sprintf("node.%d", w.view.Selected)}
		w.player.Ask(func(p *core.Player) { p.Inject(fault) })
	}
}

// Point handles the pointer: its position (CSS pixels), whether the left button is down, and the
// turn of the wheel.
func (w *Window) Point(x, y float64, pressed bool, wheel float64) {
	v := w.view
	if wheel != 0 {
		factor := zoomStep
		if wheel < 0 {
			factor = 1 / zoomStep
		}
		v.Zoom(factor, x, y)
	}
	moved := x != w.x || y != w.y
	switch {
	case pressed && w.pressed && moved:
		if far := max(x-w.x, w.x-x, y-w.y, w.y-y); w.dragging || far > 3 {
			w.dragging = true
			v.Pan(x-w.x, y-w.y)
		} else {
			return // not a drag yet: measured from where the button went down
		}
	case !pressed && w.pressed && !w.dragging:
		v.Selected = v.Cell(w.x, w.y)
	case moved:
		v.Cursor = v.Cell(x, y)
	}
	w.dragging = w.dragging && pressed
	w.pressed = pressed
	w.x, w.y = x, y
}

// Title returns the window's title.
func (w *Window) Title() string {
	parts := []string{w.name, w.system}
	switch s := w.shown; {
	case s.Err != nil:
		parts = append(parts, s.Err.Error())
	case s.Waiting != nil:
		parts = append(parts, waiting(*s.Waiting))
	default:
		parts = append(parts, (s.At / unit.Second * unit.Second).String(), pace(s))
	}
	if words := w.view.Describe(&w.frame); words != "" {
		parts = append(parts, words)
	} else if w.view.Fill < len(w.shown.Layers) {
		parts = append(parts, w.shown.Layers[w.view.Fill].Name)
	}
	return strings.Join(parts, " · ") + " · Parley"
}

// waiting describes the progress of a long operation.
func waiting(p message.Progress) string {
	words := p.Phase
	if p.Total > 0 {
		words += fmt.Sprintf(", %.0f %%", math.Floor(100*min(p.Done/p.Total, 0.99))) // never all of it while it lasts
	}
	return words + ", Esc cancels"
}

func pace(s play.Snapshot) string {
	switch {
	case s.Ended:
		return "ended"
	case s.Paused:
		return "paused"
	case s.Speed == 0:
		return "as fast as it goes"
	}
	return fmt.Sprintf("%.0f×", s.Speed)
}
