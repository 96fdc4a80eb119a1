package dump

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"parley/core/rng"
)

// Size is the size of a generated cluster.
type Size struct {
	Nodes, Pods int
	Seed        uint64 // another seed is another cluster
}

// Generate writes the dump of an invented cluster as kubectl get … -A -o json would print it: a List
// of nodes, workloads, volumes, budgets and pods. Each has the fields of real ones, including fields
// that readers skip. The same Size gives the same bytes.
//
// Nodes are of four machine types in three zones. Three DaemonSets run on every node; the
// other pods belong to Deployments and StatefulSets and are placed in turn where their
// requests fit. Of a hundred workloads about 20 are spread over zones and 10 over hosts, 15
// have a budget, 8 are StatefulSets with a volume in a zone, 3 want GPUs, and 25 request
// ephemeral storage.
func Generate(w io.Writer, size Size) error {
	g := &generator{w: w, size: size, random: rng.New(size.Seed, "kubernetes/generate")}
	g.makeNodes()
	g.makeWorkloads()
	g.write("{\n    \"apiVersion\": \"v1\",\n    \"items\": [")
	g.writeNodes()
	g.writeWorkloads()
	g.writePods()
	g.write("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")
	return g.err
}

// generator invents a cluster.
type generator struct {
	w       io.Writer
	err     error
	size    Size
	random  *rng.Stream
	nodes   []madeNode
	flows   []madeWorkload
	objects int
	next    int // the node with which the search for room begins
	text    bytes.Buffer
}

type madeNode struct {
	name, zone, kind       string
	cpu, memory, gpu       int64 // allocatable: milli-CPUs, MiB, pieces
	usedCPU, usedMem, gpu1 int64
	pods                   int
}

type madeWorkload struct {
	kind, namespace, name string
	replicas              int
	cpu, memory, gpu      int64
	disk                  int64 // ephemeral storage in MiB, 0 if it requests none
	spread, apart, stored bool
	budget                bool
	priority              string
	value                 int
}

// machines are the machine types: cores, GiB and GPUs, and the percentage of nodes of the type.
var machines = []struct {
	name             string
	cores, gib, gpus int64
	ofHundred        int
}{{"m-16", 16, 64, 0, 60}, {"c-32", 32, 64, 0, 20}, {"r-16", 16, 128, 0, 16}, {"g-32", 32, 256, 4, 4}}

const daemons = 3

// teams is how many namespaces the workloads are in.
const teams = 40

// makeNodes sets the nodes, with the resources that DaemonSets use there. The type of a node depends on its
// number and the seed alone, so that a larger cluster begins with the same nodes.
func (g *generator) makeNodes() {
	for i := range g.size.Nodes {
		at := int(rng.Hash(g.size.Seed, 1, uint64(i)) % 100)
		m := machines[0]
		for _, x := range machines {
			if at < x.ofHundred {
				m = x
				break
			}
			at -= x.ofHundred
		}
		g.nodes = append(g.nodes, madeNode{
			name: fmt.Sprintf("node-%s-%05d", m.name, i), zone: string(rune('a' + i%3)), kind: m.name,
			cpu: m.cores*1000 - 80, memory: m.gib*1024 - 1800, gpu: m.gpus,
			usedCPU: 350, usedMem: 500, pods: daemons,
		})
	}
}

// makeWorkloads sets workloads until their replicas, with the pods of DaemonSets, come to size.Pods. It
// draws; the order of the draws is part of the output.
func (g *generator) makeWorkloads() {
	pick := func(all []int64) int64 { return all[g.random.Intn(len(all))] }
	for left, i := g.size.Pods-daemons*g.size.Nodes, 0; left > 0; i++ {
		w := madeWorkload{
			kind: "Deployment", namespace: fmt.Sprintf("team-%02d", g.random.Intn(teams)),
			name: fmt.Sprintf("app-%04d", i), priority: "standard", value: 0,
		}
		w.replicas = min(left, 1+int(g.random.Exponential()*30))
		w.cpu, w.memory = pick([]int64{50, 100, 100, 250, 250, 500, 1000, 1500}),
			pick([]int64{128, 256, 256, 512, 512, 1024, 2048, 4096})
		switch at := g.random.Intn(100); {
		case at < 20:
			w.spread = true
		case at < 30:
			w.apart = true
		case at < 38:
			w.kind, w.stored, w.replicas = "StatefulSet", true, min(w.replicas, 9)
		case at < 41:
			w.gpu, w.replicas = 1, min(w.replicas, 4)
		}
		if i%4 == 0 {
			w.disk = 500
		}
		w.budget = w.replicas > 1 && g.random.Intn(100) < 15
		if g.random.Intn(10) == 0 {
			w.priority, w.value = "high", 1000
		}
		g.flows = append(g.flows, w)
		left -= w.replicas
	}
}

