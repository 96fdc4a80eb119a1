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
	at, err := r.seconds(4)
	if err != nil {
		return err
	}
	c.span(at)
	c.count("jobs_"+strings.ToLower(r.text(3)), 1)
	user := c.userOf(r.text(2))
	if c.looks != nil {
		if c.samples(r.text(0)) {
			c.looks.pai.early(r.text(0), at)
		}
		return nil
	}
	if c.sliced && !c.wantsPAIJob(r.text(0), at, user) {
		return nil
	}
	job := c.jobOf(r.text(0))
	if c.skips() {
		return nil
	}
	c.pai().jobs[job] = paiJob{at, user}
	return nil
}

// takePAITask reads a task. If the table of instances is open too, it only keeps the request for them; else the
// instances become one item without machines. The submission is the job's, if it is known and not after the start.
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
	if err != nil || !play || c.looks != nil && c.looks.pai.sees(c, r, "", from) {
		return err
	}
	if memory > 0 {
		memory = memory * 1024 / 1000
	}
	it := item{
		job: c.jobOf(r.text(0)), count: int32(count), cpu: cpu, memory: memory, gpu: int32(max(gpu, 0)),
		machine: -1, submit: from, start: from, end: to, priority: rankBatch,
	}
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
		key := [2]string{r.text(0), r.text(1)}
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
	from, to, play, err := c.takeLife(r, 6, 7, r.text(5))
	if err != nil || !play {
		return err
	}
	if c.looks != nil && c.looks.pai.sees(c, r, r.text(1), from) {
		return nil
	}
	if c.jobOf(r.text(0)); c.skips() {
		return nil
	}
	it, known := c.pai().tasks[[2]string{r.text(0), r.text(1)}]
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
	it := item{
		job: c.jobOf(r.text(0)), count: int32(count), cpu: cpu, gpu: int32(max(gpu, 0)), machine: -1,
		user: c.userOf(r.text(7)), submit: at, start: unknown, end: at + unit.Time(run), priority: rankBatch,
	}
	if r.has(6) && gpu > 0 {
		it.spec = c.specOf(r.text(6))
	}
	return c.add(r, it)
}

// endPAI reports whether submissions are known, and completes the GPUs.
func (c *collection) endPAI() error {
	if !c.has("pai_job_table") && c.joined == 0 && len(c.items) > 0 {
		c.said = append(c.said,
			"a task arrives when it started: open pai_job_table.csv as well, which has the moments of submission")
	}
	return c.endGPUs()
}
