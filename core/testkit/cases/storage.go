package cases

import (
	"fmt"

	"parley/core/rng"
)

const driver = "ebs.csi.aws.com"

// storage draws classes, drivers on nodes, volumes and claims that pods may use.
func (m *maker) storage() {
	m.add(object{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta("now", "", nil), "provisioner": driver, "volumeBindingMode": "Immediate", "reclaimPolicy": "Delete"})
	wait := object{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta("wait", "", nil), "provisioner": driver, "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Delete"}
	if m.one(2) {
		wait["allowedTopologies"] = []any{object{"matchLabelExpressions": []any{object{"key": "topology.kubernetes.io/zone", "values": pick(m, []any{"z1"}, []any{"z1", "z2"})}}}}
	}
	m.add(wait)
	m.add(object{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta("local", "", nil), "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer", "reclaimPolicy": "Delete"})
	for _, name := range m.nodes {
		if m.one(3) {
			continue
		}
		d := object{"name": driver, "nodeID": name, "topologyKeys": []any{"topology.kubernetes.io/zone"}}
		if !m.one(4) {
			d["allocatable"] = object{"count": pick(m, 1, 1, 2, 25)}
		}
		m.add(object{"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": meta(name, "", nil), "spec": object{"drivers": []any{d}}})
	}
	if m.one(3) {
		m.add(object{"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": meta(driver, "", nil), "spec": object{"storageCapacity": true, "attachRequired": true}})
		for i, zone := range []string{"z1", "z2"} {
			m.add(object{
				"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
				"metadata": meta(fmt.Sprint("cap", i), "one", nil), "storageClassName": "wait", "capacity": pick(m, "1Gi", "100Gi"), "nodeTopology": object{"matchLabels": object{"topology.kubernetes.io/zone": zone}},
			})
		}
	}
	for i := range 2 + m.Intn(4) {
		m.claim(i)
	}
	if m.one(4) {
		m.add(object{
			"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": meta("va0", "", nil),
			"spec": object{"attacher": driver, "nodeName": pick(m, m.nodes...), "source": object{"persistentVolumeName": "v0"}}, "status": object{"attached": true},
		})
	}
}

// claim draws a claim, and a volume that it is or may be bound to.
func (m *maker) claim(i int) {
	name, volume := fmt.Sprint("c", i), fmt.Sprint("v", i)
	m.claims = append(m.claims, name)
	class := pick(m, "now", "wait", "wait", "local")
	mode := pick(m, "ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod")
	spec := object{"storageClassName": class, "accessModes": []any{mode}, "resources": object{"requests": object{"storage": pick(m, "1Gi", "5Gi")}}, "volumeMode": "Filesystem"}
	more, phase := object{}, "Pending"
	bound := m.one(2)
	if bound {
		spec["volumeName"], phase = volume, "Bound"
		if !m.one(12) {
			more["annotations"] = object{"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
		}
	} else if m.one(8) {
		more["annotations"] = object{"volume.kubernetes.io/selected-node": pick(m, m.nodes...)}
	}
	if !m.one(15) {
		m.add(object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta(name, "one", more), "spec": spec, "status": object{"phase": phase}})
	}
	if !bound && class != "local" || m.one(15) {
		return
	}
	pv := object{"capacity": object{"storage": pick(m, "2Gi", "10Gi")}, "accessModes": []any{mode}, "storageClassName": class, "volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Delete"}
	labels := object{}
	if class == "local" {
		pv["local"] = object{"path": "/disks/0"}
		pv["nodeAffinity"] = onNodes("kubernetes.io/hostname", pick(m, m.nodes...))
	} else {
		pv["csi"] = object{"driver": driver, "volumeHandle": "h" + volume}
		if m.one(2) {
			pv["nodeAffinity"] = onNodes("topology.kubernetes.io/zone", pick(m, "z1", "z2"))
		}
		if m.one(2) {
			labels[pick(m, "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone")] = pick(m, "z1", "z2", "z1__z2")
		}
	}
	phase = "Available"
	if bound {
		pv["claimRef"] = object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "one", "name": name, "uid": "uid-one-" + name}
		phase = "Bound"
	}
	m.add(object{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta(volume, "", object{"labels": labels}), "spec": pv, "status": object{"phase": phase}})
}

func (m *maker) podVolumes(spec object, namespace, pod string) {
	var out []any
	for i := range 1 + m.Intn(2) {
		v := object{"name": fmt.Sprint("v", i)}
		switch m.Intn(10) {
		case 0:
			v["emptyDir"] = pick(m, object{}, object{"medium": "Memory"})
		case 1:
			v["gcePersistentDisk"] = object{"pdName": pick(m, "d1", "d2"), "readOnly": m.one(2)}
		case 2:
			v["hostPath"] = object{"path": "/var/log"}
		case 3:
			v["awsElasticBlockStore"] = object{"volumeID": pick(m, "vol-1", "vol-2"), "readOnly": m.one(2)}
		case 4:
			v["rbd"] = object{"monitors": []any{"a", pick(m, "b", "c")}, "image": "i", "pool": pick(m, "rbd", "other"), "readOnly": m.one(2)}
		default:
			if namespace != "one" {
				v["emptyDir"] = object{}
				break
			}
			v["persistentVolumeClaim"] = object{"claimName": pick(m, m.claims...)}
		}
		out = append(out, v)
	}
	spec["volumes"] = out
}

