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
	columns // how many the standard has
)

// The columns that Alea and its logs of MetaCentrum add: the nodes of a job, its queue and its
// request for nodes. They are ignored.
const (
	nodesGiven = columns + iota
	queueName
	nodesRequested
	allColumns
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

// unknown marks an absent value.
const unknown = -1

// longest limits times: ten years, the longest run there can be.
const longest = 3650 * unit.Day

// latest limits submissions: those of some logs are counted since 1970.
const latest = uint64(100 * 366 * unit.Day)

// maxProcessors limits the processors of a job or a machine: three times those of the largest
// machine there is.
const maxProcessors = 1 << 25

// schema returns the table, with its columns as the standard spells them. The wait is not used, and
// a limit may have any size.
func schema() *table.Table {
	return &table.Table{
		MinColumns: columns, Exact: true,
		Name: "jobs", Title: "the Standard Workload Format", Comma: trace.Blank, Remark: ';', Minus: true, Mixed: true, Time: submit,
		Columns: []table.Column{
			number:          {Name: "job number", Kind: table.Rounded, Whole: true, Must: true, Limit: math.MaxInt64},
			submit:          {Name: "submit time", Kind: table.Seconds, Must: true, Limit: latest},
			wait:            {Name: "wait time", Kind: table.Seconds},
			runTime:         {Name: "run time", Kind: table.Seconds, Limit: uint64(longest)},
			allocated:       {Name: "allocated processors", Kind: table.Rounded, Whole: true, Limit: maxProcessors},
			cpuTime:         {Name: "average CPU time", Kind: table.Rounded},
			usedMemory:      {Name: "used memory", Kind: table.Rounded},
			requested:       {Name: "requested processors", Kind: table.Rounded, Whole: true, Limit: maxProcessors},
			requestedTime:   {Name: "requested time", Kind: table.Seconds},
			requestedMemory: {Name: "requested memory", Kind: table.Rounded},
			status:          {Name: "status", Kind: table.Rounded, Whole: true},
			user:            {Name: "user", Kind: table.Rounded, Whole: true, Limit: math.MaxInt32},
			group:           {Name: "group", Kind: table.Rounded, Whole: true, Limit: math.MaxInt32},
			executable:      {Name: "executable", Kind: table.Rounded, Whole: true},
			queue:           {Name: "queue", Kind: table.Rounded, Whole: true, Limit: math.MaxInt32},
			partition:       {Name: "partition", Kind: table.Rounded, Whole: true},
			preceding:       {Name: "preceding job", Kind: table.Rounded, Whole: true},
			thinkTime:       {Name: "think time", Kind: table.Seconds},
			nodesGiven:      {Name: "nodes given (of Alea)", Kind: table.Comment},
			queueName:       {Name: "name of the queue (of Alea)", Kind: table.Comment},
			nodesRequested:  {Name: "nodes asked for (of Alea)", Kind: table.Comment},
		},
	}
}

// processors returns how many a row's job asks for: as requested or, if that is
// unknown, as it was given.
func processors(r *table.Row) int64 {
	if n := r.Int(requested); n > 0 {
		return n
	}
	return r.Int(allocated)
}
