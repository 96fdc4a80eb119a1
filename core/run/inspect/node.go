package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// NodeReport describes one node. Resources are fractions
// of the reference machine.
type NodeReport struct {
	Node       unit.NodeID  `json:"node"`
	Name       string       `json:"name"` // the workload's own number of the machine
	Rack       int32        `json:"rack"`
	Up         bool         `json:"up"`
	Class      string       `json:"class"`
	Resources  []string     `json:"resources"` // the names of the entries of the vectors below
	Capacity   []float64    `json:"capacity"`
	Used       []float64    `json:"used"`
	Requested  []float64    `json:"requested"`
	Production []float64    `json:"production"` // requested by production tasks
	Tasks      []TaskReport `json:"tasks"`      // those that use most CPU first
	More       int          `json:"more"`       // tasks not listed
	Jobs       []NodeJob    `json:"jobs"`       // rigid jobs that hold processors of it, the largest first
	MoreJobs   int          `json:"more_jobs"`  // jobs not listed
	// the workload's names and other resources, then facts that only the system knows
	Facts []system.Fact `json:"facts"`
	Lines []Line        `json:"lines"` // the latest notes about the node, newest first
}

// TaskReport is one task of a node.
type TaskReport struct {
	ID         string    `json:"id"` // of the run, for Explain
	Name       string    `json:"name"`
	Production bool      `json:"production"`
	Priority   uint8     `json:"priority"`
	State      string    `json:"state"`
	Used       []float64 `json:"used"`
	Requested  []float64 `json:"requested"`
	ImageMB    float64   `json:"image_mb"`
	Share      *float64  `json:"share,omitempty"` // CPU allotted to it; left out where the system allots none
	Yield      *float64  `json:"yield,omitempty"` // the share / the CPU it requests; 1 where it requests none
}

// NodeJob is one rigid job on a node.
type NodeJob struct {
	ID         string    `json:"id"` // of the run, for Explain
	Name       string    `json:"name"`
	Decided    bool      `json:"decided"`    // Explain may know why it is here
	Here       int32     `json:"here"`       // processors of this node
	Processors int32     `json:"processors"` // all that it holds
	Started    unit.Time `json:"started"`
	Until      unit.Time `json:"until"` // by its estimate
}

// How much a report lists.
const (
	maxListedTasks = 200
	maxListedLines = 40
)

// Inspect reports on a node, or says that there is no such node.
func (r *Inspector) Inspect(n unit.NodeID) (NodeReport, error) {
	v := r.of.View
	if n < 0 || int(n) >= v.Nodes() {
		return NodeReport{}, fmt.Errorf("node %d does not exist: the cluster has nodes 0 to %d", n, v.Nodes()-1)
	}
	out := NodeReport{
		Node: n, Name: fmt.Sprint(v.Machine(n)), Rack: v.Rack(n), Up: v.Up(n),
		Class:    cluster.LoadClassOf(v, n).String(),
		Capacity: fractions(v.Capacity(n)), Used: fractions(v.Used(n)), Requested: fractions(v.Requested(n)),
		Production: fractions(v.Production(n)),
		Resources:  resourceTitles(), Tasks: []TaskReport{}, Lines: r.Lines(n, maxListedLines), Jobs: []NodeJob{},
		Facts: []system.Fact{},
	}
	for id := range v.Tasks(n) {
		t, _ := v.Task(id)
		one := TaskReport{
			ID: strconv.FormatUint(uint64(id), 10), Name: t.Key.TaskName(), Production: t.Class == workload.Production,
			Priority: t.Priority, State: t.State.String(),
			Used: fractions(t.Usage), Requested: fractions(t.Request),
			ImageMB: float64(v.MigrationCost(id)) / float64(unit.MB),
		}
		if share, has := v.Share(id); has {
			given, part := share.Float(), 1.0
			if need := t.Request[unit.CPU]; need > 0 {
				part = given / need.Float()
			}
			one.Share, one.Yield = &given, &part
		}
		out.Tasks = append(out.Tasks, one)
	}
	out.Tasks, out.More = largest(out.Tasks, func(t *TaskReport) float64 { return t.Used[unit.CPU] })
	out.Facts = append(append(out.Facts, r.supplyFacts(n)...), r.groupFacts(n)...)
	r.listJobs(n, &out)
	return out, nil
}

// largest returns the entries with the largest figures, those first, and the number of the others. It
// sorts indexes: a sort of each type would be 9 KB of the program.
func largest[T any](all []T, figure func(*T) float64) (listed []T, more int) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(figure(&all[b]), figure(&all[a])) })
	listed = all[:0:0] // nil stays nil
	for _, i := range order[:min(maxListedTasks, len(order))] {
		listed = append(listed, all[i])
	}
	return listed, len(all) - len(listed)
}

// listJobs adds the rigid jobs on a node and the system's facts about it.
func (r *Inspector) listJobs(n unit.NodeID, out *NodeReport) {
	v := r.of.View
	reporter, reports := r.of.System.(system.NodeFactSource)
	for id, here := range v.Jobs(n) {
		j, _ := v.Job(id)
		one := NodeJob{
			ID: strconv.FormatUint(uint64(id), 10), Name: fmt.Sprintf("job %d", j.Key.Job), Here: here,
			Processors: j.Processors, Started: j.Started, Until: j.Started + j.Estimate,
		}
		if reports {
			one.Name, one.Decided = reporter.NameJob(id)
		}
		out.Jobs = append(out.Jobs, one)
	}
	out.Jobs, out.MoreJobs = largest(out.Jobs, func(j *NodeJob) float64 { return float64(j.Here) })
	if reports {
		out.Facts = append(out.Facts, reporter.NodeFacts(n)...)
	}
}

// resourceTitles returns the titles of the resources.
func resourceTitles() []string {
	titles := make([]string, unit.Resources)
	for r := range unit.Resources {
		titles[r] = r.Title()
	}
	return titles
}

func fractions(v unit.Vec) []float64 {
	out := make([]float64, len(v))
	for r := range v {
		out[r] = v[r].Float()
	}
	return out
}
