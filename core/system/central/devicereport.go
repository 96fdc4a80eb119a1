package central

import (
	"fmt"
	"strconv"
	"strings"

	"parley/core/batch/device"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/unit"
)

// deviceFigures sums over time, in thousandths of devices times seconds. The time is counted from the first
// task on.
type deviceFigures struct {
	begun    bool
	at       unit.Time
	devices  []int // by node that is up
	up, held int64 // now
	short    int64 // asked for by tasks that wait because too little is free in all
	noPlace  int64 // by those that wait although as much is free

	upFor, heldFor, shortFor, noPlaceFor, strandedFor float64
}

// of returns how many devices a node had, and makes room for it.
func (f *deviceFigures) of(n unit.NodeID) int {
	for int(n) >= len(f.devices) {
		f.devices = append(f.devices, 0)
	}
	return f.devices[n]
}

// pass lets the time pass until now.
func (f *deviceFigures) pass(now unit.Time) {
	if dt := (now - f.at).Seconds(); f.begun && dt > 0 {
		f.upFor += float64(float64(f.up) * dt)
		f.heldFor += float64(float64(f.held) * dt)
		f.shortFor += float64(float64(f.short) * dt)
		f.noPlaceFor += float64(float64(f.noPlace) * dt)
		if f.noPlace > 0 {
			f.strandedFor += float64(float64(f.up-f.held) * dt)
		}
	}
	f.at = now
}

// count sums the waiting tasks by cause.
func (s *deviceScheduler) count() {
	f := &s.figures
	f.short, f.noPlace = 0, 0
	for i := range s.kinds {
		k := &s.kinds[i]
		switch asks := asksOf(&k.class); {
		case asks > f.up-f.held:
			f.short += asks * int64(k.count)
		default:
			f.noPlace += asks * int64(k.count)
		}
	}
}

// head returns the first waiting task and its request.
func (s *deviceScheduler) head() (id unit.TaskID, class *device.Class) {
	if len(s.waiting) == 0 {
		return 0, nil
	}
	w := s.waiting[0]
	return w.id, &s.kinds[w.kind].class
}

// useless reports whether the free part of a device is of no use to the first waiting task.
func (s *deviceScheduler) useless(n int, free int32, class *device.Class) bool {
	return class != nil && (!s.cell.Takes(n, class) || free < class.Milli)
}

// Report implements system.Reporter. Figures of GPUs are in whole GPUs; those with _gpu_h are waiting
// times of GPUs in hours.
func (s *deviceScheduler) Report() map[string]any {
	f := s.figures
	f.pass(s.env.Clock.Now())
	gpus := func(milli float64) float64 { return milli / device.Whole }
	hours := func(milliSeconds float64) float64 { return milliSeconds / device.Whole / 3600 }
	pct := func(part, of float64) float64 {
		if of == 0 {
			return 0
		}
		return 100 * part / of
	}
	id, class := s.head()
	idle, useless, largest := int64(0), int64(0), int64(0)
	for n := range s.env.View.Nodes() {
		own := int64(0)
		for _, free := range s.cell.Node(n).Free {
			own += int64(free)
			if s.useless(n, free, class) {
				useless += int64(free)
			}
		}
		idle, largest = idle+own, max(largest, own)
	}
	asks, waited := int64(0), unit.Time(0)
	if class != nil {
		t, _ := s.env.View.Task(id)
		asks, waited = asksOf(class), s.env.Clock.Now()-t.Submitted
	}
	causes := [3]int{}
	for i := range s.kinds {
		k := &s.kinds[i]
		switch asks := asksOf(&k.class); {
		case asks == 0:
			causes[2] += k.count
		case asks > f.up-f.held:
			causes[0] += k.count
		default:
			causes[1] += k.count
		}
	}
	fragmented := s.cell.Fragmentation()
	return map[string]any{
		"gpus_idle": gpus(float64(idle)), "gpus_idle_pct": pct(float64(idle), float64(f.up)),
		"gpus_useless": gpus(float64(useless)), "gpus_idle_on_one_node": gpus(float64(largest)),
		"gpus_held": gpus(float64(f.held)), "gpus_held_pct": pct(float64(f.held), float64(f.up)),
		"gpus_fragmented": gpus(fragmented), "gpus_fragmented_pct": pct(fragmented, float64(f.up)),
		"idle_fragmented_pct": pct(fragmented, float64(idle)),
		"head_gpus":           gpus(float64(asks)), "head_waited_s": waited.Seconds(),
		"waiting_short": causes[0], "waiting_no_place": causes[1], "waiting_other": causes[2],
		"allocation_pct": pct(f.heldFor, f.upFor), "stranded_pct": pct(f.strandedFor, f.upFor),
		"blocked_short_gpu_h": hours(f.shortFor), "blocked_no_place_gpu_h": hours(f.noPlaceFor),
	}
}

