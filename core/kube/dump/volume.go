package dump

import (
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/kube"
)

// modes are the access modes by their names.
var modes = map[string]kube.AccessMode{
	"ReadWriteOnce": kube.ReadWriteOnce, "ReadOnlyMany": kube.ReadOnlyMany, "ReadWriteMany": kube.ReadWriteMany, "ReadWriteOncePod": kube.ReadWriteOncePod,
}

// modes reads access modes. An unknown one is listed as odd and left out.
func (r *reader) modes(v gjson.Result, at string) (all []kube.AccessMode) {
	r.list(v, at, func(v gjson.Result, at string) {
		mode, known := modes[r.text(v, at)]
		if !known {
			r.odd(at, v)
			return
		}
		all = append(all, mode)
	})
	return all
}

// claim reads a PersistentVolumeClaim and adds it to the cluster. The old annotation of a class wins over
// spec.storageClassName.
func (r *reader) claim(m *meta, doc gjson.Result) {
	c := r.claimSpec(doc.Get("spec"), "spec")
	c.Namespace, c.Name, c.Owner, c.Deleted = m.namespace, m.name, m.owner, m.deleted != 0
	if old, has := m.annotations[oldClassAnnotation]; has {
		c.Class, c.HasClass = old, true
	}
	_, c.Completed = m.annotations[completedAnnotation]
	c.SelectedNode = m.annotations[selectedNodeAnnotation]
	c.Phase = r.text(doc.Get("status.phase"), "status.phase")
	c.Lost = c.Phase == "Lost"
	r.cluster.Claims = append(r.cluster.Claims, c)
}

// claimSpec reads the request of a claim or of a claim template; at is the path of spec in error messages.
// HasClass distinguishes a class "" from none, which means the default class. Request is in bytes.
func (r *reader) claimSpec(spec gjson.Result, at string) (c kube.Claim) {
	c.Volume = r.text(spec.Get("volumeName"), at+".volumeName")
	if v := spec.Get("storageClassName"); v.Exists() && v.Type != gjson.Null {
		c.Class, c.HasClass = r.text(v, at+".storageClassName"), true
	}
	c.Modes = r.modes(spec.Get("accessModes"), at+".accessModes")
	if v := spec.Get("resources.requests.storage"); v.Exists() {
		c.Request = r.quantity(v, at+".resources.requests.storage").Value()
	}
	c.Selector = r.selector(spec.Get("selector"), at+".selector")
	c.Block = r.text(spec.Get("volumeMode"), at+".volumeMode") == "Block"
	return c
}

// sources are the kinds of volumes that became CSI volumes, with the field that names them.
var sources = []struct{ field, plugin, id string }{
	{"awsElasticBlockStore", "kubernetes.io/aws-ebs", "volumeID"},
	{"gcePersistentDisk", "kubernetes.io/gce-pd", "pdName"},
	{"azureDisk", "kubernetes.io/azure-disk", "diskURI"},
	{"cinder", "kubernetes.io/cinder", "volumeID"},
}

// persistentVolume reads a PersistentVolume and adds it to the cluster. A volume of an in-tree plugin gets
// the name of the CSI driver that it was migrated to.
func (r *reader) persistentVolume(m *meta, doc gjson.Result) {
	v := kube.Volume{Name: m.name, Labels: r.labels(m.labels, "metadata.labels"), Deleted: m.deleted != 0}
	spec := doc.Get("spec")
	v.Class = r.text(spec.Get("storageClassName"), "spec.storageClassName")
	if old, has := m.annotations[oldClassAnnotation]; has {
		v.Class = old
	}
	if q := spec.Get("capacity.storage"); q.Exists() {
		v.Capacity = r.quantity(q, "spec.capacity.storage").Value()
	}
	v.Modes = r.modes(spec.Get("accessModes"), "spec.accessModes")
	v.Block = r.text(spec.Get("volumeMode"), "spec.volumeMode") == "Block"
	if node := spec.Get("nodeAffinity.required"); node.IsObject() {
		v.NodeAffinity = r.nodeSelector(node, "spec.nodeAffinity.required")
	}
	v.ClaimNamespace = r.text(spec.Get("claimRef.namespace"), "spec.claimRef.namespace")
	v.ClaimName = r.text(spec.Get("claimRef.name"), "spec.claimRef.name")
	v.Phase = r.text(doc.Get("status.phase"), "status.phase")
	v.Driver, v.Handle = r.text(spec.Get("csi.driver"), "spec.csi.driver"), r.name(spec.Get("csi.volumeHandle"), "spec.csi.volumeHandle")
	for _, s := range sources {
		if old := spec.Get(s.field); old.IsObject() {
			v.Driver, v.Handle = kube.MigratedDriver(s.plugin), r.name(old.Get(s.id), "spec."+s.field+"."+s.id)
		}
	}
	v.Local = spec.Get("local").IsObject() || spec.Get("hostPath").IsObject()
	r.cluster.Volumes = append(r.cluster.Volumes, v)
}

