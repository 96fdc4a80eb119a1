package message

// ReadDump reads kubectl's dump of a Kubernetes cluster, in place of the cluster before.
// Without files it reads the example that the program generates.
type ReadDump struct {
	Files []File `json:"files,omitempty"`
}

// AskCluster asks a question about the cluster that was read. Each question uses the fields
// that are about it.
type AskCluster struct {
	Question string      `json:"question" ts:"\"drain\" | \"lose\" | \"fit\" | \"grow\" | \"score\" | \"pending\" | \"blockers\" | \"size\" | \"requests\" | \"node\" | \"report\" | \"rollout\" | \"upgrade\" | \"consolidate\""`
	Configs  []NamedText `json:"configs,omitempty"`         // a KubeSchedulerConfiguration, or "default" or "most-allocated" without a text; without any: the default one
	Prices   *NamedText  `json:"prices,omitempty"`          // CSV, YAML or JSON of machine types and prices an hour
	EmptyDir bool        `json:"delete_emptydir,omitempty"` // drain: pods with emptyDir volumes may go
	Force    bool        `json:"force,omitempty"`           // drain: pods without a controller may go
	Control  bool        `json:"control_plane,omitempty"`   // drain: nodes of the control plane may be emptied
	By       string      `json:"by,omitempty"`              // lose: node, zone, type, capacity, gpu or the key of a label; requests: these, namespace or owner; consolidate: cluster-autoscaler, "" for Karpenter
	Names    []string    `json:"names,omitempty"`           // lose: these together; none: each by itself; node: the one; upgrade: pools, none for all
	NotReady bool        `json:"not_ready,omitempty"`       // lose: the nodes stay and do not answer
	// Autoscaler lets the cluster autoscaler add nodes in a loss or an upgrade.
	Autoscaler bool   `json:"autoscaler,omitempty"`
	Pod        string `json:"pod,omitempty"` // fit: NAMESPACE/NAME of a pod or its owner; "" for today's mix; pending: of one to judge node by node; rollout: of the workload
	// Surge and Unavailable are of a rollout's pods and of an upgrade's nodes, as 2 or 25%; "" for the dump's or the pool's manager's.
	Surge       string      `json:"surge,omitempty"`
	Unavailable string      `json:"unavailable,omitempty"`
	Usage       []PodsUsage `json:"usage,omitempty"`   // size: the use of pods over time
	Against     *NamedText  `json:"against,omitempty"` // report: one that was kept, as JSON; its figures are enough
	// Changes ask about another world, beside the dump as it is.
	Changes []ClusterChange `json:"changes,omitempty"`
}

// ClusterChange is a change of an object, written as for parley cluster's flag of that name.
type ClusterChange struct {
	How  string `json:"how" ts:"\"patch\" | \"more\" | \"without\""`
	Text string `json:"text"` // KIND/[NAMESPACE/]NAME, and a value after =
}

// NamedText is a file that was chosen, or a name that stands for one.
type NamedText struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

// PodsUsage is a file of measured use of pods.
type PodsUsage struct {
	File     File   `json:"file"`
	Resource string `json:"resource" ts:"\"cpu\" | \"memory\" | \"\""` // of a range query's answer; "" for CSV
}

// SaveAnswer asks for the latest answer to a question as a file.
type SaveAnswer struct {
	Question string `json:"question"`
	As       string `json:"as" ts:"\"json\" | \"markdown\" | \"html\" | \"script\""`
}

// SumDump asks for the hashes of the dump's files, for a link.
type SumDump struct{}

// DumpSums answers SumDump; without files the dump is the example.
type DumpSums struct {
	Files []FileSum `json:"files"`
}

// FileSum is the SHA-256 of a file's stored bytes, 64 hex digits.
type FileSum struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// Reading reports how far the reading of a dump is, in stored bytes.
type Reading struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	Total int64  `json:"total"`
	Text  int64  `json:"text"` // unpacked
}

// DumpRead answers ReadDump.
type DumpRead[Summary any] struct {
	Name      string     `json:"name"` // of the first file
	Bytes     int64      `json:"bytes"`
	WallUS    float64    `json:"wall_us"`
	Sentence  string     `json:"sentence"`
	Summary   Summary    `json:"summary"`
	Resources [][]string `json:"resources"` // name, allocatable, requested, pending; those that anything has
	Nodes     []DumpNode `json:"nodes"`
	Labels    []string   `json:"labels"`  // keys of labels by which nodes differ: groups that may fail together
	Pools     []string   `json:"pools"`   // names of pools of nodes
	Owners    []string   `json:"owners"`  // of pods, NAMESPACE/NAME, those with most pods first
	Budgets   []string   `json:"budgets"` // of disruption, NAMESPACE/NAME
}

// DumpNode is a node as it is drawn.
type DumpNode struct {
	Name string `json:"name"`
	Zone string `json:"zone,omitempty"`
	Type string `json:"type,omitempty"`
	Pods int    `json:"pods"`
	GPU  string `json:"gpu,omitempty"` // the model of its GPUs
	// Parts are the requests for each resource of the dump, in thousandths of the node's
	// capacity; -1 of a resource that it does not have.
	Parts []int  `json:"parts"`
	State string `json:"state,omitempty" ts:"\"cordoned\" | \"notready\""` // absent: it takes pods
}

// Asking reports which part of a question is under way.
type Asking struct {
	Doing string `json:"doing"`
	Done  int    `json:"done"`
	Of    int    `json:"of"`
}

// ClusterAnswer answers AskCluster.
type ClusterAnswer struct {
	Question  string            `json:"question"`
	WallUS    float64           `json:"wall_us"`
	Digest    string            `json:"digest"` // the first 16 hex digits of the SHA-256 of the answer's JSON
	Documents []ClusterDocument `json:"documents"`
	Nodes     []int             `json:"nodes"` // that the first document takes away: emptied ones in their order, or lost ones
	// Filters are those that stop the pending pod that was chosen, and Stops, for each node of the dump in its
	// order, the index of the first of them there, -1 if the node takes the pod; nil without such a pod.
	Filters []string `json:"filters,omitempty"`
	Stops   []int    `json:"stops,omitempty"`
	// Before is the answer about the dump as it is, where Documents are about a changed world; else nil.
	Before []ClusterDocument `json:"before,omitempty"`
}

// ClusterDocument is an answer for people.
type ClusterDocument struct {
	Title    string        `json:"title"`
	Sentence string        `json:"sentence"`
	Grids    []ClusterGrid `json:"grids"`
	Script   string        `json:"script,omitempty"` // for a shell
	Method   []string      `json:"method"`
	Play     string        `json:"play,omitempty" ts:"\"ends\" | \"stops\""` // whether its play ends or stops early; absent: nothing was played, and there is nothing to watch
}

// ClusterGrid is a table of an answer.
type ClusterGrid struct {
	Heading string     `json:"heading"`
	Columns []string   `json:"columns"`
	Numbers []bool     `json:"numbers"` // columns of numbers, perhaps with a unit
	Rows    [][]string `json:"rows"`
	More    int        `json:"more"` // rows that are left out
}

func (ReadDump) Kind() string      { return "readdump" }
func (AskCluster) Kind() string    { return "ask" }
func (SaveAnswer) Kind() string    { return "save" }
func (SumDump) Kind() string       { return "sumdump" }
func (DumpSums) Kind() string      { return "sums" }
func (Reading) Kind() string       { return "reading" }
func (DumpRead[_]) Kind() string   { return "dump" }
func (Asking) Kind() string        { return "asking" }
func (ClusterAnswer) Kind() string { return "answer" }
