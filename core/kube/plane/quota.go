package plane

import "parley/core/unit"

// Forbidden is a workload whose pods the API server refuses to make.
type Forbidden struct {
	Workload string // NAMESPACE/NAME of the controller
	Missing  int    // pods
	Text     string
	group    int
}

// Forbidden returns the workloads that lack pods since admission forbids them.
func (p *Plane) Forbidden() (all []Forbidden) {
	for _, r := range p.sets {
		if n := r.want - r.live; n > 0 && r.refused != "" {
			all = append(all, Forbidden{r.namespace + "/" + r.owner.Name, n, r.refused, r.group})
		}
	}
	return all
}

// later returns the delay of a controller's next attempt after a number of failures.
// (client-go util/workqueue/default_rate_limiters.go)
func later(fails int) unit.Time {
	return min(5*unit.Millisecond<<min(fails-1, 30), 1000*unit.Second)
}
