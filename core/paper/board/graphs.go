// Package board holds the functions of the experiments on bulletin boards. They also measure
// questions that the paper leaves open: where its claims stop holding, and how its agents compare
// with a rule of ours, with plans made ahead, and with a dispatcher that sees everything. The
// documents beside it define the arguments, the rows and the paper's claims; two experiments
// play files that their user provides.
//
// Source: Kalyaev, Kalyaev, Korovin, Computational Technologies 21(5), 2016. Its section of
// experiments names the varied quantities (up to 1,000 resources, up to 20 types of subtasks a
// resource, speeds and channels) and one result: efficiency never below 70 %, guarantee never
// below 90 %. It does not publish its settings or single results; ours are in the function
// document and in the README of the system.
//
// In the documents, load is the work that arrives, as a share of the capacity of all resources at
// their mean speed, and tightness is the deadline in critical paths on mean resources. With
// the default patience the board is a hybrid: a graph whose agents wait for a subtask that none of
// them can take has stalled, and the ready resources take it from then on.
package board

import (
	"encoding/json"
	"fmt"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/study"
	"parley/core/unit"
)

// Functions returns the functions of the documents. files are the user's files; nil if there are
// none.
func Functions(files *Files) study.Functions {
	return study.Functions{
		PlaysFiles: files.play,
		"board/graphs": func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
			c := call{seed: seed, Nodes: 300, Until: scenario.Duration(8 * unit.Hour), Bytes: [2]float64{1e6, 1e7}}
			if err := strict.Part(arguments, &c); err != nil {
				return nil, err
			}
			if !(c.Load > 0) {
				return nil, fmt.Errorf("load is %v: choose a share above 0 of what all resources can do", c.Load)
			}
			return c.play()
		},
	}
}

// call is one call of board/graphs: generated graphs that arrive at resources.
type call struct {
	seed      uint64
	Name      string            `json:"name"` // for progress
	System    string            `json:"system"`
	Settings  json.RawMessage   `json:"settings"`
	Nodes     int               `json:"nodes"`
	Until     scenario.Duration `json:"until"`
	Load      float64           `json:"load"`
	Tightness float64           `json:"tightness"`
	Bytes     [2]float64        `json:"bytes"` // of a subtask's result: the least and the most
	MTBF      scenario.Duration `json:"mtbf"`  // of one node; 0: nodes do not fail
}

// The highest and the mean speed of the resources in document.
const (
	topSpeed  = 2.0
	meanSpeed = 1.25
)

// document returns the scenario of a call. A resource knows 4 to 8 of 20 types, at speeds
// that differ by four, and has a channel of 1 to 10 MB/s. A graph has 20 to 60 subtasks.
func (c *call) document() ([]byte, error) {
	type object = map[string]any
	d := object{
		"v": 1, "system": c.System, "seed": c.seed, "until": c.Until,
		"workload": object{"graphs": object{
			"machines": []object{{
				"count": c.Nodes, "types": 20, "types_each": [2]int{4, 8},
				"speed": [2]float64{0.5, topSpeed}, "bandwidth": [2]float64{1e6, 1e7},
			}},
			"generate": object{
				"shape": "mixed", "vertices": [2]float64{20, 60}, "width": 10, "needs": 3,
				"work": [2]float64{60, 600}, "bytes": c.Bytes, "load": c.Load,
			},
			"deadline_factor": c.Tightness, "bonus": 100,
		}},
	}
	if c.Settings != nil {
		d["settings"] = c.Settings
	}
	if c.MTBF > 0 {
		d["chaos"] = object{"node_mtbf": c.MTBF, "mttr": "30m"}
	}
	return json.Marshal(d)
}

// play runs the scenario of a call to its end and returns the figures of its report. possible is a bound on the
// percentage that can be met: by the load, and by the graphs that cannot be done in time even alone.
func (c *call) play() (map[string]float64, error) {
	document, err := c.document()
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(document)
	if err != nil {
		return nil, err
	}
	r, err := run.Open(s, nil)
	if err != nil {
		return nil, err
	}
	if err := r.Advance(unit.Time(c.Until)); err != nil {
		return nil, err
	}
	if err := r.Audit(); err != nil {
		return nil, err
	}
	figures := figuresOf(r.Report(), r.View().Nodes())
	figures["possible"] = min(100-figures["impossible"], 100*topSpeed/meanSpeed/c.Load)
	return figures, nil
}

// The paper's claims, in per cent.
const (
	minEfficiency = 70
	minGuarantee  = 90
)

// figuresOf returns the figures in the report of a run on a number of nodes; shares are in per cent.
func figuresOf(report run.Report, nodes int) map[string]float64 {
	own := func(name string) float64 {
		switch x := report.System[name].(type) {
		case float64:
			return x
		case int64:
			return float64(x)
		}
		return 0
	}
	g := report.Graphs
	if g == nil {
		g = &metric.GraphReport{}
	}
	engaged := own("kpd_engaged_pct")
	figures := map[string]float64{
		// КГВ: graphs done by their deadline, of those whose deadline has passed
		"guarantee": g.MetPct,
		// КПД: share of the resources' time spent computing, aborted or lost work included
		"efficiency, computing":      g.BusyPct,
		"efficiency, in communities": engaged, // likewise, they were in a community
		"both claims":                0,
		"impossible":                 0, // graphs whose deadline no resources could meet
		"stalled":                    0,
		"releases a graph":           0,
		"messages a resource and hour": own("messages") / (report.SimulatedS / unit.Hour.Seconds()) / float64(max(1,
			nodes)),
		"graphs judged": float64(g.Passed),
	}
	if g.MetPct >= minGuarantee && engaged >= minEfficiency {
		figures["both claims"] = 1
	}
	if posted := own("graphs_posted_total"); posted > 0 {
		figures["impossible"], figures["stalled"], figures["releases a graph"] = 100*own("graphs_impossible")/posted,
			100*own("stalled")/posted, own("releases")/posted
	}
	return figures
}
