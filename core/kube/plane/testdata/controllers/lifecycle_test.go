package controllers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/rng"
	"parley/core/trace"
	"parley/core/unit"
)

// outage is a case of the controllers that watch nodes: machines of some zones stop. Times are tenths of a second.
type outage struct {
	zones                []outZone
	monitor, cloud, pass int64 // when the controllers look first, from the beginning
}

// outZone is a zone. Its nodes have the same pods, so that it does not matter which of them is first: the
// controllers' order within a pass is chance.
type outZone struct {
	name    string // "" for nodes without labels
	size    int
	renewed []int64 // of each machine that stops: for how long its lease has not been renewed
	gone    bool    // the machines do not exist any more, else they are silent
	left    int     // nodes with the label exclude-disruption
	pods    []int64 // seconds for which each pod of a node tolerates that: 0 not at all, -1 for ever
}

func outages(seed uint64) outage {
	s := rng.New(seed, "outages")
	o := outage{monitor: 1}
	o.cloud, o.pass = 13+int64(s.Intn(30)), 7+2*int64(s.Intn(90))
	if (o.pass-o.monitor)%50 == 0 {
		o.pass += 2 // never on the monitor's ticks
	}
	if (o.pass-o.cloud)%50 == 0 {
		o.pass++ // nor on those of the cloud's controller
	}
	n := 1 + s.Intn(3)
	for i := range n {
		z := outZone{name: string(rune('a' + i)), size: 1 + s.Intn(6), gone: s.Intn(4) == 0}
		if i == 0 && s.Intn(6) == 0 {
			z.name = ""
		}
		if i == 0 && s.Intn(20) == 0 {
			z.size, z.gone = 50+s.Intn(12), false // the fake API server has room for 100 events at a time
		}
		stops := s.Intn(z.size + 1)
		if s.Intn(3) == 0 {
			stops = z.size
		}
		together := s.Intn(2) == 0
		for range stops {
			renewed := 2 + int64(s.Intn(98))
			if !together {
				renewed = 2 + int64(s.Intn(450)) // as if they had stopped one after another
			}
			if renewed%50 == 49 {
				renewed-- // a renewal on a tick of the monitor is a race
			}
			z.renewed = append(z.renewed, renewed)
		}
		if s.Intn(5) == 0 {
			z.left = s.Intn(z.size) // a zone of which no node counts is forgotten and found anew in each pass, which is not played
		}
		for range 1 + s.Intn(2) {
			z.pods = append(z.pods, pick[int64](s, 300, 300, 300, 0, 33, -1))
		}
		o.zones = append(o.zones, z)
	}
	return o
}

func (z *outZone) key() string {
	if z.name == "" {
		return "no zone"
	}
	return "zone " + z.name
}

func (z *outZone) node(i int) string { return fmt.Sprintf("z%s-%d", z.name, i) }

func (z *outZone) labels(i int) map[string]string {
	labels := map[string]string{}
	if z.name != "" {
		labels["topology.kubernetes.io/zone"], labels["topology.kubernetes.io/region"] = z.name, "r"
	}
	if i < z.left {
		labels["node.kubernetes.io/exclude-disruption"] = ""
	}
	return labels
}

// moments are the times of each fact, in tenths of a second.
type moments map[string][]int64

// TestNodeLifecycle stops machines under the real controllers of node lifecycle, of taints, of the cloud and
// of pods without a node. Three times of theirs are chance: a node may be tainted a pass of the limiter later
// (100 ms, for each node before it), and a node that vanished is out of quarantine at the garbage collector's
// pass or just after it, 20 s before the next.
func TestNodeLifecycle(t *testing.T) {
	differ, all := 0, map[string]int{}
	for seed := range count() {
		o := outages(seed)
		ours, theirs := o.played(t), o.real(t)
		for k, v := range theirs {
			what, _, _ := strings.Cut(k, ",")
			all[what] += len(v)
		}
		if why := apart(ours, theirs); why != "" {
			if differ++; differ <= 3 {
				t.Errorf("case %d %+v: %s\nParley:\n%vthe controllers:\n%v", seed, o, why, ours, theirs)
			}
		}
	}
	t.Logf("%d cases, %d differ; facts: %v", count(), differ, all)
	if differ > 0 {
		t.Errorf("%d of %d cases differ", differ, count())
	}
}

