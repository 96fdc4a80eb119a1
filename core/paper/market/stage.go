// Package market repeats the experiments of the paper on the auction market and compares them
// with its tables and text. It adds two experiments: the effect of ten thousand users, and
// the gain over sending jobs to a site by a fixed rule.
//
// Source: S. Zasada and P. Coveney, arXiv 1512.04343, sections 10 to 12. Not all of its five
// logs are available. A site whose log is not open plays a stand-in of the same size and load
// (see core/system/market/logs), and the rows report that.
package market

import (
	"encoding/json"
	"fmt"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/study/evidence"
	"parley/core/system"
	"parley/core/system/market"
	"parley/core/system/market/logs"
	"parley/core/unit"
	"parley/core/workload"
)

// Row is one compared quantity.
type Row = evidence.Row

// Effort sets how much to compute.
type Effort struct {
	Seeds int  // repetitions, at least 1; seed numbers count from 1
	Quick bool // a first look: fewer resources and users, no sensitivity
	Log   Log
	Tell  func(doing string) error
}

// Experiment is one of this package that is no document.
type Experiment struct {
	ID, Title, Source string
	Seeds, Seconds    int // by default
	Run               func(Effort) ([]Row, error)
}

// All lists the experiments.
func All() []Experiment {
	return []Experiment{
		{"workloads", "Thirteen requests to twenty resources", "section 10, tables 2 and 3, figures 8 and 9", 3, 30, Workloads},
		{"rounds", "Price and duration by the number of bidding rounds", "section 11, table 4, figure 11a", 10, 60, Rounds},
		{"users", "Response and duration by the number of users at once", "section 12, figure 12; beyond 30 users not in the paper", 3, 60, Users},
		{"network", "The same over a wide-area network", "section 12, figure 13", 3, 30, Network},
		{"prices", "Mean offers beside start and minimum prices", "section 11, figure 10", 3, 30, Prices},
	}
}

// stage is a market with nothing else in it.
type stage struct {
	kernel  *des.Kernel
	cluster *cluster.Cluster
	source  workload.Source
	system  system.System
	record  workload.Record
	over    bool
	watch   func(cluster.Event)
}

// open builds one. The document is a scenario's workload.system.
func open(document, settings string, seed uint64, log workload.Source) (*stage, error) {
	s := &stage{kernel: des.New()}
	s.cluster = cluster.New(cluster.Default(), s.kernel)
	var err error
	if s.source, err = market.Files(json.RawMessage(document), seed, log); err != nil {
		return nil, fmt.Errorf("the experiment's own document: %w", err)
	}
	s.system, err = market.New(system.Env{
		Clock: s.kernel, View: s.cluster.View(), Acts: s.cluster, Source: s.source,
		Rand: func(name string) *rng.Stream { return rng.New(seed, "market/"+name) },
	}, json.RawMessage(settings))
	if err != nil {
		return nil, fmt.Errorf("the experiment's own settings: %w", err)
	}
	s.read()
	s.kernel.At(0, s, 0)
	return s, nil
}

func (s *stage) read() { s.over = s.source.Next(&s.record) != nil }

// Fire implements des.Handler: it makes the records of this moment true.
func (s *stage) Fire(now unit.Time, _ uint64) {
	for !s.over && s.record.At <= now {
		switch s.record.Kind {
		case workload.NodeJoins:
			s.cluster.Join(s.record.Machine, s.record.Node)
		case workload.JobArrives:
			s.cluster.SubmitJob(s.record.Key, s.record.Job)
		}
		s.read()
	}
	if !s.over {
		s.kernel.At(s.record.At, s, 0)
	}
}

// play lets time go by and returns what became of the requests.
func (s *stage) play(until unit.Time) (market.Outcomes, error) {
	for s.kernel.Step(until) {
		err := s.cluster.Deliver(func(e cluster.Event) error {
			if s.watch != nil {
				s.watch(e)
			}
			return s.system.On(e)
		})
		if err != nil {
			return nil, err
		}
	}
	if a, audits := s.system.(system.Auditor); audits {
		if err := a.Audit(); err != nil {
			return nil, err
		}
	}
	out, _ := s.system.(market.Outcomes)
	return out, s.cluster.Audit()
}

// sitesOf returns the paper's resources as a document's list, the first n of
// them. Those of the opened log's machine play it.
func sitesOf(most int, opened string) string { return sites(most, market.Table2{Opened: opened}) }

// sites are the first n of those that are wanted.
func sites(most int, wanted market.Table2) string {
	list := wanted.Sites()
	text, err := json.Marshal(list[:min(most, len(list))])
	if err != nil {
		panic("experiment: " + err.Error()) // numbers and texts
	}
	return string(text)
}

// fixed is a unit that starts at a time after the beginning.
func fixed(cores int, credits float64, start, wall unit.Time) string {
	at := func(what string, t unit.Time) string {
		return fmt.Sprintf(`"%sDate":"2016-01-%02d","%sTime":"%02d:%02d:%02d"`, what, 1+t/unit.Day, what, t%unit.Day/unit.Hour, t%unit.Hour/unit.Minute, t%unit.Minute/unit.Second)
	}
	return fmt.Sprintf(`{"CPUHourCost":%g,%s,%s,"WallTime":"PT%dS","TotalCores":%d}`, credits, at("Start", start), at("End", start+wall), wall/unit.Second, cores)
}

// Machine returns the name of the paper's machine that has this number of cores; empty
// where none has.
func Machine(cores int) string {
	for _, m := range logs.Machines {
		if m.Cores == cores {
			return m.Name
		}
	}
	return ""
}

// resources is how many of table 2 take part where they may be fewer.
func (e Effort) resources() int {
	if e.Quick {
		return 5
	}
	return 20
}

func seconds(t unit.Time) string { return fmt.Sprintf(`"%ds"`, t/unit.Second) }

// tell reports progress, if anybody wants to know.
func (e Effort) tell(format string, args ...any) error {
	if e.Tell == nil {
		return nil
	}
	return e.Tell(fmt.Sprintf(format, args...))
}

// log opens the log for one run.
func (e Effort) log() (workload.Source, string, error) {
	if e.Log == nil {
		return nil, "", nil
	}
	return e.Log()
}

// sheet collects one value a seed for every row, in the order of first use.
type sheet struct {
	names  []string
	values map[string][]float64
	units  map[string]string
}

func newSheet() *sheet { return &sheet{values: map[string][]float64{}, units: map[string]string{}} }

func (s *sheet) add(name, unit string, value float64) {
	if s.values[name] == nil {
		s.names = append(s.names, name)
	}
	s.values[name] = append(s.values[name], value)
	s.units[name] = unit
}

// row returns the row of a name that was added.
func (s *sheet) row(name string) Row { return evidence.New(name, s.units[name], s.values[name]) }

// derive adds a row that follows, seed by seed, from those that are there: of says what a
// name had with that seed.
func (s *sheet) derive(name, unit string, from string, value func(of func(name string) float64) float64) {
	for k := range s.values[from] {
		s.add(name, unit, value(func(name string) float64 { return s.values[name][k] }))
	}
}

func (s *sheet) mean(name string) float64 { return evidence.Mean(s.values[name]) }

// rows returns all rows, each after judge has seen it.
func (s *sheet) rows(judge func(*Row)) []Row {
	rows := make([]Row, len(s.names))
	for i, name := range s.names {
		rows[i] = s.row(name)
		judge(&rows[i])
	}
	return rows
}
