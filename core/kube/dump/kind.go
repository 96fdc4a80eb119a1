package dump

import "github.com/tidwall/gjson"

// marks are fields that only objects of one kind have, in the order of the search.
var marks = []struct{ field, kind string }{
	{"provisioner", "StorageClass"},
	{"spec.jobTemplate", "CronJob"},
	{"spec.containers", "Pod"},
	{"spec.persistentVolumeReclaimPolicy", "PersistentVolume"},
	{"status.nodeInfo", "Node"},
	{"status.allocatable", "Node"},
	{"status.desiredNumberScheduled", "DaemonSet"},
	{"spec.volumeClaimTemplates", "StatefulSet"},
	{"status.updateRevision", "StatefulSet"},
	{"spec.backoffLimit", "Job"},
	{"spec.completions", "Job"},
	{"spec.strategy", "Deployment"},
	{"spec.updateStrategy.rollingUpdate.partition", "StatefulSet"},
	{"spec.serviceName", "StatefulSet"},
	{"spec.updateStrategy", "DaemonSet"},
	{"status.disruptionsAllowed", "PodDisruptionBudget"},
	{"spec.unhealthyPodEvictionPolicy", "PodDisruptionBudget"},
	{"spec.minAvailable", "PodDisruptionBudget"},
	{"spec.maxUnavailable", "PodDisruptionBudget"},
	{"spec.clusterIP", "Service"},
	{"spec.hard", "ResourceQuota"},
	{"spec.limits.0.type", "LimitRange"},
	{"overhead.podFixed", "RuntimeClass"},
	{"spec.attacher", "VolumeAttachment"},
	{"spec.attachRequired", "CSIDriver"},
	{"spec.drivers", "CSINode"},
	{"nodeTopology", "CSIStorageCapacity"},
	{"spec.accessModes", "PersistentVolumeClaim"},
}

// looksLike returns the kind of an object that states none, by the fields that one kind alone
// has; "" if none does.
func looksLike(json []byte) string {
	has := func(path string) bool { return gjson.GetBytes(json, path).Exists() }
	for _, m := range marks {
		if has(m.field) {
			return m.kind
		}
	}
	switch {
	case has("spec.template.spec") && gjson.GetBytes(json, "spec.selector.matchLabels").Exists():
		return "ReplicaSet"
	case has("spec.template.spec") && has("spec.replicas"):
		return "ReplicationController"
	case gjson.GetBytes(json, "value").Type == gjson.Number && !has("spec"):
		return "PriorityClass"
	case gjson.GetBytes(json, "status.phase").Str == "Active":
		return "Namespace"
	}
	return ""
}
