package plan_test

import (
	"testing"

	"parley/core/rng"
	"parley/core/system/rounds/plan"
)

// TestPlayIsSimulate: a plan in the planner's own world takes to the last bit
// what Simulate says, although the one is an event simulation and the other a
// recurrence.
func TestPlayIsSimulate(t *testing.T) {
	for seed := range uint64(300) {
		p, load := wild(seed)
		r, err := plan.Plan(p, load, "umr2", plan.Options{MaxRounds: 50})
		if err != nil {
			t.Fatal(err)
		}
		played, err := plan.Play(p, load, plan.Fixed(r.Order, r.Chunks), plan.Reality{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if played.Makespan != r.Makespan {
			t.Errorf("seed %d: played %v s, simulated %v s", seed, played.Makespan, r.Makespan)
		}
	}
}

// TestNothingIsLost: whatever fails and strays, every unit is computed exactly
// once, and the same reality gives the same course.
func TestNothingIsLost(t *testing.T) {
	again := 0
	for seed := range uint64(300) {
		p, load := wild(seed)
		r, err := plan.Plan(p, load, "umr", plan.Options{MaxRounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range map[string]plan.Method{
			"plan": plan.Fixed(r.Order, r.Chunks), "factoring": plan.Factoring(), "guided": plan.Guided(),
		} {
			reality := hardTimes(seed, len(p.Workers), r.Makespan)
			played, err := plan.Play(p, load, m, reality)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
			if !near(total(played.Done), load, 1e-9) {
				t.Errorf("seed %d, %s: computed %v of %v", seed, name, total(played.Done), load)
			}
			if played.Resent > 0 {
				again++
			}
			if repeated, _ := plan.Play(p, load, m, reality); repeated.Makespan != played.Makespan || repeated.Chunks != played.Chunks {
				t.Errorf("seed %d, %s: two courses of the same", seed, name)
			}
		}
	}
	if again < 100 {
		t.Errorf("only %d of 900 courses lost a chunk", again)
	}
}

// hardTimes lets every rate stray by up to 30 % and about half the workers
// fail once or twice; worker 0 always returns.
func hardTimes(seed uint64, workers int, makespan float64) plan.Reality {
	r := rng.New(seed, "rounds/hard times")
	reality := plan.Reality{Seed: seed, Speed: plan.Error{Worker: 0.3, Chunk: 0.2}, Bandwidth: plan.Error{Worker: 0.3, Chunk: 0.2}}
	for i := range workers {
		at := makespan * r.Float64()
		for range r.Intn(3) {
			back := at + 0.3*makespan*(0.01+r.Float64())
			if i > 0 && r.Intn(3) == 0 {
				back = 0
			}
			reality.Failures = append(reality.Failures, plan.Failure{Worker: i, At: at, Return: back})
			if back == 0 {
				break
			}
			at = back + makespan*r.Float64()
		}
	}
	return reality
}

// TestErrorsAreTheWorkers: the draws belong to the worker and the number of
// its chunk, so a plan of one chunk a worker meets the same speeds in every
// order of sending.
func TestErrorsAreTheWorkers(t *testing.T) {
	p := table1(1, 6, 0)
	for i := range p.Workers {
		p.Workers[i].Bandwidth = 1e20 // sending takes no time
	}
	reality := plan.Reality{Seed: 4, Speed: plan.Error{Worker: 0.5, Chunk: 0.5}}
	chunks := [][]float64{{10, 10, 10, 10, 10, 10}}
	forward, err := plan.Play(p, 60, plan.Fixed([]int{0, 1, 2, 3, 4, 5}, chunks), reality)
	if err != nil {
		t.Fatal(err)
	}
	backward, err := plan.Play(p, 60, plan.Fixed([]int{5, 4, 3, 2, 1, 0}, chunks), reality)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := plan.Play(p, 60, plan.Fixed([]int{0, 1, 2, 3, 4, 5}, chunks), plan.Reality{})
	if err != nil {
		t.Fatal(err)
	}
	if !near(forward.Makespan, backward.Makespan, 1e-9) || near(forward.Makespan, exact.Makespan, 1e-3) {
		t.Errorf("makespans %v, %v, without error %v", forward.Makespan, backward.Makespan, exact.Makespan)
	}
}
