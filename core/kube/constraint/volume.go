package constraint

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/core/kube"
)

// volumes finds volumes, claims and their classes and drivers by name.
type volumes struct {
	c        *kube.Cluster
	claims   map[[2]string]int // by namespace and name
	byName   map[string]int    // volumes
	classes  map[string]int    // by name
	ofClass  map[string][]int  // volumes by class
	csi      []*kube.CSINode   // by node
	attached [][]int           // volumes that attachments name, by node
	drivers  map[string]bool   // by name: drivers that publish their capacity
	minLimit []int64           // the lowest limit of a node's drivers
	nodesOf  [][]bool          // nodes from which a volume can be reached, by volume; nil until needed
	reached  map[string][]bool
}

// reaches reports whether the volume at pv can be reached from the node at at, by its node affinity.
// Volumes with the same affinity share the result, which is computed when it is first needed.
func (v *volumes) reaches(pv, at int) bool {
	a := v.c.Volumes[pv].NodeAffinity
	if a == nil {
		return true
	}
	if v.nodesOf[pv] == nil {
		key := fmt.Sprintf("%q", a.Terms)
		all, known := v.reached[key]
		if !known {
			all = make([]bool, len(v.c.Nodes))
			for i := range all {
				all[i] = a.Matches(&v.c.Nodes[i])
			}
			v.reached[key] = all
		}
		v.nodesOf[pv] = all
	}
	return v.nodesOf[pv][at]
}

// newVolumes returns the index of a cluster's volumes, claims, classes and drivers. CSINodes and
// attachments of nodes that the cluster lacks are ignored. A node without a CSINode has minLimit 0 and csi
// nil: no limits.
func newVolumes(c *kube.Cluster) volumes {
	v := volumes{
		c: c, claims: map[[2]string]int{}, byName: map[string]int{}, classes: map[string]int{},
		ofClass: map[string][]int{},
		csi:     make([]*kube.CSINode, len(c.Nodes)), attached: make([][]int, len(c.Nodes)), drivers: map[string]bool{},
		minLimit: make([]int64, len(c.Nodes)), nodesOf: make([][]bool, len(c.Volumes)), reached: map[string][]bool{},
	}
	for i := range c.Claims {
		v.claims[[2]string{c.Claims[i].Namespace, c.Claims[i].Name}] = i
	}
	for i := range c.Volumes {
		v.byName[c.Volumes[i].Name] = i
		v.ofClass[c.Volumes[i].Class] = append(v.ofClass[c.Volumes[i].Class], i)
	}
	for i := range c.StorageClasses {
		v.classes[c.StorageClasses[i].Name] = i
	}
	nodes := make(map[string]int, len(c.Nodes))
	for i := range c.Nodes {
		nodes[c.Nodes[i].Name] = i
	}
	for i := range c.CSINodes {
		if at, known := nodes[c.CSINodes[i].Name]; known {
			v.csi[at] = &c.CSINodes[i]
			v.minLimit[at] = math.MaxInt64
			for _, d := range c.CSINodes[i].Drivers {
				if d.Limit >= 0 {
					v.minLimit[at] = min(v.minLimit[at], d.Limit)
				}
			}
		}
	}
	for i := range c.Attachments {
		a := &c.Attachments[i]
		at, node := nodes[a.Node]
		pv, known := v.byName[a.Volume]
		if node && known && a.Attacher != "" && c.Volumes[pv].Driver == a.Attacher {
			v.attached[at] = append(v.attached[at], pv)
		}
	}
	for i := range c.Drivers {
		v.drivers[c.Drivers[i].Name] = c.Drivers[i].StorageCapacity
	}
	return v
}

// claim returns the place of a claim of a pod.
func (v *volumes) claim(p *kube.Pod, name string) (int, bool) {
	i, known := v.claims[[2]string{p.Namespace, name}]
	return i, known
}

// named returns the names of the claims that a pod's volumes name, without those of ephemeral
// volumes.
func named(p *kube.Pod) []string { return p.Claims[:len(p.Claims)-p.Ephemeral] }

// used returns the claims that a pod's volumes name.
func (v *volumes) used(p *kube.Pod) (all []int) {
	for _, name := range named(p) {
		if i, known := v.claim(p, name); known {
			all = append(all, i)
		}
	}
	return all
}

func notFound(kind, name string) string { return kind + " " + strconv.Quote(name) + " not found" }

// storageCheck has the effect of a pod's claims on nodes.
type storageCheck struct {
	disks   []kube.Disk
	once    bool  // a claim that only one pod may use is in use
	bound   []int // volumes of bound claims
	unbound []int // claims that wait for the pod, the smallest first
	zones   []zone
	handles []handle // volumes that would be attached
}

