package field

import (
	"fmt"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// dlrm2025 is Alibaba's trace of disaggregated recommendation models of 2025.
var dlrm2025 = &dataset{
	name: "dlrm2025", title: "Alibaba's DLRM trace of 2025", shape: workload.ShapeTasks,
	lacks:  "open disaggregated_DLRM_trace.csv",
	assume: machineKind{cpu: 128_000, memory: 1 << 20, gpu: 8, about: "each has 128 cores, 1 TiB and 8 GPUs"},
	end:    (*collection).endGPUs,
	tables: []*schema{
		table("instances",
			"instance_sn! role! app_name! cpu_request=n! cpu_limit=n gpu_request=n! gpu_limit=n rdma_request=n rdma_limit=n memory_request=n! memory_limit=n disk_request=n disk_limit=n max_instance_per_node=n creation_time=n! scheduled_time=n deletion_time=n", takeDLRM),
	},
}

// takeDLRM reads an instance as a task of production. GPUs are thousandths; memory in GB of 1000 MB becomes MiB. One
// without a creation was there at time 0.
func takeDLRM(c *collection, r *row) error {
	const ( // columns of the table
		colRole               = 1
		colAppName            = 2
		colCPURequest         = 3
		colGPURequest         = 5
		colRDMARequest        = 7
		colMemoryRequest      = 9
		colMaxInstancePerNode = 13
		colCreation           = 14
	)
	cpu, err := r.amount(colCPURequest, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(colGPURequest, 3)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(colGPURequest, "is more than a thousand GPUs for one instance")
	}
	memory, err := r.amount(colMemoryRequest, 3)
	if err != nil {
		return err
	}
	if memory > 0 {
		memory = memory * 1024 / 1000
	}
	var times [3]unit.Time
	for i := range times {
		if times[i], err = r.seconds(colCreation + i); err != nil {
			return err
		}
	}
	created, scheduled, deleted := times[0], times[1], times[2]
	c.span(created)
	c.count("role_"+strings.ToLower(r.text(colRole)), 1)
	if created == unknown {
		c.count("created_before_the_trace", 1)
		created = 0
	}
	if deleted == unknown {
		c.count("deleted_after_the_end", 1)
	}
	if rdma, ok, _ := r.scaled(colRDMARequest, 0); ok && rdma > 0 {
		c.count("with_rdma_not_played", 1)
	}
	if limit, ok, _ := r.scaled(colMaxInstancePerNode, 0); ok && limit > 0 {
		c.count("with_a_limit_a_node_not_played", 1)
	}
	if deleted != unknown && deleted < max(created, scheduled) {
		c.leave("end_before_start", "ended before they started")
		return nil
	}
	return c.add(r, item{
		job: c.jobOf(r.text(colAppName)), count: 1, cpu: cpu, memory: memory, gpu: int32(max(gpu, 0)), machine: -1,
		submit: created, start: scheduled, end: deleted, priority: rankServe, class: workload.Production,
	})
}

// spot2026 is Alibaba's trace of GPU jobs of 2026. It has jobs of workers, each with CPU and GPUs of
// a model, and the nodes; spot jobs give way to the others.
var spot2026 = &dataset{
	name: "spot2026", title: "Alibaba's spot GPU trace of 2026", shape: workload.ShapeTasks,
	lacks:      "open the table of jobs as well",
	sinceFirst: true,
	assume: machineKind{
		cpu: 128_000, gpu: 8,
		about: "each has 128 cores and 8 GPUs; open the list of nodes as well to play the recorded ones",
	},
	end: (*collection).endSpot,
	tables: []*schema{
		table("nodes",
			"node_name|node_id|name! gpu_model! gpu_capacity_num|gpu_num|gpu_count=n! cpu_num|cpu_capacity_num=n",
			takeSpotNode),
		table("jobs",
			"job_name! organization gpu_model! cpu_request=n! gpu_request=n! worker_num=n! submit_time! duration=n! job_type", takeSpotJob),
	},
}

// takeSpotNode reads a node as a machine, whose memory is not known.
func takeSpotNode(c *collection, r *row) error {
	const ( // columns of the table
		colNodeName       = 0
		colGPUModel       = 1
		colGPUCapacityNum = 2
		colCPUNum         = 3
	)
	gpus, err := r.count(colGPUCapacityNum, 1000)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colCPUNum, 3)
	if err != nil {
		return err
	}
	c.hold(r.text(colNodeName), machine{cpu: cpu, gpu: gpus, model: r.text(colGPUModel), rack: -1})
	return nil
}

