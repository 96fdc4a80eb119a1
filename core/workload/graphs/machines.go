package graphs

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// usual are the machines if a document names none.
var usual = [...]Machines{{Count: 16}}

func (m *Machines) count() int { return max(1, m.Count) }

func (m *Machines) speed() Range {
	if m.Speed == nil {
		return Range{1, 1}
	}
	return *m.Speed
}

func (m *Machines) bandwidth() Range {
	if m.Bandwidth == nil {
		return Range{125e6, 125e6}
	}
	return *m.Bandwidth
}

// String returns their number and speed: "16 of speed 1 and 125 MB/s".
func (m *Machines) String() string {
	between := func(r Range, scale float64) string {
		if r[0] == r[1] {
			return fmt.Sprint(r[0] / scale)
		}
		return fmt.Sprintf("%v to %v", r[0]/scale, r[1]/scale)
	}
	speed := "a speed for each type"
	if m.Speeds == nil {
		speed = "speed " + between(m.speed(), 1)
	}
	return fmt.Sprintf("%d of %s and %s MB/s", m.count(), speed, between(m.bandwidth(), 1e6))
}

// validate returns an error that names the field if a value is out of range, or if fields exclude each other.
func (m *Machines) validate() error {
	for _, name := range slices.Sorted(maps.Keys(m.Speeds)) {
		if x := m.Speeds[name]; !(x >= 1e-3 && x <= maxRate) {
			return fmt.Errorf("speeds has %v for %s: choose 0.001 to %v", x, quoted(name), float64(maxRate))
		}
	}
	s, b, each := m.speed(), m.bandwidth(), Range{1, 1}
	if m.Some != nil {
		each = *m.Some
	}
	switch {
	case m.Count < 0 || m.Count > maxMachines:
		return fmt.Errorf("count is %d: choose 1 to %d", m.Count, maxMachines)
	case len(m.Speeds) > maxTypes:
		return fmt.Errorf("speeds has %d types: choose 1 to %d", len(m.Speeds), maxTypes)
	case m.Speeds != nil && (m.Types != nil || m.Speed != nil):
		return errors.New("speeds stands beside speed or types: leave one of them out")
	case m.Some != nil && m.Types == nil:
		return errors.New("types_each is of types: give those")
	case m.Types != nil && (each[0] < 1 || each[1] > float64(len(m.Types)) || each[0] != math.Floor(each[0]) ||
		each[1] != math.Floor(each[1])):
		return fmt.Errorf("types_each is %v: choose whole numbers from 1 to the %d types", [2]float64(each),
			len(m.Types))
	case m.Some != nil && m.count()*int(each[0]) < len(m.Types):
		return fmt.Errorf("types_each is %v: with so few each, %d machines do not cover the %d types", [2]float64(each),
			m.count(), len(m.Types))
	case m.count()*(len(m.Types)+len(m.Speeds)) > maxSpeeds:
		return fmt.Errorf("these are %d machines of %d types each: speeds for at most %d are held", m.count(),
			len(m.Types)+len(m.Speeds), maxSpeeds)
	case b[0] == 0 && b[1] > 0:
		return fmt.Errorf("bandwidth is %v: 0 alone stands for results that take no time; begin the range above 0",
			[2]float64(b))
	case !m.Error.Valid():
		return fmt.Errorf("speed_error is %+v: both parts must be at least 0 and below 1", m.Error)
	}
	for i, t := range m.Types {
		if slices.Contains(m.Types[:i], t) {
			return fmt.Errorf("types names %q twice", shorten(t))
		}
	}
	return first(
		within("speed", s[0], 1e-3, maxRate), within("speed", s[1], 1e-3, maxRate),
		within("bandwidth", b[0], 0, maxRate), within("bandwidth", b[1], 0, maxRate),
		within("latency_s", m.Latency, 0, maxSeconds), within("startup_s", m.Startup, 0, maxSeconds),
	)
}

// generator summarises the machines of a document: the types of subtasks, and how fast
// each is on average.
type generator struct {
	document  *Document
	machines  []Machines
	seed      uint64
	numbers   map[string]workload.SubtaskType
	names     []string
	orders    [][]string // of the types of each kind of machines, drawn
	any       bool       // some machines can do every type, also one that is not named
	anySpeed  float64    // theirs, on the mean
	mean      []float64  // by type, of the machines that can do it; 0: none can
	bandwidth float64    // on the mean; 0: results take no time
	total     float64    // speed of all machines, each at the mean of its types
	count     int        // of machines
}

