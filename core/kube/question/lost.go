package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/plane"
)

// zones says in which zones the control plane evicts nothing, or slowly.
func (l *lose) zones(world *plane.Plane) (stated []string) {
	if !l.o.NotReady {
		return nil
	}
	if world.NoneReady() {
		return []string{"No node is ready: the control plane evicts nothing, and the pods stay where they are."}
	}
	for _, z := range world.Zones() {
		if z.Name == "" {
			z.Name = "the cluster, which has no zones,"
		}
		switch {
		case z.Frozen:
			stated = append(stated, fmt.Sprintf("%d of the %d nodes of %s are not ready, which is more than 2 and at least 55 %%: the control plane evicts nothing there, and the pods stay where they are (at most those of the nodes that it saw first are evicted).", z.NotReady, z.Size, z.Name))
		case z.Throttled:
			stated = append(stated, fmt.Sprintf("%d of the %d nodes of %s are not ready: it is tainted at one node in 100 seconds.", z.NotReady, z.Size, z.Name))
		default:
			stated = append(stated, fmt.Sprintf("%s is tainted at one node in 10 seconds.", strings.TrimSuffix(z.Name, ", which has no zones,")))
		}
	}
	return append(stated, "Pods of StatefulSets wait until the node comes back, is deleted or gets the taint out-of-service.")
}

// services finds services that lost their last pod.
func (l *lose) services(after *kube.Cluster) {
	inNamespace := map[string][]int{}
	for i := range l.c.Services {
		if len(l.c.Services[i].Selector) > 0 {
			inNamespace[l.c.Services[i].Namespace] = append(inNamespace[l.c.Services[i].Namespace], i)
		}
	}
	had, has := make([]bool, len(l.c.Services)), make([]bool, len(l.c.Services))
	count := func(pods []kube.Pod, into []bool) {
		for pod := range pods {
			p := &pods[pod]
			if !p.Ready || p.Node == kube.Nowhere {
				continue
			}
			for _, i := range inNamespace[p.Namespace] {
				into[i] = into[i] || p.Labels.Cover(l.c.Services[i].Selector)
			}
		}
	}
	count(l.c.Pods, had)
	count(after.Pods, has)
	for i := range had {
		if had[i] && !has[i] {
			l.out.Services = append(l.out.Services, l.c.Services[i].Namespace+"/"+l.c.Services[i].Name)
		}
	}
	slices.SortFunc(l.out.Services, strings.Compare)
}
