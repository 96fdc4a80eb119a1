package jobtable

import (
	"strconv"

	"parley/core/trace/swf"
	"parley/core/unit"
)

// gpusOfNode is the number of GPUs of an assumed node: that of most nodes in public logs of GPU
// jobs.
const gpusOfNode = 8

// assume chooses the machine: as the mapping says, else as many processors as the table
// shows in use at once, or would if no job had waited, or as its largest job.
func (s *Source) assume(peak int64, unwaited bool) {
	m := &s.summary
	machine := swf.Machine{Processors: max(m.LargestJob, peak), PerNode: 1, From: "the largest job"}
	if peak > m.LargestJob {
		machine.From = "the most that were in use at once"
	}
	if unwaited && peak > m.LargestJob {
		machine.From = "the most that would be in use at once if no job waited, since the table has no starts"
	}
	if s.plan.gpus && machine.Processors > gpusOfNode {
		machine.Processors = (machine.Processors + gpusOfNode - 1) / gpusOfNode * gpusOfNode
		machine.PerNode = gpusOfNode
		machine.From += ", in nodes of 8 GPUs; another machine is said as in --map 'machine=16x4'"
	}
	if p := s.plan; p.mapping.nodes > 0 {
		machine = swf.Machine{
			Processors: p.mapping.nodes * p.mapping.perNode, PerNode: p.mapping.perNode,
			From: "the mapping",
		}
	}
	machine.PerNode = max(machine.PerNode, (machine.Processors+maxNodes-1)/maxNodes)
	machine.Nodes = (machine.Processors + machine.PerNode - 1) / machine.PerNode
	m.Machine = machine
	s.report.Notes = append(s.report.Notes, machine.String())
	if s.summary.origin > 0 {
		s.report.Notes = append(s.report.Notes, "submit times are since 1970: they are counted from the first job's, "+
			strconv.FormatInt(int64(s.summary.origin/unit.Second), 10)+" s")
	}
}

// maxNodes limits the nodes of an assumed machine: as many as a picture has.
const maxNodes = 100_000
