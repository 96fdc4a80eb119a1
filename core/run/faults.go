package run

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
)

// faults holds the future faults, soonest first. Faults happen between events, before the events of
// their moment, whether they are in the scenario or were injected, so that both give one digest.
type faults struct {
	due         []scenario.Fault
	chaos       scenario.Chaos
	random      *rng.Stream
	strike      [2]unit.Time // when the next node and the next rack fail at random; unit.Forever: never
	about       system.Description
	agents      json.RawMessage // the settings, which have the numbers of agents
	ineffective []string        // sentences about the first maxListed faults without an effect
	unlisted    int             // such faults beyond those
}

// newFaults returns the faults of a scenario. The first random failures are not drawn yet, because the number
// of nodes is not known: firstFault as a time of strike makes draw draw them.
func newFaults(s *scenario.Scenario, about system.Description) faults {
	f := faults{
		about: about, agents: s.Settings, chaos: s.Chaos, random: rng.New(s.Seed, "chaos"),
		strike: [2]unit.Time{unit.Forever, unit.Forever},
	}
	for _, one := range s.Faults {
		f.add(one)
	}
	if s.Chaos.NodeMTBF > 0 {
		f.strike[0] = firstFault // the real ones are drawn when the nodes are there
	}
	if s.Chaos.RackMTBF > 0 {
		f.strike[1] = firstFault
	}
	return f
}

// firstFault is when the first fault can happen: nodes join at time 0.
const firstFault = 1

// add inserts a fault in order of time, after those of the same moment. A fault at time 0 is moved to firstFault.
func (f *faults) add(one scenario.Fault) {
	one.At = max(one.At, firstFault)
	i, _ := slices.BinarySearchFunc(f.due, one.At+1,
		func(a scenario.Fault, at scenario.Duration) int { return cmp.Compare(a.At, at) })
	f.due = slices.Insert(f.due, i, one)
}

// next returns the time of the next fault, scheduled or random; unit.Forever if there is none.
func (f *faults) next() unit.Time {
	at := min(f.strike[0], f.strike[1])
	if len(f.due) > 0 {
		at = min(at, unit.Time(f.due[0].At))
	}
	return at
}

// apply makes one fault happen if one is due at now, and reports whether one was due: call it until it returns
// false. A fault without an effect is recorded for warnings. gone are the machines that the workload took away,
// which a fault does not restore.
func (f *faults) apply(now unit.Time, c *cluster.Cluster, s system.System, gone map[unit.NodeID]bool) bool {
	if f.next() > now {
		return false
	}
	f.draw(now, c.View())
	if len(f.due) > 0 && unit.Time(f.due[0].At) <= now {
		one := f.due[0]
		f.due = f.due[1:]
		if reason := f.happen(one, c, s, gone); reason != "" {
			f.wasted(fmt.Sprintf("%s at %v did nothing: %s", named(one), unit.Time(one.At), reason))
		}
	}
	return true
}

// draw adds the random failures that are due to the scheduled faults, each with its repair, and draws the
// times of the next ones. The time between failures of the cluster is the MTBF of one target divided by the
// number of targets. At firstFault, it draws times and no failure.
func (f *faults) draw(now unit.Time, v cluster.View) {
	racks := int32(0)
	for _, r := range v.Racks() {
		racks = max(racks, r+1)
	}
	for i, kind := range [2]struct {
		mtbf     scenario.Duration
		n        int
		down, up string
		target   string
	}{
		{f.chaos.NodeMTBF, v.Nodes(), "node_down", "node_up", "node."},
		{f.chaos.RackMTBF, int(racks), "rack_down", "rack_up", "rack."},
	} {
		if f.strike[i] > now {
			continue
		}
		if f.strike[i] > firstFault {
			target := kind.target + strconv.Itoa(f.random.Intn(kind.n))
			repair := now + f.after(unit.Time(f.chaos.MTTR))
			f.add(scenario.Fault{At: scenario.Duration(now), Kind: kind.down, Target: target})
			f.add(scenario.Fault{At: scenario.Duration(repair), Kind: kind.up, Target: target})
		}
		f.strike[i] = now + f.after(unit.Time(kind.mtbf)/unit.Time(max(1, kind.n)))
	}
}

// after draws an exponential duration with a mean, of at least one microsecond.
func (f *faults) after(mean unit.Time) unit.Time {
	return max(1, unit.Time(f.random.Exponential()*float64(mean)))
}

// wasted records a fault without an effect: the first maxListed as sentences, the others as a number.
func (f *faults) wasted(reason string) {
	if len(f.ineffective) == maxListed {
		f.unlisted++
		return
	}
	f.ineffective = append(f.ineffective, reason)
}

// happen makes one fault happen. It returns a reason if the fault had no effect, and "" if it had one. A
// fault of a rack is a fault of each of its nodes; gone are machines that are not restored.
func (f *faults) happen(one scenario.Fault, c *cluster.Cluster, s system.System,
	gone map[unit.NodeID]bool,
) (reason string) {
	subject, number, err := one.Parse()
	if err != nil {
		return err.Error() // Open refused it before
	}
	if !one.Physical() {
		return f.strikeAgent(one, number, c.View(), s)
	}
	v, found := c.View(), false
	if one.Kind == scenario.Grow {
		had := v.Nodes()
		if had+number > scenario.MaxGrown || had == 0 {
			return fmt.Sprintf("the cluster has %d nodes and grows to %d at most", had, scenario.MaxGrown)
		}
		for i := range number { // spread over all, so that the mix stays
			c.Clone(unit.NodeID(i * had / number))
		}
		return ""
	}
	for n := unit.NodeID(0); int(n) < v.Nodes(); n++ {
		if subject == "node" && int(n) != number || subject == "rack" && int(v.Rack(n)) != number {
			continue
		}
		found = true
		switch {
		case one.Kind == "node_down" || one.Kind == "rack_down":
			c.Leave(n)
		case !gone[n]:
			c.Restore(n)
		}
	}
	if !found {
		return absent(subject, v)
	}
	return ""
}

