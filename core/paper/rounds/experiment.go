// Package rounds repeats the experiments of the UMR2 paper and sets what
// comes out beside what the paper says, and adds what the paper did not ask:
// where its lemmas hold, and how plans fare when the platform is not what the
// planner was told.
//
// Source: Phan Thanh Toan and Nguyen The Loc, Journal of Science of HNUE 56(7),
// 2011, section 2.5: tables 1 and 2; tables 3 and 4 are lost in the text we
// have, their metrics and the range of N are not. Platforms are those of
// table 1: S uniform in [50, 75], B uniform in [25 N, 75 N], load 10^6, the
// latencies cLat = nLat swept.
//
//	for _, row := range rounds.Compare(rounds.Effort{Seeds: 5}) { … }
package rounds

import (
	"parley/core/paper/evidence"
	"parley/core/rng"
	"parley/core/system/rounds/plan"
)

// Row is one compared quantity.
type Row = evidence.Row

// Effort says how much to compute.
type Effort struct {
	Seeds int // repetitions with other platforms, at least 1; seed numbers count from 1
}

// Experiment is one of this package.
type Experiment struct {
	ID     string
	Title  string
	Source string
	Seeds  int // by default
	Run    func(Effort) []Row
}

// All lists the experiments.
func All() []Experiment {
	return []Experiment{
		{"table2", "Closed forms and exact prediction against simulation", "section 2.5.1, table 2", 20, Table2},
		{"compare", "UMR2, UMR and LP over N and latency, under both readings of UMR's selection", "section 2.5.2, table 4", 5, Compare},
		{"lemmas", "Where UMR2 < UMR holds, where it fails, and why", "section 2.4, lemmas 2.1 to 2.3", 5, Lemmas},
		{"adapt", "Plans and run-time methods when speeds are not as stated and workers fail", "not in the paper", 5, Adapt},
	}
}

// The parameters of table 1.
const (
	load     = 1e6
	minSpeed = 50
)

// sizes are the numbers of workers of table 3: 10, 12, …, 50.
func sizes() (ns []int) {
	for n := 10; n <= 50; n += 2 {
		ns = append(ns, n)
	}
	return ns
}

// draw returns a platform of table 1 with n workers.
func draw(seed uint64, n int, latency float64) plan.Platform {
	r := rng.New(rng.Hash(seed, uint64(n), 0), "rounds/experiment")
	p := plan.Platform{Workers: make([]plan.Worker, n)}
	for i := range p.Workers {
		p.Workers[i] = plan.Worker{
			Speed:       minSpeed * (1 + float64(r.Float64()/2)),
			Bandwidth:   minSpeed * float64(n) * (0.5 + float64(r.Float64())),
			CompLatency: latency,
			CommLatency: latency,
		}
	}
	return p
}

// must plans where the platform is known to be good.
func must(p plan.Platform, algorithm string, options plan.Options) plan.Result {
	r, err := plan.Plan(p, load, algorithm, options)
	if err != nil {
		panic("experiment: " + algorithm + " on a platform of table 1: " + err.Error())
	}
	return r
}

// sheet collects one value a seed for every row, in the order of first use.
type sheet struct {
	names  []string
	values map[string][]float64
	rows   map[string]Row
	judges map[string]func(*Row)
}

func newSheet() *sheet {
	return &sheet{values: map[string][]float64{}, rows: map[string]Row{}, judges: map[string]func(*Row){}}
}

// row adds one seed's value to a row. The note says why a claim about it fails,
// or what a row without a claim means.
func (s *sheet) row(name, unit string, value float64, note string) {
	if _, known := s.values[name]; !known {
		s.names = append(s.names, name)
	}
	s.values[name] = append(s.values[name], value)
	s.rows[name] = Row{Name: name, Unit: unit, Note: note}
}

// claim judges a row that exists, by what its values over the seeds tell. What was noted
// of it says from now on why the claim does not hold.
func (s *sheet) claim(name string, judge func(*Row)) { s.judges[name] = judge }

func (s *sheet) all() []Row {
	rows := make([]Row, len(s.names))
	for i, name := range s.names {
		kept := s.rows[name]
		rows[i] = evidence.New(name, kept.Unit, s.values[name])
		if judge := s.judges[name]; judge != nil {
			judge(&rows[i])
			rows[i].Why(kept.Note)
		} else {
			rows[i].Note = kept.Note
		}
	}
	return rows
}

// average is a mean that is filled value by value.
type average struct{ sum, count float64 }

func (a *average) add(x float64) { a.sum, a.count = a.sum+float64(x), a.count+1 }
func (a average) value() float64 { return a.sum / a.count }

// percentAbove is by how many per cent a exceeds b.
func percentAbove(a, b float64) float64 { return 100 * (a/b - 1) }
