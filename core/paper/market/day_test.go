package market_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"parley/core/paper/market"
	system "parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// written is a workload by hand.
type written []workload.Record

// Next implements workload.Source.
func (w *written) Next(r *workload.Record) error {
	if len(*w) == 0 {
		return io.EOF
	}
	*r, *w = (*w)[0], (*w)[1:]
	return nil
}

// machine joins a site's processors.
func machine(site int32, processors int32) workload.Record {
	return workload.Record{Kind: workload.NodeJoins, Node: workload.Node{Rack: site, Processors: processors}}
}

// job is a site's own, or, of site -1, one that somebody sends.
func job(at unit.Time, site, processors int32, run, estimate unit.Time) workload.Record {
	return workload.Record{At: at, Kind: workload.JobArrives, Job: &workload.Job{Processors: processors, Run: run, Estimate: estimate, Queue: site}}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// TestLeastLoadedByHand: three sites of 4, 8 and 1 processors and jobs whose course can
// be followed with a pencil.
func TestLeastLoadedByHand(t *testing.T) {
	const m, h, s = unit.Minute, unit.Hour, unit.Second
	w := written{
		machine(0, 4), machine(1, 4), machine(1, 4), machine(2, 1),
		job(0, 0, 4, h, h), // own ones that were there are not counted
		job(0, 2, 1, 40*h, 40*h), job(0, 2, 1, h, h), job(0, 2, 1, h, h), job(0, 2, 1, h, h),
		job(10*m, 0, 2, h, 2*h),      // own: starts at 1 h, waits 50 min
		job(20*m, -1, 4, 2*h, h),     // to site 1, which is empty; it is ended after its estimate, at 80 min
		job(21*m, -1, 4, 10*m, 10*m), // to site 1, half of which is taken: the other's load is 6/4
		job(22*m, -1, 8, 20*s, 20*s), // only site 1 is so large: starts at 80 min, waits 58
		job(23*m, -1, 9, s, s),       // nobody is
		job(24*m, -1, 1, 5*s, 30*s),  // to site 0: 6/4 against 16/8 and 4/1; starts at 1 h behind the own one, waits 36 min
		job(90*m, -1, 4, 30*m, h),    // to site 1, empty again, and not to site 0, of which 2 are busy
		job(20*h, -1, 2, 30*m, h),    // all but the third are idle: the first of equals
		job(36*h-1, -1, 1, h, h),     // the last that counts
		job(36*h, -1, 1, h, h),       // too late
		job(36*h+m, 1, 1, h, h),      // likewise
	}
	got := market.Dispatch(&w, false, 1)
	waits := []float64{0, 0, 58, 36, 0, 0, 0}                                    // minutes
	slowdowns := []float64{1, 1, (58*60 + 20) / 20., (36*60 + 5) / 10., 1, 1, 1} // bounded with 10 s
	sold := [3]float64{1*5/3600. + 2*0.5 + 1*1, 4*1 + 4/6. + 8*20/3600. + 4*0.5, 0}
	shares := [3]float64{sold[0] / 4, sold[1] / 8, 0}
	mean, squares := (shares[0]+shares[1])/3, (shares[0]*shares[0]+shares[1]*shares[1])/3
	want := market.Gained{Started: 100 * 7 / 8., Wait: sum(waits) / 7, Slowdown: sum(slowdowns) / 7, Fairness: mean * mean / squares, OwnWait: 50}
	if !near(got.Started, want.Started) || !near(got.Wait, want.Wait) || !near(got.Slowdown, want.Slowdown) || !near(got.Fairness, want.Fairness) || got.OwnWait != want.OwnWait || got.Price != 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := market.Dispatch(&written{machine(0, 4)}, false, 1); got != (market.Gained{}) {
		t.Errorf("of no job: %+v", got)
	}
}

func sum(xs []float64) (total float64) {
	for _, x := range xs {
		total += x
	}
	return total
}

// TestAtRandom: two sites of which one is twice as large get half of the work each, so the
// small one twice as much of its size: (3/2)² / (2·(1 + 1/4)) = 0.9 is what Jain's index
// makes of it. What only one of them can take goes there.
func TestAtRandom(t *testing.T) {
	day := func(processors int32) *written {
		w := written{machine(0, 4), machine(1, 8)}
		for i := range 2000 {
			w = append(w, job(unit.Time(i)*10*unit.Second, -1, processors, unit.Second, unit.Second))
		}
		return &w
	}
	mean, seen := 0.0, map[float64]bool{}
	const seeds = 12 // one day's index scatters by 0.013
	for seed := range uint64(seeds) {
		small := market.Dispatch(day(4), true, seed)
		if small.Started != 100 || small.Wait != 0 || seen[small.Fairness] {
			t.Errorf("seed %d: %+v, and before it %v", seed, small, seen)
		}
		mean, seen[small.Fairness] = mean+small.Fairness/seeds, true
	}
	if math.Abs(mean-0.9) > 3*0.013/math.Sqrt(seeds) {
		t.Errorf("fairness %v", mean)
	}
	if large := market.Dispatch(day(5), true, 1); large.Started != 100 || large.Fairness != 0.5 {
		t.Errorf("%+v", large)
	}
}

// TestBounded: how many times as long as it runs a job takes, of those that run less than
// ten seconds as if they ran ten.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		wait, run unit.Time
		want      float64
	}{{0, 20, 1}, {0, 1, 1}, {20, 20, 2}, {99, 1, 10}, {15, 5, 2}, {3, 4, 1}} {
		if got := market.Bounded(c.wait*unit.Second, c.run*unit.Second); got != c.want {
			t.Errorf("waits %d s, runs %d s: %v, want %v", c.wait, c.run, got, c.want)
		}
	}
}

