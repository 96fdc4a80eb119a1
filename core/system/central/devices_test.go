package central_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch/device"
	"parley/core/frame"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/central"
	"parley/core/unit"
)

// openOf opens a scenario of central with settings and a workload of its own.
func openOf(t interface{ Fatal(...any) }, settings, load string) *run.Run {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","settings":` + settings + `,"until":"1h","workload":{"system":` + load + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// devicesDrawn writes the devices of each node: a letter and tenths for each part that is held, a dot for
// what is idle, x where that is of no use to what waits first, ! where the node is down.
func devicesDrawn(t interface{ Fatal(...any) }, r *run.Run) string {
	var f frame.Frame
	if err := frame.Decode(r.Frame(nil), &f); err != nil {
		t.Fatal(err)
	}
	layer := slices.Clone(f.Layers[0])
	if f.Devices.Fill(layer); !slices.Equal(layer, f.Layers[0]) || !strings.Contains(r.Layers()[0].Name, "GPUs held") {
		t.Fatal("the first layer is not what is held of the devices")
	}
	var nodes []string
	for n, next := 0, 0; n < f.Cells; n++ {
		text, last := "", 0
		next = f.Devices.Cell(n, next, func(device int, p frame.Part) {
			if device != last {
				text, last = text+"|", device
			}
			text += fmt.Sprintf("%s%d", [...]string{".", string(rune('a' + p.Owner - 1)), "x", "!"}[p.Kind], p.Share/100)
		})
		nodes = append(nodes, text)
	}
	return strings.Join(nodes, " ")
}

// TestPartsOfDevices plays by hand: two nodes of one GPU each and one of two. A part is on one device:
// the third task of 0.6 finds 0.4 free on each of two devices, and waits until the first one ends.
func TestPartsOfDevices(t *testing.T) {
	r := openOf(t, `{"policy":"gpu-best-fit"}`, `{"nodes":2,"gpus":1,"jobs":[
		{"gpus":0.6,"at":"1s","run":"10m"},{"gpus":0.6,"at":"2s","run":"20m"},{"gpus":0.6,"at":"3s","run":"1m"},{"gpus":0.3,"at":"4s","run":"30m"}]}`)
	for _, c := range []struct {
		at         unit.Time
		want, node string
	}{
		{unit.Second + 1, "a6.4 .10", "[{GPU (thousandths) 600 of 1000} {GPU 0 0.6 task 1-0, 0.4 idle}]"},
		{3*unit.Second + 1, "a6x4 b6x4", "[{GPU (thousandths) 600 of 1000} {GPU 0 0.6 task 1-0, 0.4 idle, of no use to task 3-0, which needs 0.6}]"},
		{4*unit.Second + 1, "a6d3x1 b6x4", "[{GPU (thousandths) 900 of 1000} {GPU 0 0.6 task 1-0, 0.3 task 4-0, 0.1 idle, of no use to task 3-0, which needs 0.6}]"},
		{10*unit.Minute + unit.Second + 1, "d3c6.1 b6.4", "[{GPU (thousandths) 900 of 1000} {GPU 0 0.3 task 4-0, 0.6 task 3-0, 0.1 idle}]"},
	} {
		if err := r.Advance(c.at); err != nil {
			t.Fatal(err)
		}
		if got := devicesDrawn(t, r); got != c.want {
			t.Errorf("at %v: %s, want %s", c.at, got, c.want)
		}
		report, err := r.Inspect(0)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(report.Facts); got != c.node {
			t.Errorf("at %v: node 0 says %s, want %s", c.at, got, c.node)
		}
	}
}

// TestDevicesFigures compares the report with a count by hand, at 100 s of three tasks of 0.6 on two GPUs: of
// 200 GPU s there are 1.2 held from the second task on, and the third waits since the first moment without a
// place. The typical task asks for 0.6, so that all that is idle is fragmented.
func TestDevicesFigures(t *testing.T) {
	r := openOf(t, `{"policy":"fgd"}`, `{"nodes":2,"gpus":1,"jobs":[
		{"gpus":0.6,"at":"0s","run":"10m"},{"gpus":0.6,"at":"0s","run":"20m"},{"gpus":0.6,"at":"0s","run":"1m"},{"gpus":1,"at":"100s","run":"1m"}]}`)
	if err := r.Advance(100*unit.Second + 1); err != nil {
		t.Fatal(err)
	}
	got := r.Report().System
	for name, want := range map[string]any{
		"gpus_idle": 0.8, "gpus_held": 1.2, "gpus_held_pct": 60.0, "allocation_pct": 60.0, "stranded_pct": 40.0,
		"blocked_no_place_gpu_h": 60.0 / 3600, "blocked_short_gpu_h": 0.0, "gpus_useless": 0.8, "head_gpus": 0.6, "head_waited_s": 100.0,
		"waiting_no_place": 1, "waiting_short": 1, "waiting_other": 0, "gpus_fragmented": 0.8, "gpus_fragmented_pct": 40.0, "idle_fragmented_pct": 100.0,
	} {
		var a, b float64
		fmt.Sscan(fmt.Sprint(got[name]), &a)
		fmt.Sscan(fmt.Sprint(want), &b)
		if a-b > 1e-6 || b-a > 1e-6 { // the report is of a microsecond later
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// TestDevicesAsCell plays random lists of tasks that never end, under every policy. Each task is on the node and
// the devices that package device chooses, and a task for which it finds none waits.
func TestDevicesAsCell(t *testing.T) {
	for _, policy := range central.DevicePolicies {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				nodes, gpus := rapid.IntRange(1, 6).Draw(t, "nodes"), rapid.IntRange(1, 4).Draw(t, "gpus")
				type job struct {
					GPUs float64 `json:"gpus"`
					At   string  `json:"at"`
					Run  string  `json:"run"`
				}
				jobs := []job{{0.5, "0s", "2h"}}
				for i := range rapid.IntRange(0, 20).Draw(t, "jobs") {
					one := float64(rapid.IntRange(1, gpus).Draw(t, "whole"))
					if rapid.Bool().Draw(t, "part") {
						one = float64(rapid.IntRange(1, 9).Draw(t, "tenths")) / 10
					}
					jobs = append(jobs, job{one, fmt.Sprintf("%ds", i), "2h"})
				}
				load, _ := json.Marshal(map[string]any{"nodes": nodes, "gpus": gpus, "jobs": jobs})
				r := openOf(t, fmt.Sprintf(`{"policy":%q}`, policy), string(load))
				if err := r.Advance(unit.Minute); err != nil {
					t.Fatal(err)
				}
				p, _ := device.ParsePolicy(strings.TrimPrefix(policy, "gpu-"))
				cell := device.NewCell(p, rng.New(r.Scenario().Seed, "central/central/devices"))
				for n := range nodes {
					cell.SetNode(n, device.Node{CPU: 16_000, Memory: 16_000, Free: slices.Repeat([]int32{device.Whole}, gpus)})
				}
				classes := make([]device.Class, len(jobs))
				for i, j := range jobs {
					part := int64(float64(j.GPUs*1000)+0.5) * int64(unit.Whole) / int64(gpus*1000)
					c := device.Class{CPU: (part*16_000 + int64(unit.Whole)/2) / int64(unit.Whole), Memory: part * 16_000 / int64(unit.Whole), GPUs: int(j.GPUs), Milli: device.Whole}
					if j.GPUs < 1 {
						c.GPUs, c.Milli = 1, int32(float64(j.GPUs*1000)+0.5)
					}
					classes[i] = c
				}
				cell.SetTypical(device.TypicalOf(classes, 0.95))
				want := make([]int, len(jobs))
				for i := range classes {
					if at, ok := cell.Place(&classes[i], nil); ok {
						want[i] = at.Node + 1
					}
				}
				v, got := r.View(), make([]int, len(jobs))
				v.Alive(func(id unit.TaskID) bool {
					task, _ := v.Task(id)
					got[task.Key.Job-1] = int(task.Node) + 1
					return true
				})
				if !slices.Equal(got, want) {
					t.Fatalf("tasks are on %v, want %v", got, want)
				}
				for n := range nodes { // and each device has as much left
					report, _ := r.Inspect(unit.NodeID(n))
					held := int32(0)
					for _, free := range cell.Node(n).Free {
						held += device.Whole - free
					}
					if text := fmt.Sprint(report.Facts); !strings.Contains(text, fmt.Sprintf("%d of %d", held, gpus*1000)) {
						t.Fatalf("node %d holds %d: %s", n, held, text)
					}
				}
			})
		})
	}
}