func (m *maker) budgets() {
	for i := range m.Intn(3) {
		spec := object{"selector": m.selector()}
		if spec["selector"] == nil {
			delete(spec, "selector")
		}
		if m.one(2) {
			spec["minAvailable"] = pick(m, any(1), any(2), any("50%"))
		} else {
			spec["maxUnavailable"] = pick(m, any(0), any(1), any("34%"))
		}
		allowed := m.Intn(3)
		m.add(object{
			"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
			"metadata": meta(fmt.Sprint("b", i), "one", object{"generation": 1}), "spec": spec,
			"status": object{"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 2 + allowed, "desiredHealthy": 2, "expectedPods": 2 + allowed},
		})
	}
}

func (m *maker) owners() {
	for _, namespace := range []string{"one", "two", "three"} {
		m.add(object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta("web", namespace, nil), "spec": object{"replicas": 3, "selector": object{"matchLabels": object{"app": "a"}}}})
		m.add(object{
			"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta("db", namespace, nil),
			"spec": object{"replicas": 2, "serviceName": "db", "selector": object{"matchLabels": object{"app": "b"}}},
		})
	}
}

// Configuration returns a KubeSchedulerConfiguration: weights, a strategy, a shape, plugins
// that are off, spread defaults.
func Configuration(seed uint64) []byte {
	m := &maker{Stream: rng.New(seed, "kubernetes configuration")}
	args := object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesFitArgs"}
	resources := []any{object{"name": "cpu", "weight": 1 + m.Intn(3)}, object{"name": "memory", "weight": 1 + m.Intn(3)}}
	if m.one(3) {
		resources = append(resources, object{"name": "nvidia.com/gpu", "weight": 5})
	}
	strategy := object{"type": pick(m, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"), "resources": resources}
	if strategy["type"] == "RequestedToCapacityRatio" {
		strategy["requestedToCapacityRatio"] = object{"shape": []any{
			object{"utilization": 0, "score": m.Intn(11)},
			object{"utilization": 70, "score": m.Intn(11)},
			object{"utilization": 100, "score": m.Intn(11)},
		}}
	}
	args["scoringStrategy"] = strategy
	if m.one(4) {
		args["ignoredResources"] = []any{"nvidia.com/gpu"}
	}
	config := []any{object{"name": "NodeResourcesFit", "args": args}}
	if m.one(3) {
		config = append(config, object{"name": "InterPodAffinity", "args": object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "InterPodAffinityArgs", "hardPodAffinityWeight": m.Intn(101)}})
	}
	if m.one(3) {
		config = append(config, object{
			"name": "PodTopologySpread",
			"args": object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "PodTopologySpreadArgs", "defaultingType": "List", "defaultConstraints": []any{object{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": pick(m, "ScheduleAnyway", "DoNotSchedule")}}},
		})
	}
	if m.one(4) {
		config = append(config, object{
			"name": "NodeAffinity",
			"args": object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeAffinityArgs", "addedAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": object{"nodeSelectorTerms": []any{object{"matchExpressions": []any{object{"key": "rack", "operator": "Exists"}}}}}}},
		})
	}
	plugins := object{}
	if m.one(2) {
		plugins["multiPoint"] = object{"disabled": []any{object{"name": pick(m, "ImageLocality", "NodeResourcesBalancedAllocation", "VolumeZone", "NodePorts")}}}
	}
	if m.one(2) {
		plugins["score"] = object{"disabled": []any{object{"name": "NodeResourcesFit"}}, "enabled": []any{object{"name": "NodeResourcesFit", "weight": m.Intn(6)}}}
	}
	if m.one(5) {
		plugins["score"] = object{"disabled": []any{object{"name": "*"}}, "enabled": []any{object{"name": "NodeResourcesFit", "weight": 2}, object{"name": "TaintToleration"}}}
	}
	profile := object{"schedulerName": "default-scheduler", "pluginConfig": config}
	if len(plugins) > 0 {
		profile["plugins"] = plugins
	}
	return encode(object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []any{profile}})
}

// onNodes returns the affinity of a volume to nodes that have one value of a label.
func onNodes(label string, value any) object {
	expression := object{"key": label, "operator": "In", "values": []any{value}}
	return object{"required": object{"nodeSelectorTerms": []any{object{"matchExpressions": []any{expression}}}}}
}