// zone is a label of a volume that a node must share.
type zone struct {
	key    string
	values []string
}

// handle names a volume of a driver.
type handle struct{ driver, id string }

// prepareOnce sets in c whether a claim that only one pod may use (ReadWriteOncePod) is in use, and stops
// the pod if the cluster lacks one of its claims. While pods are away for a preemption, the scheduler
// subtracts one claim for each of their volumes with the name of such a claim, in any namespace; this is
// copied. (plugins/volumerestrictions/volume_restrictions.go)
func (s *State) prepareOnce(c *check, p *kube.Pod) {
	c.storage.disks = p.Spec.Disks
	used := 0
	for _, name := range named(p) {
		i, known := s.volumes.claim(p, name)
		if !known {
			c.stop, c.final = notFound("persistentvolumeclaim", name), true
			return
		}
		if !slices.Contains(s.c.Claims[i].Modes, kube.ReadWriteOncePod) {
			continue
		}
		users := s.claimUse[i]
		for _, other := range s.evicted {
			if q := &s.c.Pods[other]; s.on[other] == kube.Nowhere && slices.Contains(named(q), name) {
				used--
				if q.Namespace == p.Namespace {
					users++
				}
			}
		}
		if users > 0 {
			used++
		}
	}
	c.storage.once = used > 0
}

// restricted returns why the volumes of a pod cannot be used on a node at once with those of the pods
// there, nil if they can.
func (s *State) restricted(c *check, at int) *Reason {
	if s.nodes[at].disks > 0 {
		for i := range c.storage.disks {
			for _, pod := range s.nodes[at].pods {
				for k := range s.c.Pods[pod].Spec.Disks {
					if conflict(&c.storage.disks[i], &s.c.Pods[pod].Spec.Disks[k]) {
						return s.reasons.disk
					}
				}
			}
		}
	}
	if c.storage.once {
		return s.reasons.once
	}
	return nil
}

// conflict reports whether two disks are the same disk and cannot both be mounted on a node. Two of kind
// rbd are the same only if they share a monitor; disks of azureDisk and cinder never conflict.
func conflict(a, b *kube.Disk) bool {
	if a.Kind != b.Kind || a.ID != b.ID {
		return false
	}
	readOnly := a.ReadOnly && b.ReadOnly
	switch a.Kind {
	case "awsElasticBlockStore":
		return true
	case "gcePersistentDisk", "iscsi":
		return !readOnly
	case "rbd":
		return !readOnly && slices.ContainsFunc(a.Monitors,
			func(m string) bool { return slices.Contains(b.Monitors, m) })
	}
	return false
}

// plugins of inline disks that count as volumes of the driver that they migrated to.
var plugins = map[string]string{
	"gcePersistentDisk": "kubernetes.io/gce-pd", "awsElasticBlockStore": "kubernetes.io/aws-ebs",
	"azureDisk": "kubernetes.io/azure-disk", "cinder": "kubernetes.io/cinder",
}

// handles returns the volumes of a pod that count against the limits of drivers: those of bound claims,
// those that a CSI class would provision, and inline disks. A claim that is not known does not count.
// (plugins/nodevolumelimits/csi.go)
func (s *State) handles(p *kube.Pod) (all []handle) {
	for _, name := range p.Claims {
		i, known := s.volumes.claim(p, name)
		if !known {
			continue
		}
		claim := &s.c.Claims[i]
		if pv, known := s.volumes.byName[claim.Volume]; known && claim.Volume != "" {
			if v := &s.c.Volumes[pv]; v.Driver != "" && v.Handle != "" {
				all = append(all, handle{v.Driver, v.Handle})
			}
			continue
		}
		at, known := s.volumes.classes[claim.Class]
		if !known || claim.Class == "" {
			continue
		}
		driver := s.c.StorageClasses[at].Provisioner
		if migrated := kube.MigratedDriver(driver); migrated != "" {
			driver = migrated
		}
		all = append(all, handle{driver, claim.Namespace + "/" + claim.Name})
	}
	for i := range p.Spec.Disks {
		if driver := kube.MigratedDriver(plugins[p.Spec.Disks[i].Kind]); driver != "" {
			all = append(all, handle{driver, p.Spec.Disks[i].ID})
		}
	}
	return all
}

// Attached returns the number of volumes of each driver that some pods attach. A shared volume
// counts once.
func (s *State) Attached(pods []int) map[string]int {
	seen, all := map[handle]bool{}, map[string]int{}
	for _, pod := range pods {
		for _, h := range s.handles(&s.c.Pods[pod]) {
			if !seen[h] {
				seen[h] = true
				all[h.driver]++
			}
		}
	}
	return all
}

