package main_test

import (
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// A cluster so small that it is drawn at the largest squares, whose edges lie
// on whole pixels.
const small = `{"v":1,"name":"Small","system":"negotiation","seed":7,"cluster":{"nodes":80},
"faults":[{"at":"5m","kind":"rack_down","target":"rack.0"}],"until":"1h"}`

// desktop is the program, built once.
var desktop string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "parley-desktop")
	if err == nil {
		desktop = filepath.Join(dir, "parley-desktop")
		build := exec.Command("go", "build", "-o", desktop, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "building the program:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// call runs the program, on a virtual display if there is no other.
func call(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(desktop, args...)
	if os.Getenv("DISPLAY") == "" {
		xvfb, err := exec.LookPath("xvfb-run")
		if err != nil {
			t.Skip("neither DISPLAY nor xvfb-run is there, so no window was opened")
		}
		cmd = exec.Command(xvfb, append([]string{"-a", "-s", "-screen 0 1400x900x24 +extension GLX +render -noreset", desktop}, args...)...)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func shot(t *testing.T, args ...string) *image.RGBA {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shot.png")
	if out, err := call(t, append(args, "--screenshot", file)...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoded, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewRGBA(decoded.Bounds())
	draw.Draw(picture, picture.Rect, decoded, image.Point{}, draw.Src)
	return picture
}

func write(t *testing.T, document string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.json")
	if err := os.WriteFile(file, []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// expected is the raster's picture of the same scenario at the same moment.
func expected(t *testing.T, document string, at unit.Time, width, height int) *image.RGBA {
	t.Helper()
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil, run.KeepIncidents())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(at); err != nil {
		t.Fatal(err)
	}
	r.Arrive()
	scene := raster.Scene{Layers: r.Layers(), Layout: r.Layout(), Look: raster.Look{Palette: raster.Dusk()}, Cursor: unit.NoNode, Selected: unit.NoNode}
	if err := frame.Decode(r.Frame(nil), &scene.Frame); err != nil {
		t.Fatal(err)
	}
	scene.Camera = raster.Fit(&scene.Layout, float64(width), float64(height), 1, 48)
	return new(raster.Canvas).Draw(&scene, width, height, 1)
}

// TestScreenshot: the window shows the run at the moment asked for, pixel by
// pixel as the raster draws it, but for the edges of a few arcs.
func TestScreenshot(t *testing.T) {
	const width, height = 960, 640
	got := shot(t, write(t, small), "--at", "6m", "--size", "960x640")
	want := expected(t, small, 6*unit.Minute, width, height)
	if got.Rect != want.Rect {
		t.Fatalf("the picture has %v, want %v", got.Rect, want.Rect)
	}
	different, hatched := 0, 0
	for y := range height {
		for x := range width {
			a, b := got.RGBAAt(x, y), want.RGBAAt(x, y)
			if far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B) {
				different++
			}
			if a.R > 200 && a.G < 160 && a.B < 160 {
				hatched++
			}
		}
	}
	if different > width*height/500 {
		t.Errorf("%d of %d pixels differ", different, width*height)
	}
	if hatched < 500 {
		t.Errorf("the rack that is down shows %d pixels of its hatch", hatched)
	}
}

func far(a, b uint8) bool { return a > b+3 && a-b > 3 || b > a && b-a > 3 }

// Time and system change the picture.
func TestScreenshotsDiffer(t *testing.T) {
	file := write(t, small)
	first := shot(t, file, "--at", "2m", "--size", "480x320")
	for _, args := range [][]string{{"--at", "40m"}, {"--at", "2m", "--system", "central"}} {
		second := shot(t, append(args, file, "--size", "480x320")...)
		if string(first.Pix) == string(second.Pix) {
			t.Errorf("the picture with %v is that of 2m", args)
		}
	}
}

// What is wrong ends in one sentence, without a window.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"no-such-scenario"}, `there is no scenario "no-such-scenario"`},
		{[]string{write(t, `{"v":1}`)}, "system"},
		{[]string{write(t, small), "--system", "magic", "--screenshot", filepath.Join(t.TempDir(), "x.png")}, `"magic"`},
		{[]string{write(t, small), "--at", "soon"}, `"soon" is not a duration`},
		{[]string{write(t, small), "--size", "5x5"}, "--size"},
		{[]string{write(t, small), "other"}, "one scenario is played"},
		{[]string{write(t, small), "--trace", "no-such.csv"}, "no-such.csv"},
		{[]string{"--colour"}, "-colour"},
	} {
		out, err := call(t, c.args...)
		if err == nil || !strings.Contains(out, c.want) || strings.Count(strings.TrimSpace(out), "\n") > 0 {
			t.Errorf("%v: %v, %q; want one line with %q", c.args, err, out, c.want)
		}
	}
}
