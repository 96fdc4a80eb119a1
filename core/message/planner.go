package message

// MakePlan plans one document with one algorithm.
type MakePlan struct {
	Planner   string `json:"kind" ts:"\"load\" | \"jobs\" | \"graph\""`
	Algorithm string `json:"algorithm"`
	Name      string `json:"name"`     // of the document, for sentences about it
	Document  string `json:"document"` // of `parley plan`
	Equal     Equal  `json:"equal"`
}

// Equal are the processors of a workflow, whose file names none.
type Equal struct {
	Processors int     `json:"processors"`
	Bandwidth  float64 `json:"bandwidth"` // bytes a second between two of them; 0: results take no time
	Latency    float64 `json:"latency"`   // seconds that every result takes beside its bytes
}

// Planners is the first message of a planner: the algorithms of each kind,
// in the order in which they are listed.
type Planners struct {
	Load  []string `json:"load"`
	Jobs  []string `json:"jobs"`
	Graph []string `json:"graph"`
}

// ReadPlatform reads a file of workers; the last three are for SimGrid's.
type ReadPlatform struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Master string  `json:"master"` // "": the first host
	Flops  float64 `json:"flops"`  // of a work unit
	Bytes  float64 `json:"bytes"`
}

// Plan answers MakePlan: with the plan of its kind, or why there is none.
type Plan[Load, Jobs, Graph any] struct {
	Planner   string    `json:"kind" ts:"\"load\" | \"jobs\" | \"graph\""`
	Algorithm string    `json:"algorithm"`
	Load      *Load     `json:"load,omitempty"`
	Jobs      *Jobs     `json:"jobs,omitempty"`
	Graph     *Graph    `json:"graph,omitempty"`
	Timeline  *Timeline `json:"timeline,omitempty"`
	WallUS    float64   `json:"wall_us"`
	Reason    string    `json:"why,omitempty"` // one sentence where there is no plan
}

// Timeline is the course of a plan, one entry a chunk in sending order, or a task of a
// graph by its start; seconds.
type Timeline struct {
	Worker       *Binary `json:"worker" ts:"Int32Array"` // index in the platform; the processor
	Round        *Binary `json:"round" ts:"Int32Array"`  // from 0; of a task: how many follow one another before it
	SendStart    *Binary `json:"sendStart" ts:"Float64Array"`
	SendEnd      *Binary `json:"sendEnd" ts:"Float64Array"`
	ComputeStart *Binary `json:"computeStart" ts:"Float64Array"`
	ComputeEnd   *Binary `json:"computeEnd" ts:"Float64Array"`
}

// Platform answers ReadPlatform: as it can be planned for, or why it cannot.
type Platform[Worker any] struct {
	Name    string   `json:"name"`
	Load    float64  `json:"load,omitempty"` // absent: the file names none
	Workers []Worker `json:"workers,omitempty"`
	Names   []string `json:"names,omitempty"`  // of SimGrid's workers
	Hosts   []string `json:"hosts,omitempty"`  // of a SimGrid platform: possible masters
	Master  string   `json:"master,omitempty"` // the chosen one
	Notes   []string `json:"notes,omitempty"`  // the ignored parts of the file
	Reason  string   `json:"why,omitempty"`    // one sentence if it cannot be used
}

func (MakePlan) Kind() string      { return "plan" }
func (ReadPlatform) Kind() string  { return "platform" }
func (Planners) Kind() string      { return "planners" }
func (Plan[_, _, _]) Kind() string { return "plan" }
func (Platform[_]) Kind() string   { return "platform" }

func (m Plan[_, _, _]) parts() []*Binary {
	if t := m.Timeline; t != nil {
		return []*Binary{t.Worker, t.Round, t.SendStart, t.SendEnd, t.ComputeStart, t.ComputeEnd}
	}
	return nil
}
