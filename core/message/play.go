package message

// WatchPlay asks for the play behind a document of the latest answer to a question, the one with the median times.
type WatchPlay struct {
	Question string `json:"question"`
	Document int    `json:"document"` // its place in the answer
}

// WhyHere asks why the pod of a shot gets its node, in the play behind a document. A ClusterAnswer answers it.
type WhyHere struct {
	Question string `json:"question"`
	Document int    `json:"document"`
	Shot     int    `json:"shot"`
}

// ClusterPlay answers WatchPlay: the cluster before the change, and its changes, shot by shot. A pod is a place
// that gets another name when a pod is created in it. The shots are those of Film in core/kube/plane.
type ClusterPlay struct {
	Question string     `json:"question"`
	Document int        `json:"document"`
	Nodes    []PlayNode `json:"nodes"`                    // of the dump, then those that join
	PodNode  *Binary    `json:"pod_node" ts:"Int32Array"` // of each pod of the dump, -1 for none
	PodOf    *Binary    `json:"pod_of" ts:"Int32Array"`   // its workload
	// 0 none, 1 waits for a node, 2 is not ready, 3 is ready, 4 ends
	PodLife *Binary `json:"pod_life" ts:"Uint16Array"`
	// 1: a drain leaves it, as it is of a DaemonSet or of the node itself
	PodExempt *Binary  `json:"pod_exempt" ts:"Uint16Array"`
	Workloads []string `json:"workloads"` // NAMESPACE/NAME
	Names     []string `json:"names"`     // of pods that something happens to
	Texts     []string `json:"texts"`     // of the controllers
	Kinds     []string `json:"kinds"`
	At        *Binary  `json:"at" ts:"Float64Array"`       // of each shot, seconds
	ShotKind  *Binary  `json:"shot_kind" ts:"Uint16Array"` // its kind
	Pod       *Binary  `json:"pod" ts:"Int32Array"`        // -1 for none, as below
	Node      *Binary  `json:"node" ts:"Int32Array"`       // of the pod, or the one that it is about
	// of a pod that is bound: the node of the one in whose place it was made
	From   *Binary `json:"from" ts:"Int32Array"`
	Of     *Binary `json:"of" ts:"Int32Array"` // the workload
	Name   *Binary `json:"name" ts:"Int32Array"`
	Text   *Binary `json:"text" ts:"Int32Array"`
	Exempt *Binary `json:"exempt" ts:"Uint16Array"` // of a pod that is created or placed
	// shots at the end that are left out because there are too many
	Left   int     `json:"left"`
	Stop   float64 `json:"stop"` // seconds: the time at which it stops progressing, -1 if it ends
	Reason string  `json:"why"`  // why it stops
}

// PlayNode is a node before the first shot.
type PlayNode struct {
	Name     string `json:"name"`
	Zone     string `json:"zone,omitempty"`
	Absent   bool   `json:"absent,omitempty"` // until it joins
	Cordoned bool   `json:"cordoned,omitempty"`
	Silent   bool   `json:"silent,omitempty"` // it is known not to answer
}

func (WatchPlay) Kind() string   { return "watch" }
func (WhyHere) Kind() string     { return "whyhere" }
func (ClusterPlay) Kind() string { return "clusterplay" }

func (p ClusterPlay) parts() []*Binary {
	return []*Binary{
		p.PodNode, p.PodOf, p.PodLife, p.PodExempt, p.At, p.ShotKind, p.Pod, p.Node, p.From, p.Of, p.Name,
		p.Text, p.Exempt,
	}
}
