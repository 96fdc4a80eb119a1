package raster_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/heatmap/raster"
	"parley/core/message"
	"parley/core/testkit/rastertest"
	"parley/core/unit"
)

// TestCards draws nodes with their tasks as lists of shapes: testdata/cards.txt has a
// task a line, with its shares of CPU and memory, and perhaps of more. zoom, scale, x and y are
// the camera's; requested has other shares than 1.05 and 0.5. With "all" every shape is
// listed, but for dashes, else what is filled.
func TestCards(t *testing.T) {
	datadriven.RunTest(t, "testdata/cards.txt", func(t *testing.T, d *datadriven.TestData) string {
		s := rastertest.RackLoss()
		s.Cursor, s.Selected, s.Frame.Arcs = unit.NoNode, unit.NoNode, nil
		zoom := 240.0
		if d.HasArg("zoom") {
			zoom = number(t, d, "zoom")
		}
		s.Camera = raster.Camera{Zoom: zoom}
		scale := 1.0
		for key, to := range map[string]*float64{"x": &s.Camera.X, "y": &s.Camera.Y, "scale": &scale} {
			if d.HasArg(key) {
				*to = number(t, d, key)
			}
		}
		card := message.Card{Node: 0, Up: true, Used: []float64{0, 0}, Requested: []float64{1.05, 0.5}}
		if a, has := d.Arg("requested"); has {
			card.Requested = nil
			for _, text := range a.Vals {
				share, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				card.Requested = append(card.Requested, share)
			}
		}
		for _, line := range strings.Split(d.Input, "\n") {
			words := strings.Fields(line)
			one := message.CardTask{ID: words[0], Production: slices.Contains(words, "production")}
			for i, word := range words[1:] {
				used, err := strconv.ParseFloat(word, 64)
				if err != nil {
					break
				}
				if i == len(card.Used) {
					card.Used = append(card.Used, 0)
				}
				one.Used = append(one.Used, used)
				card.Used[i] += used
			}
			if slices.Contains(words, "chosen") {
				s.Task = one.ID
			}
			card.Tasks = append(card.Tasks, one)
		}
		s.Cards = []message.Card{card}
		var out strings.Builder
		of := map[string]int{}
		var list raster.List
		s.Overlay(&list, int(236*scale), int(236*scale), scale)
		for line := range strings.Lines(list.String()) {
			kind, rest, _ := strings.Cut(line, " ")
			of[kind]++
			if d.HasArg("all") {
				if kind != "requested" && kind != "node" {
					out.WriteString(line)
				}
				continue
			}
			if strings.HasPrefix(rest, "area") && slices.Contains([]string{"production", "batch", "chosen", "over"}, kind) && !strings.Contains(rest, "#12161d") && !strings.Contains(rest, "#e8ecf2") {
				out.WriteString(line)
			}
		}
		for _, kind := range []string{"card", "node", "grid", "whole", "requested"} {
			if of[kind] > 0 {
				fmt.Fprintf(&out, "%s: %d shapes\n", kind, of[kind])
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
	look, err := os.ReadFile("../../../site/src/model/look.ts")
	if err != nil {
		t.Fatal(err)
	}
	camera, err := os.ReadFile("../../../site/src/model/camera.ts")
	if err != nil {
		t.Fatal(err)
	}
	cards, err := os.ReadFile("../../../site/src/place/watch/panel/cards.ts")
	if err != nil {
		t.Fatal(err)
	}
	source = slices.Concat(source, look, camera, cards)
	for name, want := range raster.CardMeasures() {
		found := regexp.MustCompile(`const ` + name + ` = ([0-9.]+);`).FindSubmatch(source)
		if found == nil || string(found[1]) != fmt.Sprint(want) {
			t.Errorf("near.ts, look.ts, camera.ts and cards.ts say %s of %s, the list has %v", found, name, want)
		}
	}
}
