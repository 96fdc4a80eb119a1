package workload_test

import (
	"io"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/rng"
	"parley/core/unit"
	"parley/core/workload"
)

// list is a Source that yields the records of a slice, from memory that it uses
// again, as readers do.
type list struct {
	records []workload.Record
	buffer  []workload.Constraint
}

func (l *list) Next(r *workload.Record) error {
	if len(l.records) == 0 {
		return io.EOF
	}
	for i := range l.buffer {
		l.buffer[i].Name = -1 // what was given out before is no longer good
	}
	*r = l.records[0]
	if l.buffer = append(l.buffer[:0], r.Task.Constraints...); len(l.buffer) > 0 {
		r.Task.Constraints = l.buffer
	}
	l.records = l.records[1:]
	return nil
}

// keep returns r with slices of its own, so that it stays good.
func keep(r workload.Record) workload.Record {
	r.Task.Constraints = slices.Clone(r.Task.Constraints)
	r.Node.Attributes = slices.Clone(r.Node.Attributes)
	return r
}

func same(a, b workload.Record) bool {
	return reflect.DeepEqual(keep(a), keep(b))
}

func read(source workload.Source) (out []workload.Record) {
	for {
		var r workload.Record
		if source.Next(&r) != nil {
			return out
		}
		out = append(out, keep(r))
	}
}

// story is a small workload: machines, then tasks that live their lives.
func story(tasks int) []workload.Record {
	var out []workload.Record
	for m := range 10 {
		out = append(out, workload.Record{Kind: workload.NodeJoins, Machine: uint64(m)})
	}
	for i := range tasks {
		key := workload.Key{Job: uint64(i / 3), Index: uint32(i % 3)}
		at := unit.Time(i) * unit.Second
		out = append(
			out,
			workload.Record{At: at, Kind: workload.TaskArrives, Key: key, Task: workload.Task{
				Request: unit.Vec{1, 2}, Usage: workload.UsageModel{Key: rng.Hash(uint64(i), 7, 8)}, Constraints: []workload.Constraint{{Name: 1, Value: int64(i)}},
			}},
			workload.Record{At: at, Kind: workload.TaskRecorded, Key: key, Machine: uint64(i % 10)},
			workload.Record{At: at, Kind: workload.TaskUses, Key: key, Use: unit.Vec{1, 1}},
			workload.Record{At: at, Kind: workload.TaskEnds, Key: key},
		)
	}
	return out
}

// TestScale: a part of the tasks in proportion to the factor is doubled or left
// out, each with all its records, and every copy lives as its original does.
func TestScale(t *testing.T) {
	const tasks = 6000
	for _, factor := range []float64{0.25, 1, 1.02, 1.5, 2, 3.7, 10} {
		byKey := map[workload.Key][]workload.Kind{}
		usage := map[uint64]int{}
		last := unit.Time(0)
		machines, arrivals := 0, 0
		source := workload.Scale(&list{records: story(tasks)}, factor, 9)
		for _, r := range read(source) {
			if r.At < last {
				t.Fatalf("×%v: a record at %v follows one at %v", factor, r.At, last)
			}
			last = r.At
			if r.Kind == workload.NodeJoins {
				machines++
				continue
			}
			byKey[r.Key] = append(byKey[r.Key], r.Kind)
			if r.Kind == workload.TaskArrives {
				arrivals++
				usage[r.Task.Usage.Key]++
				if r.Task.Constraints[0].Name != 1 {
					t.Fatalf("×%v: a copy lost its constraints", factor)
				}
			}
		}
		if machines != 10 {
			t.Errorf("×%v: %d machines of 10", factor, machines)
		}
		part := factor - math.Floor(factor) // the only chance in it
		near(t, "tasks", float64(arrivals), tasks*factor, 4*math.Sqrt(tasks*part*(1-part))+1e-9)
		if factor == math.Floor(factor) && arrivals != int(tasks*factor) {
			t.Errorf("×%v gives %d tasks", factor, arrivals)
		}
		want := []workload.Kind{workload.TaskArrives, workload.TaskRecorded, workload.TaskUses, workload.TaskEnds}
		if len(byKey) != arrivals {
			t.Errorf("×%v: %d arrivals under %d keys", factor, arrivals, len(byKey))
		}
		for key, kinds := range byKey {
			if !slices.Equal(kinds, want) {
				t.Fatalf("×%v: the records of %v are %v", factor, key, kinds)
			}
		}
		if counts, changes := source.(interface{ Changed() (left, added int64) }); changes {
			if left, added := counts.Changed(); tasks-left+added != int64(arrivals) || factor < 1 != (left > 0) || factor > 1 != (added > 0) {
				t.Errorf("×%v: %d of %d tasks come, and %d left out and %d copies are counted", factor, arrivals, tasks, left, added)
			}
		}
		if len(usage) != arrivals {
			t.Errorf("×%v: %d tasks use what %d use: copies breathe in step", factor, arrivals, len(usage))
		}
	}
}