// TestDevicesFail lets nodes fail and come back while tasks come and go; the run audits that what the devices
// hold is what the cluster says.
func TestDevicesFail(t *testing.T) {
	for _, policy := range central.DevicePolicies {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","settings":{"policy":"` + policy + `"},"until":"6h",
			"faults":[{"at":"1h","kind":"node_down","target":"node.1"},{"at":"2h","kind":"node_up","target":"node.1"}],
			"workload":{"system":{"nodes":6,"gpus":4,"load":1.1,"sizes":[[0.3,3],[0.5,2],[1,3],[2,1],[4,1]],"mean_run":"20m"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := run.Open(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for at := unit.Minute; at <= 6*unit.Hour; at += unit.Minute {
			if err := r.Advance(at); err != nil {
				t.Fatal(policy, err)
			}
			if text := devicesDrawn(t, r); strings.Contains(text, "!") != (at >= unit.Hour && at < 2*unit.Hour) {
				t.Fatalf("%s at %v: %s", policy, at, text)
			}
		}
		if waits := r.Report().System["waiting_no_place"]; waits == nil {
			t.Error(policy, "reports nothing of what waits")
		}
	}
}

// TestDevicesRefuse asks for what does nothing.
func TestDevicesRefuse(t *testing.T) {
	for settings, want := range map[string]string{
		`{"policy":"fgd","fill":0.5}`:                          "fill does nothing with the policy fgd",
		`{"policy":"gpu-random","gang":{"place":"spread"}}`:    "",
		`{"policy":"fgd","rescheduler":{"every_us":60000000}}`: "rescheduler.… does nothing",
		`{"policy":"fgd","admission":"request","fill":0}`:      "",
		`{"policy":"fgd","batch":{"order":"sjf"}}`:             "",
	} {
		s := central.Default()
		if err := json.Unmarshal([]byte(settings), &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); fmt.Sprint(err) == "<nil>" && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", settings, err, want)
		}
	}
}

// TestDevicesRestored goes back to a snapshot and plays on to the same digest, report and picture.
func TestDevicesRestored(t *testing.T) {
	for _, policy := range central.DevicePolicies {
		r := openOf(t, `{"policy":"`+policy+`"}`, `{"nodes":8,"gpus":4,"load":1.1,"sizes":[[0.3,3],[0.5,2],[1,3],[4,1]],"mean_run":"10m"}`)
		if err := r.Advance(30 * unit.Minute); err != nil {
			t.Fatal(err)
		}
		taken, err := run.NewSnapshots(r).Take()
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := taken.Restore(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var ends []string
		for _, one := range []*run.Run{r, back} {
			if err := one.Advance(59 * unit.Minute); err != nil {
				t.Fatal(err)
			}
			ends = append(ends, fmt.Sprint(one.Digest(), one.Report().System, devicesDrawn(t, one)))
		}
		if ends[0] != ends[1] {
			t.Errorf("%s: %s\nand from the snapshot %s", policy, ends[0], ends[1])
		}
	}
}
