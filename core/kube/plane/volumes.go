package plane

import (
	"slices"

	"parley/core/kube"
)

// volumes are those that one node at a time can attach, with the pods that use each.
// (pkg/controller/volume/attachdetach/reconciler/reconciler.go)
type volumes struct {
	users map[[2]string][]int // by namespace and claim: pods with a node
	waits []int               // pods that wait for a volume
}

func newVolumes(c *kube.Cluster) volumes {
	v := volumes{users: map[[2]string][]int{}}
	for key := range c.AttachedOnce() {
		v.users[key] = []int{}
	}
	return v
}

// use lets a pod with a node use its volumes.
func (v *volumes) use(p *Plane, i int) {
	if q := &p.c.Pods[i]; q.Node != kube.Nowhere {
		for _, name := range q.Claims {
			if users, single := v.users[[2]string{q.Namespace, name}]; single && !slices.Contains(users, i) {
				v.users[[2]string{q.Namespace, name}] = append(users, i)
			}
		}
	}
}

// leave ends a pod's use of its volumes.
func (v *volumes) leave(p *Plane, i int) {
	q := &p.c.Pods[i]
	for _, name := range q.Claims {
		if users, single := v.users[[2]string{q.Namespace, name}]; single {
			v.users[[2]string{q.Namespace, name}] = slices.DeleteFunc(users, func(x int) bool { return x == i })
		}
	}
	v.waits = slices.DeleteFunc(v.waits, func(x int) bool { return x == i })
}

// elsewhere returns a pod on another node that uses a volume of a pod, and the claim; -1 if none does.
// It then waits for the volume.
func (v *volumes) elsewhere(p *Plane, i int) (other int, claim string) {
	q := &p.c.Pods[i]
	for _, name := range q.Claims {
		for _, x := range v.users[[2]string{q.Namespace, name}] {
			if x != i && !slices.Contains(v.waits, x) && p.c.Pods[x].Node != q.Node {
				if !slices.Contains(v.waits, i) {
					v.waits = append(v.waits, i)
				}
				return x, name
			}
		}
	}
	v.waits = slices.DeleteFunc(v.waits, func(x int) bool { return x == i })
	return -1, ""
}

// retry starts the pods whose volumes have become free.
func (v *volumes) retry(p *Plane) {
	for _, i := range slices.Clone(v.waits) {
		if other, _ := v.elsewhere(p, i); other < 0 && p.pods[i].state == attaching && !p.pods[i].leaves {
			p.starts0(i)
		}
	}
}

// Attaching returns the pods that wait for a volume that is attached to another node, with the pod that has it.
func (p *Plane) Attaching() (all [][2]int) {
	for _, i := range slices.Clone(p.volumes.waits) {
		if other, _ := p.volumes.elsewhere(p, i); other >= 0 && !p.pods[i].leaves {
			all = append(all, [2]int{i, other})
		}
	}
	return all
}
