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
	if v > maxAmount*1000 {
		return 0, r.bad(column, trace.ReasonLarge)
	}
	return v, nil
}

// takeGWFWorkflow reads a task of a workflow with the tasks before it; -1 means none. It takes the used processors,
// or the requested ones if these are unknown.
func takeGWFWorkflow(c *collection, r *row) error {
	const ( // columns of the table
		colWorkflowID   = 0
		colJobID        = 1
		colSubmitTime   = 2 // s
		colRunTime      = 3 // s
		colProcessors   = 4
		colRequested    = 5 // processors
		colDependencies = 6
	)
	var v [colDependencies]int64 // times in microseconds
	var err error
	for i := colSubmitTime; i <= colRequested; i++ {
		places := 6
		if i >= colProcessors {
			places = 0
		}
		if v[i], err = r.orMinus(i, places); err != nil {
			return err
		}
	}
	at := unit.Time(v[colSubmitTime])
	c.span(at)
	if at < c.above {
		c.count("submitted_before_the_row_above", 1)
	}
	c.above = at
	before := strings.Fields(r.text(colDependencies))
	if !r.has(colDependencies) || len(before) > 0 && before[0] == "-1" {
		before = nil
	}
	processors := v[colProcessors]
	if processors <= 0 {
		processors = v[colRequested]
	}
	return c.follow(r, c.workflow(r.text(colWorkflowID)), r.text(colJobID), before,
		item{job: c.jobOf(r.text(colJobID)), submit: at, start: unknown}, v[colRunTime], processors)
}

// takeGWFJob reads a job of the columns of SWF's kind. Parts of workflows in this table name no predecessors, so
// they are played as jobs alone.
func takeGWFJob(c *collection, r *row) error {
	const ( // columns of the table
		colJobID        = 0
		colSubmitTime   = 1 // s
		colWaitTime     = 2 // s
		colRunTime      = 3 // s
		colProcessors   = 4
		colRequested    = 7 // processors
		colLimit        = 8 // s
		colStatus       = 10
		colUserID       = 11
		colJobStructure = 18
	)
	var v [colStatus + 1]int64 // times in microseconds
	var err error
	for i := range v {
		places := 0
		if i == colSubmitTime || i == colWaitTime || i == colRunTime || i == colLimit {
			places = 6
		}
		if v[i], err = r.orMinus(i, places); err != nil {
			return err
		}
	}
	at := unit.Time(v[colSubmitTime])
	c.span(at)
	c.state(map[string]string{"0": "failed", "1": "completed", "5": "cancelled"}[r.text(colStatus)])
	it := item{job: c.jobOf(r.text(colJobID)), submit: at, start: unknown}
	if v[colWaitTime] > 0 {
		it.start = at + unit.Time(v[colWaitTime])
	}
	if v[colLimit] > 0 {
		it.limit = unit.Time(v[colLimit])
	}
	if r.has(colUserID) && r.text(colUserID) != "-1" {
		it.user = c.userOf(r.text(colUserID))
	}
	if s := r.text(colJobStructure); r.has(colJobStructure) && s != "UNITARY" && s != "-1" {
		c.count("parts_of_workflows_played_alone", 1)
	}
	processors := v[colProcessors]
	if processors <= 0 {
		processors = v[colRequested]
	}
	return c.ran(r, it, v[colRunTime], processors)
}

// endGWF delays the jobs of workflows until their predecessors would have ended, and reports it.
func (c *collection) endGWF() error {
	if w, are := c.extra.(*workflows); are {
		if edges := c.order(w.tasks, true); edges > 0 {
			c.stated = append(c.stated,
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
	const ( // columns of the table
		colID                      = 0
		colSubmit                  = 1
		colRuntime                 = 2
		colWorkflowID              = 3
		colResourceAmountRequested = 4
		colParents                 = 5
		colUserID                  = 6
	)
	at, err := r.moment(colSubmit, unit.Millisecond)
	if err != nil {
		return err
	}
	run, err := r.orMinus(colRuntime, 3)
	if err != nil {
		return err
	}
	amount, err := r.orMinus(colResourceAmountRequested, 3)
	if err != nil {
		return err
	}
	c.span(at)
	before := listed(r.text(colParents))
	if !r.has(colParents) {
		before = nil
	}
	it := item{job: c.jobOf(r.text(colID)), submit: at, start: unknown}
	if r.has(colUserID) {
		it.user = c.userOf(r.text(colUserID))
	}
	return c.follow(r, c.workflow(r.text(colWorkflowID)), r.text(colID), before, it, run, max(1, (amount+999)/1000))
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

const reasonLate = "submitted more than ten years after the beginning"

// longestRun limits the run of a job, and the span of a trace: ten years.
const longestRun = 3650 * unit.Day
