// Package market holds the functions of the experiments on the auction market. The documents
// beside it define the arguments, the rows, and the tables and words of the paper that they are
// held to. Two experiments are not in the paper: the effect of ten thousand users, and the
// gain over sending jobs to a site by a fixed rule.
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
	"parley/core/system"
	"parley/core/system/market"
	"parley/core/system/market/logs"
	"parley/core/unit"
	"parley/core/workload"
)

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

// Fire applies the records that are due to the cluster, nodes that join and jobs that arrive, and schedules itself for
// the next one.
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

// play advances the time and returns the outcomes of the requests.
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

// sites returns the first limit of the wanted resources as a document's list.
func sites(limit int, wanted market.Table2) string {
	list := wanted.Sites()
	text, err := json.Marshal(list[:min(limit, len(list))])
	if err != nil {
		panic("experiment: " + err.Error()) // numbers and texts
	}
	return string(text)
}

// fixed returns the JSON of an offer that starts at a time after the beginning.
func fixed(cores int, credits float64, start, wall unit.Time) string {
	at := func(edge string, t unit.Time) string {
		return fmt.Sprintf(`"%sDate":"2016-01-%02d","%sTime":"%02d:%02d:%02d"`, edge, 1+t/unit.Day,
			edge, t%unit.Day/unit.Hour, t%unit.Hour/unit.Minute, t%unit.Minute/unit.Second)
	}
	return fmt.Sprintf(`{"CPUHourCost":%g,%s,%s,"WallTime":"PT%dS","TotalCores":%d}`, credits, at("Start", start),
		at("End", start+wall), wall/unit.Second, cores)
}

// Machine returns the name of the paper's machine that has this number of cores; empty
// if none has.
func Machine(cores int) string {
	for _, m := range logs.Machines {
		if m.Cores == cores {
			return m.Name
		}
	}
	return ""
}

func seconds(t unit.Time) string { return fmt.Sprintf(`"%ds"`, t/unit.Second) }
