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

// open returns the log for one run.
func (l Log) open() (workload.Source, string, error) {
	if l == nil {
		return nil, "", nil
	}
	return l()
}

// Functions returns those that the documents name. They play the log at the resource of its
// machine.
func Functions(log Log) study.Functions {
	with := func(f func(*call) (map[string]float64, error)) study.Function {
		return func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
			c := &call{seed: seed, log: log, Resources: 20, Anticipated: 3}
			if err := strict.Part(arguments, c); err != nil {
				return nil, err
			}
			if c.Resources < 1 || c.Resources > 20 {
				return nil, fmt.Errorf("resources is %d: choose 1 to 20", c.Resources)
			}
			if c.Seeds > 0 && seed > c.Seeds {
				return nil, nil
			}
			return f(c)
		}
	}
	return study.Functions{
		"market/requests": with((*call).requests), "market/rounds": with((*call).rounds),
		"market/users": with((*call).users),
		"market/units": with((*call).units), "market/gain": with((*call).gain),
	}
}

// call is one call of a function.
type call struct {
	seed uint64
	log  Log

	Resources int    `json:"resources"` // how many of table 2 take part
	Seeds     uint64 `json:"seeds"`     // it is made with the seeds 1 to this only; 0: with all

	// of gain, how requests find their site: paper, fixed or utilisation are prices of the market; least loaded;
	// random
	Method string `json:"method" was:"way"`
	// of requests, per cent of their cores that stand-ins keep busy; 0: as the logs do
	Busy        int     `json:"busy"`
	AskingPrice float64 `json:"asking_price" was:"asked"` // of rounds, the price that the request asks for, in credits
	Anticipated int     `json:"anticipated"`              // of rounds, n of the price formula
	// of rounds, in credits: resources with a lower minimum price have no room
	MinPrice float64 `json:"min_price" was:"least"`
	// of rounds, the paper's mean sale price by rounds, from one on, in credits
	Prices    []float64 `json:"prices"`
	Durations []float64 `json:"durations"` // of rounds, likewise of an auction, in seconds

	Counts   []int           `json:"counts"`   // numbers of units, or of users, in rising order
	Settings json.RawMessage `json:"settings"` // of users, beside those of patient
	Beside   json.RawMessage `json:"beside"`   // of users, settings under which the most users are played too
}

// play plays a document of the first resources with the other members in rest, for a time.
func (c *call) play(table market.Table2, rest, settings string, until unit.Time) (market.Outcomes, error) {
	log, name, err := c.log.open()
	if err != nil {
		return nil, err
	}
	table.Opened = name
	st, err := open(fmt.Sprintf(`{"sites":%s,%s}`, sites(c.Resources, table), rest), settings, c.seed, log)
	if err != nil {
		return nil, err
	}
	return st.play(until)
}

// counted refuses numbers that do not rise from 1 to limit.
func (c *call) counted(nouns string, limit int) error {
	if len(c.Counts) < 1 {
		return fmt.Errorf("counts has no number of %s: give one or more", nouns)
	}
	for i, n := range c.Counts {
		if n < 1 || n > limit || i > 0 && n <= c.Counts[i-1] {
			return fmt.Errorf("counts[%d] is %d: choose 1 to %d, in rising order", i, n, limit)
		}
	}
	return nil
}

// maxUnits limits a request of units.
const maxUnits = 100

// units buys requests of several numbers of units, and says how the times of their auctions
// depend on that number.
func (c *call) units() (map[string]float64, error) {
	if err := c.counted("units", maxUnits); err != nil {
		return nil, err
	}
	figures, whole := map[string]float64{}, map[int]float64{}
	for _, n := range c.Counts {
		demand := fmt.Sprintf(
			`"demand":{"requests":1,"every":"0s","cores":[16,64,256],"price":[60,80],"lead":["2h","8h"],"wall":["20m","2h"],"units":[%d,%d]}`, n, n,
		)
		out, err := c.play(market.Table2{}, demand, "{"+patient+"}", unit.Hour)
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
	if first == last {
		return figures, nil
	}
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
	log, name, err := c.log.open()
	if err != nil {
		return nil, err
	}
	document := fmt.Sprintf(`{"sites":%s,"demand":%s}`, sites(c.Resources, market.Table2{Opened: name}), demandOfGain)
	var g gained
	switch c.Method {
	case "least loaded", "random":
		source, err := market.Files([]byte(document), c.seed, log)
		if err != nil {
			return nil, err
		}
		g = dispatch(source, c.Method == "random", c.seed)
	case "paper", "fixed", "utilisation":
		st, err := open(document, fmt.Sprintf(`{"signatures":"modelled","users":720,"pricing":%q}`, c.Method), c.seed, log)
		if err != nil {
			return nil, err
		}
		if g, err = st.gain(); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("method is %q: choose paper, fixed, utilisation, least loaded or random", c.Method)
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