// write writes to the output, unless an earlier write failed: g.err keeps the first error.
func (g *generator) write(format string, args ...any) {
	if g.err == nil {
		_, g.err = fmt.Fprintf(g.w, format, args...)
	}
}

// object writes one object of the list, with kubectl's indent.
func (g *generator) object(text string) {
	if g.objects > 0 {
		g.write(",")
	}
	g.objects++
	const before = "\n        "
	g.text.Reset()
	g.text.WriteString(before)
	if err := json.Indent(&g.text, []byte(text), before[1:], "    "); err != nil {
		panic("dump: an invented object is no JSON: " + err.Error())
	}
	if g.err == nil {
		_, g.err = g.w.Write(g.text.Bytes())
	}
}

const created = "2026-11-01T08:00:00Z"

// uid returns a uid that is the same for the same object.
func (g *generator) uid(kind, place int) string {
	a, b := rng.Hash(g.size.Seed, uint64(kind), uint64(place)), rng.Hash(g.size.Seed+1, uint64(kind), uint64(place))
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// writeNodes writes each node and its CSINode.
func (g *generator) writeNodes() {
	for i, n := range g.nodes {
		taint, gpu, product := "", "", ""
		if n.gpu > 0 {
			product = fmt.Sprintf(`"nvidia.com/gpu.product": "%s",`, []string{"NVIDIA-A100-SXM4-80GB", "NVIDIA-L40S"}[i%2])
			taint = `, "taints": [{"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}]`
			gpu = fmt.Sprintf(`"nvidia.com/gpu": "%d",`, n.gpu)
		}
		g.object(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Node",
		"metadata": {"annotations": {"csi.volume.kubernetes.io/nodeid": "{\"disk.example.com\":\"%[1]s\"}",
		"volumes.kubernetes.io/controller-managed-attach-detach": "true"}, "creationTimestamp": "%[9]s",
		"labels": {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": "%[1]s", "kubernetes.io/os": "linux",
		"node.kubernetes.io/instance-type": "%[3]s",%[16]s"topology.kubernetes.io/region": "region-1",
		"topology.kubernetes.io/zone": "region-1%[2]s"}, "name": "%[1]s", "resourceVersion": "%[10]d",
		"uid": "%[8]s"}, "spec": {"podCIDR": "10.%[11]d.%[12]d.0/24", "providerID": "example:///%[1]s"%[6]s},
		"status": {"allocatable": {"cpu": "%[4]dm", "ephemeral-storage": "93492209510", "hugepages-2Mi": "0",
		"memory": "%[5]dMi",%[7]s"pods": "110"}, "capacity": {"cpu": "%[13]d", "ephemeral-storage": "104845292Ki",
		"hugepages-2Mi": "0", "memory": "%[14]dMi",%[7]s"pods": "110"},
		"conditions": [{"lastHeartbeatTime": "%[9]s", "lastTransitionTime": "%[9]s",
		"message": "kubelet is posting ready status", "reason": "KubeletReady", "status": "True",
		"type": "Ready"}], "images": [{"names": ["registry.example.com/agent@sha256:%[15]s",
		"registry.example.com/agent:v1"], "sizeBytes": 120000000}], "nodeInfo": {"architecture": "amd64",
		"kubeletVersion": "v1.33.0", "operatingSystem": "linux"}}}`, n.name, n.zone, n.kind, n.cpu, n.memory, taint, gpu, g.uid(1, i), created, 1000+i, i/256%256, i%256,
			(n.cpu+80)/1000, n.memory+1800, strings.Repeat("ab", 32), product))
		g.object(fmt.Sprintf(`{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "%s",
		"uid": "%s"}, "spec": {"drivers": [{"allocatable": {"count": 24}, "name": "disk.example.com",
		"nodeID": "%s", "topologyKeys": ["topology.kubernetes.io/zone"]}]}}`, n.name, g.uid(2, i), n.name))
	}
}

// room returns the index of a node on which a pod of a workload fits, searched from the last one on, and
// adds the pod to its sums; -1 if there is none. A pod that is spread or has a volume needs a node of the
// zone of its ordinal, and a node with GPUs takes only pods that request one.
func (g *generator) room(w *madeWorkload, ordinal int) int {
	for i := range g.nodes {
		at := (g.next + i) % len(g.nodes)
		n := &g.nodes[at]
		if n.usedCPU+w.cpu > n.cpu || n.usedMem+w.memory > n.memory || n.gpu1+w.gpu > n.gpu || n.pods >= 110 ||
			w.gpu == 0 && n.gpu > 0 {
			continue
		}
		if (w.spread || w.stored) && len(g.nodes) >= 3 && at%3 != ordinal%3 {
			continue
		}
		g.next = at + 1
		n.usedCPU, n.usedMem, n.gpu1, n.pods = n.usedCPU+w.cpu, n.usedMem+w.memory, n.gpu1+w.gpu, n.pods+1
		return at
	}
	return -1
}
