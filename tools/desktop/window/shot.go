package window

import (
	"bufio"
	"errors"
	"image"
	"image/png"
	"os"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/heatmap"
	"parley/tools/desktop/play"
)

// Shot is a game that shows one picture, writes it to a file and ends.
type Shot struct {
	*heatmap.Game
	window *Window
	file   string
	ticks  int
	done   bool
	err    error // of writing the file
}

// NewShot returns a shot of the player's current picture.
func NewShot(player *play.Player, name, system, file string) (*Shot, error) {
	w := New(player, name, system, nil)
	game, err := heatmap.New(blind{w})
	if err != nil {
		return nil, err
	}
	game.Scene().Motion = nil // a picture of one moment: arcs as far as they have come
	return &Shot{Game: game, window: w, file: file}, nil
}

// blind follows the player and ignores all input: the pointer's position is not part of the picture.
type blind struct{ *Window }

func (b blind) Steer(g *heatmap.Game) error {
	err := b.follow(g)
	b.look(g)
	return err
}

// Err returns the error of writing the picture.
func (s *Shot) Err() error { return s.err }

// Update implements ebiten.Game. It ends the program when the picture is written, and fails after ten seconds (600
// ticks) without one.
func (s *Shot) Update() error {
	if s.done {
		return ebiten.Termination
	}
	if err := s.Game.Update(); err != nil {
		return err
	}
	if err := s.window.shown.Err; err != nil {
		return err
	}
	if s.ticks++; s.ticks > 600 {
		return errors.New("no picture was drawn within 600 ticks")
	}
	return nil
}

// Draw implements ebiten.Game.
func (s *Shot) Draw(screen *ebiten.Image) {
	s.Game.Draw(screen)
	if s.done || s.Pictures() == 0 {
		return
	}
	picture := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(picture.Pix)
	s.err, s.done = write(s.file, picture), true
}

func write(file string, picture image.Image) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	return errors.Join(png.Encode(w, picture), w.Flush(), f.Close())
}
