//go:build resources4

package run_test

import (
	"fmt"
	"io"
	"slices"
	"testing"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/unit"
	"parley/core/workload"
)

// cellWithGPUs brings 24 machines, every third with GPUs and all with disks, and
// tasks of which every fourth asks for a GPU.
type cellWithGPUs struct{ next int }

const (
	gpuMachines = 24
	gpuTasks    = 160
)

// asRequested lets a task use what it requests.
var asRequested = [unit.Resources]uint16{65535, 65535, 65535, 65535}

// Next implements workload.Source.
func (c *cellWithGPUs) Next(r *workload.Record) error {
	i := c.next
	c.next++
	switch {
	case i < gpuMachines:
		capacity := unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole, unit.Disk: unit.Whole / 2}
		if i%3 == 0 {
			capacity[unit.GPU] = unit.Whole
		}
		*r = workload.Record{Kind: workload.NodeJoins, Machine: uint64(i), Node: workload.Node{Capacity: capacity, Rack: -1, Site: -1}}
	case i < gpuMachines+gpuTasks:
		k := i - gpuMachines
		request := unit.Vec{unit.CPU: 50_000, unit.Memory: 40_000 + unit.Share(k*500), unit.Disk: unit.Share(k%5) * 10_000}
		if k%4 == 0 {
			request[unit.GPU] = 150_000
		}
		*r = workload.Record{
			At: unit.Time(k) * unit.Second, Kind: workload.TaskArrives, Key: workload.Key{Job: uint64(k / 8), Index: uint32(k % 8)},
			Task: workload.Task{Request: request, Image: workload.ImageOf(request), Usage: workload.UsageModel{Mean: asRequested}},
		}
	default:
		return io.EOF
	}
	return nil
}

// TestMoreResources: with disk and GPU beside CPU and memory every system that
// places tasks fills no resource of a node beyond what there is of it, no task
// that asks for a GPU is on a node without one, and layers, columns and reports
// tell of all four.
func TestMoreResources(t *testing.T) {
	settings := map[string][]string{
		"negotiation": {`{}`, `{"draw":"weighted","selection":"greedy"}`},
		"yield":       {`{}`},
		"central": {
			`{"policy":"best-fit"}`, `{"policy":"worst-fit"}`, `{"policy":"first-fit"}`, `{"policy":"random"}`, `{"policy":"least-allocated"}`, `{"policy":"kube"}`,
		},
	}
	for _, id := range []string{"negotiation", "yield", "central"} {
		for _, text := range settings[id] {
			t.Run(id+text, func(t *testing.T) {
				r, err := run.Open(parse(t, fmt.Sprintf(`{"v":1,"system":%q,"settings":%s,"until":"30m"}`, id, text)), &cellWithGPUs{})
				if err != nil {
					t.Fatal(err)
				}
				advance(t, r, unit.Forever)
				if err := r.Audit(); err != nil {
					t.Fatal(err)
				}
				least := gpuTasks / 4 * 4 / 5
				if id == "yield" { // its solver knows CPU and memory; the cluster refuses the rest
					least = 1
				}
				checkFour(t, r, least)
			})
		}
	}
}

func checkFour(t *testing.T, r *run.Run, least int) {
	t.Helper()
	v := r.View()
	gpus := 0
	for n := range unit.NodeID(v.Nodes()) {
		for res := range unit.Resources {
			if res != unit.CPU && v.Requested(n)[res] > v.Capacity(n)[res] { // CPU is what yield divides
				t.Errorf("node %d has %v of %v and tasks that request %v", n, v.Capacity(n)[res], res, v.Requested(n)[res])
			}
		}
		for id := range v.Tasks(n) {
			if task, _ := v.Task(id); task.Request[unit.GPU] > 0 {
				gpus++
			}
		}
	}
	if totals := v.Totals(); gpus < least || gpus+totals.Waiting < gpuTasks/4 {
		t.Errorf("%d of %d tasks with a GPU run, %d tasks wait", gpus, gpuTasks/4, totals.Waiting)
	}
	layers := r.Layers()
	for _, want := range []string{"disk", "gpu", "disk_requested", "gpu_requested"} {
		if !slices.ContainsFunc(layers, func(l frame.Layer) bool { return l.ID == want }) {
			t.Errorf("no layer %s", want)
		}
	}
	var f frame.Frame
	if err := frame.Decode(r.Frame(nil), &f); err != nil {
		t.Fatal(err)
	}
	for i, layer := range layers {
		if layer.ID != "gpu" && layer.ID != "gpu_requested" {
			continue
		}
		for n, cell := range f.Layers[i] {
			used := v.Used(unit.NodeID(n))
			if layer.ID == "gpu_requested" {
				used = v.Requested(unit.NodeID(n))
			}
			if drawn := cell > 0; v.Up(unit.NodeID(n)) && drawn != (used[unit.GPU] > 0) {
				t.Errorf("the layer %s draws node %d as %d: its GPUs carry %v", layer.ID, n, cell, used[unit.GPU])
			}
		}
	}
	if used := r.Report().Metrics["gpu_used_pct"]; used < 5 {
		t.Errorf("%v %% of the GPUs are used", used)
	}
	node, err := r.Inspect(0)
	if err != nil || len(node.Capacity) != int(unit.Resources) || node.Capacity[unit.GPU] != 1 {
		t.Errorf("node 0 reports %v (%v)", node.Capacity, err)
	}
}
