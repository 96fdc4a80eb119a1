package message

// RunExperiment runs a paper's experiment.
type RunExperiment struct {
	ID    string `json:"id"`
	Seeds int    `json:"seeds,omitempty"` // 0: as many as usual
	Nodes int    `json:"nodes,omitempty"` // 0: as many as usual
}

// Experiments reports that the lab is ready.
type Experiments struct {
	Experiments []Experiment `json:"experiments"`
}

// Experiment is one of a paper's.
type Experiment struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Source  string  `json:"source"`
	Claim   string  `json:"claim"`   // the paper's claim, in a sentence
	Seconds float64 `json:"seconds"` // about, natively
}

// Running reports that an experiment is under way.
type Running struct {
	ID      string  `json:"id"`
	Doing   string  `json:"doing"`
	Runs    int     `json:"runs"`
	Seconds float64 `json:"seconds"`
}

// Paper answers RunExperiment: a paper's figures beside the measured ones.
type Paper[Result any] struct {
	Result  Result  `json:"result"`
	Seconds float64 `json:"seconds"`
}

func (RunExperiment) Kind() string { return "experiment" }
func (Experiments) Kind() string   { return "experiments" }
func (Running) Kind() string       { return "lab" }
func (Paper[_]) Kind() string      { return "paper" }
