package kubernetes

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// The fields that are kept, by what they belong to.
var (
	pseudonymSelector = fieldsOf(map[string]treatment{"matchLabels": labelled, "matchExpressions": each(keyed)})
	pseudonymTerm     = fieldsOf(map[string]treatment{"matchExpressions": each(keyed), "matchFields": each(keyed)})
	pseudonymRequired = fieldsOf(map[string]treatment{"nodeSelectorTerms": each(pseudonymTerm)})
	pseudonymPodTerm  = fieldsOf(map[string]treatment{
		"labelSelector": pseudonymSelector, "namespaceSelector": pseudonymSelector, "namespaces": renamed, "topologyKey": keyOf,
	})
	pseudonymPods = fieldsOf(map[string]treatment{
		required:  each(pseudonymPodTerm),
		preferred: each(fieldsOf(map[string]treatment{"weight": as, "podAffinityTerm": pseudonymPodTerm})),
	})
	pseudonymAffinity = fieldsOf(map[string]treatment{
		"nodeAffinity": fieldsOf(map[string]treatment{
			required:  pseudonymRequired,
			preferred: each(fieldsOf(map[string]treatment{"weight": as, "preference": pseudonymTerm})),
		}),
		"podAffinity": pseudonymPods, "podAntiAffinity": pseudonymPods,
	})
	pseudonymResources = fieldsOf(map[string]treatment{"requests": amountsOf})
	pseudonymContainer = fieldsOf(map[string]treatment{
		"name": renamed, "image": imageOf, "restartPolicy": as, "resources": pseudonymResources,
		"ports": each(fieldsOf(map[string]treatment{"hostPort": as, "hostIP": as, "protocol": as})),
	})
	pseudonymVolume = fieldsOf(map[string]treatment{
		"name": renamed, "persistentVolumeClaim": fieldsOf(map[string]treatment{"claimName": renamed}), "ephemeral": nothing,
		"emptyDir": fieldsOf(map[string]treatment{"medium": as}), "hostPath": nothing, "csi": fieldsOf(map[string]treatment{"driver": as}),
		"gcePersistentDisk": fieldsOf(map[string]treatment{"pdName": renamed, "readOnly": as}), "awsElasticBlockStore": fieldsOf(map[string]treatment{"volumeID": renamed, "readOnly": as}),
		"iscsi": fieldsOf(map[string]treatment{"iqn": renamed, "readOnly": as}), "azureDisk": fieldsOf(map[string]treatment{"diskURI": renamed}), "cinder": fieldsOf(map[string]treatment{"volumeID": renamed}),
		"rbd": fieldsOf(map[string]treatment{"monitors": renamed, "pool": renamed, "image": renamed, "readOnly": as}),
	})
	pseudonymPodSpec = fieldsOf(map[string]treatment{
		"affinity": pseudonymAffinity, "containers": each(pseudonymContainer), "initContainers": each(pseudonymContainer), "volumes": each(pseudonymVolume),
		"hostNetwork": as, "nodeName": renamed, "nodeSelector": labelled, "overhead": amountsOf, "preemptionPolicy": as, "priority": as, "priorityClassName": className,
		"resourceClaims": each(nothing), "resources": pseudonymResources, "schedulerName": schedulerName, "schedulingGates": each(fieldsOf(map[string]treatment{"name": renamed})),
		"terminationGracePeriodSeconds": as, "tolerations": each(keyed),
		"topologySpreadConstraints": each(fieldsOf(map[string]treatment{
			"maxSkew": as, "minDomains": as, "whenUnsatisfiable": as, "nodeAffinityPolicy": as, "nodeTaintsPolicy": as,
			"topologyKey": keyOf, "labelSelector": pseudonymSelector, "matchLabelKeys": each(keyOf),
		})),
	})
	pseudonymTemplate   = fieldsOf(map[string]treatment{"metadata": fieldsOf(map[string]treatment{"labels": labelled}), "spec": pseudonymPodSpec})
	pseudonymStatuses   = each(fieldsOf(map[string]treatment{"name": renamed, "resources": pseudonymResources, "allocatedResources": amountsOf}))
	pseudonymConditions = each(fieldsOf(map[string]treatment{"type": as, "status": as, "reason": as}))
)

