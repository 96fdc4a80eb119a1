package market

import (
	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// Sheet collects figures as an experiment does, and judges them.
type Sheet struct {
	*sheet
	seeds int // that were played alike
}

// NewSheet returns an empty one, of two seeds; SheetOfOne one of a single seed.
func NewSheet() Sheet   { return Sheet{newSheet(), 2} }
func SheetOfOne() Sheet { return Sheet{newSheet(), 1} }

// Add takes down the value of a figure, which all seeds have.
func (s Sheet) Add(name, unit string, value float64) {
	for range s.seeds {
		s.add(name, unit, value)
	}
}

// Tally and Offers take down what runs came to that are alike.
func (s Sheet) Tally(out market.Outcomes) {
	for range s.seeds {
		tally(s.sheet, out)
	}
}

func (s Sheet) Offers(all []market.Resource) {
	for range s.seeds {
		s.offers(all)
	}
}

// Workloads and the others judge all that was taken down.
func (s Sheet) Workloads(opened string) []Row { return s.workloadRows(opened) }
func (s Sheet) Prices() []Row                 { return s.priceRows() }
func (s Sheet) Rounds(late []float64) []Row   { return s.roundRows(late) }
func (s Sheet) Network() []Row                { return s.networkRows() }
func (s Sheet) Crowd(where string) []Row {
	s.crowdRows(where)
	return s.rows(func(r *Row) { judgeCrowd(r, where) })
}

// Requests are those of table 3, so often.
func Requests(times int) string { return "[" + table3Requests(times) + "]" }

// What the experiments compute from figures.
var (
	Bend    = bend
	Buyers  = buyers
	Bounded = bounded
	Sites   = sitesOf
)

// CrowdOf is what so many users at once saw.
func CrowdOf(out market.Outcomes, users int) (response, duration, round, bought float64) {
	c := crowdOf(out, users)
	return c.response, c.duration, c.round, c.bought
}

// Gained is what a day of requests comes to.
type Gained struct{ Started, Wait, Slowdown, Price, Fairness, OwnWait float64 }

func gainedOf(g gained) Gained {
	return Gained{g.started, g.wait, g.slowdown, g.price, g.fairness, g.ownWait}
}

// Dispatch plays a day of jobs that are sent to the least loaded site, or a random one.
func Dispatch(source workload.Source, random bool, seed uint64) Gained {
	return gainedOf(dispatch(source, random, seed))
}

// GainOf plays the day of a document in the market.
func GainOf(document, settings string) (Gained, error) {
	s, err := open(document, settings, 1, nil)
	if err != nil {
		return Gained{}, err
	}
	g, err := s.gain()
	return gainedOf(g), err
}

// Play plays a document for so long.
func Play(document, settings string, until unit.Time) (market.Outcomes, error) {
	s, err := open(document, settings, 1, nil)
	if err != nil {
		return nil, err
	}
	return s.play(until)
}

// Unit is a unit of a request.
var Unit = fixed

// DemandOfGain is what is asked for on the day of Gain.
const DemandOfGain = demandOfGain

// AtOnce is what so many users who ask at the same moment see, by the seed 1.
func AtOnce(e Effort, users, sites int, settings string) (response, duration float64, err error) {
	c, err := atOnce(e, 1, users, sites, settings)
	return c.response, c.duration, err
}
