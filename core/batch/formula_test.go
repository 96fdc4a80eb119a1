package batch_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"parley/core/batch"
	"parley/core/formula"
	"parley/core/unit"
)

// published are the orders of the package as formulas.
var published = map[string]string{
	"fcfs":   "-job.submitted",
	"sjf":    "-job.estimate",
	"ljf":    "job.estimate",
	"sqf":    "-job.processors",
	"lqf":    "job.processors",
	"saf":    "-job.estimate * job.processors",
	"laf":    "job.estimate * job.processors",
	"lxf":    "(job.wait + job.estimate) / job.estimate",
	"wfp3":   "(job.wait / job.estimate) ** 3 * job.processors",
	"unicef": "job.wait / (max(1.6017132519074588e-15, log2(job.processors)) * job.estimate)",
	"f1":     "-(log10(job.estimate) * job.processors + 870 * log10(max(1, job.submitted)))",
	"f2":     "-(sqrt(value(job.estimate)) * job.processors + 25600 * log10(max(1, job.submitted)))",
	"f3":     "-(value(job.estimate) * job.processors + 6860000 * log10(max(1, job.submitted)))",
	"f4":     "-(value(job.estimate) * sqrt(job.processors) + 530000 * log10(max(1, job.submitted)))",
}

func ranked(t *testing.T, policy, text string, processors int) *batch.Site {
	t.Helper()
	f, err := formula.Compile(text, batch.Columns(), formula.Number)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	s := ordered(t, policy, "formula", "formula", processors)
	s.Rank(f)
	return s
}

// TestFormulasAgree holds each order to its formula: the same jobs start at the same
// times under every policy.
func TestFormulasAgree(t *testing.T) {
	if names := batch.OrderNames(); len(published) != len(names)-2 { // formula and multifactor have none
		t.Fatalf("%d formulas for %d orders", len(published), len(names)-2)
	}
	random := rand.New(rand.NewPCG(1, 2))
	differ := 0
	for range 20 {
		var log []batch.Logged
		at := 0
		for range 60 {
			at += random.IntN(20)
			estimate := 1 + random.IntN(200)
			log = append(log, batch.Logged{Job: batch.Job{Processors: 1 + random.IntN(8), Estimate: seconds(estimate)}, Submit: seconds(at), Run: seconds(1 + random.IntN(estimate))})
		}
		for _, policy := range []string{"fcfs", "easy", "conservative"} {
			plain := batch.PlayOn(ordered(t, policy, "fcfs", "fcfs", 8), log)
			for name, text := range published {
				want := batch.PlayOn(ordered(t, policy, name, name, 8), log)
				if got := batch.PlayOn(ranked(t, policy, text, 8), log); !slices.Equal(got, want) {
					t.Errorf("%s in the order of %s: another schedule than %s", policy, text, name)
				}
				if !slices.Equal(want, plain) {
					differ++
				}
			}
		}
	}
	if differ < 300 {
		t.Errorf("only %d schedules differ from the order of arrival: the logs test little", differ)
	}
}

// A value that is not finite comes last, by arrival.
func TestFormulaWithoutAValue(t *testing.T) {
	log := logOf(t, "0 4 100\n 1 4 10\n 2 3 10\n 3 4 10")
	if got, want := starts(ranked(t, "fcfs", "1 / (job.processors - 4)", 4), log), "110 100 120"; got != want {
		t.Errorf("starts %s, want %s", got, want)
	}
}

func BenchmarkFormulaOrder(b *testing.B) {
	f, _ := formula.Compile(published["wfp3"], batch.Columns(), formula.Number)
	for _, name := range []string{"wfp3", "formula"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := batch.NewSite(batch.EASY, 8)
				o, _ := batch.ParseOrder(name)
				s.Sort(o, o)
				s.Rank(f)
				for i := range 1000 {
					s.Submit(unit.Time(i)*unit.Second, batch.Job{Processors: 8, Estimate: unit.Hour})
				}
				for i := range 20 {
					s.Pass(unit.Time(1000+i) * unit.Second)
				}
			}
		})
	}
}
