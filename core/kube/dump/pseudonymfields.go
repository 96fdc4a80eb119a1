package dump

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// pseudonymFields returns the fields to keep, with the treatment of their values: those of metadata, except
// the name, and those of each kind of object. A field that is not listed is dropped, so each field that the
// reader uses must be here; kinds that are not listed are dropped too.
func pseudonymFields(words *keptWords) (metadata fieldsOf, objects map[string]fieldsOf) {
	number := leaf(other)                                                            // or true or false
	nothing := leaf(func(*pseudonyms, gjson.Result) any { return map[string]any{} }) // keeps that a field is there
	renamed := texts((*pseudonyms).name)
	renamedAll := each{renamed}
	keyOf := texts((*pseudonyms).key)
	driverName := texts((*pseudonyms).driver)
	className := wordOf(words.classes)
	// one without a tag is that with latest
	imageOf := texts(func(p *pseudonyms, text string) string { return p.name(tagged(text)) + ":x" })
	address := word("", kube.AnyIP, "::", "127.0.0.1", "::1")
	honours := word("Honor", "Ignore")
	accessMode := word(namesOf(modes)...)
	scope := word("BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "PriorityClass", "CrossNamespacePodAffinity")
	quantity := kept(func(text string) bool { _, is := kube.ParseQuantity(text); return is })
	percentage := kept(func(text string) bool {
		digits, is := strings.CutSuffix(text, "%")
		return is && whole(digits)
	})
	moment := texts(func(p *pseudonyms, text string) string {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return p.name(text)
		}
		return t.UTC().Format(time.RFC3339)
	})
	labelled := leaf(func(p *pseudonyms, v gjson.Result) any {
		if !v.IsObject() {
			return other(p, v)
		}
		out := map[string]any{}
		v.ForEach(func(key, v gjson.Result) bool {
			out[p.key(key.Str)] = texts(func(p *pseudonyms, text string) string { return p.value(key.Str, text) })(p, v)
			return true
		})
		return out
	})
	amountsOf := leaf(func(p *pseudonyms, v gjson.Result) any {
		if !v.IsObject() {
			return other(p, v)
		}
		out := map[string]any{}
		v.ForEach(func(name, v gjson.Result) bool {
			out[p.resource(name.Str)] = quantity(p, v)
			return true
		})
		return out
	})
	// keyed treats an object with a key and its value or values: an expression, a taint, a
	// toleration.
	keyed := leaf(func(p *pseudonyms, v gjson.Result) any {
		if !v.IsObject() {
			return other(p, v)
		}
		key := v.Get("key").Str
		value := texts(func(p *pseudonyms, text string) string { return p.value(key, text) })
		keyText := keyOf
		if key == "metadata.name" { // a field, not a label
			value, keyText = renamed, word(key)
		}
		return fieldsOf{
			"key": keyText, "value": value, "values": each{value}, "tolerationSeconds": number,
			"operator": word("", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal"), "effect": word("", "NoSchedule", "PreferNoSchedule", "NoExecute"),
		}.treat(p, v)
	})
	// keysOf replaces the names of an object's fields, which hold times.
	keysOf := leaf(func(p *pseudonyms, v gjson.Result) any {
		if !v.IsObject() {
			return other(p, v)
		}
		out := map[string]any{}
		v.ForEach(func(name, v gjson.Result) bool {
			out[p.name(name.Str)] = moment(p, v)
			return true
		})
		return out
	})
	owner := fieldsOf{"kind": wordOf(words.owners), "controller": number, "name": renamed}
	yesOrNo := word("", "true", "false")

	selected := texts(func(p *pseudonyms, text string) string {
		var all []string
		for _, one := range names(text) {
			key, value, _ := strings.Cut(one, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			all = append(all, p.key(key)+"="+p.value(key, value))
		}
		return strings.Join(all, ",")
	})

	// pseudonymAnnotations are the annotations that are kept.
	pseudonymAnnotations := fieldsOf{
		selectedNodeAnnotation: renamed, machineSetAnnotation: renamed, oldClassAnnotation: renamed,
		mirrorAnnotation:      renamed,
		completedAnnotation:   yesOrNo,
		safeToEvictAnnotation: yesOrNo, scaleDownAnnotation: yesOrNo,
		doNotDisruptAnnotation: kept(func(text string) bool {
			return slices.Contains([]string{"", "true", "false"}, text) || isDuration(text)
		}),
		doNotEvictAnnotation:   yesOrNo,
		defaultClassAnnotation: yesOrNo, defaultClassAnnotation2: yesOrNo, deletionCostAnnotation: kept(whole),
		revisionAnnotation: kept(whole), rolloutAnnotation: kept(whole),
		projectAnnotation: selected, podSelectorAnnotation: selected,
		safeVolumesAnnotation: texts(func(p *pseudonyms, text string) string {
			var all []string
			for _, volume := range names(text) {
				all = append(all, p.name(volume))
			}
			return strings.Join(all, ",")
		}),
	}

	// pseudonymMetadata lists the fields kept of metadata, except the name.
	metadata = fieldsOf{
		"namespace": renamed, "uid": renamed, "resourceVersion": kept(whole), "creationTimestamp": moment, "deletionTimestamp": moment, "generation": number,
		"labels": labelled, "annotations": pseudonymAnnotations, "ownerReferences": each{owner},
	}

	// The fields, grouped by the object that has them.
	pseudonymSelector := fieldsOf{"matchLabels": labelled, "matchExpressions": each{keyed}}
	pseudonymTerm := fieldsOf{"matchExpressions": each{keyed}, "matchFields": each{keyed}}
	pseudonymRequired := fieldsOf{"nodeSelectorTerms": each{pseudonymTerm}}
	pseudonymPodTerm := fieldsOf{
		"labelSelector": pseudonymSelector, "namespaceSelector": pseudonymSelector, "namespaces": renamedAll, "topologyKey": keyOf,
		"matchLabelKeys": each{keyOf}, "mismatchLabelKeys": each{keyOf},
	}
	pseudonymPods := fieldsOf{
		required:  each{pseudonymPodTerm},
		preferred: each{fieldsOf{"weight": number, "podAffinityTerm": pseudonymPodTerm}},
	}
	pseudonymAffinity := fieldsOf{
		"nodeAffinity": fieldsOf{
			required:  pseudonymRequired,
			preferred: each{fieldsOf{"weight": number, "preference": pseudonymTerm}},
		},
		"podAffinity": pseudonymPods, "podAntiAffinity": pseudonymPods,
	}
	pseudonymResources := fieldsOf{"requests": amountsOf, "limits": amountsOf}
	pseudonymContainer := fieldsOf{
		"name": renamed, "image": imageOf, "restartPolicy": word("Always", "OnFailure", "Never"), "resources": pseudonymResources,
		"ports": each{fieldsOf{"hostPort": number, "containerPort": number, "hostIP": address, "protocol": word("TCP", "UDP", "SCTP")}},
	}
	pseudonymVolume := fieldsOf{
		"name": renamed, "persistentVolumeClaim": fieldsOf{"claimName": renamed}, "ephemeral": nothing,
		"emptyDir": fieldsOf{"medium": word("Memory")}, "hostPath": nothing, "csi": fieldsOf{"driver": driverName},
		"gcePersistentDisk": fieldsOf{"pdName": renamed, "readOnly": number}, "awsElasticBlockStore": fieldsOf{"volumeID": renamed, "readOnly": number},
		"iscsi": fieldsOf{"iqn": renamed, "readOnly": number}, "azureDisk": fieldsOf{"diskURI": renamed}, "cinder": fieldsOf{"volumeID": renamed},
		"rbd": fieldsOf{"monitors": renamedAll, "pool": renamed, "image": renamed, "readOnly": number},
	}
	pseudonymPodSpec := fieldsOf{
		"affinity": pseudonymAffinity, "containers": each{pseudonymContainer}, "initContainers": each{pseudonymContainer}, "volumes": each{pseudonymVolume},
		"hostNetwork": number, "nodeName": renamed, "nodeSelector": labelled, "overhead": amountsOf, "preemptionPolicy": word("Never", "PreemptLowerPriority"), "priority": number, "priorityClassName": className,
		"resourceClaims": each{nothing}, "resources": pseudonymResources, "schedulerName": word("default-scheduler"), "schedulingGates": each{fieldsOf{"name": renamed}},
		"terminationGracePeriodSeconds": number, "activeDeadlineSeconds": number, "runtimeClassName": renamed, "tolerations": each{keyed},
		"topologySpreadConstraints": each{fieldsOf{
			"maxSkew": number, "minDomains": number, "whenUnsatisfiable": word("DoNotSchedule", "ScheduleAnyway"), "nodeAffinityPolicy": honours, "nodeTaintsPolicy": honours,
			"topologyKey": keyOf, "labelSelector": pseudonymSelector, "matchLabelKeys": each{keyOf},
		}},
	}
	pseudonymTemplate := fieldsOf{"metadata": fieldsOf{"labels": labelled}, "spec": pseudonymPodSpec}
	pseudonymStatuses := each{fieldsOf{
		"name": renamed, "resources": pseudonymResources, "allocatedResources": amountsOf, "restartCount": number,
		"state": fieldsOf{"waiting": fieldsOf{"reason": wordOf(brokenBy)}},
	}}
	pseudonymConditions := each{fieldsOf{"type": word("PodScheduled", "Ready", "Initialized", "ContainersReady",
		"PodReadyToStartContainers", "DisruptionTarget", "PodResizePending", "PodResizeInProgress", "MemoryPressure",
		"DiskPressure", "PIDPressure", "NetworkUnavailable"), "lastTransitionTime": moment, "lastHeartbeatTime": moment, "status": word("True", "False", "Unknown"), "reason": word("Unschedulable", "SchedulingGated", "SchedulerError", "Infeasible", "Deferred", "PreemptionByScheduler", "KubeletReady", "KubeletNotReady", "NodeStatusUnknown")}}

	pseudonymClaim := fieldsOf{
		"volumeName": renamed, "storageClassName": renamed, "accessModes": each{accessMode}, "resources": pseudonymResources, "selector": pseudonymSelector, "volumeMode": word("Block", "Filesystem"),
	}
	pseudonymStrategy := fieldsOf{
		"type":          word("RollingUpdate", "Recreate", "OnDelete"),
		"rollingUpdate": fieldsOf{"maxSurge": percentage, "maxUnavailable": percentage, "partition": number},
	}
	pseudonymWorkload := fieldsOf{
		"spec": fieldsOf{
			"strategy": pseudonymStrategy, "updateStrategy": pseudonymStrategy, "minReadySeconds": number, "progressDeadlineSeconds": number, "paused": number,
			"podManagementPolicy": word("OrderedReady", "Parallel"), "replicas": number, "parallelism": number,
			"completions": number, "suspend": number, "backoffLimit": number, "backoffLimitPerIndex": number,
			"podFailurePolicy": fieldsOf{"rules": each{fieldsOf{
				"action": word("Ignore", "FailJob", "Count", "FailIndex"),
				"onPodConditions": each{fieldsOf{
					"type": word("DisruptionTarget"), "status": word("True", "False", "Unknown"),
				}},
			}}},
			"selector": pseudonymSelector, "template": pseudonymTemplate,
			"volumeClaimTemplates": each{fieldsOf{"metadata": fieldsOf{"name": renamed}, "spec": pseudonymClaim}},
		},
		"status": fieldsOf{"desiredNumberScheduled": number, "updateRevision": renamed, "succeeded": number, "failed": number},
	}

	objects = map[string]fieldsOf{
		"Node": {
			"spec": fieldsOf{"unschedulable": number, "taints": each{keyed}},
			"status": fieldsOf{
				"allocatable": amountsOf, "capacity": amountsOf, "conditions": pseudonymConditions,
				"images": each{fieldsOf{"names": each{imageOf}, "sizeBytes": number}}, "nodeInfo": nothing,
			},
		},
		"Pod": {"spec": pseudonymPodSpec, "status": fieldsOf{
			"phase": word("Pending", "Running", "Succeeded", "Failed", "Unknown"), "startTime": moment, "nominatedNodeName": renamed, "conditions": pseudonymConditions,
			"containerStatuses": pseudonymStatuses, "initContainerStatuses": pseudonymStatuses,
		}},
		"Namespace":     {},
		"PriorityClass": {"value": number, "globalDefault": number, "preemptionPolicy": word("Never", "PreemptLowerPriority")},
		"PodDisruptionBudget": {
			"apiVersion": word("policy/v1", "policy/v1beta1"),
			"spec":       fieldsOf{"selector": pseudonymSelector, "minAvailable": percentage, "maxUnavailable": percentage, "unhealthyPodEvictionPolicy": word("AlwaysAllow", "IfHealthyBudget")},
			"status": fieldsOf{
				"currentHealthy": number, "desiredHealthy": number, "expectedPods": number, "disruptionsAllowed": number, "observedGeneration": number, "disruptedPods": keysOf,
			},
		},
		"Service":     {"spec": fieldsOf{"selector": labelled}},
		"Deployment":  pseudonymWorkload,
		"ReplicaSet":  pseudonymWorkload,
		"StatefulSet": pseudonymWorkload,
		"DaemonSet":   pseudonymWorkload,
		"Job":         pseudonymWorkload,
		"Rollout":     pseudonymWorkload, // of Argo
		"CronJob":     {"spec": fieldsOf{"jobTemplate": pseudonymWorkload}},
		"ReplicationController": {
			"spec": fieldsOf{"replicas": number, "selector": labelled, "template": pseudonymTemplate},
		},
		"PersistentVolumeClaim": {
			"spec":   pseudonymClaim,
			"status": fieldsOf{"phase": word("Pending", "Available", "Bound", "Released", "Failed", "Lost")},
		},
		"PersistentVolume": {
			"spec": fieldsOf{
				"storageClassName": renamed, "capacity": amountsOf, "accessModes": each{accessMode}, "volumeMode": word("Block", "Filesystem"), "persistentVolumeReclaimPolicy": word("Retain", "Delete", "Recycle"),
				"nodeAffinity": fieldsOf{"required": pseudonymRequired}, "claimRef": fieldsOf{"namespace": renamed, "name": renamed},
				"csi": fieldsOf{"driver": driverName, "volumeHandle": renamed}, "local": nothing, "hostPath": nothing,
				"awsElasticBlockStore": fieldsOf{"volumeID": renamed}, "gcePersistentDisk": fieldsOf{"pdName": renamed},
				"azureDisk": fieldsOf{"diskURI": renamed}, "cinder": fieldsOf{"volumeID": renamed},
			},
			"status": fieldsOf{"phase": word("Pending", "Available", "Bound", "Released", "Failed", "Lost")},
		},
		"StorageClass": {
			"provisioner": driverName, "volumeBindingMode": word("WaitForFirstConsumer", "Immediate"),
			"allowedTopologies": each{fieldsOf{"matchLabelExpressions": each{keyed}}},
		},
		"CSINode": {"spec": fieldsOf{
			"drivers": each{fieldsOf{"name": driverName, "nodeID": renamed, "allocatable": fieldsOf{"count": number}, "topologyKeys": each{keyOf}}},
		}},
		"VolumeAttachment": {"spec": fieldsOf{
			"attacher": driverName, "nodeName": renamed, "source": fieldsOf{"persistentVolumeName": renamed},
		}},
		"CSIStorageCapacity": {"storageClassName": renamed, "nodeTopology": pseudonymSelector, "capacity": quantity, "maximumVolumeSize": quantity},
		"ResourceQuota": {
			"spec": fieldsOf{
				"hard": amountsOf, "scopes": each{scope},
				"scopeSelector": fieldsOf{"matchExpressions": each{fieldsOf{"scopeName": scope, "operator": word("In", "NotIn", "Exists", "DoesNotExist"), "values": each{className}}}},
			},
			"status": fieldsOf{"used": amountsOf},
		},
		"LimitRange": {"spec": fieldsOf{"limits": each{fieldsOf{
			"type": word("Container", "Pod"), "max": amountsOf, "min": amountsOf, "default": amountsOf, "defaultRequest": amountsOf, "maxLimitRequestRatio": amountsOf,
		}}}},
		"RuntimeClass": {"overhead": fieldsOf{"podFixed": amountsOf}, "scheduling": fieldsOf{"nodeSelector": labelled, "tolerations": each{keyed}}},
		"NodePool": {"status": fieldsOf{"resources": amountsOf}, "spec": fieldsOf{
			"limits": amountsOf, "replicas": number,
			"disruption": fieldsOf{
				"consolidationPolicy": word("WhenEmpty", "WhenEmptyOrUnderutilized", "WhenUnderutilized", "Balanced"), "consolidateAfter": kept(isDuration),
				"budgets": each{fieldsOf{
					"nodes": percentage, "reasons": each{word("Empty", "Underutilized", "Drifted")},
					"schedule": kept(isSchedule), "duration": kept(isDuration),
				}},
			},
			"template": fieldsOf{"metadata": fieldsOf{"labels": labelled}, "spec": fieldsOf{"requirements": each{keyed}, "taints": each{keyed}}},
		}},
		"CSIDriver": {"spec": fieldsOf{"storageCapacity": number}},
	}
	return metadata, objects
}
