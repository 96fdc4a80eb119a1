package plane

import (
	"parley/core/kube"
	"parley/core/unit"
)

// Manager is who upgrades a pool, with the defaults.
type Manager struct {
	Name               string
	Surge, Unavailable kube.IntOrPercent
	Limit              unit.Time
	After              AfterLimit
}

// ManagerOf returns who upgrades the nodes with a label of pools, with the defaults; nodes of no pool are
// upgraded in place.
// (cloud.google.com/kubernetes-engine/docs, UpgradeSettings; learn.microsoft.com/azure/aks, agentpoolupgradesettings;
// docs.aws.amazon.com/eks, managed-node-update-behavior; karpenter.sh, disruption; cluster-api.sigs.k8s.io,
// MachineDeployment: maxSurge 1, maxUnavailable 0, nodeDrainTimeout 0)
func ManagerOf(label string) Manager {
	one, tenth := kube.IntOrPercent{Value: 1}, kube.IntOrPercent{Value: 10, Percent: true}
	switch label {
	case "cloud.google.com/gke-nodepool":
		return Manager{"GKE surge", one, kube.IntOrPercent{}, 60 * unit.Minute, Forces}
	case "kubernetes.azure.com/agentpool":
		return Manager{"AKS", tenth, kube.IntOrPercent{}, 30 * unit.Minute, Stops}
	case "eks.amazonaws.com/nodegroup":
		return Manager{"EKS managed node group", one, kube.IntOrPercent{}, 15 * unit.Minute, Stops}
	case "karpenter.sh/nodepool":
		return Manager{"Karpenter drift", tenth, kube.IntOrPercent{}, 0, Waits}
	case kube.MachineSetGroup:
		return Manager{"Cluster API", one, kube.IntOrPercent{}, 0, Waits}
	}
	return Manager{"in place, one after another", kube.IntOrPercent{}, one, 0, Waits}
}

// DefaultBoot is how long a node takes to be ready if the dump shows no node of its pool that joined.
const DefaultBoot = 3 * unit.Minute

// LongestBoot bounds what counts as a boot: a node that was ready again later has a later time.
const LongestBoot = 30 * 60
