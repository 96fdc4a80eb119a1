package plane

import (
	"slices"

	"parley/core/kube"
)

// Fate is the fate of a pod whose node is removed.
type Fate uint8

// The fates of pods.
const (
	Moves   Fate = iota // its controller makes another, which the scheduler places
	Ends                // it ends with the node: a DaemonSet's pod, or a static one
	LostPod             // nothing makes it anew
	GonePod             // it is terminating already
)

// FateOf returns the fate of a pod that leaves its node.
func FateOf(p *kube.Pod) Fate {
	switch {
	case p.Mirror || p.Owner.Kind == "Node" || p.DaemonSet() || p.NodeBound():
		return Ends
	case p.Terminating() && p.Owner.Kind != "StatefulSet": // its successor exists already
		return GonePod
	case p.Owner.Kind == "", p.LastTry: // the Job fails, and makes no other
		return LostPod
	}
	return Moves
}

// UnknownKind reports whether the rules of a kind of owner are not known.
func UnknownKind(kind string) bool { return !slices.Contains(knownOwners, kind) }

// knownOwners are the kinds of owners that make a pod anew, and those that are bound to nodes.
var knownOwners = []string{
	"", "Node", "DaemonSet", "ReplicaSet", "ReplicationController", "StatefulSet", "Job", "InstanceManager",
	"BackingImageManager",
}
