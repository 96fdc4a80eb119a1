package central

import (
	"fmt"

	"parley/core/batch/device"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// show assigns devices to a job that was just placed: on each of its nodes the lowest free ones, as many
// as its part has. It is for display alone, because to the policies all GPUs of a node are alike.
func (s *gangScheduler) show(id unit.JobID) {
	job, _ := s.env.View.Job(id)
	for _, p := range job.Parts {
		s.holdings.TakeWhole(int(id.Slot()), int(p.Node), int(p.Processors))
	}
	s.holdings.Paint(int(id.Slot()))
}

// head returns the job that the queue would start next, and the number of GPUs that it requests; 0
// GPUs if none waits.
func (s *gangScheduler) head() (id unit.JobID, gpus int32) {
	if h, waits := s.site.Head(); waits {
		if job, alive := s.env.View.Job(s.byHandle[h]); alive {
			return s.byHandle[h], job.Processors
		}
	}
	return 0, 0
}

// uses returns which nodes the head of the queue could use as they are; all if no job waits.
func (s *gangScheduler) uses(gpus int32) func(n int) bool {
	if gpus == 0 {
		return func(int) bool { return true }
	}
	return s.place.Uses(s.site.Nodes(), gpus)
}

// present counts the GPUs that are idle now, and for whom.
type present struct {
	up, idle, useless, limit int32     // GPUs; most: the largest number idle on one node
	head                     int32     // GPUs that the head of the queue asks for; 0: no job waits
	waited                   unit.Time // of the head since its submission
}

// present counts the idle GPUs of now. useless are those on nodes that the head of the queue could not
// use; all are useful if no job waits.
func (s *gangScheduler) present() (p present) {
	id, gpus := s.head()
	if p.head = gpus; gpus > 0 {
		job, _ := s.env.View.Job(id)
		p.waited = s.env.Clock.Now() - job.Submitted
	}
	uses := s.uses(gpus)
	for n, node := range s.site.Nodes() {
		free := max(0, node.Free)
		p.up, p.idle, p.limit = p.up+node.Total, p.idle+free, max(p.limit, free)
		if !uses(n) {
			p.useless += free
		}
	}
	return p
}

// DeviceLayer implements system.DeviceSource.
func (s *gangScheduler) DeviceLayer() frame.Layer {
	return frame.Layer{
		ID: unit.CPU.String(), Name: "GPUs held", Unit: "share of the node", Devices: "GPU",
		About: "How many of its GPUs jobs hold. In larger cells each square is a GPU: filled, a job holds it, and the GPUs of a job have one colour and mark; outlined, it is idle; hatched, it is idle and of no use to the job that heads the queue, which finds no place on its node.",
	}
}

// FillDevices implements system.DeviceSource. A part that no job holds is idle, useless for the head of
// the queue, or failed if the node is down. At most maxDevices of a node are drawn.
func (s *gangScheduler) FillDevices(d *frame.Devices, nodes int) {
	d.Of, d.Parts = d.Of[:0], d.Parts[:0]
	_, gpus := s.head()
	uses := s.uses(gpus)
	for n := range nodes {
		up := s.env.View.Up(unit.NodeID(n))
		devices := s.holdings.Devices(n)
		devices = devices[:min(len(devices), maxDevices)]
		d.Of = append(d.Of, uint8(len(devices)))
		for _, holds := range devices {
			left := uint16(frame.Whole)
			for _, h := range holds {
				d.Parts = append(d.Parts, frame.Part{
					Owner: uint32(h.Job) + 1, Share: uint16(h.Milli), Kind: frame.Held,
					Colour: s.holdings.Colour(h.Job),
				})
				left -= uint16(h.Milli)
			}
			if left == 0 {
				continue
			}
			idle := frame.Part{Share: left}
			switch {
			case !up:
				idle.Kind = frame.Failed
			case !uses(n):
				idle.Kind = frame.Useless
			}
			d.Parts = append(d.Parts, idle)
		}
	}
}

// maxDevices is how many devices of a node are drawn.
const maxDevices = 64

// NameJob implements system.NodeFactSource.
func (s *gangScheduler) NameJob(id unit.JobID) (name string, decided bool) {
	job, _ := s.env.View.Job(id)
	return fmt.Sprintf("job %d", job.Key.Job), false
}

// NodeFacts implements system.NodeFactSource: who holds each GPU, GPUs in a row together.
func (s *gangScheduler) NodeFacts(n unit.NodeID) (facts []system.Fact) {
	devices := s.holdings.Devices(int(n))
	for from, to := 0, 0; from < len(devices); from = to {
		for to = from + 1; to < len(devices) && holder(devices[to]) == holder(devices[from]); to++ {
		}
		name := fmt.Sprintf("GPU %d", from)
		if to-from > 1 {
			name = fmt.Sprintf("GPUs %d–%d", from, to-1)
		}
		facts = append(facts, system.Fact{Name: name, Value: s.describeHolder(n, devices[from])})
	}
	return facts
}

// describeHolder returns who holds a device of a node, or why no job does.
func (s *gangScheduler) describeHolder(n unit.NodeID, holds []device.Hold) string {
	if len(holds) == 0 {
		head, gpus := s.head()
		switch {
		case !s.env.View.Up(n):
			return "down"
		case s.uses(gpus)(int(n)):
			return "idle"
		}
		name, _ := s.NameJob(head)
		return fmt.Sprintf("idle, of no use to %s, which needs %d", name, gpus)
	}
	id := s.byHandle[s.jobs[holds[0].Job].handle]
	name, _ := s.NameJob(id)
	return name
}

// holder returns the job that holds a device; -1: no job does.
func holder(holds []device.Hold) int {
	if len(holds) == 0 {
		return -1
	}
	return holds[0].Job
}
