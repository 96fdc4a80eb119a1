package paper_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/core/paper"
	"parley/core/unit"
)

// TestBrokenOffGoesOn: an experiment that is broken off after some runs and begun again
// plays the others only, and finds what one that was not finds, also where runs that ended
// early and cells with other requests are among them.
func TestBrokenOffGoesOn(t *testing.T) {
	for id, most := range map[string]int{"negotiation/tuning": 5} {
		e, err := paper.Unjudged(id)
		if err != nil {
			t.Fatal(err)
		}
		o := paper.Options{Seeds: 2, Nodes: 20, Until: 25 * unit.Minute}
		want, err := e.Run(o)
		if err != nil {
			t.Fatal(err)
		}
		shelf := map[string][]byte{}
		played, ends := 0, errors.New("broken off")
		o.Once = func(name string, play func() ([]byte, error)) ([]byte, error) {
			if text, is := shelf[name]; is {
				return text, nil
			}
			if played == most {
				return nil, ends
			}
			played++
			text, err := play()
			shelf[name] = text
			return text, err
		}
		if _, err := e.Run(o); !errors.Is(err, ends) || len(shelf) != most {
			t.Fatalf("%s: %v after %d runs", id, err, len(shelf))
		}
		most = 1 << 30
		got, err := e.Run(o)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(paper.Row{})); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", id, err, diff)
		}
		if played != len(shelf) {
			t.Errorf("%s: %d runs for %d cells", id, played, len(shelf))
		}
		for name, text := range shelf {
			shelf[name] = append([]byte{}, text[:len(text)/2]...)
		}
		if _, err := e.Run(o); err == nil || !strings.Contains(err.Error(), "what is kept of it") {
			t.Errorf("%s: half a file: %v", id, err)
		}
		for name := range shelf {
			shelf[name], _ = json.Marshal(map[string]any{"minutes": 3, "counts": []float64{1}})
		}
		if _, err := e.Run(o); err == nil || !strings.Contains(err.Error(), "what is kept of it") {
			t.Errorf("%s: something else: %v", id, err)
		}
	}
}

// TestTuned: of settings that lose hardly more than the best, the one that moves least is
// taken.
func TestTuned(t *testing.T) {
	for _, c := range []struct {
		loss, moved []float64
		want        int
	}{
		{[]float64{1, 0.5, 2}, []float64{0, 9, 0}, 1},
		{[]float64{0.51, 0.5, 2}, []float64{1, 9, 0}, 0},
		{[]float64{0.53, 0.5, 0.515}, []float64{0, 9, 8}, 2},
		{[]float64{0, 0, 0}, []float64{3, 2, 2}, 1},
	} {
		if got := paper.BestOf(c.loss, c.moved); got != c.want {
			t.Errorf("%v, %v: %d, not %d", c.loss, c.moved, got, c.want)
		}
	}
}
