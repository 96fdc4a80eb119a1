package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// volumes are those that one node at a time can attach, with the pods that use each.
// (pkg/controller/volume/attachdetach/reconciler/reconciler.go)
type volumes struct {
	users map[[2]string][]int // by namespace and claim: pods with a node
	waits []int               // pods that wait for a volume
	stuck map[[2]string]stuck // by namespace and claim
}

func newVolumes(c *kube.Cluster) volumes {
	v := volumes{users: map[[2]string][]int{}}
	for key := range c.AttachedOnce() {
		v.users[key] = []int{}
	}
	return v
}

// use lets a pod with a node use its volumes. One that was to be detached from this node by force stays.
func (v *volumes) use(p *Plane, i int) {
	if q := &p.c.Pods[i]; q.Node != kube.Nowhere {
		for _, name := range q.Claims {
			key := [2]string{q.Namespace, name}
			if users, single := v.users[key]; single && !slices.Contains(users, i) {
				v.users[key] = append(users, i)
				if s, is := v.stuck[key]; is && s.at == q.Node {
					delete(v.stuck, key)
				}
			}
		}
	}
}

// holder is a pod or machine that holds a volume on another node.
type holder struct {
	pod                 int // -1 if it has ended on a machine that stopped
	node, claim, reason string
}

// stuck is a volume that is attached to a machine that stopped, and that no pod there uses any more. It is
// detached by force at until.
type stuck struct {
	at    int
	until unit.Time
}

// leave ends pod i's use of its volumes, which are free for others then. If the pod was on a machine that
// stopped, its volumes stay attached there, and each is detached by force forcedDetach after its last pod
// there has left: while a pod uses it, it is not asked for. The pod's Node must still be set.
func (v *volumes) leave(p *Plane, i int) {
	q := &p.c.Pods[i]
	for _, name := range q.Claims {
		key := [2]string{q.Namespace, name}
		users, single := v.users[key]
		if !single {
			continue
		}
		users = slices.DeleteFunc(users, func(x int) bool { return x == i })
		v.users[key] = users
		at := q.Node
		if at == kube.Nowhere || !p.states[at].silent || p.life == nil || p.pods[i].state == attaching ||
			slices.ContainsFunc(users, func(x int) bool { return p.c.Pods[x].Node == at }) {
			continue
		}
		if v.stuck == nil {
			v.stuck = map[[2]string]stuck{}
		}
		own := stuck{at, p.kernel.Now() + forcedDetach}
		v.stuck[key] = own
		p.after(forcedDetach, func() {
			if v.stuck[key] != own {
				return // a pod there has used it again meanwhile
			}
			delete(v.stuck, key)
			p.record(Detached, q.Namespace+"/"+name, p.c.Nodes[at].Name, "by force: 6 minutes after its last pod there was gone")
			v.retry(p)
		})
	}
	v.waits = slices.DeleteFunc(v.waits, func(x int) bool { return x == i })
}

// elsewhere returns the holder of a volume of pod i on another node, nil if there is none, and adds the pod
// to those that wait for a volume, or removes it. The pod must have a node.
func (v *volumes) elsewhere(p *Plane, i int) *holder {
	q := &p.c.Pods[i]
	for _, name := range q.Claims {
		key := [2]string{q.Namespace, name}
		var h *holder
		for _, x := range v.users[key] {
			if x != i && !slices.Contains(v.waits, x) && p.c.Pods[x].Node != q.Node {
				h = &holder{x, p.node(x), name, " for " + p.full(x)}
				break
			}
		}
		if s, is := v.stuck[key]; is && h == nil && s.at != q.Node {
			h = &holder{-1, p.c.Nodes[s.at].Name, name, ", which does not answer"}
		}
		if h != nil {
			if !slices.Contains(v.waits, i) {
				v.waits = append(v.waits, i)
			}
			return h
		}
	}
	v.waits = slices.DeleteFunc(v.waits, func(x int) bool { return x == i })
	return nil
}

// retry starts the pods whose volumes have become free. Call it when a pod has left or a volume was
// detached.
func (v *volumes) retry(p *Plane) {
	for _, i := range slices.Clone(v.waits) {
		if v.elsewhere(p, i) == nil && p.pods[i].state == attaching && !p.pods[i].terminating {
			p.starts0(i)
		}
	}
}

// Attach is a pod that waits for a volume that is attached to another node.
type Attach struct {
	Pod         int
	Claim, Node string
}

// Attaching returns the pods that wait for a volume.
func (p *Plane) Attaching() (all []Attach) {
	for _, i := range slices.Clone(p.volumes.waits) {
		if h := p.volumes.elsewhere(p, i); h != nil && !p.pods[i].terminating {
			all = append(all, Attach{i, h.claim, h.node})
		}
	}
	return all
}
