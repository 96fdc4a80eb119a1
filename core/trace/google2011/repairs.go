package google2011

// Repairs counts a Source's decisions on the gaps and contradictions of a trace. It is the summary
// of a Source's report.
type Repairs struct {
	// added without a capacity: given their previous one, or the most common one so far
	MachinesGivenCapacity int64 `json:"machines_given_capacity"`
	// known from task events only: of the most common capacity
	MachinesAdded          int64 `json:"machines_added"`
	AddedTwice             int64 `json:"added_twice"`              // machines added while present; read as an update
	RemovedTwice           int64 `json:"removed_twice"`            // machines removed while absent; ignored
	AttributesWithoutNode  int64 `json:"attributes_without_node"`  // of machines that are absent
	TasksGivenRequest      int64 `json:"tasks_given_request"`      // submitted without: the median request
	TasksSubmitted         int64 `json:"tasks_submitted"`          // scheduled or updated before they were submitted
	TaskEventsIgnored      int64 `json:"task_events_ignored"`      // of tasks that were never submitted, or have ended
	SubmittedTwice         int64 `json:"submitted_twice"`          // while alive
	ScheduledTwice         int64 `json:"scheduled_twice"`          // while placed; read as a move
	ScheduledNowhere       int64 `json:"scheduled_nowhere"`        // without a machine; the task goes on waiting
	ScheduledOnAbsent      int64 `json:"scheduled_on_absent"`      // on a machine that is not there
	ConstraintsWithoutTask int64 `json:"constraints_without_task"` // sets of constraints that no task came for
	UsageWithoutTask       int64 `json:"usage_without_task"`       // of tasks that are not alive
	UsageWithoutValue      int64 `json:"usage_without_value"`      // without CPU or memory
	AfterTheEnd            int64 `json:"after_the_end"`            // rows that the trace dates after its end
	EvictedAndResubmitted  int64 `json:"evicted_and_resubmitted"`  // read as one task that waits again
	EvictedForGood         int64 `json:"evicted_for_good"`         // not resubmitted, so ended
	RowsLeftOut            int64 `json:"rows_left_out"`            // of jobs that trace.Options.EveryJob leaves out
}
