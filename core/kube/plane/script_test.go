package plane_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"sigs.k8s.io/yaml"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/unit"
)

// TestScripts runs testdata/*.txt. A command's input is a small cluster, a line an object:
//
//	node NAME {cpu: 4, fields of its spec, labels, ready: "Unknown"}
//	Deployment NAME {replicas: 4, cpu: 1, nodes: [n1, n1], unready: [3], broken: [1], grace: 30, labels: …, pod: {fields of its
//	    pods' spec}, and fields of its own spec}: with a ReplicaSet NAME-1 and a pod NAME-1-0 … on each of nodes; "" is none
//	alone NAME {…} a Deployment with its pods, without its ReplicaSet
//	StatefulSet, DaemonSet, ReplicaSet NAME {…} likewise, with pods NAME-0 …
//	Kind [NAMESPACE/]NAME {…} any other object
//
// Fields are YAML in one line. The commands print what happens, a line a fact, and what becomes of it:
//
//	roll NAME start=10s pace=fast surge=1 unavailable=25% until=15m    a rollout; pace is middle, fast, slow or drawn
//	upgrade n1,n2 surge=1 unavailable=0 boot=60s limit=1h force        of nodes; after the limit it forces, or stops
//	lose n1,n2 gone pace=slow until=20m                                of machines; without gone their nodes stay
//	lose n1 gone add=n2+n3 boot=3m                                     the autoscaler adds nodes like n2 or n3
//	autoscale least=0 threshold=60 until=1h                            removals of the cluster autoscaler
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			command, ok := map[string]scripttest.Commands{"roll": roll, "upgrade": upgrade, "lose": lose, "autoscale": autoscale}[d.Cmd]
			if !ok {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			return command(t, d)
		}
	})
}

func options(t *testing.T, d *datadriven.TestData) plane.Options {
	o := plane.Options{Profile: constraint.Default(), Seed: 1, Recording: new(plane.Recording), Start: unit.Time(scripttest.Span(t, d, "start")), FixedStart: d.HasArg("start")}
	if d.HasArg("pace") {
		pace := ""
		d.ScanArgs(t, "pace", &pace)
		o.Pace = map[string]plane.Pace{"middle": plane.Middle, "fast": plane.Fast, "slow": plane.Slow, "drawn": plane.Drawn}[pace]
	}
	return o
}

func horizon(t *testing.T, d *datadriven.TestData) unit.Time {
	if d.HasArg("until") {
		return unit.Time(scripttest.Span(t, d, "until"))
	}
	return plane.Day
}

func number(t *testing.T, d *datadriven.TestData, key string) *kube.IntOrPercent {
	if !d.HasArg(key) {
		return nil
	}
	text := ""
	d.ScanArgs(t, key, &text)
	n := kube.IntOrPercent{Percent: strings.HasSuffix(text, "%")}
	fmt.Sscan(strings.TrimSuffix(text, "%"), &n.Value)
	return &n
}

func roll(t *testing.T, d *datadriven.TestData) string {
	o := options(t, d)
	p := plane.New(cluster(t, d), o)
	r := p.Roll("default", d.CmdArgs[0].Key, plane.Change{Rollout: kube.Rollout{Surge: number(t, d, "surge"), Unavailable: number(t, d, "unavailable")}})
	if r == nil {
		return "no such Deployment\n"
	}
	p.Run(horizon(t, d), r.Done)
	checkFilm(t, o.Recording, p)
	out := facts(r.Facts())
	updated, available, old := r.Counts()
	out += fmt.Sprintf("%s: complete %v, timed out %v, surge %d, unavailable %d, peak %d, least %d, new %d, available %d, old %d\n",
		plane.After(p.Now()), r.Complete(), r.Exceeded > 0, r.Surge, r.Unavailable, r.Peak, r.MinAvailable, updated, available, old)
	return out + waits(p)
}

func upgrade(t *testing.T, d *datadriven.TestData) string {
	c := cluster(t, d)
	o := options(t, d)
	p := plane.New(c, o)
	pool := plane.Pool{Boot: unit.Time(scripttest.Span(t, d, "boot")), Limit: unit.Time(scripttest.Span(t, d, "limit"))}
	pool.Nodes = nodesOf(c, d)
	for _, of := range []struct {
		key  string
		into *int
	}{{"surge", &pool.Surge}, {"unavailable", &pool.Unavailable}} {
		if n := number(t, d, of.key); n != nil {
			*of.into = int(n.Value)
		}
	}
	if pool.Limit > 0 {
		if pool.After = plane.Stops; d.HasArg("force") {
			pool.After = plane.Forces
		}
	}
	u := p.Upgrade([]plane.Pool{pool}, func(at, n int) (kube.Node, []kube.CSINode) {
		node := c.Nodes[at]
		node.Name = fmt.Sprintf("%s-new-%d", node.Name, n)
		node.Labels = kube.NewLabels(map[string]string{kube.HostnameLabel: node.Name})
		return node, nil
	})
	p.Run(unit.Forever, u.Over)
	p.Finish()
	checkFilm(t, o.Recording, p)
	out := facts(p.Facts())
	out += fmt.Sprintf("%s: complete %v, %d done, most pending %d\n", plane.After(p.Now()), u.Complete(), u.Done(), u.Peak)
	if u.Stopped != nil {
		out += "stopped at " + c.Nodes[u.Stopped.Node].Name + "\n"
	}
	for _, g := range p.Groups() {
		if g.Downtime > 0 {
			out += fmt.Sprintf("%s %s without a ready pod for %s\n", g.Owner.Kind, g.Owner.Name, plane.After(g.Downtime))
		}
	}
	return out + waits(p)
}

