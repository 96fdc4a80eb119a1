package simgrid

import (
	"math"
	"slices"

	"parley/core/trace"
)

// Name is the format's name in reports and scenarios.
const Name = "simgrid"

const table = "platform"

// Format returns platforms as a format for a list of formats. A platform describes
// machines and no work: it can be summed up and planned with, and opening it as a
// workload is an error that says so.
func Format() trace.Format {
	return trace.Format{
		Name:  Name,
		Title: "SimGrid platforms",
		Detect: func(h *trace.Head) trace.Match {
			if Detect(h.Bytes) {
				return trace.Match{Table: table}
			}
			return trace.Match{}
		},
		Open: func(files []trace.File, _ trace.Options) (trace.Source, error) {
			return nil, &trace.Error{
				Kind: trace.NoTasks, File: files[0].Name,
				Reason: "describes machines and no work, so there is nothing to run",
				Hint:   "choose files with tasks, or plan with it: parley plan rounds, or the page's planner",
			}
		},
		Summarise: summarise,
	}
}

// Summary summarises a platform.
type Summary struct {
	Hosts      int     `json:"hosts"`
	Cores      int     `json:"cores"`
	MinGflops  float64 `json:"slowest_core_gflops"`
	MaxGflops  float64 `json:"fastest_core_gflops"`
	FirstHost  string  `json:"first_host"`
	Reached    int     `json:"reached_from_first_host"`
	LatencyUS  float64 `json:"longest_way_us"`
	NarrowMBps float64 `json:"narrowest_way_mb_per_s"`
}

// summarise reads each platform; the summary has a Summary for each.
func summarise(files []trace.File, o trace.Options) (trace.Report, error) {
	report := trace.Report{Files: []trace.FileReport{}}
	var all []Summary
	meter := trace.NewMeter(files, o.Progress)
	for _, f := range files {
		p, err := ReadFile(f, meter)
		if err != nil {
			return report, err
		}
		all = append(all, p.summary())
		report.Files = append(report.Files, trace.FileReport{
			File: f.Name, Format: Name + "/" + table, Rows: int64(len(p.Hosts)), Bad: []trace.BadRow{}, Notes: p.Notes,
		})
		report.Summary = all
	}
	return report, nil
}

// ReadFile reads the platform of a file, which may be packed.
func ReadFile(f trace.File, m *trace.Meter) (*Platform, error) {
	in, err := trace.Unpack(f, m)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return Read(f.Name, in)
}

// summary looks at the platform from its first host; hosts that it cannot reach are
// not among the ways.
func (p *Platform) summary() Summary {
	s := Summary{Hosts: len(p.Hosts)}
	if len(p.Hosts) == 0 {
		return s
	}
	faster := func(a, b Host) int {
		if a.Speed < b.Speed {
			return -1
		}
		return 1
	}
	for _, h := range p.Hosts {
		s.Cores += h.Cores
	}
	s.MinGflops, s.MaxGflops = slices.MinFunc(p.Hosts, faster).Speed/1e9, slices.MaxFunc(p.Hosts, faster).Speed/1e9
	s.FirstHost = p.Hosts[0].Name
	paths, _, _ := p.Paths(s.FirstHost) // fails if it reaches no host
	for _, way := range paths {
		s.Reached++
		s.LatencyUS = max(s.LatencyUS, way.Latency*1e6)
		if mb := way.Bandwidth / 1e6; !math.IsInf(mb, 1) && (s.NarrowMBps == 0 || mb < s.NarrowMBps) {
			s.NarrowMBps = mb
		}
	}
	return s
}
