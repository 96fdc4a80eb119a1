package field

import (
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// pai2020 is Alibaba's trace of its PAI platform of 2020. CPU and GPU are in hundredths, for each
// instance; memory is in GB; times are seconds from a moment that the publisher took off.
var pai2020 = &dataset{
	name: "pai2020", title: "Alibaba's PAI trace of 2020", shape: workload.ShapeTasks,
	lacks:      "open pai_task_table.csv as well",
	sinceFirst: true,
	assume: machineKind{
		cpu: 96_000, memory: 512 << 10, gpu: 8,
		about: "each has 96 cores, 512 GB and 8 GPUs, as its largest; open pai_machine_spec.csv as well to play the 1,897 recorded machines",
	},
	end: (*collection).endPAI,
	tables: []*schema{
		table("pai_machine_spec", "machine! gpu_type=(CPU|T4|MISC|P100|V100|V100M32)! cap_cpu=N! cap_mem=n! cap_gpu=n!",
			takeSpec).headless(),
		table("pai_job_table", "job_name! inst_id! user! status=s start_time=n! end_time=n", takePAIJob).headless(),
		table("pai_task_table",
			"job_name! task_name! inst_num=n! status=s start_time=n end_time=n plan_cpu=n! plan_mem=n plan_gpu=n! gpu_type +job_start_time|submit_time=n +user", takePAITask).headless(),
		table("pai_instance_table",
			"job_name! task_name! inst_name! worker_name! inst_id! status=s start_time=n end_time=n machine",
			takePAIInstance).headless(),
		table("pai_sensor_table",
			"job_name! task_name! worker_name! inst_id! machine gpu_name cpu_usage=n! gpu_wrk_util=n! avg_mem=n max_mem=n avg_gpu_wrk_mem=n max_gpu_wrk_mem=n read=n write=n read_count=n write_count=n", nil).headless(),
		table("pai_machine_metric",
			"worker_name=h! machine=h! start_time=N! end_time=n machine_cpu_iowait=n! machine_cpu_kernel=n machine_cpu_usr=n machine_gpu=n machine_load_1=n machine_net_receive=n machine_num_worker=n machine_cpu=n", nil).headless(),
		table("pai_simulator",
			"job_id! submit_time=n! duration=n! num_inst=n! num_cpu=n! num_gpu=n! gpu_type|gpu_type_spec user",
			takePAISimulated),
		table("pai_group_tag_table", "inst_id=h! user=t! gpu_type_spec! group=h! workload!", nil).headless(),
	},
}

// takeSpec reads a machine: cores, GiB of memory, kept as MiB, and GPUs.
func takeSpec(c *collection, r *row) error {
	const ( // columns of the table
		colMachine = 0
		colGPUType = 1
		colCapCPU  = 2
		colCapMem  = 3
		colCapGPU  = 4
	)
	cpu, err := r.amount(colCapCPU, 3)
	if err != nil {
		return err
	}
	memory, err := r.amount(colCapMem, 3)
	if err != nil {
		return err
	}
	gpus, err := r.count(colCapGPU, 1000)
	if err != nil {
		return err
	}
	if !r.has(colCapGPU) {
		gpus = 0
	}
	c.hold(r.text(colMachine),
		machine{cpu: cpu, memory: memory * 1024 / 1000, gpu: gpus, model: r.text(colGPUType), rack: -1})
	return nil
}

// pai has the submission of each job and the request of each task.
type pai struct {
	jobs  map[uint64]paiJob
	tasks map[[2]string]item
}

// paiJob is the submission of a job: its time and its user.
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

// takePAIJob reads the submission of a job. In the first reading of a slice it only notes the moment; in the second,
// jobs outside the slice are forgotten.
func takePAIJob(c *collection, r *row) error {
	const ( // columns of the table
		colJobName   = 0
		colUser      = 2
		colStatus    = 3
		colStartTime = 4
	)
	at, err := r.seconds(colStartTime)
	if err != nil {
		return err
	}
	c.span(at)
	c.count("jobs_"+strings.ToLower(r.text(colStatus)), 1)
	user := c.userOf(r.text(colUser))
	if c.looks != nil {
		if c.samples(r.text(colJobName)) {
			c.looks.pai.early(r.text(colJobName), at)
		}
		return nil
	}
	if c.sliced && !c.wantsPAIJob(r.text(colJobName), at, user) {
		return nil
	}
	job := c.jobOf(r.text(colJobName))
	if c.skips() {
		return nil
	}
	c.pai().jobs[job] = paiJob{at, user}
	return nil
}

// takePAITask reads a task. If the table of instances is open too, it only keeps the request for them; else the
// instances become one item without machines. The submission is the job's, if it is known and not after the start.
func takePAITask(c *collection, r *row) error {
	const ( // columns of the table
		colJobName      = 0
		colTaskName     = 1
		colInstNum      = 2
		colStatus       = 3
		colStartTime    = 4
		colEndTime      = 5
		colPlanCPU      = 6
		colPlanMem      = 7
		colPlanGPU      = 8
		colGPUType      = 9
		colJobStartTime = 10
		colUser         = 11
	)
	count, err := r.count(colInstNum, maxInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colPlanCPU, 1)
	if err != nil {
		return err
	}
	memory, err := r.amount(colPlanMem, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(colPlanGPU, 1)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(colPlanGPU, "is more than a thousand GPUs for one instance")
	}
	from, to, play, err := c.takeLife(r, colStartTime, colEndTime, r.text(colStatus))
	if err != nil || !play || c.looks != nil && c.looks.pai.sees(c, r, "", from) {
		return err
	}
	if memory > 0 {
		memory = memory * 1024 / 1000
	}
	it := item{
		job: c.jobOf(r.text(colJobName)), count: int32(count), cpu: cpu, memory: memory, gpu: int32(max(gpu, 0)),
		machine: -1, submit: from, start: from, end: to, priority: rankBatch,
	}
	if r.has(colGPUType) && gpu > 0 {
		it.spec = c.specOf(r.text(colGPUType))
	}
	if at, err := r.seconds(colJobStartTime); err != nil { // of a table that was joined with that of jobs
		return err
	} else if at != unknown && at <= from {
		it.submit = at
		c.joined++
	}
	if r.has(colUser) {
		it.user = c.userOf(r.text(colUser))
	}
	if gpu > 0 && gpu < 1000 {
		c.count("tasks_with_part_of_a_gpu", 1)
	}
	if jobs := c.pai().jobs; c.has("pai_job_table") {
		if j, known := jobs[it.job]; known {
			it.user = j.user
			if j.at != unknown && j.at <= from {
				it.submit = j.at
			}
		} else if c.wanted == nil && (!c.sliced || c.holds(from)) {
			c.repair("job_unknown", "tasks whose job is not in pai_job_table, which arrive when they started", 1)
		}
	}
	if c.has("pai_instance_table") {
		key := [2]string{r.text(colJobName), r.text(colTaskName)}
		if c.skips() || c.sliced && !c.wantsPAITask(key, &it) {
			c.forget()
			return nil
		}
		c.pai().tasks[key] = it
		c.size++
		c.count("instances_of_tasks", count)
		return nil
	}
	return c.add(r, it)
}

// takePAIInstance reads an instance, with its machine and the request of its task. Without pai_job_table it arrives
// when it started.
func takePAIInstance(c *collection, r *row) error {
	const ( // columns of the table
		colJobName   = 0
		colTaskName  = 1
		colStatus    = 5
		colStartTime = 6
		colEndTime   = 7
		colMachine   = 8
	)
	from, to, play, err := c.takeLife(r, colStartTime, colEndTime, r.text(colStatus))
	if err != nil || !play {
		return err
	}
	if c.looks != nil && c.looks.pai.sees(c, r, r.text(colTaskName), from) {
		return nil
	}
	if c.jobOf(r.text(colJobName)); c.skips() {
		return nil
	}
	it, known := c.pai().tasks[[2]string{r.text(colJobName), r.text(colTaskName)}]
	if !known && c.sliced && (c.wanted != nil || !c.holds(from)) {
		c.leaveOutside()
		c.forget()
		return nil
	}
	if !known {
		c.leave("no_task", "instances whose task is not in pai_task_table, which says what they ask for")
		return nil
	}
	if !c.has("pai_job_table") || it.submit > from {
		it.submit = from
	}
	it.count, it.start, it.end, it.machine = 1, from, to, c.placedOn(r, colMachine)
	return c.add(r, it)
}

// takePAISimulated takes a job of the files that PAI's own simulator reads: CPUs and GPUs are whole
// ones, for each instance.
func takePAISimulated(c *collection, r *row) error {
	const ( // columns of the table
		colJobID      = 0
		colSubmitTime = 1
		colDuration   = 2
		colNumInst    = 3
		colNumCPU     = 4
		colNumGPU     = 5
		colGPUType    = 6
		colUser       = 7
	)
	at, err := r.seconds(colSubmitTime)
	if err != nil {
		return err
	}
	run, err := r.orMinus(colDuration, 6)
	if err != nil {
		return err
	}
	count, err := r.count(colNumInst, maxInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colNumCPU, 3)
	if err != nil {
		return err
	}
	gpu, err := r.amount(colNumGPU, 3)
	if err != nil {
		return err
	}
	if gpu > 1_000_000 {
		return r.bad(colNumGPU, "is more than a thousand GPUs for one instance")
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
	it := item{
		job: c.jobOf(r.text(colJobID)), count: int32(count), cpu: cpu, gpu: int32(max(gpu, 0)), machine: -1,
		user: c.userOf(r.text(colUser)), submit: at, start: unknown, end: at + unit.Time(run), priority: rankBatch,
	}
	if r.has(colGPUType) && gpu > 0 {
		it.spec = c.specOf(r.text(colGPUType))
	}
	return c.add(r, it)
}

// endPAI reports whether submissions are known, and completes the GPUs.
func (c *collection) endPAI() error {
	if !c.has("pai_job_table") && c.joined == 0 && len(c.items) > 0 {
		c.stated = append(c.stated,
			"a task arrives when it started: open pai_job_table.csv as well, which has the moments of submission")
	}
	return c.endGPUs()
}
