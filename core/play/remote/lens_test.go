package remote_test

import (
	"math"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/message"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/unit"
)

// scored asks for formulas and returns the answer with the frame that came before it.
func scored(t *testing.T, host *page, r *remote.Remote, m message.Formulas) (message.Scored, frame.Frame) {
	t.Helper()
	host.forget()
	var shown frame.Frame
	host.posted = func(m message.Message) {
		if f, is := m.(message.Frame); is {
			shown = frame.Frame{}
			if err := frame.Decode(append([]byte(nil), f.Buffer.Bytes...), &shown); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.Receive(m)
	answers, _ := heard[message.Scored](host)
	if len(answers) != 1 {
		t.Fatalf("%+v: %d answers", m, len(answers))
	}
	return answers[0], shown
}

// TestFormulasOnTheMap holds what formulas find to the layers that the run itself paints.
func TestFormulasOnTheMap(t *testing.T) {
	host, r := opened(t, calm, run.First())
	r.Receive(message.Seek{At: unit.Hour})
	for range 200 {
		r.Slice()
	}
	plain, before := scored(t, host, r, message.Formulas{})
	if len(plain.Keep.Bytes) != 0 || len(plain.Best) != 0 || len(plain.Wrong) != 0 || len(plain.Ends) != 0 {
		t.Errorf("without formulas it finds %+v", plain)
	}

	got, f := scored(t, host, r, message.Formulas{Where: "tasks > 2", Score: "-cpu.used / cpu.capacity"})
	if len(f.Layers) != len(before.Layers)+1 || len(got.Wrong) != 0 || got.Unit != "a plain number" || got.Task != "" {
		t.Fatalf("%d layers, and before %d; %+v", len(f.Layers), len(before.Layers), got)
	}
	cpu, tasks, painted := f.Layers[0], f.Layers[5], f.Layers[len(f.Layers)-1]
	kept, best := 0, -1
	for n := range painted {
		want := byte(0)
		if tasks[n] > 2*frame.FullScale/40 {
			want = 1
			kept++
		}
		if got.Keep.Bytes[n] != want {
			t.Fatalf("node %d: kept %d, and its tasks are the byte %d", n, got.Keep.Bytes[n], tasks[n])
		}
		if want == 0 {
			continue
		}
		span := got.Ends[1] - got.Ends[0]
		score := got.Ends[0] + float64(painted[n])/frame.FullScale*span
		if math.Abs(score+float64(cpu[n])/frame.FullScale) > (1+span)/frame.FullScale {
			t.Errorf("node %d: the score %v, and its CPU is the byte %d", n, score, cpu[n])
		}
		if best < 0 || cpu[n] < cpu[best] {
			best = n
		}
	}
	if got.Kept != kept || kept == 0 || kept == len(painted) {
		t.Errorf("%d of %d nodes are kept, counted %d", kept, len(painted), got.Kept)
	}
	if len(got.Best) == 0 || cpu[got.Best[0].Node] != cpu[best] || got.Best[0].Score != got.High {
		t.Errorf("the best node is %+v, and node %d uses least", got.Best, best)
	}

	// A division by zero is not a score; one score for all nodes is a layer of its own.
	if none, _ := scored(t, host, r, message.Formulas{Score: "1 / (tasks - tasks)"}); none.Kept != 0 || len(none.Ends) != 0 || len(none.Best) != 0 || len(none.Wrong) != 0 {
		t.Errorf("divided by zero it finds %+v", none)
	}
	if one, f := scored(t, host, r, message.Formulas{Score: "tasks - tasks + 5"}); one.Low != 5 || one.High != 5 || len(one.Ends) != 2 || one.Ends[1] <= one.Ends[0] || f.Layers[len(f.Layers)-1][7] != 0 {
		t.Errorf("of one score for all it finds %+v", one)
	}
	got, f = scored(t, host, r, message.Formulas{Where: "tasks > 2", Score: "-cpu.used / cpu.capacity"})
	painted = f.Layers[len(f.Layers)-1]

	// The error of a formula names its place, and the last formula without an error stays in use.
	wrong, g := scored(t, host, r, message.Formulas{Where: "tasks > 2 and memory.free > tasks", Score: "-cpu.usde"})
	if len(wrong.Wrong) != 2 || wrong.Wrong[0].Of != "where" || wrong.Wrong[0].Column != 29 || wrong.Wrong[1].Of != "score" || wrong.Wrong[1].Column != 2 || !strings.Contains(wrong.Wrong[1].Sentence, "cpu.used") {
		t.Errorf("what is wrong: %+v", wrong.Wrong)
	}
	if wrong.Kept != kept || string(g.Layers[len(g.Layers)-1]) != string(painted) {
		t.Error("a wrong formula changed the map")
	}

	// A formula of the task is about one, and the best nodes have room for another like it.
	placed, _ := scored(t, host, r, message.Formulas{Score: "after.memory"})
	if placed.Task == "" || placed.Unit != "a share of a machine" || len(placed.Best) == 0 {
		t.Fatalf("a formula of the task finds %+v", placed)
	}
	for _, one := range placed.Best {
		if one.After[0] > 1 || one.After[1] > 1 {
			t.Errorf("node %d would be used by %v", one.Node, one.After)
		}
	}
	if last, h := scored(t, host, r, message.Formulas{}); len(last.Keep.Bytes) != 0 || len(h.Layers) != len(before.Layers) {
		t.Errorf("the formulas are gone, and %d layers stay", len(h.Layers))
	}
}