// limited returns the reason if the volumes that a pod adds to a node exceed the limit of a driver there,
// nil otherwise. Volumes that are on the node already do not count again. A driver without a limit, and a
// node without a CSINode, take any number.
func (s *State) limited(c *check, at int) *Reason {
	if len(c.storage.handles) == 0 || s.volumes.csi[at] == nil {
		return nil
	}
	// No volume can be one too many if all together are few enough.
	if int64(s.nodes[at].stored+len(s.volumes.attached[at])+len(c.storage.handles)) <= s.volumes.minLimit[at] {
		return nil
	}
	fresh := map[handle]bool{}
	for _, h := range c.storage.handles {
		fresh[h] = true
	}
	there := map[handle]bool{}
	for _, pod := range s.nodes[at].pods {
		if s.nodes[at].stored == 0 {
			break
		}
		if q := &s.c.Pods[pod]; len(q.Claims) > 0 || len(q.Spec.Disks) > 0 {
			for _, h := range s.handles(q) {
				there[h] = true
				delete(fresh, h)
			}
		}
	}
	for _, pv := range s.volumes.attached[at] {
		there[handle{s.c.Volumes[pv].Driver, s.c.Volumes[pv].Handle}] = true
	}
	for i := range s.volumes.csi[at].Drivers {
		d := &s.volumes.csi[at].Drivers[i]
		if d.Limit < 0 {
			continue
		}
		added, total := int64(0), int64(0)
		for h := range fresh {
			if h.driver == d.Name {
				added++
			}
		}
		for h := range there {
			if h.driver == d.Name {
				total++
			}
		}
		if added > 0 && total+added > d.Limit {
			return s.reasons.limits
		}
	}
	return nil
}

// zoneLabels are the labels of volumes with their zone or region.
var zoneLabels = []string{"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region", kube.ZoneLabel, kube.RegionLabel}

// prepareZones collects in c the zones of a pod's bound volumes. It stops the pod, for good, if a claim,
// class or volume is missing, or if a claim that should be bound is not.
// (plugins/volumezone/volume_zone.go)
func (s *State) prepareZones(c *check, p *kube.Pod) {
	stop := func(text string) { c.stop, c.final = text, true }
	for _, name := range named(p) {
		i, known := s.volumes.claim(p, name)
		if !known {
			stop(notFound("persistentvolumeclaim", name))
			return
		}
		claim := &s.c.Claims[i]
		if claim.Volume == "" {
			class, known := s.volumes.classes[claim.Class]
			switch {
			case claim.Class == "":
				stop("PersistentVolumeClaim had no pv name and storageClass name")
			case !known:
				stop(notFound("storageclass.storage.k8s.io", claim.Class))
			case s.c.StorageClasses[class].Wait:
				continue
			default:
				stop("PersistentVolume had no name")
			}
			return
		}
		pv, known := s.volumes.byName[claim.Volume]
		if !known {
			stop(notFound("persistentvolume", claim.Volume))
			return
		}
		for _, key := range zoneLabels {
			if value, has := s.c.Volumes[pv].Labels.Get(key); has {
				if values := zoneSet(value); values != nil {
					c.storage.zones = append(c.storage.zones, zone{key, values})
				}
			}
		}
	}
}

// outside returns the reason if a node is outside of the zones of a pod's volumes, nil if it is not. A node
// without any label of a zone or region takes all volumes, as in the plugin.
func (s *State) outside(c *check, at int) *Reason {
	if len(c.storage.zones) == 0 {
		return nil
	}
	labels, any := s.c.Nodes[at].Labels, false
	for _, key := range zoneLabels {
		_, has := labels.Get(key)
		any = any || has
	}
	if !any {
		return nil
	}
	for _, z := range c.storage.zones {
		v, has := labels.Get(z.key)
		if !has {
			v, has = labels.Get(newer(z.key))
		}
		if !has || !slices.Contains(z.values, v) {
			return s.reasons.zone
		}
	}
	return nil
}

// newer returns the label that took the place of one of a beta version.
func newer(key string) string {
	switch key {
	case zoneLabels[0]:
		return kube.ZoneLabel
	case zoneLabels[1]:
		return kube.RegionLabel
	}
	return key
}

// zoneSet splits the zones of a volume's label, nil if one of them is empty: such a label is
// ignored.
func zoneSet(value string) (all []string) {
	for zone := range strings.SplitSeq(value, "__") {
		if zone = strings.TrimSpace(zone); zone == "" {
			return nil
		}
		all = append(all, zone)
	}
	return all
}
