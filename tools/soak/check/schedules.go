// Package check plays random faults in small scenarios, with a checker that follows the events.
package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/testkit/follow"
	"parley/core/unit"
	"parley/core/workload"
)

// maxFaults limits the faults of a schedule, not counting their ends.
const maxFaults = 12

// Schedules plays random faults in small scenarios of one system.
type Schedules struct {
	systems run.Registry
	entry   system.Entry
	base    []byte
	nodes   int
	until   unit.Time
}

// NewSchedules returns the schedules of a system.
func NewSchedules(systems run.Registry, id string) (*Schedules, error) {
	entry, err := systems.Find(id)
	if err != nil {
		return nil, err
	}
	s := &Schedules{systems: systems, entry: entry, base: small(entry), until: 30 * unit.Minute}
	first, err := s.scenario(0)
	if err != nil {
		return nil, err
	}
	r, err := systems.Open(first, nil)
	if err != nil {
		return nil, err
	}
	if err := r.Advance(unit.Minute); err != nil {
		return nil, err
	}
	s.nodes = r.View().Nodes()
	return s, nil
}

// small returns a scenario that takes milliseconds, with work that the system supports or provides:
// a cell, or graphs.
func small(e system.Entry) []byte {
	more := ""
	switch {
	case slices.Contains(e.Supports, workload.ShapeTasks):
		more = `,"cluster":{"nodes":24,"physical":{"rack_size":6}},"workload":{"scale":1.05}`
	case slices.Contains(e.Supports, workload.ShapeGraphs):
		more = `,"workload":{"graphs":{"machines":[{"count":12,"types":6,"types_each":[2,6],"speed":[1,5],"bandwidth":[1e6,1e7],"latency_s":0.01}],"generate":{"load":0.8,"vertices":[5,40],"bytes":[0,2e7]},"deadline_factor":3}}`
	}
	return fmt.Appendf(nil, `{"v":1,"system":%q%s}`, e.ID, more)
}

func (s *Schedules) scenario(number uint64) (*scenario.Scenario, error) {
	out, err := scenario.Parse(s.base)
	if err != nil {
		return nil, err
	}
	out.Seed, out.Until = 1+number, scenario.Duration(s.until)
	return out, nil
}

// Scenario returns the scenario of a number with its faults: the same each time.
func (s *Schedules) Scenario(number uint64) (*scenario.Scenario, error) {
	out, err := s.scenario(number)
	if err != nil {
		return nil, err
	}
	random := rng.New(number, "soak/"+s.entry.ID)
	for range 1 + random.Intn(maxFaults) {
		out.Faults = append(out.Faults, s.fault(random, out.Settings)...)
	}
	return out, nil
}

// fault draws a fault, and in three of four cases its end.
func (s *Schedules) fault(random *rng.Stream, settings json.RawMessage) []scenario.Fault {
	at := scenario.Duration(random.Intn(int(s.until)))
	f, revert := scenario.Fault{At: at}, ""
	role, kind, own := s.agent(random)
	switch {
	case own:
		f.Kind, revert = kind.ID, kind.Revert
		switch count, known := s.entry.Counts(role, settings); {
		case kind.Unique:
			f.Target = kind.Target
		case kind.Target == role.ID && known:
			f.Target = fmt.Sprintf("%s.%d", kind.Target, random.Intn(max(1, count)))
		default:
			f.Target = fmt.Sprintf("%s.%d", kind.Target, random.Intn(max(1, s.nodes)))
		}
		if r := kind.Value; r != nil {
			f.Value = draw(random, r)
		}
	case random.Intn(20) == 0:
		f.Kind, f.Target, f.Value = scenario.Grow, "cluster", float64(1+random.Intn(5))
	case random.Intn(5) == 0:
		f.Kind, revert, f.Target = "rack_down", "rack_up", fmt.Sprintf("rack.%d", random.Intn(5))
	default:
		f.Kind, revert, f.Target = "node_down", "node_up", fmt.Sprintf("node.%d", random.Intn(max(1, s.nodes)))
	}
	if revert == "" || random.Intn(4) == 0 {
		return []scenario.Fault{f}
	}
	// Many are short, so that a node returns while something is still on its way there.
	end := scenario.Fault{At: at + scenario.Duration(random.Exponential()*float64([]unit.Time{
		unit.Second, unit.Minute,
		5 * unit.Minute,
	}[random.Intn(3)])), Kind: revert, Target: f.Target}
	return []scenario.Fault{f, end}
}

// agent draws a fault of the system's agents; none in half of all cases.
func (s *Schedules) agent(random *rng.Stream) (system.Role, system.FaultKind, bool) {
	type own struct {
		role system.Role
		kind system.FaultKind
	}
	var all []own
	for _, role := range s.entry.Agents {
		for _, kind := range role.Faults {
			if kind.Setting == "" {
				all = append(all, own{role, kind})
			}
		}
	}
	if len(all) == 0 || random.Intn(2) == 0 {
		return system.Role{}, system.FaultKind{}, false
	}
	one := all[random.Intn(len(all))]
	return one.role, one.kind, true
}

// draw draws a value of a range that ends somewhere.
func draw(random *rng.Stream, r *system.Range) float64 {
	limit := r.Max
	if math.IsInf(limit, 0) || limit > r.Min+1000 {
		limit = r.Min + 1000
	}
	for _, x := range []float64{
		r.Min + (limit-r.Min)*float64(random.Intn(1000))/1000, (r.Min + limit) / 2,
		math.Floor((r.Min + limit) / 2), r.Min,
	} {
		if r.Holds(x) {
			return x
		}
	}
	return limit
}

// Played is the result of a schedule.
type Played struct {
	Digest string
	Faults int
	Events int64
}

// Play plays the schedule of a number to its end. It fails if the run or its audit does, or if the cluster
// is not as the checker concludes from the events. tamper, if not nil, gets each event and a function by
// which it shows the checker any number of events in its place.
func (s *Schedules) Play(number uint64, tamper func(cluster.Event, func(cluster.Event))) (Played, error) {
	played := Played{}
	doc, err := s.Scenario(number)
	if err != nil {
		return played, err
	}
	c := follow.New()
	var o run.Observer = c
	if tamper != nil {
		o = tampering{tamper, c}
	}
	r, err := s.systems.Open(doc, nil, run.Watch(o))
	if err != nil {
		return played, fmt.Errorf("schedule %d of %s: %w", number, s.entry.ID, err)
	}
	err = r.Advance(s.until)
	if err == nil {
		err = r.Audit()
	}
	if err == nil || c.Err() != nil {
		err = errors.Join(c.Compare(r.View()), err)
	}
	if err != nil {
		err = fmt.Errorf("schedule %d of %s: %w; the scenario is %s", number, s.entry.ID, err, doc.Brief())
	}
	return Played{r.Digest().String(), len(doc.Faults), c.Events}, err
}

// tampering passes changed events to a checker.
type tampering struct {
	tamper func(cluster.Event, func(cluster.Event))
	to     *follow.Checker
}

// Observe implements run.Observer.
func (t tampering) Observe(e cluster.Event) { t.tamper(e, t.to.Observe) }
