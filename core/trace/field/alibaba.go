package field

import (
	"fmt"
	"strings"

	"parley/core/unit"
	"parley/core/workload"
)

// Ranks of work if the trace has none: services precede batch jobs.
const (
	rankBatch = 25
	rankServe = 200
)

// whole is all of the largest machine, in millionths.
const whole = 1_000_000

// alibaba2018 is the trace of Alibaba of 2018: about 4,000 machines, eight days, batch jobs and
// containers. CPU is in hundredths of a core, memory in hundredths of the largest machine's.
var alibaba2018 = &dataset{
	name: "alibaba2018", title: "the Alibaba trace of 2018", shape: workload.ShapeTasks,
	lacks: "open batch_task or container_meta as well",
	assume: machineKind{
		cpu: 96_000, memory: whole,
		about: "each has 96 cores, as all of this trace have; open machine_meta.csv as well to play the recorded ones",
	},
	end: (*collection).endAlibaba,
	tables: []*schema{
		table("machine_meta",
			"machine_id=m_! time_stamp=N failure_domain_1 failure_domain_2! cpu_num=n! mem_size=n! status=t",
			takeMachineMeta).headless(),
		table("batch_task",
			"task_name! instance_num=n! job_name=j_! task_type status=s start_time=N! end_time=n plan_cpu=n! plan_mem=n +duration|run_time|runtime=n", takeBatchTask).headless(),
		table("batch_instance",
			"instance_name! task_name! job_name=j_! task_type status=s start_time=n! end_time=n machine_id! seq_no=n total_seq_no=n cpu_avg=n cpu_max=n mem_avg=n mem_max=n +plan_cpu=n +plan_mem=n", takeBatchInstance).headless(),
		table("container_meta",
			"container_id=c_! machine_id=m_ time_stamp=N app_du! status=t cpu_request=n! cpu_limit=n mem_size=n",
			takeContainer).headless(),
		table("machine_usage",
			"machine_id=m_! time_stamp=N cpu_util_percent=n! mem_util_percent=n mem_gps=n mkpi=n! net_in=n net_out=n disk_io_percent=n!", nil).headless(),
		table("container_usage",
			"container_id=c_! machine_id=m_ time_stamp=N cpu_util_percent=n! mem_util_percent=n cpi=n mem_gps=n mpki=n! net_in=n net_out=n disk_io_percent=n!", nil).headless(),
	},
}

// alibaba2017 is the trace of Alibaba of 2017: CPU requests are in hundredths of a core,
// although the publisher's schema says otherwise, and memory is a part of the largest machine's.
var alibaba2017 = &dataset{
	name: "alibaba2017", title: "the Alibaba trace of 2017", shape: workload.ShapeTasks,
	lacks: "open batch_task as well",
	assume: machineKind{
		cpu: 64_000, memory: whole,
		about: "each has 64 CPUs, as all of this trace have; times of creation are earlier than starts, so there may be too many: open server_event.csv as well to play the recorded ones",
	},
	end: (*collection).endAlibaba,
	tables: []*schema{
		table("server_event",
			"timestamp=N! machine_id|machineid=n! event_type|eventtype=(add|softerror|harderror)! event_detail|eventdetail number_of_cpus|cpu=n normalized_memory|memory=n normalized_disk_space|disk=n", takeServerEvent).headless(),
		table("batch_task",
			"task_create_time|create_timestamp|create_time=N! task_end_time|end_timestamp|end_time|modify_timestamp|modify_time=n job_id=n! task_id=n! number_of_instances|instance_num|instances=n! status=s number_of_cpus_requested_per_instance_in_the_task|plan_cpu=n normalized_memory_requested_per_instance_in_the_task|plan_mem=n", takeTask2017).headless(),
		table("batch_instance",
			"start_timestamp=N! end_timestamp=n! job_id=n task_id=n! machine_id|machineid=n! status=s seq_no=n! total_seq_no=n real_cpu_max=n real_cpu_avg=n real_mem_max=n real_mem_avg=n", takeInstance2017).headless(),
		table("container_event",
			"ts|timestamp=N! event=(Create|Remove)! instance_id! machine_id! plan_cpu=n plan_mem=n plan_disk=n cpu_set",
			takeContainer2017).headless(),
		table("container_usage",
			"ts=N! instance_id=n! cpu_util=n! mem_util=n disk_util=n load1=n! load5=n load15=n avg_cpi=n! avg_mpki=n max_cpi=n max_mpki=n", nil).headless(),
		table("server_usage",
			"timestamp|ts=N! machine_id|machineid=n! util_cpu|cpu_util|cpu=n! util_memory|mem_util|memory=n util_disk|disk_util|disk=n load1=n! load5=n load15=n", nil).headless(),
	},
}

