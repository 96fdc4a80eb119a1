package kube

// Claim is a PersistentVolumeClaim.
type Claim struct {
	Namespace, Name string
	Volume          string // spec.volumeName
	Class           string // spec.storageClassName
	HasClass        bool   // it names a class, perhaps ""
	// Completed reports the annotation pv.kubernetes.io/bind-completed. A claim is bound if it
	// has a Volume and is Completed.
	Completed    bool
	SelectedNode string // volume.kubernetes.io/selected-node
	Modes        []AccessMode
	Request      int64 // bytes
	Selector     *Selector
	Block        bool // volumeMode: Block
	Lost         bool // phase Lost
	Deleted      bool // it is being deleted
	Owner        Owner
	Phase        string
}

// Bound reports whether the claim is bound.
func (c *Claim) Bound() bool { return c.Volume != "" && c.Completed }

// AccessMode is how a volume may be mounted.
type AccessMode uint8

// The access modes.
const (
	ReadWriteOnce AccessMode = iota
	ReadOnlyMany
	ReadWriteMany
	ReadWriteOncePod
)

// Volume is a PersistentVolume.
type Volume struct {
	Name           string
	Labels         Labels
	Class          string
	Capacity       int64 // bytes
	Modes          []AccessMode
	Block          bool
	NodeAffinity   *NodeSelector // nil if it may be used on any node
	ClaimNamespace string        // of claimRef
	ClaimName      string
	Phase          string
	Deleted        bool
	Driver, Handle string // of a CSI volume, or of an in-tree one the driver that it migrated to
	Local          bool   // local or hostPath: only one node has it
}

// StorageClass defines how volumes are created.
type StorageClass struct {
	Name        string
	Provisioner string
	Wait        bool // WaitForFirstConsumer; Immediate is the default
	Default     bool
	Allowed     []TopologyTerm // allowedTopologies; empty: anywhere
	Created     int64
}

// NoProvisioner is the provisioner of classes whose volumes somebody makes by hand.
const NoProvisioner = "kubernetes.io/no-provisioner"

// TopologyTerm is a term of allowed topologies: all requirements hold.
type TopologyTerm struct{ Requirements []Requirement }

// CSINode lists the drivers of a node.
type CSINode struct {
	Name    string // of the node
	Drivers []NodeDriver
}

// NodeDriver is a driver on a node.
type NodeDriver struct {
	Name   string
	NodeID string
	// Limit is the maximum number of volumes on the node, -1 if it has none.
	Limit int64
	Keys  []string // topologyKeys
}

// Attachment is a VolumeAttachment: a volume that is attached to a node.
type Attachment struct {
	Attacher, Node, Volume string
}

// StorageCapacity is a CSIStorageCapacity: room for new volumes of a class.
type StorageCapacity struct {
	Class    string
	Topology *Selector
	Capacity int64 // bytes, -1 if unknown
	Maximum  int64 // largest volume, -1 if unknown
}

// CSIDriver defines whether the scheduler considers the capacity of a driver.
type CSIDriver struct {
	Name            string
	StorageCapacity bool
}

// MigratedDriver returns the CSI driver that an in-tree plugin (kubernetes.io/gce-pd) has
// become, "" if there is none.
func MigratedDriver(plugin string) string {
	switch plugin {
	case "kubernetes.io/aws-ebs":
		return "ebs.csi.aws.com"
	case "kubernetes.io/gce-pd":
		return "pd.csi.storage.gke.io"
	case "kubernetes.io/azure-disk":
		return "disk.csi.azure.com"
	case "kubernetes.io/cinder":
		return "cinder.csi.openstack.org"
	}
	return ""
}
