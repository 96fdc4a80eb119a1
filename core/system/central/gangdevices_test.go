package central_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// devicesOf says what is wrong with the picture of the devices: nodes have as many as they have
// processors, each job holds as many as the cluster says, the others are idle, or failed where the node
// is down; and a frame takes them.
func devicesOf(s system.System, v cluster.View) error {
	var d frame.Devices
	s.(system.DeviceSource).FillDevices(&d, v.Nodes())
	f := frame.Frame{Cells: v.Nodes(), Devices: d}
	if err := frame.Decode(frame.Append(nil, &f), &f); err != nil {
		return err
	}
	next := 0
	for n := range unit.NodeID(v.Nodes()) {
		if int32(d.Of[n]) != v.Processors(n) {
			return fmt.Errorf("node %d has %d devices, and %d processors", n, d.Of[n], v.Processors(n))
		}
		held, free := map[uint32]int32{}, int32(0)
		next = d.Cell(int(n), next, func(_ int, p frame.Part) {
			switch {
			case p.Kind == frame.Held:
				held[p.Owner]++
			case v.Up(n) == (p.Kind == frame.Failed):
				free = -1000
			default:
				free++
			}
		})
		if want := v.FreeProcessors(n); free != want {
			return fmt.Errorf("node %d has %d free devices, and %d free processors", n, free, want)
		}
		for id, here := range v.Jobs(n) {
			if held[id.Slot()+1] != here {
				return fmt.Errorf("job %d holds %d devices of node %d, and %d processors", id.Slot(), held[id.Slot()+1], n, here)
			}
		}
	}
	return nil
}

// TestUselessDevices plays by hand: of four nodes of four GPUs three run a job of three, and one is empty.
// Then a job of eight waits. Its parts are whole nodes, so the idle GPUs of the three are of no use to it.
func TestUselessDevices(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","settings":{"policy":"fcfs","gang":{"place":"first-node"}},"until":"1h","workload":{"system":{"nodes":4,"gpus":4,"jobs":[
		{"gpus":3,"at":"1s","run":"10m"},{"gpus":3,"at":"1s","run":"20m"},{"gpus":3,"at":"1s","run":"30m"},{"gpus":8,"at":"2s","run":"1m"},{"gpus":1,"at":"3s","run":"1m"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(at unit.Time) string {
		t.Helper()
		if err := r.Advance(at); err != nil {
			t.Fatal(err)
		}
		var f frame.Frame
		if err := frame.Decode(r.Frame(nil), &f); err != nil {
			t.Fatal(err)
		}
		var nodes []string
		for n, next := 0, 0; n < f.Cells; n++ {
			text := ""
			next = f.Devices.Cell(n, next, func(_ int, p frame.Part) {
				text += [...]string{".", string(rune('a' + p.Colour)), "x", "!"}[p.Kind]
			})
			nodes = append(nodes, text)
		}
		return strings.Join(nodes, " ")
	}
	for _, c := range []struct {
		at         unit.Time
		want, node string
	}{
		{2*unit.Second - 1, "aaa. bbb. ccc. ....", "[{GPUs 0–2 job 2} {GPU 3 idle}]"},
		{9 * unit.Minute, "aaax bbbx cccx ....", "[{GPUs 0–2 job 2} {GPU 3 idle, of no use to job 4, which needs 8}]"},
		{10*unit.Minute + 2*unit.Second, "aaaa bbbd ccc. aaaa", "[{GPUs 0–2 job 2} {GPU 3 job 5}]"}, // both have begun
		{15 * unit.Minute, ".... bbb. ccc. ....", "[{GPUs 0–2 job 2} {GPU 3 idle}]"},
	} {
		if got := draw(c.at); got != c.want {
			t.Errorf("at %v: %s, want %s", c.at, got, c.want)
		}
		report, err := r.Inspect(1)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(report.Facts); got != c.node {
			t.Errorf("at %v: node 1 says %s, want %s", c.at, got, c.node)
		}
	}
}
