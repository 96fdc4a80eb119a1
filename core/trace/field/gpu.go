package field

import (
	"fmt"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// partsOfGPUs says how GPUs are played, in every trace of tasks that has some.
const partsOfGPUs = "GPUs are counted for each node in thousandths of a device: which device a part is on is not distinguished, so two parts may share what one device does not have"

// isOf reports whether a model is among those of a list such as V100M16|V100M32.
func isOf(model, list string) bool {
	for one := range strings.SplitSeq(list, "|") {
		if one == model {
			return true
		}
	}
	return false
}

// openb2023 is Alibaba's trace of GPU sharing of 2023, which the study of fragmentation (FGD) is
// about: pods and nodes of a Kubernetes cluster.
var openb2023 = &dataset{
	name: "openb2023", title: "Alibaba's openb trace of 2023", shape: workload.ShapeTasks,
	lacks:  "open a list of pods (openb_pod_list_….csv) as well",
	assume: machineKind{cpu: 96_000, memory: 393_216, gpu: 8, about: "each has 96 cores, 384 GiB and 8 GPUs, as most of its nodes with 8 GPUs; open openb_node_list_all_node.csv as well to play the 1,523 recorded nodes"},
	end:    (*collection).endGPUs,
	tables: []*schema{
		table("nodes", "sn! cpu_milli=N! memory_mib=N! gpu=n! model", takeNode),
		table("pods", "name! cpu_milli=N! memory_mib=n! num_gpu=n! gpu_milli=n! gpu_spec qos pod_phase creation_time=n deletion_time=n scheduled_time=n", takePod).once(),
	},
}

func takeNode(c *collection, r *row) error {
	cpu, err := r.amount(1, 0)
	if err != nil {
		return err
	}
	memory, err := r.amount(2, 0)
	if err != nil {
		return err
	}
	gpus, err := r.count(3, 1000)
	if err != nil {
		return err
	}
	if !r.has(3) {
		gpus = 0
	}
	if gpus == 0 {
		c.count("nodes_without_gpu", 1)
	}
	c.hold(r.text(0), machine{cpu: cpu, memory: memory, gpu: gpus, model: r.text(4), rack: -1})
	return nil
}

func takePod(c *collection, r *row) error {
	cpu, err := r.amount(1, 0)
	if err != nil {
		return err
	}
	memory, err := r.amount(2, 0)
	if err != nil {
		return err
	}
	gpus, err := r.amount(3, 0)
	if err != nil {
		return err
	}
	milli, err := r.amount(4, 0)
	if err != nil {
		return err
	}
	switch {
	case gpus > 1000:
		return r.bad(3, "is more GPUs than a node has")
	case milli > 1000:
		return r.bad(4, "is more than the 1000 thousandths of a GPU")
	}
	gpu := max(gpus, 0) * max(milli, 0)
	var times [3]unit.Time
	for i := range times {
		if times[i], err = r.seconds(8 + i); err != nil {
			return err
		}
	}
	created, deleted, scheduled := times[0], times[1], times[2]
	c.span(created)
	c.state(r.text(7))
	switch {
	case gpus <= 0:
		c.count("pods_without_gpu", 1)
	case gpu < 1000:
		c.count("pods_with_part_of_a_gpu", 1)
	case gpus > 1:
		c.count("pods_with_several_gpus", 1)
	}
	if r.has(5) {
		c.count("pods_that_name_models", 1)
	}
	it := item{job: c.jobOf(r.text(0)), count: 1, cpu: cpu, memory: memory, gpu: int32(gpu), machine: -1, submit: created, start: scheduled, end: deleted, priority: rankBatch}
	if r.has(6) {
		c.count("qos_"+strings.ToLower(r.text(6)), 1)
		if r.text(6) == "LS" || r.text(6) == "Guaranteed" {
			it.priority, it.class = rankServe, workload.Production
		}
	}
	if r.has(5) && gpu > 0 {
		it.spec = c.specOf(r.text(5))
	}
	if !r.there(10) && created != unknown && deleted != unknown {
		scheduled = created
		c.repair("no_scheduled_time", "pods of a table without a column scheduled_time, which start when they were created", 1)
	}
	switch {
	case created == unknown && scheduled == unknown:
		it.submit = unit.Time(len(c.items)) * unit.Second
		c.repair("no_times", "pods without times, which arrive one a second in the order of the list and stay", 1)
	case scheduled == unknown:
		c.leave("never_scheduled", "pods that were never scheduled (Pending): how long they run is not known")
		return nil
	case deleted != unknown && deleted < scheduled:
		c.leave("end_before_start", "ended before they started")
		return nil
	}
	if deleted != unknown && r.text(7) == "Running" {
		c.count("running_with_a_deletion_time", 1)
	}
	return c.add(r, it)
}

// endGPUs says how GPUs are played, and drops wishes for models where no machine has one.
func (c *collection) endGPUs() error {
	models := map[string]bool{}
	for i := range c.machines {
		models[c.machines[i].model] = true
	}
	wishes, parts := int64(0), false
	for i := range c.items {
		it := &c.items[i]
		parts = parts || it.gpu > 0
		if it.spec == 0 {
			continue
		}
		known := false
		for one := range strings.SplitSeq(c.specs[it.spec], "|") {
			known = known || models[one]
		}
		if !known {
			it.spec = 0
			wishes++
		}
	}
	c.repair("models_not_there", "tasks that want a model of GPU that no machine here has, which take any", wishes)
	if parts {
		c.said = append(c.said, partsOfGPUs)
	}
	return nil
}

// pai2020 is Alibaba's trace of its PAI platform of 2020. CPU and GPU are in hundredths, for each
// instance; memory is in GB; times are seconds from a moment that the publisher took off.
var pai2020 = &dataset{
	name: "pai2020", title: "Alibaba's PAI trace of 2020", shape: workload.ShapeTasks,
	lacks:      "open pai_task_table.csv as well",
	sinceFirst: true,
	assume:     machineKind{cpu: 96_000, memory: 512 << 10, gpu: 8, about: "each has 96 cores, 512 GB and 8 GPUs, as its largest; open pai_machine_spec.csv as well to play the 1,897 recorded machines"},
	end:        (*collection).endPAI,
	tables: []*schema{
		table("pai_machine_spec", "machine! gpu_type=(CPU|T4|MISC|P100|V100|V100M32)! cap_cpu=N! cap_mem=n! cap_gpu=n!", takeSpec).headless(),
		table("pai_job_table", "job_name! inst_id! user! status=s start_time=n! end_time=n", takePAIJob).headless(),
		table("pai_task_table", "job_name! task_name! inst_num=n! status=s start_time=n end_time=n plan_cpu=n! plan_mem=n plan_gpu=n! gpu_type +job_start_time|submit_time=n +user", takePAITask).headless(),
		table("pai_instance_table", "job_name! task_name! inst_name! worker_name! inst_id! status=s start_time=n end_time=n machine", takePAIInstance).headless(),
		table("pai_sensor_table", "job_name! task_name! worker_name! inst_id! machine gpu_name cpu_usage=n! gpu_wrk_util=n! avg_mem=n max_mem=n avg_gpu_wrk_mem=n max_gpu_wrk_mem=n read=n write=n read_count=n write_count=n", nil).headless(),
		table("pai_machine_metric", "worker_name=h! machine=h! start_time=N! end_time=n machine_cpu_iowait=n! machine_cpu_kernel=n machine_cpu_usr=n machine_gpu=n machine_load_1=n machine_net_receive=n machine_num_worker=n machine_cpu=n", nil).headless(),
		table("pai_simulator", "job_id! submit_time=n! duration=n! num_inst=n! num_cpu=n! num_gpu=n! gpu_type|gpu_type_spec user", takePAISimulated),
		table("pai_group_tag_table", "inst_id=h! user=t! gpu_type_spec! group=h! workload!", nil).headless(),
	},
}

func takeSpec(c *collection, r *row) error {
	cpu, err := r.amount(2, 3)
	if err != nil {
		return err
	}
	memory, err := r.amount(3, 3)
	if err != nil {
		return err
	}
	gpus, err := r.count(4, 1000)
	if err != nil {
		return err
	}
	if !r.has(4) {
		gpus = 0
	}
	c.hold(r.text(0), machine{cpu: cpu, memory: memory * 1024 / 1000, gpu: gpus, model: r.text(1), rack: -1})
	return nil
}

// pai holds when jobs were submitted, and what the instances of a task ask for.
type pai struct {
	jobs  map[uint64]paiJob
	tasks map[[2]string]item
}

// paiJob is when a job was submitted, and by whom.
type paiJob struct {
	at   unit.Time
	user uint32
}

func (c *collection) pai() *pai {
	if c.extra == nil {
		c.extra = &pai{map[uint64]paiJob{}, map[[2]string]item{}}
	}
	return c.extra.(*pai)
}

func takePAIJob(c *collection, r *row) error {
	at, err := r.seconds(4)
	if err != nil {
		return err
	}
	c.span(at)
	c.count("jobs_"+strings.ToLower(r.text(3)), 1)
	job := c.jobOf(r.text(0))
	if c.skips() {
		return nil
	}
	c.pai().jobs[job] = paiJob{at, c.userOf(r.text(2))}
	return nil
}

func takePAITask(c *collection, r *row) error {
	count, err := r.count(2, mostInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(6, 1)
	if err != nil {
		return err
	}
	memory, err := r.amount(7, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(8, 1)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(8, "is more than a thousand GPUs for one instance")
	}
	from, to, play, err := c.takeLife(r, 4, 5, r.text(3))
	if err != nil || !play {
		return err
	}
	if memory > 0 {
		memory = memory * 1024 / 1000
	}
	it := item{job: c.jobOf(r.text(0)), count: int32(count), cpu: cpu, memory: memory, gpu: int32(max(gpu, 0)), machine: -1, submit: from, start: from, end: to, priority: rankBatch}
	if r.has(9) && gpu > 0 {
		it.spec = c.specOf(r.text(9))
	}
	if at, err := r.seconds(10); err != nil { // of a table that was joined with that of jobs
		return err
	} else if at != unknown && at <= from {
		it.submit = at
		c.joined++
	}
	if r.has(11) {
		it.user = c.userOf(r.text(11))
	}
	if gpu > 0 && gpu < 1000 {
		c.count("tasks_with_part_of_a_gpu", 1)
	}
	if jobs := c.pai().jobs; len(jobs) > 0 {
		if j, known := jobs[it.job]; known {
			it.user = j.user
			if j.at != unknown && j.at <= from {
				it.submit = j.at
			}
		} else {
			c.repair("job_unknown", "tasks whose job is not in pai_job_table, which arrive when they started", 1)
		}
	}
	if c.given["pai_instance_table"] {
		if c.skips() {
			return nil
		}
		c.pai().tasks[[2]string{r.text(0), r.text(1)}] = it
		c.size++
		c.count("instances_of_tasks", count)
		return nil
	}
	return c.add(r, it)
}

// takePAIInstance takes an instance, which asks for what its task says, with the machine that it
// was on.
func takePAIInstance(c *collection, r *row) error {
	from, to, play, err := c.takeLife(r, 6, 7, r.text(5))
	if err != nil || !play {
		return err
	}
	if c.jobOf(r.text(0)); c.skips() {
		return nil
	}
	it, known := c.pai().tasks[[2]string{r.text(0), r.text(1)}]
	if !known {
		c.leave("no_task", "instances whose task is not in pai_task_table, which says what they ask for")
		return nil
	}
	if len(c.pai().jobs) == 0 || it.submit > from {
		it.submit = from
	}
	it.count, it.start, it.end, it.machine = 1, from, to, c.placedOn(r, 8)
	return c.add(r, it)
}

// takePAISimulated takes a job of the files that PAI's own simulator reads: CPUs and GPUs are whole
// ones, for each instance.
func takePAISimulated(c *collection, r *row) error {
	at, err := r.seconds(1)
	if err != nil {
		return err
	}
	run, err := r.orMinus(2, 6)
	if err != nil {
		return err
	}
	count, err := r.count(3, mostInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(4, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(5, 3)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(5, "is more than a thousand GPUs for one instance")
	}
	c.span(at)
	switch {
	case at == unknown:
		c.leave("no_start", "without a start")
		return nil
	case run < 0:
		c.leave("no_duration", "without a duration")
		return nil
	}
	c.joined++
	it := item{job: c.jobOf(r.text(0)), count: int32(count), cpu: cpu, gpu: int32(max(gpu, 0)), machine: -1, user: c.userOf(r.text(7)), submit: at, start: unknown, end: at + unit.Time(run), priority: rankBatch}
	if r.has(6) && gpu > 0 {
		it.spec = c.specOf(r.text(6))
	}
	return c.add(r, it)
}

func (c *collection) endPAI() error {
	if len(c.pai().jobs) == 0 && c.joined == 0 && len(c.items) > 0 {
		c.said = append(c.said, "a task arrives when it started: open pai_job_table.csv as well, which has the moments of submission")
	}
	return c.endGPUs()
}

// dlrm2025 is Alibaba's trace of disaggregated recommendation models of 2025.
var dlrm2025 = &dataset{
	name: "dlrm2025", title: "Alibaba's DLRM trace of 2025", shape: workload.ShapeTasks,
	lacks:  "open disaggregated_DLRM_trace.csv",
	assume: machineKind{cpu: 128_000, memory: 1 << 20, gpu: 8, about: "each has 128 cores, 1 TiB and 8 GPUs"},
	end:    (*collection).endGPUs,
	tables: []*schema{
		table("instances", "instance_sn! role! app_name! cpu_request=n! cpu_limit=n gpu_request=n! gpu_limit=n rdma_request=n rdma_limit=n memory_request=n! memory_limit=n disk_request=n disk_limit=n max_instance_per_node=n creation_time=n! scheduled_time=n deletion_time=n", takeDLRM),
	},
}

func takeDLRM(c *collection, r *row) error {
	cpu, err := r.amount(3, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(5, 3)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(5, "is more than a thousand GPUs for one instance")
	}
	memory, err := r.amount(9, 3)
	if err != nil {
		return err
	}
	if memory > 0 {
		memory = memory * 1024 / 1000
	}
	var times [3]unit.Time
	for i := range times {
		if times[i], err = r.seconds(14 + i); err != nil {
			return err
		}
	}
	created, scheduled, deleted := times[0], times[1], times[2]
	c.span(created)
	c.count("role_"+strings.ToLower(r.text(1)), 1)
	if created == unknown {
		c.count("created_before_the_trace", 1)
		created = 0
	}
	if deleted == unknown {
		c.count("deleted_after_the_end", 1)
	}
	if rdma, ok, _ := r.scaled(7, 0); ok && rdma > 0 {
		c.count("with_rdma_not_played", 1)
	}
	if most, ok, _ := r.scaled(13, 0); ok && most > 0 {
		c.count("with_a_limit_a_node_not_played", 1)
	}
	if deleted != unknown && deleted < max(created, scheduled) {
		c.leave("end_before_start", "ended before they started")
		return nil
	}
	return c.add(r, item{
		job: c.jobOf(r.text(2)), count: 1, cpu: cpu, memory: memory, gpu: int32(max(gpu, 0)), machine: -1, submit: created, start: scheduled, end: deleted, priority: rankServe, class: workload.Production,
	})
}

// spot2026 is Alibaba's trace of GPU jobs of 2026. It has jobs of workers, each with CPU and GPUs of
// a model, and the nodes; spot jobs give way to the others.
var spot2026 = &dataset{
	name: "spot2026", title: "Alibaba's spot GPU trace of 2026", shape: workload.ShapeTasks,
	lacks:      "open the table of jobs as well",
	sinceFirst: true,
	assume:     machineKind{cpu: 128_000, gpu: 8, about: "each has 128 cores and 8 GPUs; open the list of nodes as well to play the recorded ones"},
	end:        (*collection).endSpot,
	tables: []*schema{
		table("nodes", "node_name|node_id|name! gpu_model! gpu_capacity_num|gpu_num|gpu_count=n! cpu_num|cpu_capacity_num=n", takeSpotNode),
		table("jobs", "job_name! organization gpu_model! cpu_request=n! gpu_request=n! worker_num=n! submit_time! duration=n! job_type", takeSpotJob),
	},
}

func takeSpotNode(c *collection, r *row) error {
	gpus, err := r.count(2, 1000)
	if err != nil {
		return err
	}
	cpu, err := r.amount(3, 3)
	if err != nil {
		return err
	}
	c.hold(r.text(0), machine{cpu: cpu, gpu: gpus, model: r.text(1), rack: -1})
	return nil
}

func takeSpotJob(c *collection, r *row) error {
	workers, err := r.count(5, mostInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(3, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(4, 3)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(4, "is more than a thousand GPUs for one worker")
	}
	at, err := r.moment(6, unit.Second)
	if err != nil {
		return err
	}
	run, err := r.orMinus(7, 6)
	if err != nil {
		return err
	}
	c.span(at)
	c.state(r.text(8))
	if run < 0 {
		c.leave("no_duration", "without a duration")
		return nil
	}
	it := item{job: c.jobOf(r.text(0)), count: int32(workers), cpu: cpu, gpu: int32(max(gpu, 0)), machine: -1, user: c.userOf(r.text(1)), submit: at, start: unknown, end: at + unit.Time(run), priority: rankBatch}
	if r.text(8) == "HP" {
		it.priority, it.class = rankServe, workload.Production
	}
	if r.has(2) && gpu > 0 {
		it.spec = c.specOf(r.text(2))
	}
	return c.add(r, it)
}

// endSpot says how much of each model the jobs ask for: their durations are those of lives that
// were interrupted, so they may pass what there is.
func (c *collection) endSpot() error {
	if err := c.endGPUs(); err != nil || len(c.items) == 0 {
		return err
	}
	c.said = append(c.said, "a job's duration includes what was done again after it gave way to others, and its workers are played one by one, not all at once")
	return nil
}

// loads says of each model of GPU how much of it is asked for over the whole time, if that is
// more than there is.
func (c *collection) loads(span unit.Time) {
	if len(c.specs) < 2 || span <= 0 || c.data.shape != workload.ShapeTasks {
		return
	}
	asked, there := make([]amountOf, len(c.specs)), make([]int64, len(c.specs))
	for i := range c.items {
		it := &c.items[i]
		from, to := it.life(unit.Time(c.summary.LastS * float64(unit.Second)))
		asked[it.spec].add(int64(it.gpu), int64(it.count), to-from)
	}
	for i := range c.machines {
		for k, spec := range c.specs {
			if k > 0 && isOf(c.machines[i].model, spec) {
				there[k] += c.machines[i].gpu
			}
		}
	}
	for k, spec := range c.specs {
		hours := float64(float64(there[k])*float64(span)) / float64(unit.Hour)
		if load := asked[k].hours() / max(hours, 1e-9); there[k] > 0 && load > 1 {
			c.said = append([]string{fmt.Sprintf("the work asks for %.2f of the GPUs of model %s over the whole time: more than there is, so waits grow to the end", load, spec)}, c.said...)
		}
	}
}
