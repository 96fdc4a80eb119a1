package run_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/frame"
	"parley/core/kube/dump"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/testkit/runtest"
	"parley/core/trace"
	"parley/core/trace/kubernetes"
	"parley/core/unit"
)

// TestSupplies plays an invented cluster whose nodes have GPUs of two models, disks and a limit of
// pods: whatever the system, no node gives more of them than it has, and layers, the
// inspector and the report have what the tasks of each node hold.
func TestSupplies(t *testing.T) {
	if unit.Resources > 2 {
		t.Skip("this build counts GPUs and disk as resources")
	}
	var made bytes.Buffer
	if err := dump.Generate(&made, dump.Size{Nodes: 40, Pods: 1200, Seed: 10}); err != nil {
		t.Fatal(err)
	}
	// Half of the pods that a node takes by default, so that the limit is met.
	text := bytes.ReplaceAll(made.Bytes(), []byte(`"pods": "110"`), []byte(`"pods": "34"`))
	if bytes.Equal(text, made.Bytes()) {
		t.Fatal("the dump has no limit of pods")
	}
	files := []trace.File{{Name: "dump.json", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}
	for _, system := range []string{
		`"central"`, `"central","settings":{"policy":"worst-fit"}`, `"central","settings":{"policy":"first-fit"}`, `"central","settings":{"policy":"kube"}`,
		`"central","settings":{"policy":"random","preempt":true}`, `"negotiation"`, `"yield"`,
	} {
		t.Run(strings.Map(letters, system), func(t *testing.T) {
			s := runtest.Parse(t, fmt.Sprintf(`{"v":1,"system":%s,"until":"25h"}`, system))
			source, err := feed.Open(s, files, []trace.Format{kubernetes.Format()}, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := run.Open(s, source)
			if err != nil {
				t.Fatal(err)
			}
			runtest.Advance(t, r, unit.Minute)
			early, err := run.NewSnapshots(r).Take()
			if err != nil {
				t.Fatal(err)
			}
			largest := 0.0
			for _, at := range []unit.Time{unit.Minute, 20 * unit.Hour, 25 * unit.Hour} {
				runtest.Advance(t, r, at)
				largest = max(largest, checkSupplies(t, r, source))
			}
			if largest < 1 && system != `"yield"` { // its solver knows CPU and memory, and stops before
				t.Errorf("at most %.2f of the pods of a node are taken", largest)
			}
			if err := r.Audit(); err != nil {
				t.Fatal(err)
			}
			if source, err = feed.Open(s, files, []trace.Format{kubernetes.Format()}, trace.Options{}); err != nil {
				t.Fatal(err)
			}
			again, _, err := early.Restore(source, nil)
			if err != nil {
				t.Fatal(err)
			}
			runtest.Advance(t, again, 25*unit.Hour)
			if again.Digest() != r.Digest() || !reflect.DeepEqual(again.Report().Metrics, r.Report().Metrics) {
				t.Errorf("played again from a snapshot: digest %v, want %v", again.Digest(), r.Digest())
			}
			checkSupplies(t, again, source)
			report := r.Report()
			if held := report.Metrics["nvidia_com_gpu_requested_pct"]; held <= 1 || held > 100 {
				t.Errorf("%v %% of the GPUs are held", held)
			}
			for _, c := range report.Supplies {
				if _, has := report.AtEnd[c.ID]; !has {
					t.Errorf("the report has no value of %s", c.ID)
				}
			}
		})
	}
}

func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r == '-' {
		return r
	}
	return -1
}

// checkSupplies compares layers and facts with the tasks' own requests. It returns the largest part
// of the pods of a node that are taken.
func checkSupplies(t *testing.T, r *run.Run, source trace.Source) (largest float64) {
	t.Helper()
	v, supplies := r.View(), source.Names().Supplies()
	var f frame.Frame
	if err := frame.Decode(r.Frame(nil), &f); err != nil {
		t.Fatal(err)
	}
	layers := r.Layers()
	if _, names := r.LayoutIn(1000, 600, 20, "rack"); len(names) < 2 || !strings.HasPrefix(names[0], "region-1") {
		t.Errorf("the racks are named %q", names)
	}
	if _, names := r.LayoutIn(1000, 600, 20, inspect.ByAttribute); !slices.Contains(names, "GPU model: none") || !slices.Contains(names, "GPU model: NVIDIA-L40S") {
		t.Errorf("the nodes stand together by %q", names)
	}
	if len(supplies) < 5 || len(layers) != len(f.Layers) {
		t.Fatalf("%d supplies, %d layers of %d", len(supplies), len(f.Layers), len(layers))
	}
	for k, s := range supplies {
		layer := len(layers) - len(source.Names().Groups()) - len(supplies) + k
		if layers[layer].ID != s.ID {
			t.Fatalf("the layer of %s is %s", s.ID, layers[layer].ID)
		}
		for n := range unit.NodeID(v.Nodes()) {
			held := int64(0)
			for id := range v.Tasks(n) {
				task, _ := v.Task(id)
				for _, want := range task.Constraints {
					if want.Name == s.Name && want.Op == 4 {
						held += want.Value
					}
				}
			}
			has := max(0, v.Attribute(n, s.Name))
			if held > has {
				t.Errorf("node %d has %d of %s, its tasks hold %d", n, has, s.ID, held)
			}
			meant := s.Only.Value == 0 || v.Attribute(n, s.Only.Name) == s.Only.Value
			want := byte(0)
			if meant && has > 0 {
				want = byte(min(math.Floor(float64(held)/float64(has)*frame.FullScale), 255))
			}
			if moving := v.Incoming(n) > 0; f.Layers[layer][n] != want && !moving {
				t.Errorf("the layer %s draws node %d as %d, want %d: %d of %d", s.ID, n, f.Layers[layer][n], want, held, has)
			}
			if s.ID != "pods" {
				continue
			}
			largest = max(largest, float64(held)/float64(has))
			node, err := r.Inspect(n)
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(node.Facts); v.Incoming(n) == 0 && !strings.Contains(text, fmt.Sprintf("{Pods %d of %d}", held, has)) || !strings.Contains(text, "{Name node-") || !strings.Contains(text, "{Zone region-1") {
				t.Errorf("node %d: %s, want %d of %d pods", n, text, held, has)
			}
		}
	}
	return largest
}