func lose(t *testing.T, d *datadriven.TestData) string {
	c := cluster(t, d)
	o := options(t, d)
	p := plane.New(c, o)
	p.Lose(nodesOf(c, d), d.HasArg("gone"))
	out := ""
	if d.HasArg("add") {
		like, q := "", plane.ScaleUpOptions{Fresh: plane.NewNodesOf(c).Further}
		d.ScanArgs(t, "add", &like)
		for name := range strings.SplitSeq(like, "+") {
			q.Like = append(q.Like, slices.IndexFunc(c.Nodes, func(n kube.Node) bool { return n.Name == name }))
			q.Boot = append(q.Boot, unit.Time(scripttest.Span(t, d, "boot")))
		}
		u := p.ScaleUp(q)
		p.Run(horizon(t, d), func() bool { return false })
		for _, x := range u.Added {
			out += fmt.Sprintf("%s: %d like %s for %d pods\n", plane.After(x.At), len(x.Nodes), c.Nodes[x.Like].Name, x.Pods)
		}
	}
	p.Run(horizon(t, d), func() bool { return false })
	checkFilm(t, o.Recording, p)
	return facts(p.Facts()) + out + waits(p)
}

func autoscale(t *testing.T, d *datadriven.TestData) string {
	c := cluster(t, d)
	o := options(t, d)
	p := plane.New(c, o)
	q := plane.AutoscalerOptions{Unneeded: plane.UnneededTime, Threshold: plane.UtilizationThreshold, MinGroupSize: 1, MaxRemovals: 20, Unknown: func(*kube.Pod) string { return "" }}
	for _, of := range []struct {
		key  string
		into *int
	}{{"least", &q.MinGroupSize}, {"threshold", &q.Threshold}, {"most", &q.MaxRemovals}} {
		if n := number(t, d, of.key); n != nil {
			*of.into = int(n.Value)
		}
	}
	a := p.Autoscale(q)
	p.Run(horizon(t, d), a.Over)
	checkFilm(t, o.Recording, p)
	out := facts(p.Facts())
	for _, r := range a.Removals {
		out += fmt.Sprintf("%s: empty %v, unneeded %s, started %s, ended %s, %d moves %s\n", c.Nodes[r.Node].Name, r.Empty,
			plane.After(r.Unneeded), plane.After(r.Started), plane.After(r.Ended), len(r.Moves), r.FailReason)
	}
	for _, k := range a.Kept {
		out += strings.TrimSpace(fmt.Sprintf("%s kept: %s %s", c.Nodes[k.Node].Name, k.Reason, k.Detail)) + "\n"
	}
	return out + waits(p)
}

// nodesOf returns the nodes that a command names.
func nodesOf(c *kube.Cluster, d *datadriven.TestData) (all []int) {
	for name := range strings.SplitSeq(d.CmdArgs[0].Key, ",") {
		all = append(all, slices.IndexFunc(c.Nodes, func(n kube.Node) bool { return n.Name == name }))
	}
	return all
}

// facts prints facts, those of one kind at one moment in one line.
func facts(all []plane.Fact) string {
	var out strings.Builder
	for i := 0; i < len(all); {
		f := all[i]
		names := []string{}
		k := i
		for ; k < len(all) && all[k].At == f.At && all[k].Kind == f.Kind && all[k].Text == f.Text; k++ {
			name := strings.TrimPrefix(all[k].Name, "default/")
			if f.Kind == plane.Bound {
				name += "@" + all[k].Node
			}
			names = append(names, name)
		}
		i = k
		if f.Kind == plane.Created || f.Kind == plane.Scaled {
			names = []string{fmt.Sprint(len(names))}
		}
		slices.Sort(names)
		fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", plane.After(f.At), f.Kind, strings.Join(names, " "), f.Text)))
	}
	return out.String()
}

func waits(p *plane.Plane) string {
	out := ""
	for _, w := range p.Waiting() {
		out += fmt.Sprintf("waits %s: %s\n", w.Pod, p.Verdict(w.Place).Message())
	}
	return out
}

