package field

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// Summary summarises a trace. It is the summary of a report.
type Summary struct {
	Trace        string           `json:"trace"`
	Machines     int64            `json:"machines"`
	MachineCores float64          `json:"machine_cores,omitempty"`
	MachineCPU   float64          `json:"machines_cpu_in_largest_machines,omitempty"`
	MachineGPUs  int64            `json:"machine_gpus,omitempty"`
	Models       map[string]int64 `json:"machines_by_model,omitempty"`
	Rows         int64            `json:"rows_played_as_work"`
	Jobs         int64            `json:"jobs"`
	Instances    int64            `json:"instances"`
	Cores        float64          `json:"cores_requested,omitempty"` // by all instances
	CoreHours    float64          `json:"core_hours,omitempty"`
	CPU          float64          `json:"cpu_requested_in_largest_machines,omitempty"` // of a trace that counts so
	GPUs         float64          `json:"gpus_requested,omitempty"`
	GPUHours     float64          `json:"gpu_hours,omitempty"`
	PeakCores    float64          `json:"most_cores_held_at_once,omitempty"`
	PeakGPUs     float64          `json:"most_gpus_held_at_once,omitempty"`
	OfferedCPU   float64          `json:"offered_load_cpu,omitempty"`
	OfferedGPU   float64          `json:"offered_load_gpu,omitempty"`
	Users        int              `json:"users,omitempty"`
	OpenEnds     int64            `json:"instances_alive_at_the_end,omitempty"`
	FirstS       float64          `json:"first_s"`
	LastS        float64          `json:"last_s"`
	States       map[string]int64 `json:"states,omitempty"`
	Counts       map[string]int64 `json:"counts,omitempty"`
	assumed      string
	first        []string // the first work in words, with its units
}

// amountOf is an amount times a time, which does not overflow.
type amountOf struct{ hi, lo uint64 }

func (a *amountOf) add(amount, count int64, t unit.Time) {
	if amount <= 0 || count <= 0 || t <= 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(amount)*uint64(count), uint64(t))
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, lo, 0)
	a.hi, _ = bits.Add64(a.hi, hi, carry)
}

// hours returns the sum in thousandths and microseconds as whole amounts and hours.
func (a *amountOf) hours() float64 {
	return (float64(float64(a.hi)*18446744073709551616) + float64(a.lo)) / 1000 / float64(unit.Hour)
}

// cores reports whether CPU is counted in cores, and not as a part of the largest machine.
func (d *dataset) cores() bool { return d.name != "google2019" && d.name != "azure2020" }

// fillSummary computes the summary of the machines and items, whose times count from the origin.
func (c *collection) fillSummary() {
	s := &c.summary
	s.Machines = int64(len(c.machines))
	jobs := map[uint64]struct{}{}
	var cpu, gpu amountOf
	last := unit.Time(0)
	for i := range c.items {
		last = max(last, c.items[i].submit, c.items[i].start, c.items[i].end)
	}
	first := last
	for i := range c.items {
		it := &c.items[i]
		jobs[it.job] = struct{}{}
		s.Instances += int64(it.count)
		from, to := it.life(last)
		first = min(first, it.submit)
		if it.end == unknown {
			s.OpenEnds += int64(it.count)
		}
		cpu.add(it.cpu, int64(it.count), to-from)
		gpu.add(int64(it.gpu), int64(it.count), to-from)
		s.Cores += float64(it.cpu*int64(it.count)) / 1000
		s.GPUs += float64(int64(it.gpu)*int64(it.count)) / 1000
		if len(s.first) < 3 {
			s.first = append(s.first, c.words(it))
		}
	}
	s.Rows, s.Jobs, s.Users = int64(len(c.items)), int64(len(jobs)), len(c.users)
	s.FirstS = first.Seconds()
	s.CoreHours, s.GPUHours = cpu.hours(), gpu.hours()
	s.PeakCores, s.PeakGPUs = float64(c.peak[0])/1000, float64(c.peak[2])/1000
	cores := int64(0)
	for i := range c.machines {
		m := &c.machines[i]
		cores += max(0, m.cpu)
		s.MachineGPUs += m.gpu
		if m.model != "" && (len(s.Models) < 100 || s.Models[m.model] > 0) {
			s.Models[m.model]++
		}
	}
	s.MachineCores = float64(cores) / 1000
	c.loads(last - first)
	if hours := float64(last-first) / float64(unit.Hour); hours > 0 {
		if s.MachineCores > 0 {
			s.OfferedCPU = s.CoreHours / (s.MachineCores * hours)
		}
		if s.MachineGPUs > 0 {
			s.OfferedGPU = s.GPUHours / (float64(s.MachineGPUs) * hours)
		}
	}
	if c.data.shape == workload.ShapeJobs { // processors are GPUs or processors of a node
		s.Cores, s.CoreHours, s.PeakCores, s.MachineCores, s.OfferedCPU = 0, 0, 0, 0, max(s.OfferedCPU, 0)
	} else if !c.data.cores() {
		s.CPU, s.MachineCPU = s.Cores/1000, s.MachineCores/1000
		s.Cores, s.CoreHours, s.PeakCores, s.MachineCores = 0, 0, 0, 0
	}
}

