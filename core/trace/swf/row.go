package swf

import (
	"math"

	"parley/core/trace"
	"parley/core/trace/table"
	"parley/core/unit"
)

// The columns that a run needs or a summary counts.
const (
	number = iota
	submit
	wait
	runTime
	allocated
	cpuTime
	usedMemory
	requested
	requestedTime
	requestedMemory
	status
	user
	group
	executable
	queue
	partition
	preceding
	thinkTime
	columns // how many there are
)

// The states of a job that the standard knows.
const (
	failed           = 0
	completed        = 1
	partial          = 2 // to be continued; the row with 0 or 1 sums the job up
	partialCompleted = 3
	partialFailed    = 4
	cancelled        = 5
)

// unknown is what a column is that the log knows nothing of.
const unknown = -1

// longest bounds times: ten years, the longest run there can be.
const longest = 3650 * unit.Day

// mostProcessors bounds what a job or a machine may have: thrice the largest
// machine there is.
const mostProcessors = 1 << 25

// schema returns the table, with its columns as the standard spells them. Of waits
// nothing follows, and a limit may be without limit.
func schema() *table.Table {
	return &table.Table{
		Name: "jobs", Title: "the Standard Workload Format", Comma: trace.Blank, Remark: ';', Minus: true, Mixed: true, Time: submit,
		Columns: []table.Column{
			number:          {Name: "job number", Kind: table.Rounded, Must: true, Limit: math.MaxInt64},
			submit:          {Name: "submit time", Kind: table.Seconds, Must: true, Limit: uint64(longest)},
			wait:            {Name: "wait time", Kind: table.Seconds},
			runTime:         {Name: "run time", Kind: table.Seconds, Limit: uint64(longest)},
			allocated:       {Name: "allocated processors", Kind: table.Rounded, Limit: mostProcessors},
			cpuTime:         {Name: "average CPU time", Kind: table.Rounded},
			usedMemory:      {Name: "used memory", Kind: table.Rounded},
			requested:       {Name: "requested processors", Kind: table.Rounded, Limit: mostProcessors},
			requestedTime:   {Name: "requested time", Kind: table.Seconds},
			requestedMemory: {Name: "requested memory", Kind: table.Rounded},
			status:          {Name: "status", Kind: table.Rounded},
			user:            {Name: "user", Kind: table.Rounded, Limit: math.MaxInt32},
			group:           {Name: "group", Kind: table.Rounded, Limit: math.MaxInt32},
			executable:      {Name: "executable", Kind: table.Rounded},
			queue:           {Name: "queue", Kind: table.Rounded, Limit: math.MaxInt32},
			partition:       {Name: "partition", Kind: table.Rounded},
			preceding:       {Name: "preceding job", Kind: table.Rounded},
			thinkTime:       {Name: "think time", Kind: table.Seconds},
		},
	}
}

// processors returns how many a row's job asks for: as requested or, where that is
// unknown, as it was given.
func processors(r *table.Row) int64 {
	if n := r.Int(requested); n > 0 {
		return n
	}
	return r.Int(allocated)
}
