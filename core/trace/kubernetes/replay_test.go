package kubernetes_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/kubernetes"
	"parley/core/unit"
	"parley/core/workload"
)

// file returns a file with a content.
func file(name string, content []byte) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// TestReplay plays a small dump as a workload: nodes with shares of the largest, pods in the
// order of their starts with the constraints of their node, their selector and the taints that
// they do not tolerate, and where they were placed.
func TestReplay(t *testing.T) {
	const dump = `{"apiVersion":"v1","kind":"List","items":[
{"kind":"Node","metadata":{"name":"large","labels":{"disk":"ssd","topology.kubernetes.io/zone":"a"}},"status":{"allocatable":{"cpu":"8","memory":"16Gi"}}},
{"kind":"Node","metadata":{"name":"small","labels":{"topology.kubernetes.io/zone":"b"}},"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"2","memory":"16Gi"}}},
{"kind":"Pod","metadata":{"name":"late","namespace":"d"},"spec":{"nodeName":"large","nodeSelector":{"disk":"ssd"},"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]},"status":{"phase":"Running","startTime":"2026-11-02T08:00:10Z"}},
{"kind":"Pod","metadata":{"name":"agent","namespace":"s","ownerReferences":[{"kind":"DaemonSet","name":"agent","controller":true}]},"spec":{"nodeName":"small","priority":2000,"tolerations":[{"operator":"Exists"}],"containers":[{"name":"c"}]},"status":{"phase":"Running","startTime":"2026-10-01T08:00:00Z"}},
{"kind":"Pod","metadata":{"name":"waits","namespace":"d","creationTimestamp":"2026-11-02T08:00:00Z"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"3"}}}]}},
{"kind":"Pod","metadata":{"name":"done","namespace":"d"},"status":{"phase":"Succeeded"}}]}`
	s, err := kubernetes.Open([]trace.File{file("dump.json", []byte(dump))}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []workload.Record
	for {
		var r workload.Record
		if err := s.Next(&r); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	if len(all) != 7 {
		t.Fatalf("%d records: %+v", len(all), all)
	}
	if n := all[1].Node; all[0].Node.Capacity[unit.CPU] != unit.Whole || n.Capacity[unit.CPU] != unit.Whole/4 || n.Capacity[unit.Memory] != unit.Whole || n.Rack == all[0].Node.Rack {
		t.Errorf("the small node is %+v", n)
	}
	agent, waits, late := all[2], all[4], all[5]
	if agent.At != 0 || agent.Kind != workload.TaskArrives || agent.Task.Class != workload.Production || len(agent.Task.Constraints) != 1 || agent.Task.Constraints[0].Value != 1 || all[3].Kind != workload.TaskRecorded || all[3].Machine != 1 {
		t.Errorf("the agent is %+v, %+v", agent, all[3])
	}
	if waits.At != 24*unit.Hour-10*unit.Second || waits.Task.Request[unit.CPU] != 375_000 || len(waits.Task.Constraints) != 1 || waits.Task.Constraints[0].Op != workload.NotEqual {
		t.Errorf("the pod that waits is %+v", waits)
	}
	if late.At != 24*unit.Hour || len(late.Task.Constraints) != 2 || s.Names().ValueText(late.Task.Constraints[0].Value) != "ssd" || all[6].Machine != 0 {
		t.Errorf("the late pod is %+v, %+v", late, all[6])
	}
	if tally := s.Tally(); tally.Rows != 4 || tally.Played != 3 || len(tally.Repaired) != 1 || tally.Repaired[0].Count != 1 {
		t.Errorf("%+v", tally)
	}
}

// TestReplayOfGPUs: a pod that requests GPUs or ephemeral storage takes them from nodes that have
// as much, and the map shows each resource, GPUs of several models also by model.
func TestReplayOfGPUs(t *testing.T) {
	if unit.Resources > 2 {
		t.Skip("this build counts GPUs and disk as resources")
	}
	node := func(name, gpus string) string {
		labels := map[string]string{"one": `,"labels":{"nvidia.com/gpu.product":"L40S"}`, "four": `,"labels":{"nvidia.com/gpu.product":"A100"}`}[name]
		return `{"kind":"Node","metadata":{"name":"` + name + `"` + labels + `},"status":{"allocatable":{"cpu":"8","memory":"16Gi","ephemeral-storage":"10Gi"` + gpus + `}}}`
	}
	pod := func(name, requests string) string {
		return `{"kind":"Pod","metadata":{"name":"` + name + `","creationTimestamp":"2026-11-02T08:00:00Z"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"` + requests + `}}}]}}`
	}
	dump := `{"apiVersion":"v1","kind":"List","items":[` + strings.Join([]string{
		node("none", ""), node("one", `,"nvidia.com/gpu":"1"`), node("four", `,"nvidia.com/gpu":"4"`),
		pod("a", ""), pod("b", `,"nvidia.com/gpu":"2"`), pod("c", `,"ephemeral-storage":"1Gi"`), pod("d", `,"ephemeral-storage":"20Gi"`),
	}, ",\n") + `]}`
	s, err := kubernetes.Open([]trace.File{file("dump.json", []byte(dump))}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var nodes [][]workload.Attribute
	for i := 0; ; {
		var r workload.Record
		if err := s.Next(&r); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if r.Kind == workload.NodeJoins {
			nodes = append(nodes, append([]workload.Attribute(nil), r.Node.Attributes...))
			continue
		}
		takes := ""
		for _, attributes := range nodes {
			ok := true
			for _, c := range r.Task.Constraints {
				has := workload.Unset
				for _, a := range attributes {
					if a.Name == c.Name {
						has = a.Value
					}
				}
				ok = ok && c.Holds(has)
			}
			takes += map[bool]string{true: "+", false: "-"}[ok]
		}
		if want := []string{"+++", "--+", "+++", "---"}[i]; takes != want {
			t.Errorf("pod %d may run on nodes %s, want %s", i, takes, want)
		}
		i++
	}
	if repaired := s.Tally().Repaired; len(repaired) != 0 {
		t.Errorf("%+v", repaired)
	}
	var supplies []string
	for _, one := range s.Names().Supplies() {
		supplies = append(supplies, one.ID)
	}
	if got := strings.Join(supplies, " "); got != "ephemeral_storage nvidia_com_gpu nvidia_com_gpu_A100 nvidia_com_gpu_L40S" {
		t.Errorf("the supplies are %s", got)
	}
}

// TestNothingToReplay: dumps that leave nothing to run say what to fetch.
func TestNothingToReplay(t *testing.T) {
	for dump, want := range map[string]string{
		`{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"p"},"spec":{"containers":[{}]}}]}`:             "has no nodes",
		`{"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"n"},"status":{"allocatable":{}}}]}`:           "has no pods",
		`{"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"1K"}}}]}`: `column "status.allocatable.cpu": "1K" is no quantity (Node n)`,
	} {
		_, err := trace.Open([]trace.File{file("dump.json", []byte(dump))}, []trace.Format{kubernetes.Format()}, trace.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", dump, err, want)
		}
	}
}
