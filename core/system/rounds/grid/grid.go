// Package grid turns a SimGrid platform into one of the divisible-load
// planner.
//
// Model: every host but the master is a worker, reached over the smallest
// bandwidth and the summed latency of its route; the route's latency is nLat,
// cLat is 0, and all cores of a host share a chunk. The master's one port is
// the planner's assumption, not the file's.
//
//	file, _ := simgrid.Read("g5k.xml", reader)
//	p, names, err := grid.Platform(file, "griffon-1.nancy.grid5000.fr", grid.Unit{Flops: 1e9, Bytes: 1e6})
//	result, err := plan.Plan(p, 1e5, "umr2", plan.Options{}) // 100,000 units of 1 Gflop and 1 MB
package grid

import (
	"fmt"
	"math"
	"strings"

	"parley/core/system/rounds/plan"
	"parley/core/trace/simgrid"
)

// Unit describes the cost of one work unit: flops to compute and bytes to send.
type Unit struct {
	Flops float64
	Bytes float64
}

// Platform returns the workers that the named master reaches and their names;
// the order is the file's. Errors are sentences.
func Platform(file *simgrid.Platform, master string, unit Unit) (p plan.Platform, names []string, err error) {
	for _, size := range [...]struct {
		name  string
		value float64
	}{{"flops", unit.Flops}, {"bytes", unit.Bytes}} {
		if !(size.value > 0 && size.value <= math.MaxFloat64) {
			return plan.Platform{}, nil, fmt.Errorf("a work unit has %v %s: it must have a positive number", size.value,
				size.name)
		}
	}
	paths, _, err := file.Paths(master) // Unreached lists the others
	if err != nil {
		return plan.Platform{}, nil, err
	}
	for _, way := range paths {
		h := file.Hosts[way.Host]
		if math.IsInf(way.Bandwidth, 1) {
			return plan.Platform{}, nil, fmt.Errorf("the route from %s to %s has no link: give it one with a bandwidth",
				master, h.Name)
		}
		p.Workers = append(p.Workers, plan.Worker{
			Speed:       h.Speed * float64(h.Cores) / unit.Flops,
			Bandwidth:   way.Bandwidth / unit.Bytes,
			CommLatency: way.Latency,
		})
		names = append(names, h.Name)
	}
	return p, names, nil
}

// Unreached reports in a sentence which hosts are not workers because the platform has
// no route to them from the master; "" if all are. SimGrid takes a missing route
// of a Full zone as one without links and refuses to send over it.
func Unreached(file *simgrid.Platform, master string) string {
	_, unreached, _ := file.Paths(master)
	if len(unreached) == 0 {
		return ""
	}
	var names []string
	for _, i := range unreached[:min(len(unreached), 3)] {
		names = append(names, file.Hosts[i].Name)
	}
	if more := len(unreached) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("no route leads from %s to %s: left out, %d of %d hosts", master, strings.Join(names, ", "),
		len(unreached), len(file.Hosts))
}