// dag holds what Alibaba's tables say of one another.
type dag struct {
	tasks      []dagTask
	requests   map[[2]string]*request // by job and task, where instances are there too
	containers map[string]int         // index in items, by name; -1 if it is left out
	alive      map[string]int         // those of 2017 that are there
	idle       map[string]bool        // machines that were seen and not in use
}

// dagTask is a task that may have predecessors: the name says which, or before does.
type dagTask struct {
	item   int
	job    uint64
	name   string
	id     string
	before []string
}

// request is a task's request for each instance.
type request struct{ cpu, memory int64 }

func (c *collection) dag() *dag {
	if c.extra == nil {
		c.extra = &dag{
			requests: map[[2]string]*request{}, containers: map[string]int{}, alive: map[string]int{},
			idle: map[string]bool{},
		}
	}
	return c.extra.(*dag)
}

// takeMachineMeta reads a row of machine_meta as a machine; one that is not in use is left out.
func takeMachineMeta(c *collection, r *row) error {
	const ( // columns of the table
		colMachineID = 0
		colTimeStamp = 1
		colCPUNum    = 4
		colMemSize   = 5
		colStatus    = 6
	)
	at, err := r.seconds(colTimeStamp)
	if err != nil {
		return err
	}
	c.span(at)
	cores, err := r.amount(colCPUNum, 3)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemSize, 4)
	if err != nil {
		return err
	}
	if r.text(colStatus) != "USING" {
		c.dag().idle[r.text(colMachineID)] = true
		c.leave("not_in_use", "machines that are not in use")
		return nil
	}
	c.hold(r.text(colMachineID), machine{cpu: cores, memory: memory, rack: -1})
	return nil
}

// hold adds a machine that a table describes. A machine that only work has named so far gets the description;
// a second description is counted and ignored.
func (c *collection) hold(name string, m machine) {
	if i, known := c.byName[name]; known && !c.machines[i].used {
		c.leave("machine_again", "rows about a machine that a row above describes")
		return
	}
	m.name = name
	c.machines[c.machineOf(name)] = m
}

// takeServerEvent reads a row of server_event: only "add" describes a machine; errors of machines are not played.
func takeServerEvent(c *collection, r *row) error {
	const ( // columns of the table
		colTimestamp = 0
		colMachineID = 1
		colEventType = 2
		colCPUs      = 4
		colMemory    = 5
	)
	at, err := r.seconds(colTimestamp)
	if err != nil {
		return err
	}
	c.span(at)
	if r.text(colEventType) != "add" {
		c.leave("machine_errors", "errors of machines, which are not played")
		return nil
	}
	cpus, err := r.amount(colCPUs, 3)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 6)
	if err != nil {
		return err
	}
	c.hold(r.text(colMachineID), machine{cpu: cpus, memory: memory, rack: -1})
	return nil
}

// ended returns the end of a row, unknown if the cell is empty or 0, or if the state is still Running and the end is
// not after the start.
func ended(state string, start, end unit.Time) unit.Time {
	if end == unknown || end <= 0 || state == "Running" && end <= start {
		return unknown
	}
	return end
}

