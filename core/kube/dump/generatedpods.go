package dump

import (
	"fmt"
	"strings"
)

// writePods writes the pods of DaemonSets and of all workloads.
func (g *generator) writePods() {
	for d := range daemons {
		for at := range g.nodes {
			g.writeDaemon(d, at)
		}
	}
	for i := range g.flows {
		w := &g.flows[i]
		for k := range w.replicas {
			g.writePod(w, i, k)
		}
	}
}

func (g *generator) writeDaemon(d, at int) {
	affinity := fmt.Sprintf(`"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name",
		"operator": "In", "values": ["%s"]}]}]}}},`, g.nodes[at].name)
	g.pod(fmt.Sprintf("agent-%d-%05x", d, at), "kube-system", fmt.Sprintf("agent-%d", d), "DaemonSet", fmt.Sprintf("agent-%d", d),
		g.uid(4+d, at), daemonSpec(d, g.nodes[at].name, affinity), true)
}

// writePod writes the pod with number k of workload i, on a node with room for it, or pending.
func (g *generator) writePod(w *madeWorkload, i, k int) {
	at := g.room(w, k)
	name, owner, kind, claim := fmt.Sprintf("%s-7d9f8c6b54-%05x", w.name, k), w.name+"-7d9f8c6b54", "ReplicaSet", ""
	if w.stored {
		name, owner, kind = fmt.Sprintf("%s-%d", w.name, k), w.name, "StatefulSet"
		claim = "data-" + name
	}
	node := ""
	if at >= 0 {
		node = g.nodes[at].name
	}
	g.pod(name, w.namespace, w.name, kind, owner, g.uid(1000+i, k), g.podSpec(w, node, claim, false), node != "")
}

// pod writes a pod with managed fields and a status as the API server gives it: running, or unschedulable.
func (g *generator) pod(name, namespace, app, kind, owner, uid, spec string, running bool) {
	status := `{"conditions": [{"lastTransitionTime": "` + created + `",
                "message": "0/1 nodes are available",
                "reason": "Unschedulable",
                "status": "False",
                "type": "PodScheduled"
            }
        ],
        "phase": "Pending",
        "qosClass": "Burstable"
    }`
	if running {
		status = runningStatus
	}
	hash := ""
	if kind == "ReplicaSet" {
		hash = `, "pod-template-hash": "7d9f8c6b54"`
	}
	g.object(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod",
		"metadata": {"annotations": {"example.com/config": "%[9]s"}, "creationTimestamp": "%[8]s",
		"generateName": "%[5]s-", "labels": {"app": "%[3]s"%[10]s}, "managedFields": %[11]s, "name": "%[1]s",
		"namespace": "%[2]s", "ownerReferences": [{"apiVersion": "apps/v1", "blockOwnerDeletion": true,
		"controller": true, "kind": "%[4]s", "name": "%[5]s"}], "resourceVersion": "1", "uid": "%[6]s"},
		"spec": %[7]s, "status": %[12]s}`, name, namespace, app, kind, owner, uid, spec, created, strings.Repeat("0123456789abcdef", 8), hash, managed, status))
}

// managed is a managedFields entry, as the API server records who wrote which field.
const managed = `[{"apiVersion": "v1", "fieldsType": "FieldsV1",
		"fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}},
		"f:spec": {"f:containers": {"k:{\"name\":\"main\"}": {".": {}, "f:env": {}, "f:image": {},
		"f:resources": {}}}, "f:schedulerName": {}, "f:tolerations": {}}}, "manager": "kube-controller-manager",
		"operation": "Update", "time": "2026-11-01T08:00:00Z"}]`

// runningStatus is the status of a pod that runs.
const runningStatus = `{"conditions": [{"lastProbeTime": null, "lastTransitionTime": "2026-11-01T08:00:00Z",
		"status": "True", "type": "Initialized"}, {"lastProbeTime": null,
		"lastTransitionTime": "2026-11-01T08:00:05Z", "status": "True", "type": "Ready"}, {"lastProbeTime": null,
		"lastTransitionTime": "2026-11-01T08:00:00Z", "status": "True", "type": "PodScheduled"}],
		"containerStatuses": [{"containerID": "containerd://6a1f0c2b7d9f8c6b546a1f0c2b7d9f8c6b546a1f0c2b7d9f8c6b546a1f0c2b7d",
		"imageID": "registry.example.com/app@sha256:6a1f0c2b7d9f8c6b546a1f0c2b7d9f8c6b546a1f0c2b7d9f8c6b546a1f0c2b7d",
		"lastState": {}, "name": "main", "ready": true, "restartCount": 0, "started": true,
		"state": {"running": {"startedAt": "2026-11-01T08:00:03Z"}}}], "hostIP": "10.0.0.1", "phase": "Running",
		"podIP": "10.1.0.1", "qosClass": "Burstable", "startTime": "2026-11-01T08:00:00Z"}`