// words describes an item in words, in the units that the reader assumed.
func (c *collection) words(it *item) string {
	var b strings.Builder
	if it.count > 1 {
		b.WriteString(strconv.Itoa(int(it.count)) + " instances, each of ")
	}
	number := func(n, by int64) string { return strconv.FormatFloat(float64(n)/float64(by), 'f', -1, 64) }
	var parts []string
	switch {
	case c.data.shape == workload.ShapeJobs:
		parts = append(parts, number(it.cpu, 1000)+many(it.cpu, " processor")+" at once")
	case c.data.cores():
		parts = append(parts, number(it.cpu, 1000)+many(it.cpu, " core"))
	default:
		parts = append(parts, number(it.cpu, 10_000)+" % of the CPU of the largest machine")
	}
	if it.gpu > 0 && c.data.shape != workload.ShapeJobs {
		parts = append(parts, number(int64(it.gpu), 1000)+many(int64(it.gpu), " GPU"))
	}
	if it.memory > 0 {
		if unit := memoryUnits[c.data.name]; unit.name != "" {
			parts = append(parts, number(it.memory, unit.by)+" "+unit.name)
		} else {
			parts = append(parts, number(it.memory, 10_000)+" % of the memory of the largest machine")
		}
	}
	b.WriteString(strings.Join(parts, ", "))
	if it.count > 1 && c.data.cores() {
		b.WriteString(", in all " + number(it.cpu*int64(it.count), 1000) + many(it.cpu*int64(it.count), " core"))
		if it.gpu > 0 {
			b.WriteString(" and " + number(int64(it.gpu)*int64(it.count), 1000) +
				many(int64(it.gpu)*int64(it.count), " GPU"))
		}
	}
	fmt.Fprintf(&b, "; submitted at %s s", number(int64(it.submit), int64(unit.Second)))
	if it.start != unknown && it.start > it.submit {
		fmt.Fprintf(&b, ", ready or started at %s s", number(int64(it.start), int64(unit.Second)))
	}
	if it.end == unknown {
		b.WriteString(", alive at the end")
	} else {
		from, _ := it.life(it.end)
		fmt.Fprintf(&b, ", ended at %s s after %s s", number(int64(it.end), int64(unit.Second)),
			number(int64(it.end-from), int64(unit.Second)))
	}
	if it.machine >= 0 {
		b.WriteString(", on " + c.machines[it.machine].name)
	}
	return b.String()
}

// many returns the plural of a noun, or the singular if the amount is 1 (1000 thousandths).
func many(amount int64, one string) string {
	if amount == 1000 {
		return one
	}
	return one + "s"
}

// memoryUnit is how a trace counts memory: one of name is this number of units of an item.
type memoryUnit struct {
	by   int64
	name string
}

// memoryUnits are those of the traces that do not count in millionths of the largest machine.
var memoryUnits = map[string]memoryUnit{
	"openb2023": {1024, "GiB"}, "pai2020": {1024, "GB"}, "azure": {1024, "GB"}, "dlrm2025": {1024, "GiB"},
	"bitbrains": {1, "KB"}, "huawei": {1024, "GB"}, "planetlab": {1024, "GB"}, "opendc": {1, "KB"},
}

// tally counts the rows that were read, left out and repaired.
func (c *collection) tally(files []trace.FileReport) trace.Tally {
	t := trace.NewTally("rows", files)
	for _, r := range c.rules {
		if r.repair {
			t.Repair(r.Rule, r.About, r.Count.Count)
		} else {
			t.LeaveOut(r.Rule, r.About, r.Count.Count)
		}
	}
	return t
}

// sentences returns sentences about requests beyond the machines, and how they are played.
func (c *collection) sentences() (list []string) {
	s := &c.summary
	for _, load := range []struct {
		subject string
		of      float64
	}{{"CPU", s.OfferedCPU}, {"GPUs", s.OfferedGPU}} {
		if load.of > 1 {
			list = append(list,
				fmt.Sprintf(
					"the work asks for %.2f of the machines' %s over the whole time: more than there is, so waits grow to the end", load.of, load.subject,
				))
		}
	}
	return append(list, c.stated...)
}

// alone are the rules about rows that need another table.
var alone = map[string]bool{"readings": true, "usage_alone": true, "no_task": true, "fragment_alone": true}

// notes returns the sentences that a report shows beside the counts of a summary.
func (c *collection) notes() []string {
	s := &c.summary
	list := c.sentences()
	if len(c.items) == 0 && c.data.lacks != "" && !slices.ContainsFunc(c.rules, func(r rule) bool {
		return !r.repair && !alone[r.Rule] && !strings.HasPrefix(r.Rule, "not_played_")
	}) {
		list = append(list, "holds no work that a run could play: "+c.data.lacks)
	}
	if s.assumed != "" {
		list = append(list, s.assumed)
	}
	for _, part := range [...]struct {
		begin  string
		repair bool
	}{{"left out: ", false}, {"decided where the files leave it open: ", true}} {
		var clauses []string
		for _, r := range c.rules {
			if r.repair == part.repair {
				clauses = append(clauses, r.About+": "+strconv.FormatInt(r.Count.Count, 10))
			}
		}
		if len(clauses) > 0 {
			list = append(list, part.begin+strings.Join(clauses, "; "))
		}
	}
	if len(s.first) > 0 {
		list = append(list, "the first of the work, as it is understood: "+strings.Join(s.first, " · "))
	}
	return list
}