// waits counts a task that had not started.
func (c *collection) waits(state string) bool {
	if state != "Waiting" && state != "Ready" {
		return false
	}
	c.leave("not_started", "waiting or ready: they had not started")
	return true
}

// takeLife reads the start and the end of a row, in these columns; to is unknown if it had not ended. play is false
// if the row is left out, which is counted.
func (c *collection) takeLife(r *row, start, end int, state string) (from, to unit.Time, play bool, err error) {
	if from, err = r.seconds(start); err != nil {
		return 0, 0, false, err
	}
	if to, err = r.seconds(end); err != nil {
		return 0, 0, false, err
	}
	c.span(from)
	c.state(state)
	to = ended(state, from, to)
	switch {
	case c.waits(state):
	case from == unknown:
		c.leave("no_start", "without a start")
	case to != unknown && to < from:
		c.leave("end_before_start", "ended before they started")
	default:
		play = true
	}
	return from, to, play, nil
}

// takeBatchTask reads a row of batch_task (2018). If the table of instances is open too, the row only gives their
// request; else its instances become one item, placed by the system. A table without ends may have run times.
func takeBatchTask(c *collection, r *row) error {
	const ( // columns of the table
		colTaskName    = 0
		colInstanceNum = 1
		colJobName     = 2
		colStatus      = 4
		colStartTime   = 5
		colEndTime     = 6
		colPlanCPU     = 7
		colPlanMem     = 8
		colDuration    = 9
	)
	count, err := r.count(colInstanceNum, maxInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colPlanCPU, 1)
	if err != nil {
		return err
	}
	memory, err := r.amount(colPlanMem, 4)
	if err != nil {
		return err
	}
	from, to, play, err := c.takeLife(r, colStartTime, colEndTime, r.text(colStatus))
	if err != nil || !play {
		return err
	}
	if to == unknown && !r.there(colEndTime) {
		run, err := r.orMinus(colDuration, 6)
		if err != nil {
			return err
		}
		if run >= 0 {
			to = from + unit.Time(run)
		}
	}
	d, job := c.dag(), c.jobOf(r.text(colJobName))
	if c.has("batch_instance") {
		if c.skips() || c.apart(from, to) {
			c.forget()
			return nil
		}
		d.requests[[2]string{r.text(colJobName), r.text(colTaskName)}] = &request{cpu, memory}
		c.size++
		return nil
	}
	n := len(c.items)
	err = c.add(r, item{
		job: job, count: int32(count), cpu: cpu, memory: memory, machine: -1, submit: from,
		start: unknown, end: to, priority: rankBatch,
	})
	if err == nil && len(c.items) > n {
		d.tasks = append(d.tasks, dagTask{item: n, job: job, name: r.text(colTaskName)})
	}
	return err
}

// takeTask2017 reads a row of batch_task of 2017. If the table of instances is open too, the row only gives their
// request; else its instances become one item.
func takeTask2017(c *collection, r *row) error {
	const ( // columns of the table
		colTaskCreateTime = 0
		colTaskEndTime    = 1
		colJobID          = 2
		colTaskID         = 3
		colInstances      = 4
		colStatus         = 5
		colCPUs           = 6
		colMemory         = 7
	)
	count, err := r.count(colInstances, maxInstances)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colCPUs, 1)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemory, 6)
	if err != nil {
		return err
	}
	from, to, play, err := c.takeLife(r, colTaskCreateTime, colTaskEndTime, r.text(colStatus))
	if from < 0 && from != unknown {
		c.count("created_before_the_trace", 1)
	}
	if r.text(colTaskEndTime) == "0" {
		c.count("without_an_end", 1)
	}
	if cpu < 0 && memory < 0 {
		c.count("without_cpu_and_memory", 1)
	}
	if err != nil || !play {
		return err
	}
	if c.has("batch_instance") {
		if c.jobOf(r.text(colJobID)); c.skips() || c.apart(from, to) {
			c.forget()
			return nil
		}
		c.dag().requests[[2]string{r.text(colJobID), r.text(colTaskID)}] = &request{cpu, memory}
		c.size++
		return nil
	}
	return c.add(r, item{
		job: c.jobOf(r.text(colJobID)), count: int32(count), cpu: cpu, memory: memory, machine: -1,
		submit: from, start: unknown, end: to, priority: rankBatch,
	})
}