type object = map[string]any

// cluster reads a command's input.
func cluster(t *testing.T, d *datadriven.TestData) *kube.Cluster {
	t.Helper()
	var items []any
	for line := range strings.Lines(d.Input) {
		head, fields := strings.TrimSpace(line), object{}
		if at := strings.IndexByte(line, '{'); at >= 0 {
			head = strings.TrimSpace(line[:at])
			if err := yaml.Unmarshal([]byte(line[at:]), &fields); err != nil {
				d.Fatalf(t, "%q: %v", line, err)
			}
		}
		words := strings.Fields(head)
		if len(words) != 2 {
			d.Fatalf(t, "%q names no object", line)
		}
		switch words[0] {
		case "node":
			items = append(items, nodeObject(words[1], fields))
		case "alone":
			all := workload("Deployment", words[1], fields)
			items = append(append(items, all[0]), all[2:]...)
		case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet":
			items = append(items, workload(words[0], words[1], fields)...)
		default:
			namespace, name, in := strings.Cut(words[1], "/")
			if !in {
				namespace, name = "default", namespace
			}
			annotations := take(fields, "annotations", object{})
			fields["kind"], fields["metadata"] = words[0], object{"name": name, "namespace": namespace, "annotations": annotations}
			items = append(items, fields)
		}
	}
	text, err := json.Marshal(object{"kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	c, err := dump.Read([]trace.File{{Name: d.Pos, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// take removes a field and returns it, or a default.
func take[V any](fields object, name string, otherwise V) V {
	v, has := fields[name].(V)
	delete(fields, name)
	if !has {
		return otherwise
	}
	return v
}

func nodeObject(name string, fields object) any {
	labels := take(fields, "labels", object{})
	labels["kubernetes.io/hostname"] = name
	allocatable := object{"cpu": take(fields, "cpu", 100.0), "memory": "100Gi", "pods": take(fields, "pods", 110.0)}
	return object{
		"kind": "Node", "metadata": object{"name": name, "labels": labels, "creationTimestamp": take(fields, "created", "2026-01-01T00:00:00Z")}, "spec": fields,
		"status": object{"allocatable": allocatable, "conditions": []any{object{"type": "Ready", "status": take(fields, "ready", "True"), "lastTransitionTime": take(fields, "since", "2026-01-02T00:00:00Z")}}},
	}
}

func workload(kind, name string, fields object) (all []any) {
	on, unready, broken := take(fields, "nodes", []any{}), take(fields, "unready", []any{}), take(fields, "broken", []any{})
	labels := take(fields, "labels", object{"app": name})
	spec := take(fields, "pod", object{})
	spec["terminationGracePeriodSeconds"] = take(fields, "grace", 30.0)
	spec["containers"] = []any{object{"name": "c", "resources": object{"requests": object{"cpu": take(fields, "cpu", 1.0)}}, "ports": take(fields, "ports", []any{})}}
	fields["selector"], fields["template"] = object{"matchLabels": labels}, object{"metadata": object{"labels": labels}, "spec": spec}
	own := func(kind, name string, meta object, spec object) {
		meta["name"], meta["namespace"], meta["creationTimestamp"] = name, "default", "2026-01-01T00:00:00Z"
		all = append(all, object{"kind": kind, "metadata": meta, "spec": spec, "status": object{"desiredNumberScheduled": len(on)}})
	}
	own(kind, name, object{}, fields)
	owner := func(kind, name string) []any { return []any{object{"kind": kind, "name": name, "controller": true}} }
	if kind == "Deployment" {
		own("ReplicaSet", name+"-1", object{"ownerReferences": owner(kind, name), "annotations": object{"deployment.kubernetes.io/revision": "1"}},
			object{"replicas": fields["replicas"], "selector": fields["selector"], "template": fields["template"]})
		kind, name = "ReplicaSet", name+"-1"
	}
	for i, node := range on {
		one := object{}
		for k, v := range spec {
			one[k] = v
		}
		status, ready := object{"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}, "True"
		if slices.Contains(unready, any(float64(i))) {
			ready = "False"
		}
		if slices.Contains(broken, any(float64(i))) {
			ready = "False"
			status["containerStatuses"] = []any{object{"name": "c", "state": object{"waiting": object{"reason": "CrashLoopBackOff"}}}}
		}
		status["conditions"] = []any{object{"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-01T00:00:10Z"}}
		if one["nodeName"] = node; node == "" {
			status = object{"phase": "Pending"}
		}
		all = append(all, object{
			"kind": "Pod", "spec": one, "status": status,
			"metadata": object{"name": fmt.Sprintf("%s-%d", name, i), "namespace": "default", "labels": labels, "ownerReferences": owner(kind, name), "creationTimestamp": "2026-01-01T00:00:00Z"},
		})
	}
	return all
}
