package central

import (
	"errors"
	"fmt"
	"slices"

	"parley/core/batch"
	"parley/core/unit"
	"parley/core/workload"
)

// Batch are the settings of the policies for rigid jobs.
type Batch struct {
	// Estimate is a policy's estimate of a job's run time: "requested", the
	// limit its user gave, or "run", how long it really runs, which no scheduler knows.
	Estimate string `json:"estimate"`
	// Factor multiplies estimates: doubled ones leave larger holes.
	Factor float64 `json:"factor"`
	// Order is how the queue is sorted: one of batch.OrderNames. Its first job that does
	// not fit is the head.
	Order string `json:"order"`
	// Backfill is how EASY sorts the jobs behind the head, or "same": as the queue, and
	// under easy-sjbf the shortest estimate first.
	Backfill string `json:"backfill"`
	// Pass is when jobs are started: onceAMoment or afterEach.
	Pass string `json:"pass"`
	// Slack is the number of mean waits by which a job may start later than its reservation, under
	// the policy slack.
	Slack float64 `json:"slack"`
	// Priority is read by the order multifactor only.
	Priority Priority `json:"priority"`
	// Queues define the limits of each queue's jobs, and their nodes; see readQueues.
	Queues string `json:"queues"`
	// Reservations are processors that are kept free of jobs; see readReservations.
	Reservations string `json:"reservations"`
	// Nodes lists the resources of nodes beside processors; see readNodes.
	Nodes string `json:"nodes"`
	// Preempt describes how a preempted job continues: one of batch.PreemptionNames.
	Preempt string `json:"preempt"`
	// Slurm is read by the policy slurm only.
	Slurm Slurm `json:"slurm"`
	// Off defines when nodes are switched off.
	Off Off `json:"off"`
	// Limits bound the resources that groups of jobs hold at a time; see readLimits.
	Limits string `json:"limits"`
}

// Slurm are the parameters of the policy slurm, see batch.Backfill.
type Slurm struct {
	Interval   unit.Time `json:"interval_us"`
	Window     unit.Time `json:"window_us"`
	Resolution unit.Time `json:"resolution_us"`
	Jobs       int       `json:"jobs"`
	UserJobs   int       `json:"user_jobs"`
	QueueJobs  int       `json:"queue_jobs"`
}

// The words for Pass. Textbooks, Slurm and Batsim decide once, when all that happens at a moment
// is known. The simulators that the log of KTH was published with decide after each event, so
// that a job may start although another one that waits longer would fit after the next end of
// the same moment.
const (
	onceAMoment = "instant"
	afterEach   = "event"
)

// passes are the words for Pass.
var passes = []string{onceAMoment, afterEach}

// sameOrder is the word for a Backfill that is not another.
const sameOrder = "same"

// sites returns a scheduler with an empty site for each partition, with the policy, the orders,
// queues, nodes and limits of the settings.
func (s *Settings) sites(names *workload.Names) (*jobScheduler, error) {
	policy, err := batch.ParsePolicy(s.Policy)
	if err != nil {
		return nil, err
	}
	order, err := batch.ParseOrder(s.Batch.Order)
	if err != nil {
		return nil, err
	}
	backfill := order
	if policy == batch.EASYSJBF {
		backfill = batch.Shortest
	}
	if s.Batch.Backfill != sameOrder {
		if backfill, err = batch.ParseOrder(s.Batch.Backfill); err != nil {
			return nil, err
		}
	}
	rank, err := s.Formula.order()
	if err != nil {
		return nil, err
	}
	q, err := readQueues(s.Batch.Queues, names)
	if err == nil {
		err = q.check(policy)
	}
	if err != nil {
		return nil, err
	}
	nodes, err := readNodes(s.Batch.Nodes)
	if err != nil {
		return nil, err
	}
	limits, err := readLimits(s.Batch.Limits, names)
	if err == nil {
		err = s.checkNodes(policy, nodes, limits)
	}
	if err != nil {
		return nil, err
	}
	ranker, err := s.Batch.Priority.ranker(q.priorities, names)
	if err != nil {
		return nil, err
	}
	parts := make([]*partition, len(q.ranges)+1)
	for i := range parts {
		site, of := batch.NewSite(policy, 0), ranker.Beside()
		site.Sort(order, backfill)
		site.Rank(rank)
		site.SetSlack(s.Batch.Slack)
		site.SetBackfill(batch.Backfill(s.Batch.Slurm))
		site.SetPreemption(s.Batch.Preempt)
		if order == batch.Multifactor || backfill == batch.Multifactor {
			site.Prioritise(of)
		}
		if slices.ContainsFunc(q.limits, func(l batch.Queue) bool { return l != batch.Queue{} }) {
			site.SetQueues(q.limits)
		}
		parts[i] = &partition{site: site, ranker: of, woken: -1}
	}
	return &jobScheduler{policy: policy, queues: q, nodes: nodes, limits: limits, parts: parts}, nil
}

// checkNodes returns an error if the policy does not support the settings of nodes, limits or the
// pass.
func (s *Settings) checkNodes(policy batch.Policy, nodes *nodeNeeds, limits *jobLimits) error {
	keeps, d := policy == batch.Slack || policy == batch.ConservativeCompress, Default()
	switch {
	case policy != batch.Slurm && s.Batch.Slurm != d.Batch.Slurm:
		return fmt.Errorf("settings: batch.slurm.… does nothing with the policy %s: leave these settings out, or choose slurm", policy)
	case policy == batch.Slurm && s.Batch.Backfill != sameOrder:
		return errors.New("settings: batch.backfill does nothing with the policy slurm, whose backfill passes try jobs in the order of the queue: leave it out, or choose easy")
	case policy == batch.Slurm && s.Batch.Pass == afterEach:
		return errors.New("settings: batch.pass event is not played by the policy slurm: choose instant")
	case s.Batch.Preempt == batch.Suspend.String() && nodes.on:
		return errors.New("settings: batch.preempt suspend is not played with batch.nodes, where a suspended job would keep its memory: choose requeue or cancel")
	case nodes.on && keeps:
		return fmt.Errorf("settings: batch.nodes is not played by %s, which plans processors: choose fcfs, easy, easy-sjbf or conservative", policy)
	case nodes.on && s.Batch.Pass == afterEach:
		return errors.New("settings: batch.nodes is not played with batch.pass event, by which a node may be given away before the end of its job is known: choose instant")
	case policy == batch.ConservativeCompress && len(limits.rules) > 0:
		return fmt.Errorf("settings: batch.limits is not played by %s, which keeps what it promised: choose fcfs, easy, easy-sjbf or conservative", policy)
	}
	return nil
}

// estimateOf returns how long a policy believes that a job runs.
func (b *Batch) estimateOf(j *workload.Job) unit.Time {
	estimate := j.Estimate
	if b.Estimate == "run" {
		estimate = min(j.Run, j.Estimate)
	}
	return max(1, unit.Time(float64(estimate)*b.Factor))
}

// estimates are the words for Batch.Estimate.
var estimates = []string{"requested", "run"}
