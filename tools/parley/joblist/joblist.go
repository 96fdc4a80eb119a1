// Package joblist writes and reads jobs.csv, jobs.parquet and jobs.swf: the jobs of one run.
package joblist

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/run/events"
	"parley/core/trace/packed"
	"parley/core/trace/swf"
	"parley/core/unit"
	"parley/core/workload"
	"parley/tools/parley/console"
)

// The files that a run of rigid jobs leaves beside its report.
const (
	CSV     = "jobs.csv"
	Parquet = "jobs.parquet"
	SWF     = "jobs.swf"
)

// Record is one row of jobs.csv and jobs.parquet. Times are seconds of the run's clock; nil if the
// event did not happen.
type Record struct {
	ID         string // its number, with a suffix if the log has the number more than once
	User       int64
	Group      int64
	Queue      int64
	Submit     float64
	Start      *float64
	End        *float64
	Wait       *float64
	Run        *float64
	Response   *float64
	Slowdown   *float64
	Processors int64
	Nodes      int64
	Requested  float64
	Killed     bool
	Backfilled bool
	Restarts   int64
	State      string
	NodeList   string // such as "0-3 5"
	UserName   string // as the log has them; empty if it has numbers
	GroupName  string
	QueueName  string
	First      *float64 // before it was stopped, if it ever was
	Fairness   *float64 // of gangs of GPUs: finish-time fairness
	Energy     *float64 // with cluster.power
}

// jobColumns are the columns of jobs.csv and jobs.parquet, in the order of jobRecord's fields.
var jobColumns = []packed.Column{
	{Name: "id"},
	{Name: "user", Kind: packed.Whole},
	{Name: "group", Kind: packed.Whole},
	{Name: "queue", Kind: packed.Whole},
	{Name: "submit_s", Kind: packed.Number},
	{Name: "start_s", Kind: packed.Number, Null: true},
	{Name: "end_s", Kind: packed.Number, Null: true},
	{Name: "wait_s", Kind: packed.Number, Null: true},
	{Name: "run_s", Kind: packed.Number, Null: true},
	{Name: "response_s", Kind: packed.Number, Null: true},
	{Name: "bounded_slowdown", Kind: packed.Number, Null: true},
	{Name: "processors", Kind: packed.Whole},
	{Name: "nodes", Kind: packed.Whole},
	{Name: "requested_s", Kind: packed.Number},
	{Name: "killed", Kind: packed.Truth},
	{Name: "backfilled", Kind: packed.Truth},
	{Name: "restarts", Kind: packed.Whole},
	{Name: "state"},
	{Name: "node_list"},
	{Name: "user_name"},
	{Name: "group_name"},
	{Name: "queue_name"},
	{Name: "first_start_s", Kind: packed.Number, Null: true},
	{Name: "fairness", Kind: packed.Number, Null: true},
	{Name: "energy_j", Kind: packed.Number, Null: true},
}

// recordOf returns the row of a job. Figures of events that did not happen are nil.
func recordOf(j *events.JobRow, names *workload.Names) Record {
	r := Record{
		ID: strconv.FormatUint(j.Key.Job, 10), User: int64(j.User), Group: int64(j.Group), Queue: int64(j.Queue),
		Submit: j.Submitted.Seconds(),
		Start:  secondsOf(j.Started), End: secondsOf(j.Ended), Wait: secondsOf(j.Wait()), Run: secondsOf(j.Ran()),
		Processors: int64(j.Processors), Nodes: int64(len(j.Nodes)), Requested: j.Estimate.Seconds(),
		Killed: j.State == events.JobKilled, Backfilled: j.Backfilled, Restarts: int64(j.Restarts),
		State: j.State.String(), NodeList: ranges(j.Nodes),
		UserName: names.LabelOf(workload.OfUsers, j.User), GroupName: names.LabelOf(workload.OfGroups, j.Group),
		QueueName: names.LabelOf(workload.OfQueues, uint32(j.Queue)),
	}
	r.First = secondsOf(j.First)
	if j.Fairness > 0 {
		r.Fairness = &j.Fairness
	}
	if j.Energy > 0 {
		r.Energy = &j.Energy
	}
	if j.Key.Index > 0 {
		r.ID += "-" + strconv.FormatUint(uint64(j.Key.Index), 10)
	}
	if j.Ran() >= 0 {
		slowdown := j.BoundedSlowdown()
		r.Response, r.Slowdown = secondsOf(j.Ended-j.Submitted), &slowdown
	}
	return r
}

