package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/frame"
	"parley/core/unit"
	"parley/tools/desktop/window"
)

// TestView plays keys and clicks on a small map: two racks of six beside each
// other, cells numbered by rows within their rack, one more rack of two below.
func TestView(t *testing.T) {
	datadriven.RunTest(t, "testdata/view.txt", func(t *testing.T, d *datadriven.TestData) string {
		layout := frame.Racks([]int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2}, 1.2)
		layers := []frame.Layer{{ID: "cpu", Name: "CPU used"}, {ID: "tasks", Name: "Tasks", Top: 40}, {ID: "state", Name: "State", Names: []string{"up", "down"}}}
		values := make([]byte, 14)
		for i := range values {
			values[i] = byte(20 * i)
		}
		values[13] = 255
		f := frame.Frame{Cells: 14, Layers: [][]byte{values, values, make([]byte, 14)}}
		v := window.NewView()
		v.Resize(380, 280)
		v.Show(layers, &layout)
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			words := strings.Fields(line)
			var a, b, c float64
			for i, to := range []*float64{&a, &b, &c} {
				if i+1 < len(words) {
					if _, err := fmt.Sscan(words[i+1], to); err != nil {
						d.Fatalf(t, "%q: %v", line, err)
					}
				}
			}
			switch words[0] {
			case "resize":
				v.Resize(a, b)
			case "fit":
				v.Fit()
			case "zoom":
				v.Zoom(a, b, c)
			case "pan":
				v.Pan(a, b)
			case "move":
				v.Move(int(a), int(b))
			case "select":
				v.Selected = unit.NodeID(a)
			case "near":
				fmt.Fprintf(&out, "near %v\n", v.CardNodes())
			case "focus":
				v.Focus()
			case "fill":
				v.NextFill()
			case "at":
				fmt.Fprintf(&out, "cell %d\n", v.Cell(a, b))
			case "camera":
				fmt.Fprintf(&out, "%.2f, %.2f at %.2f fitted %v\n", v.Camera.X, v.Camera.Y, v.Camera.Zoom, v.Fitted)
			case "cursor":
				fmt.Fprintf(&out, "cursor %d selected %d\n", v.Cursor, v.Selected)
			case "tell":
				fmt.Fprintf(&out, "%q\n", v.Describe(&f))
			case "map":
				for y := range layout.Rows {
					for x := range layout.Columns {
						cell := " ."
						for i := range layout.X {
							if int(layout.X[i]) == x && int(layout.Y[i]) == y {
								cell = fmt.Sprintf("%2d", i)
							}
						}
						out.WriteString(cell + " ")
					}
					out.WriteString("\n")
				}
			default:
				d.Fatalf(t, "no word %q", words[0])
			}
		}
		return out.String()
	})
}

// A smaller cluster forgets a selection that it does not have, and a layer.
func TestShowForgets(t *testing.T) {
	v := window.NewView()
	v.Resize(300, 200)
	large, small := frame.Racks(make([]int32, 50), 1), frame.Racks(make([]int32, 10), 1)
	v.Show(make([]frame.Layer, 3), &large)
	v.Cursor, v.Selected, v.Fill = 4, 40, 2
	v.Show(make([]frame.Layer, 2), &small)
	if v.Cursor != 4 || v.Selected != unit.NoNode || v.Fill != 0 {
		t.Errorf("cursor %d, selected %d, fill %d", v.Cursor, v.Selected, v.Fill)
	}
}

// A view of nothing takes every key.
func TestViewOfNothing(t *testing.T) {
	v := window.NewView()
	v.Move(1, 0)
	v.Focus()
	v.NextFill()
	v.Zoom(2, 10, 10)
	v.Pan(50, 50)
	v.Fit()
	if cell := v.Cell(3, 3); cell != unit.NoNode {
		t.Errorf("cell %d", cell)
	}
	if words := v.Describe(&frame.Frame{}); words != "" {
		t.Errorf("%q", words)
	}
}
