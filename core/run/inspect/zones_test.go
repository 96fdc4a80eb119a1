package inspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/testkit/runtest"
	"parley/core/unit"
	"parley/core/workload"
)

// TestSitesAreZones: every block of a picture of the market is a site with the name and the
// queue that the market gives to the site's nodes.
func TestSitesAreZones(t *testing.T) {
	r := open(t, `{"v":1,"system":"market","until":"1h"}`)
	advance(t, r, 40*unit.Minute)
	l, names := r.LayoutIn(1000, 600, 20, "rack")
	zones := r.Zones()
	if len(zones) < 2 || len(l.Blocks) != len(zones) || len(names) != len(zones) {
		t.Fatalf("%d blocks with %d names of %d zones", len(l.Blocks), len(names), len(zones))
	}
	waiting := 0
	for _, b := range l.Blocks {
		at := slices.IndexFunc(zones, func(z inspect.Zone) bool { return z.Rack == b.Rack })
		if at < 0 || zones[at].Name != names[b.Group] {
			t.Fatalf("rack %d is named %q, the zones are %+v", b.Rack, names[b.Group], zones)
		}
		site, queue := fact(t, r, zones[at].Nodes[0], "Site"), fact(t, r, zones[at].Nodes[0], "Its queue")
		figure := r.ZoneFigure(zones[at])
		if figure != "" {
			waiting++
		}
		if site != names[b.Group] || strings.Replace(queue, "wait", "waiting", 1) != figure && (figure != "" || queue != "0 wait") {
			t.Errorf("the zone %q has the figure %q, its nodes say %q and %q", names[b.Group], figure, site, queue)
		}
	}
	if waiting == 0 {
		t.Error("no queue has a job")
	}
}

// fact returns what a node says of itself.
func fact(t *testing.T, r *run.Run, n unit.NodeID, name string) string {
	t.Helper()
	report, err := r.Inspect(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// TestPoolsAreZones: hosts of one capacity are a zone, the smallest figure is the smallest
// yield, and nodes can stand together by their zones.
func TestPoolsAreZones(t *testing.T) {
	r := open(t, `{"v":1,"system":"yield","cluster":{"nodes":600},"workload":{"scale":2},"until":"1h"}`)
	advance(t, r, 10*unit.Minute)
	v, zones, in := r.View(), r.Zones(), map[unit.NodeID]int{}
	lowest := 100
	for i, z := range zones {
		var figure int
		if _, err := fmt.Sscanf(r.ZoneFigure(z), "yield %d %%", &figure); err != nil {
			t.Fatalf("the zone %q has the figure %q", z.Name, r.ZoneFigure(z))
		}
		lowest = min(lowest, figure)
		for _, n := range z.Nodes {
			if in[n] = i; v.Capacity(n) != v.Capacity(z.Nodes[0]) {
				t.Fatalf("node %d is in the zone %q of another capacity", n, z.Name)
			}
		}
	}
	if len(zones) < 2 || len(in) != v.Nodes() {
		t.Fatalf("%d zones have %d of %d nodes", len(zones), len(in), v.Nodes())
	}
	if want := int(100 * r.Present()["min_yield"]); lowest != want || want == 100 {
		t.Errorf("the smallest figure is %d %%, the smallest yield %d %%", lowest, want)
	}
	l, names := r.LayoutIn(900, 400, 20, inspect.ByZone)
	for n, x := range l.X {
		at := slices.IndexFunc(l.Blocks, func(b frame.Block) bool {
			return int(x) >= b.X && int(x) < b.X+b.Width && int(l.Y[n]) >= b.Y && int(l.Y[n]) < b.Y+b.Height
		})
		if at < 0 || names[l.Blocks[at].Group] != zones[in[unit.NodeID(n)]].Name {
			t.Fatalf("node %d of the zone %q is in block %d", n, zones[in[unit.NodeID(n)]].Name, at)
		}
	}
}

// jobLog is rigid jobs on three nodes of two processors.
type jobLog struct{ runtest.Records }

func (*jobLog) Header() workload.Header { return workload.Header{Shape: workload.ShapeJobs} }

// TestPartitionsAreZones: the partitions of batch.queues are zones, with the queues of each
// and the jobs that wait there.
func TestPartitionsAreZones(t *testing.T) {
	for setting, want := range map[string]string{
		"1: nodes=0-0; 0: nodes=0-0; 4: nodes=1-1": "other queues [2] 1 waiting, queues 0, 1 [0] , queue 4 [1] ",
		"1: nodes=0-0; *: nodes=1-2":               "queue 1 [0] , other queues [1 2] 3 waiting",
		"1: tier=2":                                "",
	} {
		log := jobLog{}
		for i := range uint64(3) {
			node := whole()
			node.Processors = 2
			log.Records = append(log.Records, joins(i, node))
		}
		for i, processors := range []int32{4, 6, 1, 3, 7, 2} {
			log.Records = append(log.Records, workload.Record{
				At: unit.Time(i) * unit.Minute, Kind: workload.JobArrives, Key: workload.Key{Job: uint64(i)},
				Job: &workload.Job{Processors: processors, Run: 10 * unit.Minute, Estimate: 20 * unit.Minute, Queue: -1},
			})
		}
		r, err := run.Open(parse(t, fmt.Sprintf(`{"v":1,"system":"central","settings":{"policy":"fcfs","batch":{"queues":%q}},"until":"2h"}`, setting)), &log)
		if err != nil {
			t.Fatal(err)
		}
		advance(t, r, 6*unit.Minute)
		var got []string
		for _, z := range r.Zones() {
			got = append(got, fmt.Sprint(z.Name, " ", z.Nodes, " ", r.ZoneFigure(z)))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: the zones are %q, want %q", setting, text, want)
		}
	}
}

// TestOneZoneIsNone: what all nodes share tells none of them apart.
func TestOneZoneIsNone(t *testing.T) {
	for _, scenario := range []string{
		`{"v":1,"system":"negotiation","cluster":{"nodes":100},"until":"1m"}`,
		`{"v":1,"system":"yield","workload":{"system":{"hosts":24,"tasks":100}},"until":"1m"}`,
	} {
		r := open(t, scenario)
		advance(t, r, unit.Second)
		if _, names := r.LayoutIn(1000, 600, 20, "rack"); names != nil || r.Zones() != nil {
			t.Errorf("%s has the zones %v and racks with names %q", scenario, r.Zones(), names)
		}
	}
}

// TestNodesWithoutRacks: the workers of a master are one block, which is of no rack and of
// any shape.
func TestNodesWithoutRacks(t *testing.T) {
	r := open(t, `{"v":1,"system":"rounds","until":"1m"}`)
	advance(t, r, unit.Second)
	l, names := r.LayoutIn(1000, 100, 48, "rack")
	if len(l.Blocks) != 1 || l.Blocks[0].Rack != -1 || names != nil || len(l.X) != r.View().Nodes() || l.Columns < 20 {
		t.Errorf("%d nodes in %d columns: blocks %+v, names %q", len(l.X), l.Columns, l.Blocks, names)
	}
}
