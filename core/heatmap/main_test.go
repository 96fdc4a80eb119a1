package heatmap_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hajimehoshi/ebiten/v2"
)

// stage runs the tests inside a game: pixels can be read only there.
type stage struct {
	m    *testing.M
	code int
}

func (s *stage) Update() error {
	s.code = s.m.Run()
	return ebiten.Termination
}

func (*stage) Draw(*ebiten.Image) {}

func (*stage) Layout(int, int) (int, int) { return 64, 64 }

func TestMain(m *testing.M) {
	if os.Getenv("DISPLAY") == "" {
		fmt.Println("core/heatmap: DISPLAY is not set, so nothing was tested here; xvfb-run -a go test ./core/heatmap does")
		return
	}
	s := &stage{m: m}
	if err := ebiten.RunGame(s); err != nil {
		fmt.Println("core/heatmap:", err)
		os.Exit(1)
	}
	os.Exit(s.code)
}