// storageClass reads a StorageClass and adds it to the cluster. Allowed are its allowedTopologies:
// one of them must match; an empty list allows all nodes.
func (r *reader) storageClass(m *meta, doc gjson.Result) {
	s := kube.StorageClass{Name: m.name, Created: m.created, Provisioner: r.text(doc.Get("provisioner"), "provisioner")}
	s.Wait = r.text(doc.Get("volumeBindingMode"), "volumeBindingMode") == "WaitForFirstConsumer"
	s.Default = m.yes(defaultClassAnnotation) || m.yes(defaultClassAnnotation2)
	r.list(doc.Get("allowedTopologies"), "allowedTopologies", func(v gjson.Result, at string) {
		var t kube.TopologyTerm
		r.list(v.Get("matchLabelExpressions"), at+".matchLabelExpressions", func(v gjson.Result, at string) {
			t.Requirements = append(t.Requirements, kube.Requirement{
				Key:    r.text(v.Get("key"), at+".key"),
				Values: r.textList(v.Get("values"), at+".values"),
			})
		})
		s.Allowed = append(s.Allowed, t)
	})
	r.cluster.StorageClasses = append(r.cluster.StorageClasses, s)
}

// csiNode reads a CSINode and adds it to the cluster. A driver without a count has the limit -1: no limit.
func (r *reader) csiNode(m *meta, doc gjson.Result) {
	c := kube.CSINode{Name: m.name}
	r.list(doc.Get("spec.drivers"), "spec.drivers", func(v gjson.Result, at string) {
		d := kube.NodeDriver{
			Name: r.text(v.Get("name"), at+".name"), NodeID: r.name(v.Get("nodeID"), at+".nodeID"),
			Limit: -1, Keys: r.textList(v.Get("topologyKeys"), at+".topologyKeys"),
		}
		if count := v.Get("allocatable.count"); count.Exists() && count.Type != gjson.Null {
			d.Limit = r.whole(count, at+".allocatable.count", 0, maxInt32)
		}
		c.Drivers = append(c.Drivers, d)
	})
	r.cluster.CSINodes = append(r.cluster.CSINodes, c)
}

func (r *reader) attachment(_ *meta, doc gjson.Result) {
	r.cluster.Attachments = append(r.cluster.Attachments, kube.Attachment{
		Attacher: r.text(doc.Get("spec.attacher"), "spec.attacher"), Node: r.text(doc.Get("spec.nodeName"), "spec.nodeName"),
		Volume: r.name(doc.Get("spec.source.persistentVolumeName"), "spec.source.persistentVolumeName"),
	})
}

// capacity reads a CSIStorageCapacity and adds it to the cluster. Amounts are in bytes, -1 if the object
// has none.
func (r *reader) capacity(_ *meta, doc gjson.Result) {
	c := kube.StorageCapacity{
		Class:    r.text(doc.Get("storageClassName"), "storageClassName"),
		Topology: r.selector(doc.Get("nodeTopology"), "nodeTopology"), Capacity: -1, Maximum: -1,
	}
	if q := doc.Get("capacity"); q.Exists() {
		c.Capacity = r.quantity(q, "capacity").Value()
	}
	if q := doc.Get("maximumVolumeSize"); q.Exists() {
		c.Maximum = r.quantity(q, "maximumVolumeSize").Value()
	}
	r.cluster.Capacities = append(r.cluster.Capacities, c)
}

func (r *reader) driver(m *meta, doc gjson.Result) {
	r.cluster.Drivers = append(r.cluster.Drivers, kube.CSIDriver{
		Name:            strings.Clone(m.name),
		StorageCapacity: r.truth(doc.Get("spec.storageCapacity"), "spec.storageCapacity"),
	})
}