// takeSpotJob reads a job as an item of worker_num instances, each with its CPU and GPUs. Jobs of type HP are of
// production; the others are spot jobs.
func takeSpotJob(c *collection, r *row) error {
	const ( // columns of the table
		colJobName      = 0
		colOrganization = 1
		colGPUModel     = 2
		colCPURequest   = 3
		colGPURequest   = 4
		colWorkerNum    = 5
		colSubmitTime   = 6
		colDuration     = 7
		colJobType      = 8
	)
	workers, err := r.count(colWorkerNum, maxInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colCPURequest, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(colGPURequest, 3)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(colGPURequest, "is more than a thousand GPUs for one worker")
	}
	at, err := r.moment(colSubmitTime, unit.Second)
	if err != nil {
		return err
	}
	run, err := r.orMinus(colDuration, 6)
	if err != nil {
		return err
	}
	c.span(at)
	c.state(r.text(colJobType))
	if run < 0 {
		c.leave("no_duration", "without a duration")
		return nil
	}
	it := item{
		job: c.jobOf(r.text(colJobName)), count: int32(workers), cpu: cpu, gpu: int32(max(gpu, 0)), machine: -1,
		user: c.userOf(r.text(colOrganization)), submit: at, start: unknown, end: at + unit.Time(run),
		priority: rankBatch,
	}
	if r.text(colJobType) == "HP" {
		it.priority, it.class = rankServe, workload.Production
	}
	if r.has(colGPUModel) && gpu > 0 {
		it.spec = c.specOf(r.text(colGPUModel))
	}
	return c.add(r, it)
}

// endSpot completes the jobs and notes that their durations include interrupted lives, so the demand
// may exceed the capacity.
func (c *collection) endSpot() error {
	if err := c.endGPUs(); err != nil || len(c.items) == 0 {
		return err
	}
	c.stated = append(c.stated,
		"a job's duration includes what was done again after it gave way to others, and its workers are played one by one, not all at once")
	return nil
}

// loads notes each GPU model whose demand over the whole time exceeds its capacity.
func (c *collection) loads(span unit.Time) {
	if len(c.specs) < 2 || span <= 0 || c.data.shape != workload.ShapeTasks {
		return
	}
	demand, capacity := make([]amountOf, len(c.specs)), make([]int64, len(c.specs))
	for i := range c.items {
		it := &c.items[i]
		from, to := it.life(unit.Time(c.summary.LastS * float64(unit.Second)))
		demand[it.spec].add(int64(it.gpu), int64(it.count), to-from)
	}
	for i := range c.machines {
		for k, spec := range c.specs {
			if k > 0 && isOf(c.machines[i].model, spec) {
				capacity[k] += c.machines[i].gpu
			}
		}
	}
	for k, spec := range c.specs {
		hours := float64(float64(capacity[k])*float64(span)) / float64(unit.Hour)
		if load := demand[k].hours() / max(hours, 1e-9); capacity[k] > 0 && load > 1 {
			c.stated = append(
				[]string{fmt.Sprintf(
					"the work asks for %.2f of the GPUs of model %s over the whole time: more than there is, so waits grow to the end", load, spec,
				)}, c.stated...,
			)
		}
	}
}
