package central

import (
	"slices"

	"parley/core/batch"
	"parley/core/frame"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Entry is the system as registries list it.
func Entry() system.Entry {
	e := entry(New)
	e.Workload, e.Provides = gangWorkload, system.ProvidesOnRequest
	return e
}

// OfTasks is Entry for a program that plays no rigid jobs: the schedulers of jobs are left out.
func OfTasks() system.Entry { return entry(newOfTasks) }

// entry returns the system's description with a factory; Entry and OfTasks differ in that.
func entry(factory system.Factory) system.Entry {
	return system.Entry{Description: system.Description{
		ID: "central", Name: "Central scheduler",
		About:    "One scheduler sees the whole cluster and places each task by a rule, kube-scheduler's among them, and may move tasks off nodes that are used too much: what people run today.",
		Supports: []workload.Shape{workload.ShapeTasks, workload.ShapeJobs},
		Zone:     "partition",
		Now:      []system.Sentence{system.TasksNow, system.JobsNow},
		Story: []system.Happening{
			{Kind: notePreempt, One: "task evicted for a higher priority", Many: "tasks evicted for a higher priority", Look: "warn"},
			{Kind: noteMove, One: "task sent to a less used node", Many: "tasks sent to less used nodes", Look: "move"},
			{Kind: noteBreak, One: "migration failed", Many: "migrations failed", Look: "bad"},
		},
		Settings: Default().described(),
		Agents:   []system.Role{system.Live(Default().described(), "rescheduler.most_per_node")},
		Metrics:  []metric.Column{}, Figures: reported(), Sometimes: sometimes(), Charts: charts(),
		Omissions: []system.Omission{system.TasksWait, system.JobsWait}, Layers: []frame.Layer{}, Moves: true,
		Views: []system.View{},
		Terms: []system.Term{
			{Words: []string{"score"}, Means: "How much the policy likes a node for the task: the highest wins. What it counts is the policy's."},
			{Words: []string{"preempted", "preemption"}, Means: "Stopped for a task of higher priority; it waits and starts anew."},
			{Words: []string{"rescheduler"}, Means: "Moves running tasks from nodes that are used too much to those used little, every so often."},
		},
		Answers: []system.Answer{{ID: system.Chosen, Sign: "★", Words: "chosen"}, {ID: "accepted", Sign: "✓", Words: "had room"}},
	}, New: factory, Adapt: adapt}
}

// charts are those of jobs where the workload is of jobs, else those of tasks.
func charts() []metric.Chart {
	return append(metric.About(workload.ShapeJobs, metric.JobCharts()),
		metric.About(workload.ShapeTasks, metric.TaskCharts())...)
}

// described returns the settings with their meanings, ranges and values.
func (s Settings) described() []system.Setting {
	const (
		room        = "Room"
		scores      = "kube-scheduler"
		rescheduler = "Rescheduler"
		jobs        = "Rigid jobs"
		formulas    = "Formulas"
		factors     = "Multifactor priority"
		slurms      = "Slurm's backfill"
	)
	k, re, pr := s.Kube, s.Rescheduler, s.Batch.Priority
	weight := system.Between(0, 1_000_000_000)
	return append(system.Describe(
		system.Setting{
			ID: "policy", Name: "Policy", Value: s.Policy, Choices: Policies, For: policiesFor(),
			Recorded: []string{replay}, Devices: DevicePolicies, About: "which of the nodes that have room takes a task; replay: where the workload's own scheduler recorded it; fgd, gpu-best-fit, gpu-dot-product, gpu-packing, gpu-clustering, gpu-random: which node and which of its GPUs, for tasks that ask for parts of GPUs; fcfs, easy, easy-sjbf, slack, conservative, slurm: which rigid jobs start; fit-first, srtf, srsf, 2d-las, 2d-gittins: which gangs of GPUs run, see gang.place",
		},
		system.Setting{ID: "admission", Name: "Admission", Value: s.Admission, Choices: figures, About: "use: the request beside what is really used must fit, as Borg overcommits; request: beside what is requested, as in Kubernetes"},
		system.Setting{ID: "fill", Name: "Fill", Value: s.Fill, Range: system.Between(0, 1), About: "part of a node up to which a placement may bring its use, the rest is headroom for spikes; 0: none is kept"},
		system.Setting{ID: "preempt", Name: "Preempt", Value: s.Preempt, About: "a task that fits nowhere takes the place of tasks of lower priority, which wait again"},
		system.Setting{
			ID: "rescheduler.every_us", Name: "Reschedule every", Value: re.Every,
			Range: system.ZeroOr(float64(10*unit.Second), float64(unit.Day)), About: "time between two passes of the rescheduler; 0: there is none",
		},
		system.Setting{
			ID: "production_limit", Name: "Production limit", Group: room, Value: s.ProductionLimit,
			Range: system.Between(0, maxOvercommit), About: "part of a node that its production tasks may request together; 0: any",
		},
		system.Setting{ID: "production_soft", Name: "Production limit is soft", Group: room, Value: s.ProductionSoft, About: "a production task that fits nowhere within the limit goes where it fits beyond it, before it preempts or waits"},
		system.Setting{
			ID: "overcommit.cpu", Name: "CPU requested", Group: room, Value: s.Overcommit.CPU,
			Range: system.Between(0.1, maxOvercommit), About: "how many times a node's CPU may be requested where admission is by request",
		},
		system.Setting{
			ID: "overcommit.memory", Name: "Memory requested", Group: room, Value: s.Overcommit.Memory,
			Range: system.Between(0.1, maxOvercommit), About: "how many times a node's memory may be requested where admission is by request",
		},
		system.Setting{ID: "kube.strategy", Name: "Strategy", Group: scores, Value: k.Strategy, Choices: Strategies, About: "how NodeResourcesFit scores under the policy kube; a policy of its name sets it"},
		system.Setting{ID: "kube.fit_weight", Name: "Weight of NodeResourcesFit", Group: scores, Value: k.FitWeight, Range: system.Between(0, 100), About: "in the sum of scores under the policy kube"},
		system.Setting{
			ID: "kube.balanced_weight", Name: "Weight of BalancedAllocation", Group: scores,
			Value: k.BalancedWeight, Range: system.Between(0, 100), About: "in the sum of scores under the policy kube",
		},
		system.Setting{ID: "kube.cpu_weight", Name: "Weight of CPU", Group: scores, Value: k.CPUWeight, Range: system.Between(1, 100), About: "in a strategy's mean over the resources"},
		system.Setting{
			ID: "kube.memory_weight", Name: "Weight of memory", Group: scores, Value: k.MemoryWeight,
			Range: system.Between(1, 100), About: "in a strategy's mean over the resources",
		},
		system.Setting{
			ID: "kube.percentage_of_nodes_to_score", Name: "Nodes to score", Group: scores, Unit: "%",
			Value: k.Percentage, Range: system.Between(0, 100), About: "a search ends when this part of all nodes was found to have room, at least 100; 0: 50 % in a small cell to 5 % in a large one",
		},
		system.Setting{ID: "kube.shape", Name: "Shape", Group: scores, Value: k.Shape, About: "points of use in percent and score from 0 to 10, for RequestedToCapacityRatio"},
		system.Setting{ID: "rescheduler.by", Name: "Measured by", Group: rescheduler, Value: re.By, Choices: figures, About: "use: what is really used; request: what is requested, as the descheduler without metrics"},
		system.Setting{
			ID: "rescheduler.under.cpu", Name: "Underused: CPU", Group: rescheduler, Unit: "%",
			Value: re.Under.CPU, Range: system.Between(0, 100), About: "a node takes tasks if it is used at most so much",
		},
		system.Setting{
			ID: "rescheduler.under.memory", Name: "Underused: memory", Group: rescheduler, Unit: "%",
			Value: re.Under.Memory, Range: system.Between(0, 100), About: "and its memory at most so much",
		},
		system.Setting{
			ID: "rescheduler.over.cpu", Name: "Overused: CPU", Group: rescheduler, Unit: "%",
			Value: re.Over.CPU, Range: system.Between(0, 1000), About: "a node gives tasks away while it is used more",
		},
		system.Setting{
			ID: "rescheduler.over.memory", Name: "Overused: memory", Group: rescheduler, Unit: "%",
			Value: re.Over.Memory, Range: system.Between(0, 1000), About: "or its memory more",
		},
		system.Setting{
			ID: "rescheduler.most_per_node", Name: "Most a pass", Group: rescheduler, Unit: "tasks",
			Value: re.MaxPerNode, Range: system.Between(0, 1_000_000), About: "that one node gives away; 0: any number",
		},
		system.Setting{ID: "formula.where", Name: "Only nodes where", Group: formulas, Value: s.Formula.Where, Formula: "where", About: "a condition that a node must meet under the policy formula, such as rack != 3 and tasks < 40; empty: every node does"},
		system.Setting{ID: "formula.score", Name: "Score of a node", Group: formulas, Value: s.Formula.Score, Formula: "score", About: "under the policy formula the node with room and the highest score takes the task. Names: capacity, used, requested and free of cpu and memory, as in cpu.free; tasks, rack, node; task.cpu, task.memory, task.priority, task.production; after.cpu, after.memory"},
		system.Setting{ID: "formula.order", Name: "Order of jobs", Group: formulas, Value: s.Formula.Order, Formula: "order", About: "under the order formula the waiting job with the highest value comes first. Names: job.processors, job.estimate, job.wait, job.submitted"},
		system.Setting{ID: "batch.estimate", Name: "Estimate", Group: jobs, Value: s.Batch.Estimate, Choices: estimates, About: "what a policy believes of how long a job runs: requested, the limit its user gave; run, how long it really runs, which no scheduler knows"},
		system.Setting{ID: "batch.factor", Name: "Estimate times", Group: jobs, Value: s.Batch.Factor, Range: system.Between(1, 100), About: "what estimates are multiplied with: doubled ones leave larger holes to fill"},
		system.Setting{ID: "batch.order", Name: "Order", Group: jobs, Value: s.Batch.Order, Choices: batch.OrderNames(), About: "which waiting job comes first, and so has EASY's reservation: fcfs arrival, sjf shortest, saf smallest processors times estimate, lxf largest slowdown so far, wfp3, unicef, f1 to f4 published formulas of wait, estimate and processors, formula one of your own, multifactor Slurm's priority"},
		system.Setting{
			ID: "batch.backfill", Name: "Backfill by", Group: jobs, Value: s.Batch.Backfill,
			Choices: append([]string{sameOrder}, batch.OrderNames()...), About: "in which order EASY tries the jobs behind the head; same: that of the queue, under easy-sjbf sjf",
		},
		system.Setting{ID: "batch.pass", Name: "Starts jobs", Group: jobs, Value: s.Batch.Pass, Choices: passes, About: "instant: once a moment, when all submissions and ends of the moment are known, as textbooks, Slurm and Batsim do; event: after each of them, as in the published runs of the log of KTH"},
		system.Setting{
			ID: "batch.slack", Name: "Slack", Group: jobs, Value: s.Batch.Slack,
			Range: system.Between(0, 1_000_000), About: "under the policy slack: how many times the mean wait so far a job may start later than the reservation that it got on arrival",
		},
		system.Setting{ID: "batch.queues", Name: "Queues", Group: jobs, Value: s.Batch.Queues, About: "what the jobs of a queue may do, such as 0: tier=2 preempts nodes=0-15; gpu: longest=2h user_jobs=4; *: processors=64, with a queue's number or its name in the log. A higher tier comes first, preempts stops jobs of lower tiers, nodes is a partition; longest and widest refuse jobs, processors, user_processors and user_jobs limit what runs; priority is the queue's factor; * is all other queues"},
		system.Setting{ID: "batch.reservations", Name: "Reservations", Group: jobs, Value: s.Batch.Reservations, About: "processors that are kept free of jobs, such as 64 from 2d to 2d8h; all from 9d to 9d4h in 1 (the partition of queue 1)"},
		system.Setting{
			ID: "batch.preempt", Name: "Preempted jobs", Group: jobs, Value: s.Batch.Preempt,
			Choices: batch.PreemptionNames(), About: "what becomes of a job that a queue with preempts stops: requeue, it starts again from its beginning; suspend, it gives its processors away and runs for the rest of its time later; cancel, it ends",
		},
		system.Setting{
			ID: "batch.slurm.interval_us", Name: "Backfills every", Group: slurms,
			Value: s.Batch.Slurm.Interval, Range: system.Between(float64(unit.Second), float64(unit.Day)), About: "under the policy slurm: the time between two backfill passes (bf_interval); between them only jobs at the front of their queue start. bf_continue, bf_yield_… and max_rpc_cnt, by which a busy daemon breaks a pass off, are not modelled",
		},
		system.Setting{
			ID: "batch.slurm.window_us", Name: "Window", Group: slurms, Value: s.Batch.Slurm.Window,
			Range: system.Between(float64(unit.Second), float64(3650*unit.Day)), About: "a job that cannot start within this time gets no reservation (bf_window): others may start before it again and again",
		},
		system.Setting{
			ID: "batch.slurm.resolution_us", Name: "Resolution", Group: slurms,
			Value: s.Batch.Slurm.Resolution, Range: system.ZeroOr(float64(unit.Second), float64(unit.Day)), About: "reservations begin and end at multiples of it, rounded down (bf_resolution); 0: exactly",
		},
		system.Setting{
			ID: "batch.slurm.jobs", Name: "Jobs tried", Group: slurms, Value: s.Batch.Slurm.Jobs,
			Range: system.Between(0, 1_000_000), About: "that a backfill pass tries (bf_max_job_test), and gives a reservation; 0: all",
		},
		system.Setting{
			ID: "batch.slurm.user_jobs", Name: "Of a user", Group: slurms, Value: s.Batch.Slurm.UserJobs,
			Range: system.Between(0, 1_000_000), About: "that a backfill pass tries of one user (bf_max_job_user); 0: all",
		},
		system.Setting{
			ID: "batch.slurm.queue_jobs", Name: "Of a queue", Group: slurms, Value: s.Batch.Slurm.QueueJobs,
			Range: system.Between(0, 1_000_000), About: "that a backfill pass tries of one queue (bf_max_job_part); 0: all",
		},
		system.Setting{ID: "batch.nodes", Name: "Nodes", Group: jobs, Value: s.Batch.Nodes, About: "what each node has for jobs beside its processors, such as memory=256G gpus=4; 0-15: memory=1T. Jobs are on nodes then, with their memory and GPUs; alone: no two jobs share a node. racks: the nodes of a rack have a leaf switch, and jobs that ask for few (Slurm's --switches) wait for them, for 300 s at most (racks=600s: for 600). Empty: only processors count, of any nodes"},
		system.Setting{ID: "batch.limits", Name: "Limits", Group: jobs, Value: s.Batch.Limits, About: "what groups of jobs hold at a time, such as user *: jobs=4; group chem: processors=128 memory=1T; qos high: user_jobs=1; all: submitted=1000. Groups are user, group (account), qos and queue with a name or number, or * for each; jobs beyond a limit wait and delay no others, beyond submitted they are refused"},
		system.Setting{ID: "batch.priority.age", Name: "Weight of age", Group: factors, Value: pr.Age, Range: weight, About: "in Slurm's priority (order multifactor): the sum of weights times factors from 0 to 1"},
		system.Setting{ID: "batch.priority.fair_share", Name: "Weight of fair share", Group: factors, Value: pr.FairShare, Range: weight, About: "of users who had less than their shares"},
		system.Setting{ID: "batch.priority.size", Name: "Weight of size", Group: factors, Value: pr.Size, Range: weight, About: "of the processors that a job asks for"},
		system.Setting{ID: "batch.priority.queue", Name: "Weight of the queue", Group: factors, Value: pr.Queue, Range: weight, About: "of the queue's priority, which batch.queues sets"},
		system.Setting{
			ID: "batch.priority.max_age_us", Name: "Oldest", Group: factors, Value: pr.MaxAge,
			Range: system.Between(float64(unit.Second), float64(3650*unit.Day)), About: "the wait at which the age factor is 1",
		},
		system.Setting{
			ID: "batch.priority.half_life_us", Name: "Half-life of usage", Group: factors,
			Value: pr.HalfLife, Range: system.ZeroOr(float64(unit.Minute), float64(3650*unit.Day)), About: "in which usage halves; 0: it does not decay",
		},
		system.Setting{ID: "batch.priority.tree", Name: "Fair share by", Group: factors, Value: pr.Tree, Choices: trees, About: "fair-tree ranks users account by account; classic is 2^(-usage/shares)"},
		system.Setting{ID: "batch.priority.favor", Name: "Size favours", Group: factors, Value: pr.Favor, Choices: favors, About: "which jobs have a high size factor"},
		system.Setting{ID: "batch.priority.shares", Name: "Shares", Group: factors, Value: pr.Shares, About: "of accounts (groups), and of users in them, that do not have 1, by number or by name, and which account is above one: 3=10 chem/ann=2 chem@science=30 science=60"},
	), system.Describe(append(s.Batch.Off.described(), s.Gang.described()...)...)...)
}

// figures are the choices for the figure that counts.
var figures = []string{"use", "request"}

// policiesFor returns the kind of work of each policy but replay.
func policiesFor() map[string]workload.Shape {
	all := map[string]workload.Shape{}
	for _, policy := range slices.Concat(TaskPolicies, DevicePolicies) {
		all[policy] = workload.ShapeTasks
	}
	for _, policy := range jobPolicies {
		all[policy] = workload.ShapeJobs
	}
	return all
}
