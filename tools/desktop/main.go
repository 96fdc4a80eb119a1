// Command desktop plays a scenario in a native window: the page's engine and
// the page's heatmap without the page.
//
//	parley-desktop                                  the default scenario
//	parley-desktop my.json --system central
//	parley-desktop google-cell --screenshot cell.png --at 10m
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"parley/core/heatmap"
	core "parley/core/play"
	"parley/core/unit"
	"parley/tools/desktop/play"
	"parley/tools/desktop/window"
)

func main() {
	err := start(os.Args[1:], os.Stdout)
	var wrong usageError
	switch {
	case err == nil:
	case errors.As(err, &wrong):
		fmt.Fprintln(os.Stderr, "parley-desktop:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "parley-desktop:", err)
		os.Exit(1)
	}
}

// usageError is an error in how the program was called.
type usageError struct{ error }

const help = `Plays a scenario in a native window.

	parley-desktop [SCENARIO] [flags]

SCENARIO is a file, - for standard input, or one of the gallery by its name;
default google-cell. For a link, "parley link" writes the file.

`

// start runs the program with its arguments. The text of --help goes to out.
func start(args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("parley-desktop", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.system, "system", "", "run under this `system`, not the scenario's own")
	flags.Func("trace", "play this recorded `file`; give it again for more", func(file string) error {
		o.traces = append(o.traces, file)
		return nil
	})
	at := flags.String("at", "0s", "begin at this simulated `time`, as in 6h12m40s")
	screenshot := flags.String("screenshot", "", "write a picture of that time to this `file`.png and end")
	size := flags.String("size", "1280x800", "of the window, in pixels")
	err := parse(flags, args, &o.scenario)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, help)
		flags.SetOutput(out)
		flags.PrintDefaults()
		fmt.Fprintf(out, "\nKeys, by their place on the keyboard:\n%s\n", window.Keys)
		return nil
	}
	if err != nil {
		return usageError{err}
	}
	begin, err := moment(*at)
	if err != nil {
		return usageError{err}
	}
	width, height, err := pixels(*size)
	if err != nil {
		return usageError{err}
	}
	if os.Getenv("DISPLAY") == "" && needsDisplay {
		return errors.New("there is no display: DISPLAY is not set; start it on a desktop, or with xvfb-run")
	}
	scenario, err := load(o)
	if err != nil {
		return err
	}
	ebiten.SetWindowSize(width, height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetWindowTitle(scenario.name + " · Parley")
	ebiten.SetScreenClearedEveryFrame(false)
	if *screenshot != "" {
		return shoot(scenario, begin, *screenshot)
	}
	return show(scenario, begin)
}

// parse reads flags before and after the scenario.
func parse(flags *flag.FlagSet, args []string, scenario *string) error {
	for {
		if err := flags.Parse(args); err != nil {
			return err
		}
		if flags.NArg() == 0 {
			return nil
		}
		if *scenario != "" {
			return fmt.Errorf("one scenario is played, but there are %q and %q", *scenario, flags.Arg(0))
		}
		*scenario, args = flags.Arg(0), flags.Args()[1:]
	}
}

func pixels(size string) (width, height int, err error) {
	var rest string
	n, _ := fmt.Sscanf(size, "%dx%d%s", &width, &height, &rest)
	if n != 2 || width < 100 || height < 100 || width > 8192 || height > 8192 {
		return 0, 0, fmt.Errorf("--size is %q: write it like 1280x800, each side 100 to 8192", size)
	}
	return width, height, nil
}

// show plays the scenario until the window is closed.
func show(s *played, at unit.Time) error {
	began := time.Now()
	player := play.New(s.open, func() time.Duration { return time.Since(began) }, at, true)
	go player.Run()
	defer player.Stop()
	game, err := heatmap.New(window.New(player, s.name, s.system, systems()))
	if err != nil {
		return err
	}
	return ebiten.RunGame(game)
}

// shoot runs the scenario up to a moment, shows it in a window once and writes the picture.
func shoot(s *played, at unit.Time, file string) error {
	var clock time.Duration // real time does not advance: only the moment is wanted
	player := play.New(s.open, func() time.Duration { return clock }, at, false)
	for player.Turn() == core.Busy {
	}
	shot, err := window.NewShot(player, s.name, s.system, file)
	if err != nil {
		return err
	}
	if err := ebiten.RunGame(shot); err != nil {
		return err
	}
	return shot.Err()
}
