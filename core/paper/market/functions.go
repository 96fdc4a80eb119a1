package market

import (
	"encoding/json"
	"fmt"

	"parley/core/strict"
	"parley/core/study"
	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// Log opens a recorded log and returns the name of its machine; a nil Log: there is none.
type Log func() (workload.Source, string, error)

// Functions returns those that the documents name. They play the log at the resource of its
// machine.
func Functions(log Log) study.Functions {
	with := func(f func(*call) (map[string]float64, error)) study.Function {
		return func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
			c := &call{seed: seed, log: log, Resources: 20}
			if err := strict.Part(arguments, c); err != nil {
				return nil, err
			}
			if c.Resources < 1 || c.Resources > 20 {
				return nil, fmt.Errorf("resources is %d: choose 1 to 20", c.Resources)
			}
			return f(c)
		}
	}
	return study.Functions{"market/units": with((*call).units), "market/gain": with((*call).gain)}
}

// call is one call of a function.
type call struct {
	seed      uint64
	log       Log
	Resources int    `json:"resources"` // how many of table 2 take part
	Way       string `json:"way"`       // of gain, how requests find their site: paper, fixed or utilisation are prices of the market; least loaded; random
	Counts    []int  `json:"counts"`    // of units, in rising order
}

// mostUnits bounds a request of units.
const mostUnits = 100

// units buys requests of several numbers of units, and says how the times of their auctions
// depend on that number.
func (c *call) units() (map[string]float64, error) {
	if len(c.Counts) < 2 {
		return nil, fmt.Errorf("counts has %d numbers of units: give two or more", len(c.Counts))
	}
	figures, whole := map[string]float64{}, map[int]float64{}
	for i, n := range c.Counts {
		if n < 1 || n > mostUnits || i > 0 && n <= c.Counts[i-1] {
			return nil, fmt.Errorf("counts[%d] is %d: choose 1 to %d, in rising order", i, n, mostUnits)
		}
		log, name, err := Effort{Log: c.log}.log()
		if err != nil {
			return nil, err
		}
		document := fmt.Sprintf(`{"sites":%s,"demand":{"requests":1,"every":"0s","cores":[16,64,256],"price":[60,80],"lead":["2h","8h"],"wall":["20m","2h"],"units":[%d,%d]}}`, sitesOf(c.Resources, name), n, n)
		st, err := open(document, "{"+patient+"}", c.seed, log)
		if err != nil {
			return nil, err
		}
		out, err := st.play(unit.Hour)
		if err != nil {
			return nil, err
		}
		all := out.Outcomes()
		if len(all) != 1 || !all[0].Bought {
			return nil, fmt.Errorf("a request of %d units bought nothing: %+v", n, all)
		}
		whole[n] = (all[0].Ended - all[0].Began).Seconds()
		figures[fmt.Sprintf("%d units: bidding", n)] = (all[0].Bidden - all[0].Began).Seconds()
		figures[fmt.Sprintf("%d units: agreement", n)] = (all[0].Ended - all[0].Bidden).Seconds()
		figures[fmt.Sprintf("%d units: whole auction", n)] = whole[n]
	}
	first, last := c.Counts[0], c.Counts[len(c.Counts)-1]
	agreement := func(n int) float64 { return figures[fmt.Sprintf("%d units: agreement", n)] }
	figures["a further unit"] = (whole[last] - whole[first]) / float64(last-first)
	figures["largest distance from a straight line"] = bend(c.Counts, func(n int) float64 { return whole[n] })
	figures["agreement, most units / fewest"] = agreement(last) / agreement(first)
	return figures, nil
}

// gain plays a day of requests: in the market, or with every request sent at once to the
// least loaded site that is large enough, or to a random one, where it queues as any other
// job (EASY).
func (c *call) gain() (map[string]float64, error) {
	log, name, err := Effort{Log: c.log}.log()
	if err != nil {
		return nil, err
	}
	document := fmt.Sprintf(`{"sites":%s,"demand":%s}`, sitesOf(c.Resources, name), demandOfGain)
	var g gained
	switch c.Way {
	case "least loaded", "random":
		source, err := market.Files([]byte(document), c.seed, log)
		if err != nil {
			return nil, err
		}
		g = dispatch(source, c.Way == "random", c.seed)
	case "paper", "fixed", "utilisation":
		st, err := open(document, fmt.Sprintf(`{"signatures":"modelled","users":720,"pricing":%q}`, c.Way), c.seed, log)
		if err != nil {
			return nil, err
		}
		if g, err = st.gain(); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("way is %q: choose paper, fixed, utilisation, least loaded or random", c.Way)
	}
	figures := map[string]float64{
		"requests that run": g.started, "mean wait": g.wait, "mean bounded slowdown": g.slowdown,
		"fairness between sites": g.fairness, "mean wait of the sites' own jobs": g.ownWait,
	}
	if g.price > 0 {
		figures["mean price"] = g.price
	}
	return figures, nil
}