// pseudonymObject is what is kept of each kind beside its metadata.
var pseudonymObject = map[string]map[string]treatment{
	"Node": {
		"spec": fieldsOf(map[string]treatment{"unschedulable": as, "taints": each(keyed)}),
		"status": fieldsOf(map[string]treatment{
			"allocatable": amountsOf, "capacity": amountsOf, "conditions": pseudonymConditions,
			"images": each(fieldsOf(map[string]treatment{"names": each(imageOf), "sizeBytes": as})), "nodeInfo": nothing,
		}),
	},
	"Pod": {"spec": pseudonymPodSpec, "status": fieldsOf(map[string]treatment{
		"phase": as, "startTime": as, "nominatedNodeName": renamed, "conditions": pseudonymConditions,
		"containerStatuses": pseudonymStatuses, "initContainerStatuses": pseudonymStatuses,
	})},
	"Namespace":     {},
	"PriorityClass": {"value": as, "globalDefault": as, "preemptionPolicy": as},
	"PodDisruptionBudget": {
		"apiVersion": as,
		"spec":       fieldsOf(map[string]treatment{"selector": pseudonymSelector, "minAvailable": as, "maxUnavailable": as, "unhealthyPodEvictionPolicy": as}),
		"status": fieldsOf(map[string]treatment{
			"currentHealthy": as, "desiredHealthy": as, "expectedPods": as, "disruptionsAllowed": as, "observedGeneration": as, "disruptedPods": namesOf,
		}),
	},
	"Service":     {"spec": fieldsOf(map[string]treatment{"selector": labelled})},
	"Deployment":  pseudonymWorkload,
	"ReplicaSet":  pseudonymWorkload,
	"StatefulSet": pseudonymWorkload,
	"DaemonSet":   pseudonymWorkload,
	"Job":         pseudonymWorkload,
	"CronJob":     {"spec": fieldsOf(map[string]treatment{"jobTemplate": fieldsOf(pseudonymWorkload)})},
	"ReplicationController": {
		"spec": fieldsOf(map[string]treatment{"replicas": as, "selector": labelled, "template": pseudonymTemplate}),
	},
	"PersistentVolumeClaim": {
		"spec": fieldsOf(map[string]treatment{
			"volumeName": renamed, "storageClassName": renamed, "accessModes": as, "resources": pseudonymResources, "selector": pseudonymSelector, "volumeMode": as,
		}),
		"status": fieldsOf(map[string]treatment{"phase": as}),
	},
	"PersistentVolume": {
		"spec": fieldsOf(map[string]treatment{
			"storageClassName": renamed, "capacity": amountsOf, "accessModes": as, "volumeMode": as, "persistentVolumeReclaimPolicy": as,
			"nodeAffinity": fieldsOf(map[string]treatment{"required": pseudonymRequired}), "claimRef": fieldsOf(map[string]treatment{"namespace": renamed, "name": renamed}),
			"csi": fieldsOf(map[string]treatment{"driver": as, "volumeHandle": renamed}), "local": nothing, "hostPath": nothing,
			"awsElasticBlockStore": fieldsOf(map[string]treatment{"volumeID": renamed}), "gcePersistentDisk": fieldsOf(map[string]treatment{"pdName": renamed}),
			"azureDisk": fieldsOf(map[string]treatment{"diskURI": renamed}), "cinder": fieldsOf(map[string]treatment{"volumeID": renamed}),
		}),
		"status": fieldsOf(map[string]treatment{"phase": as}),
	},
	"StorageClass": {
		"provisioner": as, "volumeBindingMode": as,
		"allowedTopologies": each(fieldsOf(map[string]treatment{"matchLabelExpressions": each(keyed)})),
	},
	"CSINode": {"spec": fieldsOf(map[string]treatment{
		"drivers": each(fieldsOf(map[string]treatment{"name": as, "nodeID": renamed, "allocatable": as, "topologyKeys": each(keyOf)})),
	})},
	"VolumeAttachment": {"spec": fieldsOf(map[string]treatment{
		"attacher": as, "nodeName": renamed, "source": fieldsOf(map[string]treatment{"persistentVolumeName": renamed}),
	})},
	"CSIStorageCapacity": {"storageClassName": renamed, "nodeTopology": pseudonymSelector, "capacity": as, "maximumVolumeSize": as},
	"CSIDriver":          {"spec": fieldsOf(map[string]treatment{"storageCapacity": as})},
}

