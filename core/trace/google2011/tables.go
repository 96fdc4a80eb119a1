package google2011

import (
	"math"

	"parley/core/trace/table"
	"parley/core/unit"
)

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

const anyIndex = math.MaxUint32

// schema is schema.csv of clusterdata-2011-2.
var schema = []*table.Table{
	machineEvents: {Name: "machine_events", Comma: ',', Rank: int(machineEvents), Columns: []table.Column{
		{Name: "time", Other: "timestamp", Kind: table.Moment, Must: true},
		{Name: "machine ID", Kind: table.Number, Must: true},
		{Name: "event type", Other: "event eventtypes", Kind: table.Number, Must: true, Limit: 2},
		{Name: "platform ID", Kind: table.Text, Word: true},
		{Name: "CPUs", Other: "cpu cpucapacity capacitycpu capacitycpus", Kind: table.Share},
		{Name: "memory", Other: "ram memorycapacity capacitymemory", Kind: table.Share},
	}},
	machineAttributes: {Name: "machine_attributes", Comma: ',', Rank: int(machineAttributes), Columns: []table.Column{
		{Name: "time", Other: "timestamp", Kind: table.Moment, Must: true},
		{Name: "machine ID", Kind: table.Number, Must: true},
		{Name: "attribute name", Kind: table.Text, Must: true, Word: true},
		{Name: "attribute value", Kind: table.Text},
		{Name: "attribute deleted", Kind: table.Number, Must: true, Limit: 1},
	}},
	taskConstraints: {Name: "task_constraints", Comma: ',', Rank: int(taskConstraints), Columns: []table.Column{
		{Name: "time", Other: "timestamp", Kind: table.Moment, Must: true},
		{Name: "job ID", Kind: table.Number, Must: true},
		{Name: "task index", Kind: table.Number, Must: true, Limit: anyIndex},
		{Name: "comparison operator", Kind: table.Number, Must: true, Limit: 3},
		{Name: "attribute name", Kind: table.Text, Must: true, Word: true},
		{Name: "attribute value", Kind: table.Text},
	}},
	taskEvents: {Name: "task_events", Comma: ',', Rank: int(taskEvents), Columns: []table.Column{
		{Name: "time", Other: "timestamp", Kind: table.Moment, Must: true},
		{Name: "missing info", Kind: table.Number, Limit: 2},
		{Name: "job ID", Kind: table.Number, Must: true},
		{Name: "task index", Kind: table.Number, Must: true, Limit: anyIndex},
		{Name: "machine ID", Kind: table.Number},
		{Name: "event type", Other: "event eventtypes", Kind: table.Number, Must: true, Limit: 8},
		{Name: "user", Other: "username userid", Kind: table.Text},
		{Name: "scheduling class", Kind: table.Number, Limit: 3},
		{Name: "priority", Kind: table.Number, Must: true, Limit: math.MaxUint8},
		{
			Name: "CPU request", Other: "resourcerequestforcpucores requestedcpu requestcpu cpureq resourcerequestcpu",
			Kind: table.Share,
		},
		{
			Name:  "memory request",
			Other: "ramrequest resourcerequestforram requestedmemory requestmemory memreq resourcerequestram resourcerequestmemory", Kind: table.Share,
		},
		{
			Name: "disk space request", Other: "resourcerequestforlocaldiskspace diskrequest resourcerequestdisk",
			Kind: table.Share,
		},
		{
			Name: "different-machine constraint", Other: "differentmachinesrestriction differentmachines differentmachine",
			Kind: table.Number, Limit: 1,
		},
	}},
	taskUsage: {Name: "task_usage", Comma: ',', Rank: int(taskUsage), MinColumns: 19, Columns: []table.Column{
		{Name: "start time", Kind: table.Moment, Must: true},
		{Name: "end time", Kind: table.Moment, Must: true},
		{Name: "job ID", Kind: table.Number, Must: true},
		{Name: "task index", Kind: table.Number, Must: true, Limit: anyIndex},
		{Name: "machine ID", Kind: table.Number},
		{Name: "CPU rate", Other: "meancpuusagerate cpuusage meancpuusage cpuusagerate", Kind: table.Share},
		{Name: "canonical memory usage", Other: "memoryusage canonicalmemory", Kind: table.Share},
		{Name: "assigned memory usage", Other: "assignedmemory", Kind: table.Real},
		{Name: "unmapped page cache", Kind: table.Real},
		{Name: "total page cache", Kind: table.Real},
		{Name: "maximum memory usage", Kind: table.Real},
		{Name: "disk I/O time", Kind: table.Real},
		{Name: "local disk space usage", Kind: table.Real},
		{Name: "maximum CPU rate", Other: "maximumcpuusage", Kind: table.Real},
		{Name: "maximum disk I/O time", Kind: table.Real},
		{Name: "cycles per instruction", Kind: table.Real},
		{Name: "memory accesses per instruction", Kind: table.Real},
		{Name: "sample portion", Kind: table.Real},
		{Name: "aggregation type", Kind: table.Number, Limit: 1},
		{Name: "sampled CPU usage", Kind: table.Real},
	}},
	jobEvents: {Name: "job_events", Comma: ',', Rank: int(jobEvents), Loose: true, Columns: []table.Column{
		{Name: "time", Other: "timestamp", Kind: table.Moment, Must: true},
		{Name: "missing info", Kind: table.Number, Limit: 2},
		{Name: "job ID", Kind: table.Number, Must: true},
		{Name: "event type", Other: "event eventtypes", Kind: table.Number, Must: true, Limit: 8},
		{Name: "user", Other: "username userid", Kind: table.Text},
		{Name: "scheduling class", Kind: table.Number, Limit: 3},
		{Name: "job name", Kind: table.Comment},
		{Name: "logical job name", Kind: table.Comment},
	}},
}

// idOf returns the table of a part.
func idOf(p *table.Part) tableID { return tableID(p.Table.Rank) }

// afterTheEnd reports whether the trace dates a part's present row after its end.
func afterTheEnd(p *table.Part) bool { return p.Now == unit.Forever }

// amounts returns CPU and memory from two columns.
func amounts(r *table.Row, cpu, memory int) unit.Vec {
	return unit.Vec{unit.CPU: r.Share(cpu), unit.Memory: r.Share(memory)}
}
