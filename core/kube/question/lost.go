package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// Limits of the node lifecycle controller, flags of kube-controller-manager with their defaults
// (pkg/controller/nodelifecycle/node_lifecycle_controller.go of Kubernetes 1.33): a zone is
// partially disrupted if more than 2 of its nodes and at least 55 % are not ready; it is then
// tainted at 0.01 nodes a second if it has more than 50 nodes, and else not at all. If no zone
// has a ready node, nothing is evicted.
const (
	fewNotReady        = 2
	unhealthyZone      = 55 // percent
	largeZone          = 50
	secondsOfLargeZone = 100
)

// freeze finds the nodes in whose zone the control plane evicts nothing.
func (l *lose) freeze() {
	l.frozen = map[int]bool{}
	if !l.o.NotReady {
		return
	}
	ready, away := map[string]int{}, map[string]int{}
	alive := false
	for at := range l.c.Nodes {
		n := &l.c.Nodes[at]
		if _, out := n.Labels.Get(kube.ExcludeDisruptionLabel); out {
			continue // the controller counts no such node
		}
		if zone := n.Region() + ":" + n.Zone(); l.away[at] || n.Ready != kube.ReadyTrue {
			away[zone]++
		} else {
			ready[zone]++
			alive = true
		}
	}
	for _, at := range l.nodes {
		n := &l.c.Nodes[at]
		zone := n.Region() + ":" + n.Zone()
		all := ready[zone] + away[zone]
		if all == 0 {
			continue
		}
		partial := ready[zone] > 0 && away[zone] > fewNotReady && away[zone]*100 >= unhealthyZone*all
		l.frozen[at] = !alive || partial && all <= largeZone
		name := n.Zone()
		if name == "" {
			name = "the cluster, which has no zones,"
		}
		var say string
		switch {
		case !alive:
			say = "No node is ready: the control plane evicts nothing, and the pods stay where they are."
		case l.frozen[at]:
			say = fmt.Sprintf("%d of the %d nodes of %s are not ready, which is more than %d and at least %d %%: the control plane evicts nothing there, and the pods stay where they are (at most those of the nodes that it saw first are evicted).", away[zone], all, name, fewNotReady, unhealthyZone)
		case partial:
			say = fmt.Sprintf("%d of the %d nodes of %s are not ready: it is tainted at one node in %d seconds.", away[zone], all, name, secondsOfLargeZone)
		default:
			continue
		}
		if !slices.Contains(l.said, say) {
			l.said = append(l.said, say)
		}
	}
}

// services finds services that lost their last pod.
func (l *lose) services(s *constraint.State) {
	inNamespace := map[string][]int{}
	for i := range l.c.Services {
		if len(l.c.Services[i].Selector) > 0 {
			inNamespace[l.c.Services[i].Namespace] = append(inNamespace[l.c.Services[i].Namespace], i)
		}
	}
	had, has := make([]bool, len(l.c.Services)), make([]bool, len(l.c.Services))
	for pod := range l.c.Pods {
		p := &l.c.Pods[pod]
		for _, i := range inNamespace[p.Namespace] {
			if !p.Labels.Cover(l.c.Services[i].Selector) {
				continue
			}
			had[i] = had[i] || p.Node != kube.Nowhere && p.Ready
			at := s.On(pod)
			has[i] = has[i] || at != kube.Nowhere && !l.away[at] && (p.Ready || p.Node == kube.Nowhere)
		}
	}
	for i := range had {
		if had[i] && !has[i] {
			l.out.Services = append(l.out.Services, l.c.Services[i].Namespace+"/"+l.c.Services[i].Name)
		}
	}
	slices.SortFunc(l.out.Services, strings.Compare)
}

// belowBudget finds budgets whose healthy pods are fewer than they want.
func (l *lose) belowBudget(s *constraint.State) {
	budgets := constraint.NewBudgets(l.c)
	healthy := make([]int32, len(l.c.Budgets))
	for pod := range l.c.Pods {
		at := s.On(pod)
		if at == kube.Nowhere || l.away[at] || l.c.Pods[pod].Terminating() || l.c.Pods[pod].Node != kube.Nowhere && !l.c.Pods[pod].Ready {
			continue
		}
		for _, i := range budgets.Of(pod) {
			healthy[i]++
		}
	}
	for i := range l.c.Budgets {
		if b := &l.c.Budgets[i]; b.HasStatus && healthy[i] < b.Desired {
			l.out.Budgets = append(l.out.Budgets, b.Namespace+"/"+b.Name)
		}
	}
}
