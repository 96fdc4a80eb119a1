package plane

import (
	"parley/core/kube"
	"parley/core/unit"
)

// Manager is who upgrades a pool, with the defaults.
type Manager struct {
	Name               string
	Surge, Unavailable kube.IntOrPercent // of the pool's nodes
	Limit              unit.Time         // of the drain of a node; 0 if there is none
	After              AfterLimit
}

// ManagerOf returns the manager that upgrades the nodes of pools with a label, with its defaults. Nodes of no pool,
// and of one with another label, are upgraded in place.
// (cloud.google.com/kubernetes-engine/docs, UpgradeSettings; learn.microsoft.com/azure/aks, agentpoolupgradesettings;
// docs.aws.amazon.com/eks, managed-node-update-behavior; karpenter.sh, disruption; cluster-api.sigs.k8s.io,
// MachineDeployment: maxSurge 1, maxUnavailable 0, nodeDrainTimeout 0)
func ManagerOf(label string) Manager {
	one, tenth := kube.IntOrPercent{Value: 1}, kube.IntOrPercent{Value: 10, Percent: true}
	switch label {
	case "cloud.google.com/gke-nodepool":
		return Manager{Name: "GKE surge", Surge: one, Limit: 60 * unit.Minute, After: Forces}
	case "kubernetes.azure.com/agentpool":
		return Manager{Name: "AKS", Surge: tenth, Limit: 30 * unit.Minute, After: Stops}
	case "eks.amazonaws.com/nodegroup":
		return Manager{Name: "EKS managed node group", Surge: one, Limit: 15 * unit.Minute, After: Stops}
	case "karpenter.sh/nodepool":
		return Manager{Name: "Karpenter drift", Surge: tenth, After: Waits}
	case kube.MachineSetGroup:
		return Manager{Name: "Cluster API", Surge: one, After: Waits}
	}
	return Manager{Name: "in place, one after another", Unavailable: one, After: Waits}
}

// UpgradeRequest are a user's settings of an upgrade, in place of a manager's defaults.
type UpgradeRequest struct {
	// Surge and Unavailable are nodes at a time; nil for the manager's.
	Surge, Unavailable *kube.IntOrPercent
	// Limit is that of a drain, 0 for the manager's, below 0 for none.
	Limit unit.Time
	Force bool // when the limit has passed, the pods that are left are deleted
	Stop  bool // when the limit has passed, the upgrade ends
}

// Take replaces a manager's defaults by the user's settings. A surge without a number of unavailable nodes
// makes the latter 0, and a limit without an action, for a manager that waits, stops the upgrade.
func (m *Manager) Take(o UpgradeRequest) {
	if o.Surge != nil {
		m.Surge = *o.Surge
		if o.Unavailable == nil {
			m.Unavailable = kube.IntOrPercent{}
		}
	}
	if o.Unavailable != nil {
		m.Unavailable = *o.Unavailable
	}
	switch {
	case o.Limit < 0:
		m.Limit, m.After = 0, Waits
	case o.Limit > 0:
		m.Limit = o.Limit
		if m.After == Waits {
			m.After = Stops
		}
	}
	if m.Limit > 0 && o.Force {
		m.After = Forces
	}
	if m.Limit > 0 && o.Stop {
		m.After = Stops
	}
}

// AtOnce returns how many nodes of n are added, and how many are missing, at a time, percentages rounded
// up. If both come to 0, one is missing.
func (m *Manager) AtOnce(n int) (surge, unavailable int) {
	surge, unavailable = int(m.Surge.Of(int32(n))), int(m.Unavailable.Of(int32(n)))
	if surge+unavailable == 0 {
		unavailable = 1
	}
	return surge, unavailable
}

// Boot returns how many seconds a node took to be ready, and whether the dump shows it.
func Boot(n *kube.Node) (seconds int64, known bool) {
	took := n.ReadySince - n.Created
	return took, n.Ready == kube.ReadyTrue && n.Created != 0 && took > 0 && took <= LongestBoot
}

// DefaultBoot is how long a node takes to be ready if the dump shows no node of its pool that joined.
const DefaultBoot = 3 * unit.Minute

// LongestBoot limits the times that count as a boot, in seconds: a node that became ready again
// later has a later time.
const LongestBoot = 30 * 60
