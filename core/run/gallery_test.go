package run_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/unit"
)

// absorbed is how long the tasks of the lost rack may wait.
const absorbed = unit.Minute

// TestFirstScenario holds what the gallery says of its first scenario: in ten
// simulated minutes, ten seconds of watching, there are hundreds of negotiations, few
// of them forced, candidates refuse, and a rack is lost whose tasks all run again
// within a minute.
func TestFirstScenario(t *testing.T) {
	r := gallery(t, "google-cell")
	faults := r.Scenario().Faults
	lost := unit.Time(faults[0].At)
	if faults[0].Kind != "rack_down" || lost > 30*unit.Minute {
		t.Fatalf("it begins with %+v: at 60 times real time a rack should fail in the first half minute", faults[0])
	}
	advance(t, r, lost-1)
	v := r.View()
	rack := tasksOf(t, v, faults[0].Target)
	if len(rack) < 100 {
		t.Fatalf("the rack runs %d tasks", len(rack))
	}
	advance(t, r, lost)
	if v.Totals().Displaced < int64(len(rack)) {
		t.Errorf("of %d tasks %d are displaced", len(rack), v.Totals().Displaced)
	}
	advance(t, r, lost+absorbed)
	if n := waiting(v, rack); n != 0 {
		t.Errorf("%v after the rack was lost %d of its %d tasks wait", absorbed, n, len(rack))
	}
	advance(t, r, 10*unit.Minute)
	audited(t, r)
	negotiations, refused, forced := counted(r)
	if negotiations < 200 || refused < 20 || 4*forced > negotiations {
		t.Errorf("in ten minutes %d negotiations, %d refusals, %d forced", negotiations, refused, forced)
	}
}

// tasksOf returns the tasks on a rack's nodes.
func tasksOf(t *testing.T, v cluster.View, rack string) (tasks []unit.TaskID) {
	t.Helper()
	number, err := strconv.Atoi(strings.TrimPrefix(rack, "rack."))
	if err != nil {
		t.Fatal(err)
	}
	for n := range unit.NodeID(v.Nodes()) {
		if int(v.Rack(n)) == number {
			for id := range v.Tasks(n) {
				tasks = append(tasks, id)
			}
		}
	}
	return tasks
}

// waiting returns how many of the tasks wait; those that ended do not.
func waiting(v cluster.View, tasks []unit.TaskID) (n int) {
	for _, id := range tasks {
		if task, alive := v.Task(id); alive && task.State == cluster.Waiting {
			n++
		}
	}
	return n
}

// TestCalmScenario: the calm one has next to nothing to negotiate.
func TestCalmScenario(t *testing.T) {
	r := gallery(t, "google-calm")
	advance(t, r, 10*unit.Minute)
	audited(t, r)
	if negotiations, refused, forced := counted(r); negotiations > 10 || refused > 10 || forced > 10 {
		t.Errorf("in ten minutes %d negotiations, %d refusals, %d forced", negotiations, refused, forced)
	}
}

func audited(t *testing.T, r *run.Run) {
	t.Helper()
	if err := r.Audit(); err != nil {
		t.Error(err)
	}
}

// gallery opens a scenario that the page offers.
func gallery(t *testing.T, id string) *run.Run {
	t.Helper()
	document, err := os.ReadFile("../../assets/scenarios/" + id + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return open(t, string(document))
}

// counted returns how many negotiations a run has seen, how many candidates
// refused and how many targets were forced.
func counted(r *run.Run) (negotiations, refused, forced int64) {
	told := r.Report().System
	return told["negotiations"].(int64), told["candidates_rejected"].(int64), told["migrations_by_force"].(int64)
}