// takeInstance2017 reads a row of batch_instance of 2017 as an attempt; rows without a job or a task are left out.
func takeInstance2017(c *collection, r *row) error {
	const ( // columns of the table
		colJobID  = 2
		colTaskID = 3
	)
	if !r.has(colJobID) || !r.has(colTaskID) {
		c.leave("no_task", "instances without a job and a task")
		return nil
	}
	return c.attempt(r, attemptColumns{
		start: 0, end: 1, job: 2, task: 3, machine: 4, state: 5, attempt: 6, cpu: 8,
		memory: 10,
	}, 3, 6)
}

// takeContainer2017 takes the creation or the removal of a container, which is written when it
// is done.
func takeContainer2017(c *collection, r *row) error {
	const ( // columns of the table
		colTime       = 0
		colEvent      = 1
		colInstanceID = 2
		colMachineID  = 3
		colPlanCPU    = 4
		colPlanMem    = 5
	)
	at, err := r.seconds(colTime)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colPlanCPU, 3)
	if err != nil {
		return err
	}
	memory, err := r.amount(colPlanMem, 6)
	if err != nil {
		return err
	}
	c.span(at)
	if c.jobOf("container " + r.text(colInstanceID)); c.skips() {
		return nil
	}
	alive := c.dag().alive
	n, known := alive[r.text(colInstanceID)]
	switch {
	case r.text(colEvent) == "Create" && !known:
		n = len(c.items)
		err = c.add(r, item{
			job: c.jobOf("container " + r.text(colInstanceID)), count: 1, cpu: cpu, memory: memory,
			machine: c.placedOn(r, colMachineID), submit: at, start: at, end: unknown, priority: rankServe,
			class: workload.Production,
		})
		if err == nil && len(c.items) > n {
			alive[r.text(colInstanceID)] = n
			c.count("containers", 1)
		}
	case r.text(colEvent) == "Create":
		c.leave("created_again", "creations of a container that is there")
	case !known:
		c.leave("removed_unknown", "removals of a container that no row created")
	default:
		c.items[n].end = max(at, c.items[n].submit)
		delete(alive, r.text(colInstanceID))
	}
	return err
}

// takeBatchInstance takes an attempt of an instance.
func takeBatchInstance(c *collection, r *row) error {
	return c.attempt(r, attemptColumns{
		start: 5, end: 6, job: 2, task: 1, machine: 7, state: 4, attempt: 8, cpu: 11,
		memory: 13, plan: 14,
	}, 1, 4)
}

// attemptColumns says where a table of instances has what.
type attemptColumns struct{ start, end, job, task, machine, state, attempt, cpu, memory, plan int }