const twoSites = `[{"name":"a","cores":64,"start_price":60,"min_price":40},{"name":"b","cores":32,"start_price":50,"min_price":40}]`

// TestDayInTheMarket: three requests to two sites, one of which nobody can take. What the
// day comes to follows from what each contract says.
func TestDayInTheMarket(t *testing.T) {
	const modelled = `{"signatures":"modelled"}`
	document := fmt.Sprintf(`{"sites":%s,"requests":[{"at":"1m","user":0,"rounds":2,"units":[%s]},{"at":"3m","user":1,"units":[%s]},{"at":"4m","user":1,"units":[%s]}]}`, twoSites,
		market.Unit(16, 70, unit.Hour, unit.Hour), market.Unit(64, 70, 2*unit.Hour, unit.Hour), market.Unit(65, 70, 2*unit.Hour, unit.Hour))
	out, err := market.Play(document, modelled, 10*unit.Minute)
	if err != nil {
		t.Fatal(err)
	}
	all := out.Outcomes()
	if len(all) != 3 || !all[0].Bought || !all[1].Bought || all[2].Bought || all[0].Units[0].Site != 0 || all[1].Units[0].Site != 0 {
		t.Fatalf("%+v", all)
	}
	paid := float64(all[0].Units[0].Paid+all[1].Units[0].Paid) / 1000
	got, err := market.GainOf(document, modelled)
	if err != nil {
		t.Fatal(err)
	}
	want := market.Gained{
		Started: 200 / 3., Price: paid / 2,
		Wait:     (59 + 117) / 2.,                  // from 1 min to 1 h, from 3 min to 2 h
		Slowdown: ((59+48)/48. + (117+48)/48.) / 2, // each runs 48 min of its hour
		Fairness: 0.5,                              // all is sold by one of two
	}
	if !near(got.Started, want.Started) || !near(got.Price, want.Price) || !near(got.Wait, want.Wait) || !near(got.Slowdown, want.Slowdown) || !near(got.Fairness, want.Fairness) || got.OwnWait != 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestOwnJobsAlone: if nothing is bought the sites' own jobs wait in the market as long
// as they do without one: both queue them by EASY.
func TestOwnJobsAlone(t *testing.T) {
	document := fmt.Sprintf(`{"sites":[{"name":"a","cores":4008,"log":"thunder","start_price":60,"min_price":40},{"name":"b","cores":9000,"log":"thunder","busy":95,"start_price":50,"min_price":40}],
		"requests":[{"at":"1m","user":0,"units":[%s]}]}`, market.Unit(9001, 70, unit.Hour, unit.Hour))
	in, err := market.GainOf(document, `{"signatures":"modelled"}`)
	if err != nil {
		t.Fatal(err)
	}
	source, err := system.Files(json.RawMessage(document), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	without := market.Dispatch(source, false, 1)
	if in.Started != 0 || in.Price != 0 || without.Started != 0 || !near(in.OwnWait, without.OwnWait) || in.OwnWait < 1 {
		t.Errorf("in the market %+v, without %+v", in, without)
	}
	// A request that is bought is one of one, however many jobs the sites have of their own.
	bought := strings.Replace(document, market.Unit(9001, 70, unit.Hour, unit.Hour), market.Unit(16, 70, 12*unit.Hour, unit.Hour), 1)
	if in, err = market.GainOf(bought, `{"signatures":"modelled"}`); err != nil || in.Started != 100 {
		t.Errorf("%+v (%v)", in, err)
	}
}
