package raster_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/heatmap/raster"
	"parley/core/heatmap/raster/rastertest"
	"parley/core/message"
	"parley/core/unit"
)

// TestCards draws nodes with their tasks as lists of shapes: testdata/cards.txt has a
// task a line, with its shares of CPU and memory.
func TestCards(t *testing.T) {
	datadriven.RunTest(t, "testdata/cards.txt", func(t *testing.T, d *datadriven.TestData) string {
		s := rastertest.RackLoss()
		s.Cursor, s.Selected, s.Frame.Arcs = unit.NoNode, unit.NoNode, nil
		zoom := 240.0
		if d.HasArg("zoom") {
			zoom = number(t, d, "zoom")
		}
		s.Camera = raster.Camera{Zoom: zoom}
		card := message.Card{Node: 0, Up: true, Used: []float64{0, 0}, Requested: []float64{1.05, 0.5}}
		for _, line := range strings.Split(d.Input, "\n") {
			words := strings.Fields(line)
			one := message.CardTask{ID: words[0], Production: slices.Contains(words, "production"), Used: make([]float64, 2)}
			for i := range one.Used {
				if _, err := fmt.Sscan(words[1+i], &one.Used[i]); err != nil {
					d.Fatalf(t, "%q: %v", line, err)
				}
				card.Used[i] += one.Used[i]
			}
			if slices.Contains(words, "chosen") {
				s.Task = one.ID
			}
			card.Tasks = append(card.Tasks, one)
		}
		s.Cards = []message.Card{card}
		var out strings.Builder
		of := map[string]int{}
		for line := range strings.Lines(listed(s, 236, 236)) {
			what, rest, _ := strings.Cut(line, " ")
			of[what]++
			if strings.HasPrefix(rest, "area") && slices.Contains([]string{"production", "batch", "chosen", "over"}, what) && !strings.Contains(rest, "#12161d") && !strings.Contains(rest, "#e8ecf2") {
				out.WriteString(line)
			}
		}
		for _, what := range []string{"card", "node", "grid", "whole", "requested"} {
			if of[what] > 0 {
				fmt.Fprintf(&out, "%s: %d shapes\n", what, of[what])
			}
		}
		return out.String()
	})
}

// The words on a card stand where its bars are: site/src/model/near.ts has the same
// numbers.
func TestCardMeasures(t *testing.T) {
	source, err := os.ReadFile("../../../site/src/model/near.ts")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range raster.CardMeasures() {
		found := regexp.MustCompile(`const ` + name + ` = ([0-9.]+);`).FindSubmatch(source)
		if found == nil || string(found[1]) != fmt.Sprint(want) {
			t.Errorf("near.ts says %s of %s, the list has %v", found, name, want)
		}
	}
}
