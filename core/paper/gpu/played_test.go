package gpu

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/batch/device"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
)

// TestOpenbPlayed lets the central scheduler place openb's pods in the order of their list, without times, and holds
// each pod's node, and what each device has left, to what fgd/openb makes of the same order.
func TestOpenbPlayed(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	read := func(name string) string {
		f, err := os.Open(filepath.Join(root, "field/openb2023", name))
		if err != nil {
			t.Skipf("no %s, see PARLEY_TRACES", name)
		}
		defer f.Close()
		r := io.Reader(f)
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatal(err)
			}
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	nodes, pods := read("openb_node_list_gpu_node.csv"), read("openb_pod_list_default.csv.gz")
	rows, err := csv.NewReader(strings.NewReader(pods)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	w := csv.NewWriter(&list)
	for _, row := range rows {
		_ = w.Write(row[:6]) // to gpu_spec: no times
	}
	w.Flush()
	named := func(name, text string) trace.File {
		return trace.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	}
	files := []trace.File{named("nodes.csv", nodes), named("pods.csv", list.String())}
	o, err := call(files).readOpenb()
	if err != nil {
		t.Fatal(err)
	}
	policies := []string{"fgd", "best-fit", "packing", "clustering", "dot-product"}
	if testing.Short() {
		policies = policies[:1]
	}
	for _, name := range policies {
		policy, _ := device.ParsePolicy(name)
		cell := device.NewCell(policy, rng.New(0, ""))
		cell.SetTypical(device.TypicalOf(o.pods, typicalShare))
		for i, n := range o.nodes {
			cell.SetNode(i, n)
		}
		want := make([]int, len(o.pods))
		for i := range o.pods {
			want[i] = -1
			if at, ok := cell.Place(&o.pods[i], nil); ok {
				want[i] = at.Node
			}
		}
		source, err := trace.Open(files, formats.All, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if name != "fgd" {
			name = "gpu-" + name
		}
		s, err := scenario.Parse([]byte(fmt.Sprintf(`{"v":1,"system":"central","settings":{"policy":%q},"until":"9000s"}`, name)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Open(s, source)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Advance(9000 * unit.Second); err != nil {
			t.Fatal(err)
		}
		got := slices.Repeat([]int{-2}, len(o.pods))
		v := r.View()
		v.Alive(func(id unit.TaskID) bool {
			task, _ := v.Task(id)
			got[task.Submitted/unit.Second] = int(task.Node)
			return true
		})
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: pod %d is on node %d, and the paper's function puts it on %d", name, i, got[i], want[i])
			}
		}
		report, err := json.Marshal(r.Report().System)
		if err != nil {
			t.Fatal(err)
		}
		held := o.devices
		for i := range o.nodes {
			for _, free := range cell.Node(i).Free {
				held -= int64(free)
			}
		}
		for _, figure := range []string{
			fmt.Sprintf(`"gpus_held":%v`, float64(held)/1000), fmt.Sprintf(`"gpus_fragmented":%v`, cell.Fragmentation()/1000),
		} {
			if !strings.Contains(string(report), figure) {
				t.Errorf("%s: the report has no %s: %s", name, figure, report)
			}
		}
	}
}
