package jobtable

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"parley/core/trace"
	"parley/core/trace/swf"
	"parley/core/unit"
)

// Summary summarises the rows of a table. It is the summary of a report.
type Summary struct {
	Table        string      `json:"table"`
	Mapping      string      `json:"mapping,omitempty"` // as it was understood
	Machine      swf.Machine `json:"machine_assumed"`
	Jobs         int64       `json:"jobs"` // that can be played
	Steps        int64       `json:"steps"`
	Again        int64       `json:"repeated_rows,omitempty"` // the same run as a row above
	OtherRecords int64       `json:"records_of_other_events,omitempty"`
	Cached       int64       `json:"cached,omitempty"` // with the result of an earlier run
	NotEnded     int64       `json:"not_ended"`
	Cancelled    int64       `json:"cancelled_before_start"`
	NeverRan     int64       `json:"never_ran"`
	NoProcessors int64       `json:"without_processors"`
	NoSubmission int64       `json:"without_submission"`
	Late         int64       `json:"late"`
	Larger       int64       `json:"larger_than_machine"`
	LeftOut      int64       `json:"rows_left_out"` // by trace.Options.EveryJob
	// requested time unknown: the run time is known beforehand
	EstimateFromRun int64 `json:"estimate_from_run_time"`
	// ran beyond the requested time; the run is cut there
	KilledAtLimit    int64 `json:"killed_at_limit"`
	Unpreceded       int64 `json:"preceding_job_not_played,omitempty"`
	AnyOf            int64 `json:"dependency_on_any_of_several,omitempty"`
	UnreadDependency int64 `json:"dependency_not_played,omitempty"`
	Nameless         int64 `json:"singleton_without_name,omitempty"`
	PartsJoined      int64 `json:"components_joined,omitempty"` // of heterogeneous jobs
	PartsUneven      int64 `json:"components_of_different_run_times,omitempty"`
	PartsApart       int64 `json:"components_started_apart,omitempty"`
	Partly           int64 `json:"nodes_shared_with_own_user,omitempty"`
	OutOfOrder       int64 `json:"out_of_order"` // submitted before the row above; sorted
	EarlyStarts      int64 `json:"start_before_submission"`
	// a time is in an hour that the clock shows twice
	ShownTwice int64            `json:"clock_shown_twice,omitempty"`
	Skipped    int64            `json:"clock_skipped,omitempty"` // or in one that it leaves out
	States     map[string]int64 `json:"states,omitempty"`
	LargestJob int64            `json:"largest_job_processors"`
	GPUHours   float64          `json:"gpu_hours,omitempty"` // of a table of GPU jobs
	// that one job asks for; memory is not played
	MaxMemory unit.Bytes       `json:"max_memory_bytes,omitempty"`
	Users     int              `json:"users_with_names,omitempty"`
	Named     named            `json:"names,omitzero"`
	people    [4]list          // users, groups, queues and QOS with names
	dependent int64            // jobs that wait for others, or for their name
	throttles map[uint64]int32 // by the number of the array
	parts     map[uint64]parts // heterogeneous jobs, by their number
	origin    unit.Time        // the zero of submissions
	of        reading
}

// named are the numbers that names stand for in a run, of the first thousand each.
type named struct {
	Users  map[string]uint32 `json:"users,omitempty"`
	Groups map[string]uint32 `json:"groups,omitempty"`
	Queues map[string]uint32 `json:"queues,omitempty"`
	QOS    map[string]uint32 `json:"qos,omitempty"`
}

// list is the names of users, groups, queues or QOS, in the order in which they appear.
type list struct {
	names   []string
	numbers []uint32
}

// maxNamed limits the names that a summary lists.
const maxNamed = 1000

// name keeps the names of a table.
func (m *Summary) name(people [4]*people) {
	for i, into := range []*map[string]uint32{&m.Named.Users, &m.Named.Groups, &m.Named.Queues, &m.Named.QOS} {
		l := list{names: slices.SortedFunc(maps.Keys(people[i].index),
			func(a, b string) int { return cmp.Compare(people[i].index[a], people[i].index[b]) })}
		for _, name := range l.names {
			number := people[i].index[name]
			if l.numbers = append(l.numbers, number); len(*into) < maxNamed {
				if *into == nil {
					*into = map[string]uint32{}
				}
				(*into)[name] = number
			}
		}
		m.people[i] = l
	}
	m.Users = len(m.people[0].names)
}

// reading holds the options on which the result of a whole reading depends.
type reading struct {
	mapping           mapping
	skipBad           bool
	listBad, maxTasks int
}

// count counts a row by its state and by why it is left out.
func (m *Summary) count(j *job) {
	if n := m.left(j.reason); n != nil {
		*n++
	}
	if j.reason == step || j.reason == again {
		return
	}
	if j.depends != "" && j.reason == played {
		m.dependent++
	}
	if j.throttle > 0 && len(m.throttles) < maxSeen {
		if m.throttles == nil {
			m.throttles = map[uint64]int32{}
		}
		m.throttles[j.number] = j.throttle
	}
	if j.state != "" && (len(m.States) < 50 || m.States[j.state] > 0) {
		m.States[j.state]++
	}
	if j.start >= 0 && j.submit >= 0 && j.start < j.submit {
		m.EarlyStarts++
	}
	m.MaxMemory = max(m.MaxMemory, j.memory)
}

