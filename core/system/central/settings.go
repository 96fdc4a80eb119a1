package central

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/batch"
	"parley/core/kube/score"
	"parley/core/system"
	"parley/core/unit"
)

// Settings of the system.
type Settings struct {
	// Policy is one of Policies: which of the nodes that have room gets a task.
	Policy string `json:"policy"`
	// Admission sets by which figures a task must fit a node. "use": its request plus the actual
	// use there, as Borg overcommits; "request": its request plus the requests there, as
	// Kubernetes.
	Admission string `json:"admission"`
	// Overcommit is the number of times a node's capacity may be requested, where
	// admission is by request: 1 is Kubernetes, more overcommits, less keeps headroom.
	Overcommit Factors `json:"overcommit"`
	// Fill is the part of a node's capacity up to which a placement may bring its use, for every
	// admission: the use there plus the task's need. The rest is headroom for spikes. 0: the limit
	// is the capacity if admission is by use, and there is no limit on use if it is by request.
	Fill float64 `json:"fill"`
	// ProductionLimit is the part of a node's capacity that its production tasks may
	// request together. 0: there is no such limit.
	ProductionLimit float64 `json:"production_limit"`
	// ProductionSoft lets a production task that fits nowhere within ProductionLimit go
	// where it fits beyond it, before it preempts or waits: then the limit ranks nodes
	// and refuses none, as in negotiation.
	ProductionSoft bool `json:"production_soft"`
	// Preempt lets a task that fits nowhere take the place of tasks of lower
	// priority, which wait again.
	Preempt bool `json:"preempt"`
	// Kube is read by the policies of kube-scheduler only.
	Kube Kube `json:"kube"`
	// Rescheduler moves running tasks off nodes that are used too much.
	Rescheduler Rescheduler `json:"rescheduler"`
	// Formula is read by the policy formula and by the queue order of that name only.
	Formula Formulas `json:"formula"`
	// Batch is read by the policies for rigid jobs only.
	Batch Batch `json:"batch"`
	// Gang is read by the policies for gangs of GPUs only.
	Gang Gang `json:"gang"`
}

// Factors is a number for each of two resources; others are left as they are.
type Factors struct {
	CPU    float64 `json:"cpu"`
	Memory float64 `json:"memory"`
}

// of returns the factor of a resource; 1 for a resource without one.
func (f Factors) of(r unit.Resource) float64 {
	switch r {
	case unit.CPU:
		return f.CPU
	case unit.Memory:
		return f.Memory
	}
	return 1
}

// Kube are the parts of a kube-scheduler profile that decide here. A policy that is
// named after one plugin or strategy sets strategy and the two weights itself.
type Kube struct {
	// Strategy of the plugin NodeResourcesFit: one of Strategies.
	Strategy string `json:"strategy"`
	// FitWeight and BalancedWeight are the weights of NodeResourcesFit and
	// NodeResourcesBalancedAllocation in the sum of scores, 0 to 100.
	FitWeight      int `json:"fit_weight"`
	BalancedWeight int `json:"balanced_weight"`
	// CPUWeight and MemoryWeight are the weights of the resources in a strategy, 1 to
	// 100.
	CPUWeight    int `json:"cpu_weight"`
	MemoryWeight int `json:"memory_weight"`
	// Percentage is percentageOfNodesToScore: the search ends when this share of all
	// nodes has been found to have room. 0: 50 % in a small cluster, 5 % in a large
	// one, always at least 100.
	Percentage int `json:"percentage_of_nodes_to_score"`
	// Shape sets how good a utilization is, for RequestedToCapacityRatio: points of
	// percent and a score from 0 to 10, see score.ParseShape.
	Shape string `json:"shape"`
}

// Rescheduler are the settings of a LowNodeUtilization as the Kubernetes
// descheduler has it; see the README.
type Rescheduler struct {
	// Every is the time between two passes in µs; 0: there is no rescheduler.
	Every unit.Time `json:"every_us"`
	// By sets the figure for use: "use", actual use; "request", requests, as the descheduler
	// without metrics.
	By string `json:"by"`
	// Under is the number of percent of each resource an underused node uses at most: only
	// such nodes take tasks, and without one nothing happens.
	Under Factors `json:"under"`
	// Over is above how many percent of any resource a node gives tasks away, until it
	// is not; one that is underused as well is underused.
	Over Factors `json:"over"`
	// MaxPerNode is the number of tasks a node gives in one pass at most; 0: any number.
	MaxPerNode int `json:"most_per_node"`
}

// TaskPolicies are the policies that place tasks.
var TaskPolicies = []string{
	"best-fit", "worst-fit", "first-fit", "random",
	"least-allocated", "most-allocated", "balanced-allocation", "requested-to-capacity-ratio", "kube", byFormula, replay,
}

// replay is the policy that repeats recorded placements.
const replay = "replay"