// TestScaleNests: what one factor leaves in, a larger one does too.
func TestScaleNests(t *testing.T) {
	keys := func(factor float64) map[workload.Key]bool {
		out := map[workload.Key]bool{}
		for _, r := range read(workload.Scale(&list{records: story(500)}, factor, 9)) {
			out[r.Key] = true
		}
		return out
	}
	less, more := keys(0.4), keys(1.3)
	for key := range less {
		if !more[key] {
			t.Fatalf("task %v is in 0.4 of the workload, but not in 1.3 of it", key)
		}
	}
}

// TestKeep leaves machines out with all their records, and no task.
func TestKeep(t *testing.T) {
	records := []workload.Record{}
	const machines = 20_000
	for m := range uint64(machines) {
		records = append(records, workload.Record{Kind: workload.NodeJoins, Machine: m}, workload.Record{Kind: workload.NodeAttribute, Machine: m},
			workload.Record{Kind: workload.NodeChanges, Machine: m}, workload.Record{Kind: workload.NodeLeaves, Machine: m}, workload.Record{Kind: workload.TaskRecorded, Machine: m})
	}
	for _, share := range []float64{0.97, 0.5, 1} {
		byMachine := map[uint64]int{}
		tasks := 0
		for _, r := range read(workload.Keep(&list{records: records}, share, 4)) {
			if r.Kind == workload.TaskRecorded {
				tasks++
				continue
			}
			byMachine[r.Machine]++
		}
		for m, n := range byMachine {
			if n != 4 {
				t.Fatalf("share %v: %d of 4 records of machine %d", share, n, m)
			}
		}
		near(t, "machines", float64(len(byMachine)), machines*share, 4*math.Sqrt(machines*share*(1-share)))
		if tasks != machines {
			t.Errorf("share %v: %d of %d task records", share, tasks, machines)
		}
	}
}

// TestKeepNothing: with no machine left a run says so, and names the setting.
func TestKeepNothing(t *testing.T) {
	records := []workload.Record{{Kind: workload.NodeJoins, Machine: 1}, {Kind: workload.NodeJoins, Machine: 2}, {Kind: workload.TaskArrives}}
	var r workload.Record
	err := workload.Keep(&list{records: records}, 1e-9, 4).Next(&r)
	if err == nil || err.Error() != "cluster.keep is 1e-09 and leaves none of 2 machines: choose a larger share, or leave it out" {
		t.Errorf("without machines: %v", err)
	}
}

func TestThen(t *testing.T) {
	a, b := story(2), story(3)[10:]
	got := read(workload.Then(&list{records: a}, &list{records: b}))
	if len(got) != len(a)+len(b) || !same(got[0], a[0]) || !same(got[len(got)-1], b[len(b)-1]) {
		t.Errorf("%d records, want %d and then %d", len(got), len(a), len(b))
	}
	if got := read(workload.Then(&list{}, &list{})); len(got) != 0 {
		t.Errorf("nothing and then nothing is %v", got)
	}
}

// TestConstraintsHold: the table of package workload's Operator; a text is
// neither smaller nor larger than anything.
func TestConstraintsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]int64{workload.Unset, workload.Unset + 1, -2, 0, 1, 5})
		c := workload.Constraint{Op: workload.Operator(rapid.IntRange(0, 4).Draw(t, "op")), Value: value.Draw(t, "want")}
		v := value.Draw(t, "has")
		ordered := v != workload.Unset && !workload.IsText(v) && !workload.IsText(c.Value)
		want := map[workload.Operator]bool{
			workload.Equal: v == c.Value, workload.NotEqual: v != c.Value, workload.Less: ordered && v < c.Value, workload.Greater: ordered && v > c.Value,
			workload.Takes: ordered && v >= c.Value,
		}[c.Op]
		if c.Holds(v) != want {
			t.Fatalf("%+v of %d: %v", c, v, c.Holds(v))
		}
	})
}
