package google2011

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
)

// kind is what a column holds.
type kind uint8

const (
	moment  kind = iota // microseconds; 2^63-1 is after the end of the trace
	number              // a whole number up to the column's limit
	share               // a fraction of the largest machine
	real                // another decimal number
	text                // a hash, or a plain word or number
	comment             // text that nothing is read from
)

type column struct {
	name  string
	kind  kind
	must  bool
	limit uint64 // of a number
}

// tableID says which of the trace's tables a file belongs to. Rows of one
// moment are taken in this order: a machine is there before its attributes, a
// constraint before the task it belongs to, a task before its usage.
type tableID uint8

const (
	machineEvents tableID = iota
	machineAttributes
	taskConstraints
	taskEvents
	taskUsage
	jobEvents // read only for the report
	tables    // how many there are
)

// none stands where a file is of no table.
const none = tables

func (t tableID) String() string { return schema[t].name }

const (
	anyID    = math.MaxUint64
	anyIndex = math.MaxUint32
)

// schema is schema.csv of clusterdata-2011-2.
var schema = [tables]struct {
	name    string
	columns []column
	least   int // version 2.0 lacks the columns from here on
}{
	machineEvents: {name: "machine_events", columns: []column{
		{"time", moment, true, 0},
		{"machine ID", number, true, anyID},
		{"event type", number, true, 2},
		{"platform ID", text, false, 0},
		{"CPUs", share, false, 0},
		{"memory", share, false, 0},
	}},
	machineAttributes: {name: "machine_attributes", columns: []column{
		{"time", moment, true, 0},
		{"machine ID", number, true, anyID},
		{"attribute name", text, true, 0},
		{"attribute value", text, false, 0},
		{"attribute deleted", number, true, 1},
	}},
	taskConstraints: {name: "task_constraints", columns: []column{
		{"time", moment, true, 0},
		{"job ID", number, true, anyID},
		{"task index", number, true, anyIndex},
		{"comparison operator", number, true, 3},
		{"attribute name", text, true, 0},
		{"attribute value", text, false, 0},
	}},
	taskEvents: {name: "task_events", columns: []column{
		{"time", moment, true, 0},
		{"missing info", number, false, 2},
		{"job ID", number, true, anyID},
		{"task index", number, true, anyIndex},
		{"machine ID", number, false, anyID},
		{"event type", number, true, 8},
		{"user", text, false, 0},
		{"scheduling class", number, false, 3},
		{"priority", number, true, math.MaxUint8},
		{"CPU request", share, false, 0},
		{"memory request", share, false, 0},
		{"disk space request", share, false, 0},
		{"different-machine constraint", number, false, 1},
	}},
	taskUsage: {name: "task_usage", least: 19, columns: []column{
		{"start time", moment, true, 0},
		{"end time", moment, true, 0},
		{"job ID", number, true, anyID},
		{"task index", number, true, anyIndex},
		{"machine ID", number, false, anyID},
		{"CPU rate", share, false, 0},
		{"canonical memory usage", share, false, 0},
		{"assigned memory usage", real, false, 0},
		{"unmapped page cache", real, false, 0},
		{"total page cache", real, false, 0},
		{"maximum memory usage", real, false, 0},
		{"disk I/O time", real, false, 0},
		{"local disk space usage", real, false, 0},
		{"maximum CPU rate", real, false, 0},
		{"maximum disk I/O time", real, false, 0},
		{"cycles per instruction", real, false, 0},
		{"memory accesses per instruction", real, false, 0},
		{"sample portion", real, false, 0},
		{"aggregation type", number, false, 1},
		{"sampled CPU usage", real, false, 0},
	}},
	jobEvents: {name: "job_events", columns: []column{
		{"time", moment, true, 0},
		{"missing info", number, false, 2},
		{"job ID", number, true, anyID},
		{"event type", number, true, 8},
		{"user", text, false, 0},
		{"scheduling class", number, false, 3},
		{"job name", comment, false, 0},
		{"logical job name", comment, false, 0},
	}},
}

// row is one row's columns as numbers: moments in microseconds, shares in
// millionths. A text's number is its length. Where has says no, a column is
// empty and its number 0.
type row struct {
	has    uint32 // a bit for each column
	values [20]uint64
}

func (r *row) holds(column int) bool          { return r.has>>column&1 != 0 }
func (r *row) time() unit.Time                { return unit.Time(r.values[0]) }
func (r *row) share(column int) unit.Share    { return unit.Share(r.values[column]) }
func (r *row) vec(cpu, memory int) unit.Vec   { return unit.Vec{r.share(cpu), r.share(memory)} }
func (r *row) holdsBoth(cpu, memory int) bool { return r.holds(cpu) && r.holds(memory) }
func (r *row) code(column int) uint8          { return uint8(r.values[column]) }
func (r *row) afterTheEnd() bool              { return r.time() == unit.Forever }
func (r *row) index(column int) uint32        { return uint32(r.values[column]) }

// trouble is what breaks a row.
type trouble struct {
	column int // -1: the whole row
	why    string
}

// parse reads fields as a row of table t.
func (r *row) parse(t tableID, fields *trace.Fields) (trouble, bool) {
	columns := schema[t].columns
	if !t.hasColumns(fields.Len()) {
		return wrongColumns(t, fields), false
	}
	r.has = 0
	for i := range fields.Len() {
		c, f := &columns[i], fields.At(i)
		if len(f) == 0 {
			if c.must {
				return trouble{i, trace.WhyEmpty}, false
			}
			r.values[i] = 0
			continue
		}
		r.has |= 1 << i
		n, why := c.parse(f)
		if why != "" {
			return trouble{i, why}, false
		}
		r.values[i] = n
	}
	return trouble{}, true
}

// hasColumns reports whether rows of t may have n columns.
func (t tableID) hasColumns(n int) bool {
	return n == len(schema[t].columns) || schema[t].least > 0 && n == schema[t].least
}

// parse returns what stands in a column as a number, or why it cannot.
func (c *column) parse(field []byte) (n uint64, why string) {
	switch c.kind {
	case moment:
		return trace.Whole(field, math.MaxInt64)
	case number:
		n, why := trace.Whole(field, c.limit)
		if why == trace.WhyLarge && c.limit <= math.MaxUint8 {
			why = "is not between 0 and " + strconv.FormatUint(c.limit, 10)
		}
		return n, why
	case share:
		s, why := trace.Share(field)
		return uint64(s), why
	case real:
		return trace.Decimal(field, 0)
	case text:
		if bytes.IndexByte(field, '"') >= 0 {
			why = "has a quotation mark, and this format is written without"
		}
	}
	return uint64(len(field)), why
}

// wrongColumns says where a row with a wrong number of columns first goes
// wrong: there one was left out or put in, or somewhere before.
func wrongColumns(t tableID, fields *trace.Fields) trouble {
	columns := schema[t].columns
	count := "the row should have the " + strconv.Itoa(len(columns)) + " columns of " + t.String() +
		" and has " + strconv.Itoa(fields.Len())
	for i := range min(fields.Len(), len(columns)) {
		why := trace.WhyEmpty
		if f := fields.At(i); len(f) > 0 {
			_, why = columns[i].parse(f)
		} else if !columns[i].must {
			continue
		}
		if why != "" {
			return trouble{i, why + ": " + count}
		}
	}
	if fields.Len() < len(columns) {
		return trouble{fields.Len(), "is missing: " + count}
	}
	return trouble{-1, strings.TrimPrefix(count, "the row ")}
}
