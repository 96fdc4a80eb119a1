package plan_test

import (
	"slices"
	"testing"

	"parley/core/system/rounds/plan"
)

// Without a number of rounds mi is the best of 1 to 8, by simulation: what it
// would take with each of them given. Some platforms want all eight.
func TestInstallmentsChooseOfEight(t *testing.T) {
	chosen := make([]int, 9)
	for seed := range uint64(100) {
		p, load := wild(seed)
		for i := range p.Workers { // cheap enough that many rounds pay
			p.Workers[i].CommLatency, p.Workers[i].CompLatency = 1e-9, 1e-9
		}
		got, err := plan.Plan(p, load, "mi", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var makespans []float64
		for m := 1; m <= 8; m++ {
			r, err := plan.Plan(p, load, "mi", plan.Options{Rounds: m})
			if err != nil {
				t.Fatal(err)
			}
			makespans = append(makespans, r.Makespan)
		}
		if got.Makespan != slices.Min(makespans) || got.Makespan != makespans[got.Rounds-1] {
			t.Errorf("seed %d: %d rounds take %v, of %v", seed, got.Rounds, got.Makespan, makespans)
		}
		chosen[got.Rounds]++
	}
	if chosen[8] == 0 {
		t.Errorf("no platform wants eight rounds: %v", chosen)
	}
}
