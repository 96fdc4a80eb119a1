package field

import (
	"fmt"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// gwf is the Grid Workloads Format: 29 columns, or the seven of its workflows.
var gwf = &dataset{
	name: "gwf", title: "the Grid Workloads Format", shape: workload.ShapeJobs,
	lacks:      "open a file with jobs",
	sinceFirst: true,
	assume:     machineKind{cpu: 1_000},
	end:        (*collection).endGWF,
	tables: []*schema{
		table("workflows", "WorkflowID! JobID! SubmitTime=n! RunTime=n! NProcs=n! ReqNProcs=n Dependencies!",
			takeGWFWorkflow),
		table("jobs",
			"JobID=N SubmitTime=n WaitTime=n RunTime=n NProcs=n AverageCPUTimeUsed=n UsedMemory=n ReqNProcs=n ReqTime=n ReqMemory=n Status=n UserID GroupID ExecutableID QueueID PartitionID OrigSiteID LastRunSiteID JobStructure JobStructureParams UsedNetwork UsedLocalDiskSpace UsedResources ReqPlatform ReqNetwork ReqLocalDiskSpace ReqResources VOID ProjectID", takeGWFJob).headless().split(trace.Blank, '#'),
	},
}

// ran adds a rigid job, or says why it is none.
func (c *collection) ran(r *row, it item, run, processors int64) error {
	switch {
	case it.submit == unknown || it.submit < 0:
		c.leave("no_submission", "without a time of submission")
	case run <= 0:
		c.count("run_time_zero_or_unknown", 1)
		c.leave("never_ran", "never ran (run time 0 or unknown)")
	case processors <= 0:
		c.leave("no_processors", "without processors")
	case processors > 1<<20:
		return r.bad(-1, "is a job of more than a million processors")
	default:
		it.count, it.cpu, it.machine = 1, processors*1000, -1
		if it.start == unknown {
			it.end = it.submit + unit.Time(run)
		} else {
			it.end = it.start + unit.Time(run)
		}
		return c.add(r, it)
	}
	return nil
}

// whole returns a number of a log that has -1 if it is not known.
func (r *row) orMinus(column, places int) (int64, error) {
	v, ok, err := r.scaled(column, places)
	if err != nil || !ok || v < 0 {
		return -1, err
	}
	if v > mostAmount*1000 {
		return 0, r.bad(column, trace.WhyLarge)
	}
	return v, nil
}

// takeGWFWorkflow reads a task of a workflow with the tasks before it; -1 means none. It takes the used processors,
// or the requested ones if these are unknown.
func takeGWFWorkflow(c *collection, r *row) error {
	var v [6]int64
	var err error
	for i := 2; i < 6; i++ {
		places := 6
		if i >= 4 {
			places = 0
		}
		if v[i], err = r.orMinus(i, places); err != nil {
			return err
		}
	}
	at := unit.Time(v[2])
	c.span(at)
	if at < c.above {
		c.count("submitted_before_the_row_above", 1)
	}
	c.above = at
	before := strings.Fields(r.text(6))
	if !r.has(6) || len(before) > 0 && before[0] == "-1" {
		before = nil
	}
	processors := v[4]
	if processors <= 0 {
		processors = v[5]
	}
	return c.follow(r, c.workflow(r.text(0)), r.text(1), before,
		item{job: c.jobOf(r.text(1)), submit: at, start: unknown}, v[3], processors)
}

// takeGWFJob reads a job of the columns of SWF's kind. Parts of workflows in this table name no predecessors, so
// they are played as jobs alone.
func takeGWFJob(c *collection, r *row) error {
	var v [11]int64
	var err error
	for i := range v {
		places := 0
		if i == 1 || i == 2 || i == 3 || i == 8 {
			places = 6
		}
		if v[i], err = r.orMinus(i, places); err != nil {
			return err
		}
	}
	at := unit.Time(v[1])
	c.span(at)
	c.state(map[string]string{"0": "failed", "1": "completed", "5": "cancelled"}[r.text(10)])
	it := item{job: c.jobOf(r.text(0)), submit: at, start: unknown}
	if v[2] > 0 {
		it.start = at + unit.Time(v[2])
	}
	if v[8] > 0 {
		it.limit = unit.Time(v[8])
	}
	if r.has(11) && r.text(11) != "-1" {
		it.user = c.userOf(r.text(11))
	}
	if s := r.text(18); r.has(18) && s != "UNITARY" && s != "-1" {
		c.count("parts_of_workflows_played_alone", 1)
	}
	processors := v[4]
	if processors <= 0 {
		processors = v[7]
	}
	return c.ran(r, it, v[3], processors)
}

// endGWF delays the jobs of workflows until their predecessors would have ended, and reports it.
func (c *collection) endGWF() error {
	if w, are := c.extra.(*workflows); are {
		if edges := c.order(w.tasks, true); edges > 0 {
			c.said = append(c.said,
				fmt.Sprintf(
					"dependencies between jobs: %d; a job arrives when it was submitted, or when the last of its predecessors would have ended had none waited, if that is later", edges,
				))
		}
	}
	return nil
}

// wtf is the Workflow Trace Format, written as CSV: tasks of workflows, in milliseconds.
var wtf = &dataset{
	name: "wtf", title: "the Workflow Trace Format", shape: workload.ShapeJobs,
	lacks:      "open the table of tasks",
	sinceFirst: true,
	assume:     machineKind{cpu: 1_000},
	end:        (*collection).endGWF,
	tables: []*schema{
		table("tasks", "id! ts_submit! runtime=n! workflow_id! resource_amount_requested=n parents user_id", takeWTF),
		table("workflows", "id! ts_submit! task_count!", nil),
	},
}

// takeWTF reads a task of a workflow as a job, in milliseconds. Its processors are the requested resources, rounded
// up, at least 1.
func takeWTF(c *collection, r *row) error {
	at, err := r.moment(1, unit.Millisecond)
	if err != nil {
		return err
	}
	run, err := r.orMinus(2, 3)
	if err != nil {
		return err
	}
	amount, err := r.orMinus(4, 3)
	if err != nil {
		return err
	}
	c.span(at)
	before := listed(r.text(5))
	if !r.has(5) {
		before = nil
	}
	it := item{job: c.jobOf(r.text(0)), submit: at, start: unknown}
	if r.has(6) {
		it.user = c.userOf(r.text(6))
	}
	return c.follow(r, c.workflow(r.text(3)), r.text(0), before, it, run, max(1, (amount+999)/1000))
}

// workflows are those of a log, and the order of their jobs.
type workflows struct {
	number map[string]uint64
	tasks  []dagTask
}

func (c *collection) workflows() *workflows {
	if c.extra == nil {
		c.extra = &workflows{number: map[string]uint64{}}
	}
	return c.extra.(*workflows)
}

// workflow returns the number of a workflow by its id.
func (c *collection) workflow(id string) uint64 {
	w := c.workflows()
	n, known := w.number[id]
	if !known {
		n = uint64(len(w.number))
		w.number[id] = n
		c.count("workflows", 1)
		c.size++
	}
	return n
}

// follow adds a job of a workflow that comes after others.
func (c *collection) follow(r *row, workflow uint64, id string, before []string, it item, run, processors int64) error {
	if len(before) > 0 {
		c.count("jobs_with_dependencies", 1)
		c.count("dependencies_of_all_jobs", int64(len(before)))
	}
	n := len(c.items)
	err := c.ran(r, it, run, processors)
	if err == nil && len(c.items) > n {
		w := c.workflows()
		w.tasks = append(w.tasks, dagTask{item: n, job: workflow, id: id, before: before})
		c.size += len(before)
	}
	return err
}

const whyLate = "submitted more than ten years after the beginning"

// longestRun limits the run of a job, and the span of a trace: ten years.
const longestRun = 3650 * unit.Day