func secondsOf(t unit.Time) *float64 {
	if t < 0 {
		return nil
	}
	s := t.Seconds()
	return &s
}

// ranges spells node numbers, which must be sorted, such as "0-3 5".
func ranges(nodes []unit.NodeID) string {
	var b strings.Builder
	for i := 0; i < len(nodes); {
		last := i
		for last+1 < len(nodes) && nodes[last+1] == nodes[last]+1 {
			last++
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Itoa(int(nodes[i])))
		if last > i {
			fmt.Fprintf(&b, "-%d", nodes[last])
		}
		i = last + 1
	}
	return b.String()
}

// cells returns the row as jobs.parquet has it.
func (r *Record) cells() []any {
	return []any{
		r.ID, r.User, r.Group, r.Queue, r.Submit, r.Start, r.End, r.Wait, r.Run, r.Response, r.Slowdown, r.Processors,
		r.Nodes, r.Requested, r.Killed, r.Backfilled, r.Restarts, r.State, r.NodeList, r.UserName, r.GroupName,
		r.QueueName, r.First, r.Fairness, r.Energy,
	}
}

// printed returns the text of a cell in jobs.csv: empty if it is missing.
func printed(cell any) string {
	switch c := cell.(type) {
	case string:
		return c
	case int64:
		return strconv.FormatInt(c, 10)
	case float64:
		return console.Plain(c)
	case *float64:
		if c != nil {
			return console.Plain(*c)
		}
	case bool:
		if c {
			return "1"
		}
		return "0"
	}
	return ""
}

// Files returns the contents of the files about single jobs of a run, by name; nil if it had no rigid job.
func Files(r *run.Run, report run.Report, jobs *events.JobLog) (map[string]string, error) {
	if len(jobs.Rows) == 0 {
		return nil, nil
	}
	var text, table, log bytes.Buffer
	lines := csv.NewWriter(&text)
	rows, err := packed.NewWriter(&table, "parley version "+run.Engine, jobColumns...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Parquet, err)
	}
	row := make([]string, len(jobColumns))
	for i, c := range jobColumns {
		row[i] = c.Name
	}
	_ = lines.Write(row)
	for i := range jobs.Rows {
		record := recordOf(&jobs.Rows[i], r.Names())
		cells := record.cells()
		for i, cell := range cells {
			row[i] = printed(cell)
		}
		_ = lines.Write(escape.CSVRow(row))
		if err := rows.Add(cells...); err != nil {
			return nil, fmt.Errorf("%s: %w", Parquet, err)
		}
	}
	lines.Flush()
	if err := errors.Join(lines.Error(), rows.Close()); err != nil {
		return nil, fmt.Errorf("writing the table of jobs: %w", err)
	}
	if err := writeLog(&log, r, report, jobs); err != nil {
		return nil, fmt.Errorf("%s: %w", SWF, err)
	}
	return map[string]string{CSV: text.String(), Parquet: table.String(), SWF: log.String()}, nil
}