// strikeAgent passes a fault to the system, whose agent it concerns. It returns a reason if the system does
// not support the fault or has no agent with that number, and "" otherwise.
func (f *faults) strikeAgent(one scenario.Fault, number int, v cluster.View, s system.System) (reason string) {
	target, listens := s.(system.FaultTarget)
	kind, role, known := f.about.Fault(one.Kind)
	if !known || !listens {
		if one.Target == settingsTarget {
			return fmt.Sprintf("the %s has no such setting to change while it runs", strings.ToLower(f.about.Name))
		}
		return fmt.Sprintf("the %s knows no such fault", strings.ToLower(f.about.Name))
	}
	target.Fail(system.AgentFault{Kind: one.Kind, Target: number, Value: one.Value})
	switch count, counted := f.about.Counts(role, f.agents); {
	case kind.Target == "node" && number >= v.Nodes(), kind.Target == "rack" && !slices.Contains(v.Racks(), int32(number)):
		return absent(kind.Target, v)
	case kind.Target == role.ID && counted && number >= count:
		return fmt.Sprintf("there is no such %s, the last is %s.%d", role.Name, role.ID, count-1)
	}
	return ""
}

// absent returns a sentence for a fault of a node or rack (subject) that does not exist; it names the last one.
func absent(subject string, v cluster.View) string {
	last := v.Nodes() - 1
	if subject == "rack" {
		last = -1
		for _, rack := range v.Racks() {
			last = max(last, int(rack))
		}
	}
	return fmt.Sprintf("there is no such %s, the last is %s.%d", subject, subject, last)
}

// settingsTarget is the target of a change of a setting; see system.Live.
const settingsTarget = "settings"

// named returns a fault as the subject of a sentence.
func named(f scenario.Fault) string {
	switch f.Target {
	case "":
		return "the fault " + f.Kind
	case settingsTarget:
		return "the change of " + f.Kind
	}
	return "the fault " + f.Kind + " of " + f.Target
}

// maxListed limits how many ineffective faults are listed.
const maxListed = 10

// warnings returns a sentence for each fault without an effect, and for each of the scheduled ones that is
// after until, the end of the run: maxListed at most, then one with the number of the others.
func (f *faults) warnings(scheduled []scenario.Fault, until unit.Time) []string {
	all := slices.Clone(f.ineffective)
	unnamed := f.unlisted
	for _, one := range scheduled {
		if unit.Time(one.At) > until {
			all = append(all, fmt.Sprintf("%s at %v never happens: the run ends at %v", named(one), unit.Time(one.At), until))
		}
	}
	if more := len(all) - maxListed; more > 0 {
		all, unnamed = all[:maxListed], unnamed+more
	}
	if unnamed > 0 {
		all = append(all, fmt.Sprintf("%d more faults did nothing", unnamed))
	}
	return all
}

// current returns how a kind of fault is spelled now.
func (g Registry) current(kind string) string {
	for _, e := range g {
		if now := e.Current(kind); now != kind {
			return now
		}
	}
	return kind
}

// checkFault returns an error if a fault is malformed, its target or value does not suit its kind, or no system of
// g supports it. A kind that only other systems than the scenario's support is accepted, because a comparison
// applies it to all.
func (g Registry) checkFault(f scenario.Fault) error {
	if _, _, err := f.Parse(); err != nil || f.Physical() {
		return err
	}
	kinds := slices.Clone(scenario.PhysicalFaults)
	for _, e := range g {
		if kind, _, known := e.Fault(f.Kind); known {
			return checkAgentFault(f, kind)
		}
		for _, role := range e.Agents {
			for _, kind := range role.Faults {
				if kinds = append(kinds, kind.ID); kind.Revert != "" {
					kinds = append(kinds, kind.Revert)
				}
			}
		}
	}
	return fmt.Errorf("kind is %q: choose one of %s", f.Kind, strings.Join(kinds, ", "))
}

// checkAgentFault returns an error if the target or the value of a fault does not suit its kind, which a
// system supports. A kind with Which takes the number of one agent as its value; a kind that reverts another
// takes no value.
func checkAgentFault(f scenario.Fault, kind system.FaultKind) error {
	word, _, numbered := strings.Cut(f.Target, ".")
	switch {
	case kind.Unique && f.Target != "" && f.Target != kind.Target:
		return fmt.Errorf("target is %q: %s needs %q", f.Target, f.Kind, kind.Target)
	case !kind.Unique && (word != kind.Target || !numbered):
		return fmt.Errorf("target is %q: %s needs one like %s.14", f.Target, f.Kind, kind.Target)
	case kind.Which != "":
		if f.Value < 0 || f.Value != math.Trunc(f.Value) {
			return fmt.Errorf("value is %v: %s needs the number of one %s, or none", f.Value, f.Kind, kind.Which)
		}
	case f.Value != 0 && (kind.Value == nil || f.Kind != kind.ID):
		return fmt.Errorf("value is %v: %s takes none, leave it out", f.Value, f.Kind)
	case kind.Value != nil && !kind.Value.Holds(f.Value):
		return fmt.Errorf("value is %v: %s needs %s", f.Value, f.Kind, strings.TrimSpace(kind.Value.String()+" "+kind.Unit))
	}
	return nil
}
