package central

import (
	"fmt"
	"slices"
	"strconv"

	"parley/core/batch/device"
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// devicePrefix precedes the policies of package device whose names nodes without devices have too.
const devicePrefix = "gpu-"

// DevicePolicies are the policies that place tasks on parts of GPUs.
var DevicePolicies = func() (all []string) {
	for _, name := range device.PolicyNames() {
		if name != device.FGD.String() {
			name = devicePrefix + name
		}
		all = append(all, name)
	}
	return all
}()

// typicalShare is the part of all tasks that the typical ones make up, as in the study.
const typicalShare = 0.95

// errNoDevices is the answer to a workload without devices.
var errNoDevices = system.Unsupported("the policy places tasks on parts of GPUs, and no node has GPUs: " +
	"open a trace that has some (openb, PAI, a dump of a Kubernetes cluster), or choose best-fit, worst-fit or kube")

// deviceScheduler implements system.System for the policies of package device: a task takes a part
// of one device of its node, or whole ones. CPU and memory must fit by request.
type deviceScheduler struct {
	env          system.Env
	cell         *device.Cell
	supply       *workload.Supply // of devices; nil until the first node comes, or if there is none
	ready        bool
	typicalKnown bool // the typical tasks are known from the workload
	seen         []device.Class
	held         []heldDevices // by the task's slot
	holdings     device.Holdings
	waiting      []deviceWait // the highest priority first, of equals the first that came
	kinds        []waitKind
	kindOf       map[waitKey]int
	came         uint64
	freed        []int // nodes with more room since the latest pass
	due          bool
	suitable     cluster.Suitable
	figures      deviceFigures

	system.Decisions // what Explain returns; empty unless notes are read
}

// heldDevices are the devices of a task's slot.
type heldDevices struct {
	id    unit.TaskID
	class device.Class
	at    device.Spot
	runs  bool
}

// newDeviceScheduler makes the scheduler of a policy of package device. The policy's name must be one of
// DevicePolicies.
func newDeviceScheduler(env system.Env, s *Settings) *deviceScheduler {
	p, _ := device.ParsePolicy(deviceName(s.Policy))
	return &deviceScheduler{env: env, cell: device.NewCell(p, env.Rand("central/devices")), kindOf: map[waitKey]int{}}
}

// deviceName returns the name of a policy in package device.
func deviceName(policy string) string {
	if policy == device.FGD.String() {
		return policy
	}
	return policy[len(devicePrefix):]
}

// On implements system.System. It fails on rigid jobs, and on tasks of a workload without devices.
func (s *deviceScheduler) On(e cluster.Event) error {
	s.figures.pass(s.env.Clock.Now())
	switch e.Kind {
	case cluster.JobSubmitted:
		return errNoJobs
	case cluster.NodeUp, cluster.NodeDown, cluster.NodeChanged:
		s.resize(e.Node)
	case cluster.TaskSubmitted:
		if s.supply == nil {
			return errNoDevices
		}
		s.figures.begun = true
		s.learn(e.Task)
		s.arrive(e.Task)
	case cluster.TaskDisplaced:
		s.release(e.Task)
		s.arrive(e.Task)
	case cluster.TaskEnded:
		s.release(e.Task)
		s.forget(e.Task)
	default:
		return nil
	}
	s.count()
	return nil
}

// begin finds the supply of devices among the workload's names, once. It does nothing until the names
// are known, with the first node.
func (s *deviceScheduler) begin() {
	if s.ready || s.env.Names == nil {
		return
	}
	s.ready = true
	supplies := s.env.Names.Supplies()
	has := func(one workload.Supply) bool { return one.Device > 0 && one.Only == workload.Attribute{} }
	if i := slices.IndexFunc(supplies, has); i >= 0 {
		s.supply = &supplies[i]
	}
}

// resize copies the capacity and devices of a node that came, went or changed into the cell, none if the
// node is down, and lets waiting tasks be tried again.
func (s *deviceScheduler) resize(n unit.NodeID) {
	s.begin()
	v, total := s.env.View, device.Node{}
	if s.env.Names != nil {
		total.Name = s.env.Names.Machine(v.Machine(n))
	}
	if v.Up(n) {
		total.CPU, total.Memory = s.amounts(v.Capacity(n), true)
		if s.supply != nil {
			if has := v.Attribute(n, s.supply.Name); has != workload.Unset {
				total.Free = slices.Repeat([]int32{device.Whole}, int(min(has/s.supply.Device, maxDevices)))
			}
			if len(s.supply.Models) > 0 && int(s.supply.Model) < v.Attributes() {
				total.Model = s.env.Names.ValueText(v.Attribute(n, s.supply.Model))
			}
		}
	}
	s.figures.up += int64(len(total.Free)-s.figures.of(n)) * device.Whole
	s.figures.devices[n] = len(total.Free)
	s.cell.SetNode(int(n), total)
	s.holdings.SetNode(int(n), len(s.cell.Node(int(n)).Free))
	s.freed = append(s.freed, int(n))
	s.soon()
}

// kubeCores and kubeMiB are the size of a reference machine if no file states it, as in
// kube-scheduler's formulas.
const (
	kubeCores = 16_000
	kubeMiB   = 16_000
)

// amounts returns thousandths of a core and MiB. A workload counts in millionths of its largest machine,
// which can be coarser than a MiB: a node's are rounded up and a task's down.
func (s *deviceScheduler) amounts(v unit.Vec, up bool) (cpu, memory int64) {
	cores, mib := int64(0), int64(0)
	if s.env.Names != nil {
		cores, mib = s.env.Names.Scaled()
	}
	if cores == 0 || mib == 0 {
		cores, mib = kubeCores, kubeMiB
	}
	round := int64(0)
	if up {
		round = int64(unit.Whole) - 1
	}
	const whole = int64(unit.Whole)
	return (int64(v[unit.CPU])*cores + whole/2) / whole, (int64(v[unit.Memory])*mib + round) / whole
}

// classOf returns the class of a task's request, and whether it has constraints beside devices.
func (s *deviceScheduler) classOf(request unit.Vec, constraints []workload.Constraint) (key waitKey) {
	key.class.CPU, key.class.Memory = s.amounts(request, false)
	for _, want := range constraints {
		models, names := s.supply.Models[want.Name]
		switch {
		case want.Op == workload.Takes && want.Name == s.supply.Name:
			key.class.GPUs, key.class.Milli = deviceParts(want.Value, s.supply.Device)
		case names && want.Op == workload.Equal && want.Value == 1:
			key.class.Models = models
		default:
			key.other = true
		}
	}
	return key
}

// deviceParts returns the number of devices and the part of each: a part of one, or whole ones. An
// amount above one device is rounded up to whole devices.
func deviceParts(amount, of int64) (devices int, milli int32) {
	switch {
	case amount <= 0:
		return 0, 0
	case amount < of:
		return 1, int32(max(1, amount*device.Whole/of))
	}
	return int((amount + of - 1) / of), device.Whole
}

// learn updates the typical tasks: those of the whole workload if it lists them, else the tasks
// that arrived so far, summarised again whenever their number has doubled.
func (s *deviceScheduler) learn(id unit.TaskID) {
	switch {
	case s.typicalKnown:
		return
	case s.seen == nil:
		for _, a := range s.env.Names.Requests() {
			s.typicalKnown = true
			for range a.Tasks {
				s.seen = append(s.seen, s.classOf(a.Request, a.Constraints).class)
			}
		}
		if s.typicalKnown {
			s.cell.SetTypical(device.TypicalOf(s.seen, typicalShare))
			s.seen = nil
			return
		}
	}
	t, _ := s.env.View.Task(id)
	s.seen = append(s.seen, s.classOf(t.Request, t.Constraints).class)
	if n := len(s.seen); n&(n-1) == 0 {
		s.cell.SetTypical(device.TypicalOf(s.seen, typicalShare))
	}
}

// place puts a task onto the node that the policy likes best and reports whether there is one.
func (s *deviceScheduler) place(id unit.TaskID, t *cluster.Task, key *waitKey) bool {
	s.env.View.Suitable(id, &s.suitable)
	var allowed func(int) bool
	if key.other {
		allowed = func(n int) bool { return s.suitable.Has(unit.NodeID(n)) }
	}
	explain, candidates := s.env.Wants(id), []system.Candidate(nil)
	if explain {
		candidates = s.best(t, key, allowed)
	}
	at, ok := s.cell.Place(&key.class, allowed)
	if ok && s.env.Acts.Place(id, unit.NodeID(at.Node), cluster.ByCapacity) != nil {
		s.cell.Give(&key.class, at) // the node changed, and the news is still to come
		ok = false
	}
	if !ok {
		if explain {
			s.remember(id, unit.NoNode, candidates, ruleNoDevice)
		}
		return false
	}
	for int(id.Slot()) >= len(s.held) {
		s.held = append(s.held, heldDevices{})
	}
	s.held[id.Slot()] = heldDevices{id, key.class, at, true}
	for _, d := range at.Devices {
		s.holdings.Take(int(id.Slot()), at.Node, d, key.class.Milli)
	}
	if len(at.Devices) > 0 {
		s.holdings.Paint(int(id.Slot()))
	}
	s.figures.held += asksOf(&key.class)
	if explain {
		after := s.env.View.Requested(unit.NodeID(at.Node))
		for i := range candidates {
			if candidates[i].Node == unit.NodeID(at.Node) {
				candidates[i].Answer, candidates[i].After = system.Chosen, after
				candidates[i].Reason = "takes " + describeParts(at.Devices, key.class.Milli)
			}
		}
		s.remember(id, unit.NodeID(at.Node), candidates, ruleDevices)
	}
	return true
}

// remember keeps why a task is on a node, or waits.
func (s *deviceScheduler) remember(id unit.TaskID, to unit.NodeID, considered []system.Candidate, rule string) {
	s.Remember(system.Decision{
		At: s.env.Clock.Now(), Task: id, From: unit.NoNode, To: to, Candidates: considered, Rule: rule,
	})
}

// best returns the nodes that take a task with the highest scores, the first in the policy's order.
func (s *deviceScheduler) best(t *cluster.Task, key *waitKey, allowed func(int) bool) (list []system.Candidate) {
	for n := range s.env.View.Nodes() {
		if score, takes := s.cell.Score(n, &key.class); takes && (allowed == nil || allowed(n)) {
			list = enter(list, shown, unit.NodeID(n), float64(score))
		}
	}
	for i := range list {
		list[i].After = s.env.View.Requested(list[i].Node).Add(t.Request)
	}
	return list
}

// release frees the resources that a task holds on its node.
func (s *deviceScheduler) release(id unit.TaskID) {
	if int(id.Slot()) >= len(s.held) {
		return
	}
	h := &s.held[id.Slot()]
	if !h.runs || h.id != id {
		return
	}
	h.runs = false
	s.cell.Give(&h.class, h.at)
	s.holdings.Give(int(id.Slot()))
	s.figures.held -= asksOf(&h.class)
	s.freed = append(s.freed, h.at.Node)
	s.soon()
}

// Audit implements system.Auditor: the scheduler's holds on devices must agree with the cluster.
func (s *deviceScheduler) Audit() error {
	if s.supply == nil || s.due {
		return nil
	}
	v := s.env.View
	for n := range unit.NodeID(v.Nodes()) {
		if !v.Up(n) {
			continue
		}
		held := int64(0)
		for _, device := range s.holdings.Devices(int(n)) {
			for _, h := range device {
				held += int64(h.Milli)
			}
		}
		if taken := v.Taken(n, s.supply.Name) * device.Whole / s.supply.Device; held < taken {
			return fmt.Errorf("node %d: tasks hold %d thousandths of devices, and take %d", n, held, taken)
		}
	}
	return nil
}

// The rules of these policies.
const (
	ruleDevices = "of the nodes with room for what the task asks of CPU, memory and devices, " +
		"the one with the highest score; of equals the first name"
	ruleNoDevice = "no node has the CPU, the memory and the devices that the task asks for: it waits"
)

// asksOf returns the thousandths of devices that a class asks for.
func asksOf(c *device.Class) int64 { return int64(c.GPUs) * int64(c.Milli) }

// describeParts names the devices of its node that a task takes.
func describeParts(devices []int, milli int32) string {
	switch {
	case len(devices) == 0:
		return "no GPU"
	case milli < device.Whole:
		return strconv.FormatFloat(float64(milli)/device.Whole, 'f', -1, 64) + " of GPU " + strconv.Itoa(devices[0])
	case len(devices) == 1:
		return "GPU " + strconv.Itoa(devices[0])
	}
	text := "GPUs " + strconv.Itoa(devices[0])
	for _, d := range devices[1:] {
		text += ", " + strconv.Itoa(d)
	}
	return text
}