// writeLog writes a run's jobs, with the waits that they had, in the Standard Workload
// Format.
func writeLog(w io.Writer, r *run.Run, report run.Report, jobs *events.JobLog) error {
	m, view := swf.Machine{}, r.View()
	for n := range unit.NodeID(view.Nodes()) {
		if p := view.Processors(n); p > 0 {
			m.Nodes++
			m.Processors += int64(p)
		}
	}
	notes := []string{
		"simulated by Parley " + report.Engine + ", digest " + report.Digest + ", " +
			strconv.FormatFloat(report.SimulatedS, 'f', -1, 64) + " s",
		"system " + report.Scenario.System + ", settings " + string(report.Scenario.Settings),
	}
	for i, name := range r.Names().Labelled(workload.OfQueues) {
		if i == 100 { // a header is read before the jobs
			break
		}
		n, _ := r.Names().Numbered(workload.OfQueues, name)
		notes = append(notes, fmt.Sprintf("queue %d is %s", n, name))
	}
	return swf.Write(w, report.Scenario.Name, m, notes, func(yield func(swf.Job) bool) {
		for i := range jobs.Rows {
			j := &jobs.Rows[i]
			if !yield(swf.Job{
				Number: j.Key.Job, Submit: j.Submitted, Wait: j.Wait(), Run: j.Ran(), Processors: j.Processors,
				Estimate:  j.Estimate,
				Completed: j.State == events.JobCompleted, Cancelled: j.State == events.JobCancelled ||
					j.State == events.JobWaiting, User: j.User, Group: j.Group, Queue: j.Queue,
			}) {
				return
			}
		}
	})
}

// Read reads a table of jobs in CSV, with at least the columns that figures need; columns may be in any order.
// An error names the line and the column. A table without rows is an error.
func Read(name string) ([]Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, console.Unreadable(name, err)
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.ReuseRecord = true
	head, err := lines.Read()
	if err != nil {
		return nil,
			fmt.Errorf(
				"%s is no table of jobs: it has no first line with the names of columns; give a %s that parley run --out wrote", name, CSV,
			)
	}
	at := map[string]int{}
	for i, column := range head {
		at[column] = i
	}
	for _, needed := range []string{"id", "submit_s", "wait_s", "response_s", "bounded_slowdown", "processors"} {
		if _, has := at[needed]; !has {
			return nil, fmt.Errorf("%s is no table of jobs: it has no column %s; give a %s that parley run --out wrote",
				name, needed, CSV)
		}
	}
	var rows []Record
	for {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read as CSV: %w", name, err)
		}
		record, bad := parseJob(at, cells)
		if bad != "" {
			line, _ := lines.FieldPos(at[bad])
			return nil, fmt.Errorf("%s, line %d, column %s: %q is no number", name, line, bad, cells[at[bad]])
		}
		rows = append(rows, record)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no job: give a table with rows", name)
	}
	return rows, nil
}

// parseJob reads the cells of a job; at has the index of each column. A missing or empty cell is nil, 0 or "".
// bad is the first column whose cell is not a number; "" if there is none.
func parseJob(at map[string]int, cells []string) (r Record, bad string) {
	text := func(column string) string {
		if i, has := at[column]; has {
			return cells[i]
		}
		return ""
	}
	number := func(column string) *float64 {
		cell := text(column)
		if cell == "" {
			return nil
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil && bad == "" {
			bad = column
		}
		return &x
	}
	value := func(column string) float64 {
		if x := number(column); x != nil {
			return *x
		}
		return 0
	}
	r = Record{
		ID: strings.Clone(text("id")), User: int64(value("user")), Group: int64(value("group")),
		Queue: int64(value("queue")), Submit: value("submit_s"),
		Start: number("start_s"), End: number("end_s"), Wait: number("wait_s"), Run: number("run_s"),
		Response: number("response_s"), Slowdown: number("bounded_slowdown"),
		Processors: int64(value("processors")), Nodes: int64(value("nodes")), Requested: value("requested_s"),
		Killed: value("killed") != 0, Backfilled: value("backfilled") != 0, Restarts: int64(value("restarts")),
		State: strings.Clone(text("state")), NodeList: strings.Clone(text("node_list")),
	}
	return r, bad
}