// left returns the count of a reason; nil for a job that is played.
func (m *Summary) left(why reason) *int64 {
	return [reasons]*int64{
		step: &m.Steps, again: &m.Again, otherRecord: &m.OtherRecords, cached: &m.Cached, notEnded: &m.NotEnded,
		cancelled: &m.Cancelled, neverRan: &m.NeverRan, noProcessors: &m.NoProcessors, noSubmission: &m.NoSubmission,
	}[why]
}

// leftOut counts the rows that are not jobs that ran, by reason.
func (m *Summary) leftOut() string {
	t := trace.Tally{Of: "rows"}
	m.tell(&t, m.GPUHours > 0)
	text := ""
	for _, c := range t.LeftOut {
		if text != "" {
			text += "; "
		}
		text += c.About + ": " + strconv.FormatInt(c.Count, 10)
	}
	return text
}

// tell adds the rows left out and the decisions to a tally. gpus means that processors are GPUs.
func (m *Summary) tell(t *trace.Tally, gpus bool) {
	t.LeaveOut("steps", "steps of jobs that have a row of their own", m.Steps)
	t.LeaveOut("repeated_rows", "the same run as a row above (id, submission, start and end are equal)", m.Again)
	t.LeaveOut("other_records", "records of other events than the end of a run, such as a job that was queued",
		m.OtherRecords)
	t.LeaveOut("cached", "cached: their results are those of an earlier run", m.Cached)
	t.LeaveOut("every_job", "not among the one of every few jobs that is kept", m.LeftOut)
	t.LeaveOut("not_ended", "still wait or run", m.NotEnded)
	t.LeaveOut("cancelled_before_start", "cancelled before they started", m.Cancelled)
	t.LeaveOut("never_ran", "never ran (run time 0 or unknown)", m.NeverRan)
	none := "without processors"
	if gpus {
		none = "without GPUs"
	}
	t.LeaveOut("without_processors", none, m.NoProcessors)
	t.LeaveOut("without_submission", "without a time of submission", m.NoSubmission)
	t.LeaveOut("late", "submitted more than ten years after the beginning", m.Late)
	t.LeaveOut("larger_than_machine", "larger than the machine", m.Larger)
	t.Repair("estimate_from_run_time", "requested time unknown, the run time is the estimate", m.EstimateFromRun)
	t.Repair("killed_at_limit", "ran beyond the requested time, killed there", m.KilledAtLimit)
	t.Repair("preceding_job_not_played", "name a preceding job that is not played before them: they wait for none",
		m.Unpreceded)
	t.Repair("dependency_on_any_of_several",
		"depend on one of several jobs (?): this is not played, they wait for none", m.AnyOf)
	t.Repair("dependency_not_played", "have a dependency of which a part is not played: they do not wait for that part",
		m.UnreadDependency)
	t.Repair("singleton_without_name",
		"are singletons, and no column has their name: they do not wait for other jobs of it", m.Nameless)
	t.Repair("components_joined", "components of heterogeneous jobs, joined into jobs whose parts start together",
		m.PartsJoined)
	t.Repair("components_of_different_run_times",
		"heterogeneous jobs whose components ran for different times: all hold their processors as long as the longest",
		m.PartsUneven)
	t.Repair("components_started_apart",
		"components of a heterogeneous job that were not submitted and started together: jobs of their own",
		m.PartsApart)
	t.Repair("nodes_shared_with_own_user",
		"share their nodes only with jobs of their user or the like: this is not played, they share them with all",
		m.Partly)
	t.Repair("clock_shown_twice",
		"a time is in an hour that the clock of the zone shows twice: read so that the times are in order and the run time fits, else as the first of the two", m.ShownTwice)
	t.Repair("clock_skipped",
		"a time is in an hour that the clock of the zone leaves out: read as if it had not been put forward yet",
		m.Skipped)
	t.Repair("out_of_order", "submitted before the row above, sorted", m.OutOfOrder)
}

// load counts the processors that jobs held, minute by minute, according to the table.
type load struct {
	origin  int64 // minutes since 1970
	changes []int64
}

// maxMinutes limits the minutes that are counted: ten years.
const maxMinutes = int64(longest / unit.Minute)

func (l *load) add(at unit.Time, change int64) {
	m := int64(at / unit.Minute)
	if len(l.changes) == 0 {
		l.origin = m - 7*24*60 // rows may be a week out of order
	}
	if m -= l.origin; m < 0 || m >= maxMinutes {
		return
	}
	if m >= int64(len(l.changes)) {
		l.changes = append(l.changes, make([]int64, m+1-int64(len(l.changes)))...)
	}
	l.changes[m] += change
}

// peak returns the most processors that were held at the end of a minute.
func (l *load) peak() (largest int64) {
	held := int64(0)
	for _, c := range l.changes {
		held += c
		largest = max(largest, held)
	}
	return largest
}