var pseudonymWorkload = map[string]treatment{
	"spec": fieldsOf(map[string]treatment{
		"replicas": as, "parallelism": as, "selector": pseudonymSelector, "template": pseudonymTemplate,
		"volumeClaimTemplates": each(fieldsOf(map[string]treatment{"metadata": fieldsOf(map[string]treatment{"name": renamed})})),
	}),
	"status": fieldsOf(map[string]treatment{"desiredNumberScheduled": as}),
}

// nothing keeps that a field is there, and nothing of what it holds.
func nothing(*pseudonyms, gjson.Result) any { return map[string]any{} }

// className keeps the priority classes of Kubernetes.
func className(p *pseudonyms, v gjson.Result) any {
	if strings.HasPrefix(v.Str, "system-") {
		return v.Str
	}
	return p.name(v.Str)
}

// schedulerName keeps the name of the default scheduler.
func schedulerName(p *pseudonyms, v gjson.Result) any {
	if v.Str == "default-scheduler" {
		return v.Str
	}
	return p.name(v.Str)
}

// imageOf replaces an image's name; without a tag it is the one with latest.
func imageOf(p *pseudonyms, v gjson.Result) any { return p.name(tagged(v.Str)) + ":x" }

// namesOf replaces the names of an object's fields.
func namesOf(p *pseudonyms, v gjson.Result) any {
	out := map[string]any{}
	v.ForEach(func(name, v gjson.Result) bool {
		out[p.name(name.Str)] = json.RawMessage(v.Raw)
		return true
	})
	return out
}

// object returns what is kept of an object, under other names.
func (p *pseudonyms) object(kind string, doc gjson.Result) map[string]any {
	meta := map[string]any{}
	doc.Get("metadata").ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "name":
			meta["name"] = p.nameOf(kind, v.Str, doc)
		case "namespace", "uid":
			meta[name.Str] = renamed(p, v)
		case "creationTimestamp", "deletionTimestamp", "generation":
			meta[name.Str] = json.RawMessage(v.Raw)
		case "labels":
			meta["labels"] = labelled(p, v)
		case "annotations":
			kept := map[string]any{}
			v.ForEach(func(name, v gjson.Result) bool {
				if decidingAnnotations[name.Str] {
					switch name.Str {
					case selectedNodeAnnotation, oldClassAnnotation:
						kept[name.Str] = p.name(v.Str)
					case safeVolumesAnnotation:
						var all []string
						for _, volume := range names(v.Str) {
							all = append(all, p.name(volume))
						}
						kept[name.Str] = strings.Join(all, ",")
					case mirrorAnnotation:
						kept[name.Str] = "x"
					default:
						kept[name.Str] = json.RawMessage(v.Raw)
					}
				}
				return true
			})
			meta["annotations"] = kept
		case "ownerReferences":
			meta["ownerReferences"] = each(fieldsOf(map[string]treatment{"kind": as, "controller": as, "name": renamed}))(p, v)
		}
		return true
	})
	out := map[string]any{"kind": kind, "metadata": meta}
	fields := pseudonymObject[kind]
	doc.ForEach(func(name, v gjson.Result) bool {
		if t := fields[name.Str]; t != nil {
			out[name.Str] = t(p, v)
		}
		return true
	})
	return out
}

// nameOf returns the pseudonym of an object's name. The claim of an ephemeral volume is named
// by its pod and its volume, and stays so.
func (p *pseudonyms) nameOf(kind, name string, doc gjson.Result) string {
	switch kind {
	case "PriorityClass":
		if strings.HasPrefix(name, "system-") {
			return name
		}
	case "CSIDriver":
		return name
	case "PersistentVolumeClaim":
		owner := doc.Get(`metadata.ownerReferences.#(kind=="Pod").name`).Str
		if volume, of := strings.CutPrefix(name, owner+"-"); of && owner != "" {
			return p.name(owner) + "-" + p.name(volume)
		}
	}
	return p.name(name)
}