// attempt takes an attempt of an instance. It has the request of its task where the table of
// tasks is there, else the most that it used; the places say in which unit that is.
func (c *collection) attempt(r *row, at attemptColumns, cpuPlaces, memoryPlaces int) error {
	from, to, play, err := c.takeLife(r, at.start, at.end, "")
	if err != nil {
		return err
	}
	c.count("instances_"+strings.ToLower(r.text(at.state)), 1)
	if !play || c.waits(r.text(at.state)) {
		return nil
	}
	if c.jobOf(r.text(at.job)); c.skips() || c.sliced &&
		c.outside(&item{count: 1, submit: from, start: from, end: to}) {
		return nil
	}
	cpu, err := r.amount(at.cpu, cpuPlaces)
	if err != nil {
		return err
	}
	memory, err := r.amount(at.memory, memoryPlaces)
	if err != nil {
		return err
	}
	if at.plan > 0 && r.has(at.plan) { // the table was joined with that of tasks
		if cpu, err = r.amount(at.plan, 1); err != nil {
			return err
		}
		if memory, err = r.amount(at.plan+1, 4); err != nil {
			return err
		}
	} else if request := c.dag().requests[[2]string{r.text(at.job), r.text(at.task)}]; request != nil {
		cpu, memory = request.cpu, request.memory
	} else {
		c.repair("use_as_request", "instances whose task is not there, which ask for the most that they used", 1)
	}
	if seq, ok, _ := r.scaled(at.attempt, 0); ok && seq > 1 {
		c.count("attempts_after_the_first", 1)
	}
	return c.add(r, item{
		job: c.jobOf(r.text(at.job)), count: 1, cpu: cpu, memory: memory,
		machine: c.placedOn(r, at.machine), submit: from, start: from, end: ended(r.text(at.state), from, to),
		priority: rankBatch,
	})
}

// takeContainer takes one sight of a container. The first row is its beginning as far as it is
// known, and the first row that says "stopped" is the latest moment of its end.
func takeContainer(c *collection, r *row) error {
	const ( // columns of the table
		colContainerID = 0
		colMachineID   = 1
		colTimeStamp   = 2
		colStatus      = 4
		colCPURequest  = 5
		colMemSize     = 7
	)
	at, err := r.seconds(colTimeStamp)
	if err != nil {
		return err
	}
	cpu, err := r.amount(colCPURequest, 1)
	if err != nil {
		return err
	}
	memory, err := r.amount(colMemSize, 4)
	if err != nil {
		return err
	}
	c.span(at)
	d, stopped := c.dag(), r.text(colStatus) == "stopped"
	c.state(r.text(colStatus))
	if c.jobOf(r.text(colContainerID)); c.skips() {
		return nil
	}
	if n, known := d.containers[r.text(colContainerID)]; known {
		c.leave("seen_again", "later sights of a container that a row above describes")
		if n < 0 {
			return nil
		}
		if it := &c.items[n]; stopped && (it.end == unknown || at < it.end) {
			it.end = at
		} else if !stopped && at < it.submit {
			it.submit, it.start = at, at
		}
		return nil
	}
	d.containers[r.text(colContainerID)] = -1
	c.size++
	if stopped {
		c.leave("stopped_first", "containers that had stopped before they were seen")
		return nil
	}
	n := len(c.items)
	err = c.add(r, item{
		job: c.jobOf(r.text(colContainerID)), count: 1, cpu: cpu, memory: memory, machine: c.placedOn(r, colMachineID),
		submit: at, start: at, end: unknown, priority: rankServe, class: workload.Production,
	})
	if err == nil && len(c.items) > n {
		d.containers[r.text(colContainerID)] = n
		c.count("containers", 1)
	}
	return err
}

// endAlibaba makes tasks wait for the end of their predecessors, and drops tasks whose
// instances are there.
func (c *collection) endAlibaba() error {
	d := c.dag()
	never := int64(0)
	for name := range d.idle {
		if _, known := c.byName[name]; !known {
			never++
		}
	}
	c.count("machines_never_in_use", never)
	if len(d.containers) > 0 {
		c.stated = append(c.stated,
			"rows of container_meta are sights of containers: an end is the first sight of a stopped one, which is the latest moment at which it can have ended")
	}
	if c.data.name == "alibaba2018" {
		if edges := c.order(d.tasks, false); edges > 0 {
			c.stated = append(c.stated,
				fmt.Sprintf(
					"dependencies that stand in the names of tasks: %d; a task arrives when the last of its predecessors ended in the trace, and runs from then to its end", edges,
				))
		}
	}
	if len(d.requests) > 0 {
		c.stated = append(c.stated,
			"batch_task says what instances ask for, and the rows of batch_instance are played: its starts are those of machines, so nothing waits for predecessors")
	}
	return nil
}
