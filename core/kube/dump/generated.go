package dump

import (
	"fmt"
	"strings"
)

// writeWorkloads writes namespaces, classes, controllers, services, budgets, volumes and
// claims.
func (g *generator) writeWorkloads() {
	for i := range teams {
		g.object(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace",
		"metadata": {"labels": {"kubernetes.io/metadata.name": "team-%02[1]d"}, "name": "team-%02[1]d",
		"uid": "%[2]s"}, "status": {"phase": "Active"}}`, i, g.uid(3, i)))
	}
	g.object(`{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"},
		"value": 1000}`)
	g.object(`{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
		"metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}, "name": "disk"},
		"provisioner": "disk.example.com", "volumeBindingMode": "WaitForFirstConsumer"}`)
	for d := range daemons {
		g.object(fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "DaemonSet",
		"metadata": {"name": "agent-%[1]d", "namespace": "kube-system"},
		"spec": {"selector": {"matchLabels": {"app": "agent-%[1]d"}},
		"template": {"metadata": {"labels": {"app": "agent-%[1]d"}}, "spec": %[3]s}},
		"status": {"desiredNumberScheduled": %[2]d}}`, d, len(g.nodes), daemonSpec(d, "", "")))
	}
	for i := range g.flows {
		g.writeWorkload(i, &g.flows[i])
	}
}