// Policies are the names that Settings.Policy may have: those that place tasks, those that place them
// on parts of GPUs, then those that start rigid jobs.
var Policies = slices.Concat(TaskPolicies, DevicePolicies, jobPolicies)

// placesTasks reports whether a policy places tasks, on devices or not.
func placesTasks(policy string) bool {
	return slices.Contains(TaskPolicies, policy) || slices.Contains(DevicePolicies, policy)
}

// Strategies are the names that Kube.Strategy may have.
var Strategies = []string{"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}

// byName are the profiles that a policy's name stands for.
var byName = map[string]Kube{
	"least-allocated":             {Strategy: "LeastAllocated", FitWeight: 1},
	"most-allocated":              {Strategy: "MostAllocated", FitWeight: 1},
	"requested-to-capacity-ratio": {Strategy: "RequestedToCapacityRatio", FitWeight: 1},
	"balanced-allocation":         {Strategy: "LeastAllocated", BalancedWeight: 1},
}

// profile returns the profile of a policy of kube-scheduler, or false for another.
func (s *Settings) profile() (Kube, bool) {
	k := s.Kube
	named, is := byName[s.Policy]
	if is {
		k.Strategy, k.FitWeight, k.BalancedWeight = named.Strategy, named.FitWeight, named.BalancedWeight
	}
	return k, is || s.Policy == "kube"
}

// checkDevices returns an error for settings that do nothing with a policy of devices.
func (s *Settings) checkDevices() error {
	if !slices.Contains(DevicePolicies, s.Policy) {
		return nil
	}
	d := Default()
	for _, c := range []struct {
		changed bool
		id      string
	}{
		{s.Admission != d.Admission && s.Admission != "request", "admission"},
		{s.Fill != d.Fill && s.Fill != 0, "fill"},
		{s.ProductionLimit != d.ProductionLimit && s.ProductionLimit != 0 || s.ProductionSoft, "production_limit or production_soft"},
		{s.Overcommit != d.Overcommit, "overcommit"},
		{s.Kube != d.Kube, "kube.…"},
		{s.Rescheduler != d.Rescheduler, "rescheduler.…"},
	} {
		if c.changed {
			return fmt.Errorf("settings: %s does nothing with the policy %s, which places tasks by what they request and moves none: leave it out, or choose best-fit or kube", c.id, s.Policy)
		}
	}
	return nil
}

// Default returns the settings that a scenario leaves out: by use with a tenth of
// headroom, as negotiation. Preemption is on, as in Borg and Kubernetes; the profile
// is kube-scheduler's default of the two plugins about resources.
func Default() Settings {
	return Settings{
		Policy: "best-fit", Admission: "use", Overcommit: Factors{1, 1}, Fill: 0.9, ProductionLimit: 0.9, Preempt: true,
		Kube: Kube{
			Strategy: "LeastAllocated", FitWeight: 1, BalancedWeight: 1, CPUWeight: 1, MemoryWeight: 1,
			Shape: "0:0 100:10",
		},
		Rescheduler: Rescheduler{By: "use", Under: Factors{70, 70}, Over: Factors{95, 95}},
		Formula:     Formulas{Score: "after.cpu / cpu.capacity + after.memory / memory.capacity", Order: "job.wait / job.estimate"},
		Batch: Batch{
			Estimate: "requested", Factor: 1, Order: batch.Arrival.String(), Backfill: sameOrder,
			Pass: onceAMoment, Slack: 1, Preempt: batch.Requeue.String(), Slurm: Slurm(batch.DefaultBackfill()),
			Priority: Priority{
				Age: 1000, FairShare: 10_000, Size: 1000, Queue: 1000, MaxAge: 7 * unit.Day,
				HalfLife: 7 * unit.Day, Tree: trees[0], Favor: favors[0],
			},
		},
		Gang: defaultGang(),
	}
}

// maxOvercommit bounds Settings.Overcommit: the requests on a node, in parts of its capacity, must
// fit the keys of the index.
const maxOvercommit = 8

// Validate returns an error of one sentence for the first setting that is out of range or does not go
// with others; nil if there is none. Names of the workload are not checked.
func (s Settings) Validate() error {
	if err := system.Check(s.described()); err != nil {
		return err
	}
	if s.Kube.FitWeight+s.Kube.BalancedWeight == 0 {
		return errors.New("settings: kube.fit_weight and kube.balanced_weight are both 0: one of them must decide")
	}
	if _, _, err := s.Formula.compiled(); err != nil {
		return err
	}
	if _, err := s.Formula.order(); err != nil {
		return err
	}
	if err := s.checkJobs(); err != nil {
		return err
	}
	if err := s.checkGangs(); err != nil {
		return err
	}
	if err := s.checkDevices(); err != nil {
		return err
	}
	if _, err := score.ParseShape(s.Kube.Shape); err != nil {
		return fmt.Errorf("settings: kube.shape is %q: %w", s.Kube.Shape, err)
	}
	return nil
}