// generator numbers the types of the machines and takes the means.
func (d *Document) generator(seed uint64) *generator {
	w := &generator{document: d, machines: d.Machines, seed: seed, numbers: map[string]workload.SubtaskType{}}
	if len(w.machines) == 0 {
		w.machines = usual[:]
	}
	weight := map[workload.SubtaskType]float64{}
	anyWeight, bandwidth := 0.0, 0.0
	add := func(t workload.SubtaskType, n, speed float64) {
		for int(t) >= len(w.mean) {
			w.mean = append(w.mean, 0)
		}
		w.mean[t] += float64(n * speed)
		weight[t] += n
	}
	for i := range w.machines {
		m := &w.machines[i]
		order := slices.Clone(m.Types)
		rng.New(seed, fmt.Sprint("graphs/types/", i)).Shuffle(len(order),
			func(i, j int) { order[i], order[j] = order[j], order[i] })
		w.orders = append(w.orders, order)
		n, s, b := float64(m.count()), m.speed(), m.bandwidth()
		w.count += m.count()
		middle := (s[0] + s[1]) / 2
		bandwidth += float64(n * (b[0] + b[1]) / 2)
		switch {
		case m.Speeds != nil:
			sum := 0.0
			for _, name := range slices.Sorted(maps.Keys(m.Speeds)) {
				add(w.number(name), n, m.Speeds[name])
				sum += m.Speeds[name]
			}
			middle = sum / float64(len(m.Speeds))
		case m.Types != nil:
			for _, name := range m.Types {
				add(w.number(name), n, middle)
			}
		default:
			w.any = true
			w.anySpeed += float64(n * middle)
			anyWeight += n
		}
		w.total += float64(n * middle)
	}
	for t := range w.mean {
		w.mean[t] = (w.mean[t] + w.anySpeed) / (weight[workload.SubtaskType(t)] + anyWeight)
	}
	if w.any {
		w.anySpeed /= anyWeight
	}
	w.bandwidth = bandwidth / float64(w.count)
	return w
}

// number returns a type's number.
func (w *generator) number(name string) workload.SubtaskType {
	t, known := w.numbers[name]
	if !known {
		t = workload.SubtaskType(len(w.names))
		w.names = append(w.names, name)
		w.numbers[name] = t
	}
	return t
}

// speed returns the mean speed for a type; 0: no machine can do it.
func (w *generator) speed(t workload.SubtaskType) float64 {
	if int(t) < len(w.mean) {
		return w.mean[t]
	}
	return w.anySpeed
}

// machine draws the i-th machine, which is the n-th of a kind.
func (w *generator) machine(kind, n, i int) workload.Node {
	m := &w.machines[kind]
	draw := rng.New(w.seed, fmt.Sprint("graphs/machine/", i))
	between := func(r Range) float64 { return r[0] + float64((r[1]-r[0])*draw.Float64()) }
	x := &workload.Worker{
		Channel: unit.Bytes(between(m.bandwidth()) + 0.5), CompLatency: micros(m.Startup),
		CommLatency: micros(m.Latency),
	}
	if m.Error != (workload.RateError{}) {
		x.Errors = workload.RateErrors{Seed: w.seed, Speed: m.Error}
	}
	set := func(name string, speed float64) {
		t := w.number(name)
		for int(t) >= len(x.Speeds) {
			x.Speeds = append(x.Speeds, 0)
		}
		x.Speeds[t] = max(1, unit.WorkOf(speed))
	}
	switch {
	case m.Speeds != nil:
		for _, name := range slices.Sorted(maps.Keys(m.Speeds)) {
			set(name, m.Speeds[name])
		}
	case m.Types != nil:
		for _, name := range w.some(kind, n, draw) {
			set(name, between(m.speed()))
		}
	default:
		x.Speed = max(1, unit.WorkOf(between(m.speed())))
	}
	return workload.Node{
		Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole}, Rack: -1, Site: -1,
		Worker: x,
	}
}

// some draws the types that the n-th machine of a kind can do. The least of them
// follow one another from machine to machine, so that no type is left out.
func (w *generator) some(kind, n int, draw *rng.Stream) []string {
	m, order := &w.machines[kind], w.orders[kind]
	if m.Some == nil {
		return m.Types
	}
	fewest, all := int(m.Some[0]), len(order)
	can := make([]string, all)
	for i := range can {
		can[i] = order[(n*fewest+i)%all]
	}
	rest := can[fewest:]
	draw.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return can[:fewest+draw.Intn(int(m.Some[1])-fewest+1)]
}