func (m moments) String() string {
	var lines []string
	for k, v := range m {
		lines = append(lines, fmt.Sprintf("%s: %d\n", k, v))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// apart says what differs, "" if nothing does.
func apart(ours, theirs moments) string {
	for k := range theirs {
		if len(ours[k]) != len(theirs[k]) {
			return fmt.Sprintf("%s: %d, not %d", k, len(ours[k]), len(theirs[k]))
		}
	}
	for k, v := range ours {
		w := theirs[k]
		if len(v) != len(w) {
			return fmt.Sprintf("%s: %d, not %d", k, len(v), len(w))
		}
		slices.Sort(v)
		slices.Sort(w)
		for i := range v {
			late := w[i] - v[i]
			limit := int64(0)
			switch {
			case strings.HasPrefix(k, "tainted"), strings.HasPrefix(k, "deleted"):
				limit = int64(i) + 2
			case strings.HasPrefix(k, "gone"):
				if late >= 198 && late <= 202 {
					late -= 200
				}
				limit = 1
			}
			if late < 0 && limit == 0 || late < -1 || late > limit {
				return fmt.Sprintf("%s: the one of %.1f s is at %.1f s", k, float64(v[i])/10, float64(w[i])/10)
			}
		}
	}
	return ""
}

// played returns what happens in Parley's plane.
func (o *outage) played(t *testing.T) moments {
	var items []any
	var faults []plane.Fault
	zone, tolerates := map[string]string{}, map[string]int64{}
	nodes := 0
	for _, z := range o.zones {
		for i := range z.size {
			name := z.node(i)
			zone[name] = z.key()
			items = append(items, object{"kind": "Node", "metadata": object{"name": name, "labels": z.labels(i)}, "status": object{
				"allocatable": object{"cpu": "4", "pods": "110"}, "conditions": []any{object{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T00:00:00Z"}},
			}})
			if k := z.size - 1 - i; k < len(z.renewed) { // the last ones, so that those that do not count are among the well
				faults = append(faults, plane.Fault{Node: nodes, Renewed: unit.Time(z.renewed[k]) * unit.Second / 10, Gone: z.gone})
			}
			nodes++
			for k, seconds := range z.pods {
				pod := fmt.Sprintf("%s-p%d", name, k)
				tolerates["default/"+pod] = seconds
				spec := object{"nodeName": name, "containers": []any{object{"name": "c"}}}
				if seconds != 0 {
					one := object{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}
					if seconds > 0 {
						one["tolerationSeconds"] = seconds
					}
					spec["tolerations"] = []any{one}
				}
				items = append(items, object{"kind": "Pod", "spec": spec, "metadata": object{"name": pod, "namespace": "default", "creationTimestamp": "2026-01-01T00:00:00Z"}, "status": object{
					"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "conditions": []any{object{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:10Z"}},
				}})
			}
		}
	}
	text, err := json.Marshal(object{"kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	c, err := dump.Read([]trace.File{{Name: "case", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1})
	tenth := unit.Second / 10
	p.Fail(faults, plane.Ticks{Monitor: unit.Time(o.monitor) * tenth, Cloud: unit.Time(o.cloud) * tenth, GC: unit.Time(o.pass) * tenth})
	p.Run((horizon+1)*unit.Second, func() bool { return false })
	out := moments{}
	for _, f := range p.Facts() {
		switch f.Kind {
		case plane.NotReady, plane.Tainted, plane.Untainted, plane.Left:
			out.add(int64(f.At/tenth), string(f.Kind), zone[f.Name], 0)
		case plane.Unready, plane.Deleted, plane.Gone:
			if f.Kind == plane.Deleted && strings.HasPrefix(f.Text, "PodGC") {
				continue // it is gone at once
			}
			node := f.Name[len("default/"):strings.LastIndexByte(f.Name, '-')]
			out.add(int64(f.At/tenth), string(f.Kind), zone[node], tolerates[f.Name])
		}
	}
	return out
}

func (m moments) add(tenths int64, what, zone string, tolerates int64) {
	if tenths <= horizon*10 {
		k := fmt.Sprintf("%s, %s, %d s", what, zone, tolerates)
		m[k] = append(m[k], tenths)
	}
}
