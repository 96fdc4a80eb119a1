package raster_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/frame"
	"parley/core/heatmap/raster"
	"parley/core/heatmap/raster/rastertest"
	"parley/core/message"
	"parley/core/unit"
)

// TestPace: pictures have a budget of 40 ms; "cost 50ms 9" tells nine that took 50 ms
// and prints what is left out after which of them.
func TestPace(t *testing.T) {
	names := []string{"everything is drawn", "no rings", "no rings, no glow", "no rings, no glow, no tails"}
	datadriven.RunTest(t, "testdata/pace.txt", func(t *testing.T, d *datadriven.TestData) string {
		p := raster.Pace{Budget: 40 * time.Millisecond}
		var out strings.Builder
		picture := 0
		for _, line := range strings.Split(d.Input, "\n") {
			var cost string
			var times int
			if _, err := fmt.Sscanf(line, "cost %s %d", &cost, &times); err != nil {
				d.Fatalf(t, "%q: %v", line, err)
			}
			span, err := time.ParseDuration(cost)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			for range times {
				if picture++; p.Took(span) {
					fmt.Fprintf(&out, "picture %d: %s\n", picture, names[p.Left])
				}
			}
		}
		return out.String()
	})
}

// busy is RackLoss while everything moves at once: cells change, messages come.
func busy() *raster.Scene {
	s := rastertest.RackLoss()
	s.Motion = &raster.Motion{}
	s.Motion.Follow(s, 0)
	for i := range 6 {
		s.Frame.Layers[rastertest.CPU][9*i] ^= 0x40
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: unit.NodeID(i), To: unit.NodeID(100 + i), Kind: frame.Asked})
	}
	s.Frame.At += unit.Second
	s.Motion.Follow(s, 100*time.Millisecond)
	s.Motion.Tick(300 * time.Millisecond)
	return s
}

// What is dropped goes in its order, and cells, racks, rims and heads of arcs stay.
func TestThriftDropsInOrder(t *testing.T) {
	var list raster.List
	count := func(left raster.Thrift) map[string]int {
		s := busy()
		s.Left = left
		s.Overlay(&list, 160, 100, 1)
		of := map[string]int{}
		for _, shape := range list.Shapes {
			of[shape.What]++
		}
		return of
	}
	whole := count(raster.Everything)
	t.Logf("everything: %v", whole)
	if whole["message"] != 6 || whole["glow"] == 0 || whole["arc"] == 0 || whole["rack"] == 0 || whole["changed"] == 0 {
		t.Fatalf("the busy scene shows %v", whole)
	}
	for left, gone := range map[raster.Thrift][]string{raster.NoRings: {"message"}, raster.NoGlow: {"message", "glow"}, raster.NoTails: {"message", "glow"}} {
		for what, n := range count(left) {
			if slices.Contains(gone, what) || n != whole[what] && what != "arc" {
				t.Errorf("thrift %d: %d of %q, of %d", left, n, what, whole[what])
			}
		}
		for what := range whole {
			if now := count(left)[what]; now == 0 && !slices.Contains(gone, what) {
				t.Errorf("thrift %d: no %q is left", left, what)
			}
		}
	}
	length := func(left raster.Thrift) (sum float64) {
		s := busy()
		s.Left = left
		s.Overlay(&list, 160, 100, 1)
		for i := range list.Shapes {
			if list.Shapes[i].What == "arc" {
				sum += list.Length(i)
			}
		}
		return sum
	}
	if all, heads := length(raster.NoGlow), length(raster.NoTails); heads > all/2 {
		t.Errorf("arcs are %.0f px long, and %.0f without their tails", all, heads)
	}
}

// However many messages come, sixty rings are drawn at most, of the whole list.
func TestMessagesAreSampledEvenly(t *testing.T) {
	s := rastertest.RackLoss()
	s.Motion = &raster.Motion{}
	s.Motion.Follow(s, 0)
	s.Frame.Arcs = nil
	for i := range 1200 {
		s.Frame.Arcs = append(s.Frame.Arcs, frame.Arc{From: 0, To: unit.NodeID(1 + i/12), Kind: frame.Asked})
	}
	s.Frame.At += unit.Second
	s.Motion.Follow(s, time.Millisecond)
	s.Motion.Tick(100 * time.Millisecond)
	var list raster.List
	s.Overlay(&list, 160, 100, 1)
	cells := 0
	for _, shape := range list.Shapes {
		if shape.What == "message" {
			cells++
		}
	}
	if cells != 60 {
		t.Errorf("%d rings are drawn of 1,200 messages", cells)
	}
	if s.Motion.Tick(700*time.Millisecond) && strings.Contains(listed(s), "message") {
		t.Error("messages pulse for longer than half a second")
	}
}

func listed(s *raster.Scene) string {
	var list raster.List
	s.Overlay(&list, 160, 100, 1)
	return list.String()
}

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
		for line := range strings.Lines(listWithin(s, 236, 236)) {
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

func listWithin(s *raster.Scene, width, height int) string {
	var list raster.List
	s.Overlay(&list, width, height, 1)
	return list.String()
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
