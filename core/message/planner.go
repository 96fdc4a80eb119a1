package message

// MakePlan plans one document with one algorithm.
type MakePlan struct {
	Planner   string `json:"kind" ts:"\"yield\" | \"rounds\""`
	Algorithm string `json:"algorithm"`
	Document  string `json:"document"` // of `parley plan`
}

// ReadPlatform reads a file of workers; the last three are for SimGrid's.
type ReadPlatform struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"`
	Master string  `json:"master"` // "": the first host
	Flops  float64 `json:"flops"`  // of a work unit
	Bytes  float64 `json:"bytes"`
}

// Plan answers MakePlan.
type Plan struct {
	Planner   string    `json:"kind" ts:"\"yield\" | \"rounds\""`
	Algorithm string    `json:"algorithm"`
	Result    any       `json:"result,omitempty"`
	Timeline  *Timeline `json:"timeline,omitempty"`
	WallUS    float64   `json:"wall_us"`
	Why       string    `json:"why,omitempty"` // one sentence where there is no plan
}

// Timeline is the course of a plan of rounds, one entry a chunk in sending order;
// seconds.
type Timeline struct {
	Worker       *Binary `json:"worker" ts:"Int32Array"` // index in the platform
	Round        *Binary `json:"round" ts:"Int32Array"`  // from 0
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
	Hosts   []string `json:"hosts,omitempty"`  // of a SimGrid platform: who could be master
	Master  string   `json:"master,omitempty"` // who is
	Notes   []string `json:"notes,omitempty"`  // what of the file was passed over
	Why     string   `json:"why,omitempty"`    // one sentence where it cannot be used
}

func (MakePlan) Kind() string     { return "plan" }
func (ReadPlatform) Kind() string { return "platform" }
func (Plan) Kind() string         { return "plan" }
func (Platform[_]) Kind() string  { return "platform" }

func (m Plan) parts() []*Binary {
	if t := m.Timeline; t != nil {
		return []*Binary{t.Worker, t.Round, t.SendStart, t.SendEnd, t.ComputeStart, t.ComputeEnd}
	}
	return nil
}