// DeviceLayer implements system.DeviceSource.
func (s *deviceScheduler) DeviceLayer() frame.Layer {
	return frame.Layer{
		ID: unit.CPU.String(), Name: "GPUs held", Unit: "share of the node", Devices: "GPU",
		About: "How much of its GPUs tasks hold. In larger cells each square is a GPU: its filled areas are parts " +
			"that tasks hold, each task with a colour and mark; outlined, it is idle; hatched, it is idle and of no " +
			"use to the task that waits first.",
	}
}

// FillDevices implements system.DeviceSource. A device has a part for each task that holds some of it, and one for the
// rest, which is useless if the first waiting task cannot have it.
func (s *deviceScheduler) FillDevices(d *frame.Devices, nodes int) {
	d.Of, d.Parts = d.Of[:0], d.Parts[:0]
	_, class := s.head()
	for n := range nodes {
		up := s.env.View.Up(unit.NodeID(n))
		devices := s.holdings.Devices(n)
		devices = devices[:min(len(devices), maxDevices)]
		d.Of = append(d.Of, uint8(len(devices)))
		for k, holds := range devices {
			left := int32(frame.Whole)
			for _, h := range holds {
				d.Parts = append(d.Parts, frame.Part{
					Owner: uint32(h.Job) + 1, Share: uint16(h.Milli), Kind: frame.Held,
					Colour: s.holdings.Colour(h.Job),
				})
				left -= h.Milli
			}
			if left == 0 {
				continue
			}
			idle := frame.Part{Share: uint16(left)}
			switch free := s.cell.Node(n).Free[k]; {
			case !up:
				idle.Kind = frame.Failed
			case s.useless(n, free, class):
				idle.Kind = frame.Useless
			}
			d.Parts = append(d.Parts, idle)
		}
	}
}

// NameJob implements system.NodeFactSource: there are no rigid jobs here.
func (s *deviceScheduler) NameJob(unit.JobID) (name string, decided bool) { return "", false }

// NodeFacts implements system.NodeFactSource: who holds which part of each GPU, GPUs in a row with the same
// words together.
func (s *deviceScheduler) NodeFacts(n unit.NodeID) (facts []system.Fact) {
	devices := s.holdings.Devices(int(n))
	texts := make([]string, len(devices))
	for d, holds := range devices {
		texts[d] = s.describeDevice(int(n), d, holds)
	}
	for from, to := 0, 0; from < len(texts); from = to {
		for to = from + 1; to < len(texts) && texts[to] == texts[from]; to++ {
		}
		name := fmt.Sprintf("GPU %d", from)
		if to-from > 1 {
			name = fmt.Sprintf("GPUs %d–%d", from, to-1)
		}
		facts = append(facts, system.Fact{Name: name, Value: texts[from]})
	}
	return facts
}

// describeDevice describes a device of a node in words: the tasks that hold its parts, and the free part
// with the reason if the first waiting task cannot use it.
func (s *deviceScheduler) describeDevice(n, d int, holds []device.Hold) string {
	if !s.env.View.Up(unit.NodeID(n)) {
		return "down"
	}
	var parts []string
	for _, h := range holds {
		t, _ := s.env.View.Task(s.held[h.Job].id)
		text := "task " + t.Key.TaskName()
		if h.Milli < device.Whole {
			text = thousandths(h.Milli) + " " + text
		}
		parts = append(parts, text)
	}
	free := s.cell.Node(n).Free[d]
	if free == 0 && len(parts) > 0 {
		return strings.Join(parts, ", ")
	}
	idle := "idle"
	if free < device.Whole {
		idle = thousandths(free) + " idle"
	}
	if id, class := s.head(); s.useless(n, free, class) {
		t, _ := s.env.View.Task(id)
		idle += ", of no use to task " + t.Key.TaskName() + ", which needs " + thousandths(int32(asksOf(class)))
	}
	return strings.Join(append(parts, idle), ", ")
}

// thousandths writes parts of devices.
func thousandths(milli int32) string {
	return strconv.FormatFloat(float64(milli)/device.Whole, 'f', -1, 64)
}