// writeWorkload writes a workload, with number i, and its ReplicaSet, service, budget and volumes if it has
// them.
func (g *generator) writeWorkload(i int, w *madeWorkload) {
	kind, suffix := w.kind, ""
	if kind == "Deployment" {
		suffix = "-7d9f8c6b54"
	}
	controller := func(kind, name, owner string) {
		g.object(fmt.Sprintf(`{"apiVersion": "apps/v1", "kind": "%[1]s",
		"metadata": {"creationTimestamp": "%[8]s", "name": "%[2]s", "namespace": "%[3]s"%[4]s},
		"spec": {"replicas": %[5]d, "selector": {"matchLabels": {"app": "%[6]s"}},
		"template": {"metadata": {"labels": {"app": "%[6]s"}}, "spec": %[7]s}}}`, kind, name, w.namespace, owner, w.replicas, w.name, g.podSpec(w, "", "", true), created))
	}
	controller(kind, w.name, "")
	if kind == "Deployment" {
		controller("ReplicaSet", w.name+suffix, fmt.Sprintf(`, "ownerReferences": [{"apiVersion": "apps/v1",
		"controller": true, "kind": "Deployment", "name": "%s"}]`, w.name))
	}
	g.object(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "%[1]s",
		"namespace": "%[2]s"}, "spec": {"selector": {"app": "%[1]s"}}}`, w.name, w.namespace))
	if w.budget {
		g.object(fmt.Sprintf(`{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
		"metadata": {"generation": 1, "name": "%[1]s", "namespace": "%[2]s"}, "spec": {"maxUnavailable": 1,
		"selector": {"matchLabels": {"app": "%[1]s"}}}, "status": {"currentHealthy": %[3]d,
		"desiredHealthy": %[4]d, "disruptionsAllowed": 1, "expectedPods": %[3]d, "observedGeneration": 1}}`, w.name, w.namespace, w.replicas, w.replicas-1))
	}
	for k := range w.replicas {
		if w.stored {
			g.writeVolume(w, i, k)
		}
	}
}

// writeVolume writes the bound volume and claim of the pod with ordinal k of workload i, in the zone in
// which room places the pod.
func (g *generator) writeVolume(w *madeWorkload, i, k int) {
	zone := "region-1" + string(rune('a'+k%3))
	if len(g.nodes) < 3 {
		zone = "region-1a"
	}
	g.object(fmt.Sprintf(`{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pvc-%[1]s"},
		"spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "20Gi"},
		"claimRef": {"kind": "PersistentVolumeClaim", "name": "data-%[2]s-%[3]d", "namespace": "%[4]s"},
		"csi": {"driver": "disk.example.com", "volumeHandle": "vol-%[1]s"},
		"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "topology.kubernetes.io/zone",
		"operator": "In", "values": ["%[5]s"]}]}]}}, "storageClassName": "disk"}, "status": {"phase": "Bound"}}`, g.uid(10+i, k), w.name, k, w.namespace, zone))
	g.object(fmt.Sprintf(`{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
		"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}, "name": "data-%[2]s-%[3]d",
		"namespace": "%[4]s"}, "spec": {"accessModes": ["ReadWriteOnce"],
		"resources": {"requests": {"storage": "20Gi"}}, "storageClassName": "disk", "volumeName": "pvc-%[1]s"},
		"status": {"phase": "Bound"}}`, g.uid(10+i, k), w.name, k, w.namespace))
}

// filler is environment and mounts as pods have them, which the reader passes over.
func filler(name string) string {
	var b strings.Builder
	for i := range 24 {
		fmt.Fprintf(&b, `{"name": "SETTING_%02d", "value": "https://%s.example.com/path/%d/of-some-length"},`, i, name, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

const lifeTolerations = `{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists",
		"tolerationSeconds": 300}, {"effect": "NoExecute", "key": "node.kubernetes.io/unreachable",
		"operator": "Exists", "tolerationSeconds": 300}`

// podSpec returns the spec of a workload's pods as JSON. node is "" of a template and of a pending pod,
// claim "" of a pod without a volume. A template lacks the fields that admission adds.
func (g *generator) podSpec(w *madeWorkload, node, claim string, template bool) string {
	var more strings.Builder
	tolerations := lifeTolerations
	if template {
		tolerations = ""
	}
	request := fmt.Sprintf(`"cpu": "%dm", "memory": "%dMi"`, w.cpu, w.memory)
	if w.disk > 0 {
		request += fmt.Sprintf(`, "ephemeral-storage": "%dMi"`, w.disk)
	}
	if w.gpu > 0 {
		request += fmt.Sprintf(`, "nvidia.com/gpu": "%d"`, w.gpu)
		gpu := `{"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"}`
		if tolerations != "" {
			gpu += ","
		}
		tolerations = gpu + tolerations
	}
	selector := fmt.Sprintf(`"labelSelector": {"matchLabels": {"app": "%s"}},`, w.name)
	if w.spread {
		fmt.Fprintf(&more, `"topologySpreadConstraints": [{%s"maxSkew": 1,
		"topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}],`, selector)
	}
	if w.apart {
		fmt.Fprintf(&more, `"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"podAffinityTerm": {%s"topologyKey": "kubernetes.io/hostname"},
		"weight": 100}]}},`, selector)
	}
	if node != "" {
		fmt.Fprintf(&more, `"nodeName": "%s",`, node)
	}
	if !template {
		fmt.Fprintf(&more, `"priority": %d,`, w.value)
	}
	if w.priority == "high" {
		more.WriteString(`"priorityClassName": "high",`)
	}
	volumes := ""
	if claim != "" {
		volumes = fmt.Sprintf(`{"name": "data", "persistentVolumeClaim": {"claimName": "%s"}},`, claim)
	}
	return fmt.Sprintf(`{"containers": [{"args": ["serve", "--listen=:8080"], "env": [%[4]s],
		"image": "registry.example.com/%[1]s:v1", "imagePullPolicy": "IfNotPresent", "name": "main",
		"ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
		"resources": {"limits": {"memory": "%[3]dMi"}, "requests": {%[2]s}},
		"terminationMessagePath": "/dev/termination-log", "volumeMounts": [{"mountPath": "/tmp", "name": "tmp"}]}],
		"dnsPolicy": "ClusterFirst",%[5]s"restartPolicy": "Always", "schedulerName": "default-scheduler",
		"terminationGracePeriodSeconds": 30, "tolerations": [%[6]s], "volumes": [%[7]s{"emptyDir": {},
		"name": "tmp"}]}`, w.name, request, w.memory, filler(w.name), more.String(), tolerations, volumes)
}

// daemonSpec returns the spec of a DaemonSet's pods; node is "" of the template.
func daemonSpec(d int, node, affinity string) string {
	name := ""
	if node != "" {
		name = fmt.Sprintf(`"nodeName": "%s", "priority": 2000001000,`, node)
	}
	return fmt.Sprintf(`{%[4]s"containers": [{"image": "registry.example.com/agent:v1", "name": "agent",
		"resources": {"requests": {"cpu": "%[1]dm",
		"memory": "%[2]dMi"}}}],%[3]s"priorityClassName": "system-node-critical",
		"schedulerName": "default-scheduler", "tolerations": [{"operator": "Exists"}],
		"volumes": [{"hostPath": {"path": "/var/log"}, "name": "log"}]}`, 50+50*d, 100+60*d, name, affinity)
}
