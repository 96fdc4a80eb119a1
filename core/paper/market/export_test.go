package market

import (
	"encoding/json"

	"parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// Tally and Offers are the figures of a run of the requests of table 3.
func Tally(out market.Outcomes) map[string]float64 {
	figures := map[string]float64{}
	tally(figures, out)
	return figures
}

func Offers(all []market.Resource) map[string]float64 {
	figures := map[string]float64{}
	offers(figures, all)
	return figures
}

// Fell are the figures of prices and durations by rounds, and of the paper's in arguments.
func Fell(prices, durations []float64, arguments json.RawMessage) (map[string]float64, error) {
	var c call
	err := json.Unmarshal(arguments, &c)
	return c.fell(prices, durations), err
}

// Seen is what so many users at once saw.
type Seen struct{ Response, Auction, Round, Bought float64 }

// CrowdOf is that of a run.
func CrowdOf(out market.Outcomes, users int) Seen {
	c := crowdOf(out, users)
	return Seen{c.response, c.duration, c.round, c.bought}
}

// Crowds are the figures of what several numbers of users saw.
func Crowds(counts []int, of func(n int) Seen) map[string]float64 {
	seen := map[int]crowd{}
	for _, n := range counts {
		x := of(n)
		seen[n] = crowd{x.Response, x.Auction, x.Round, x.Bought}
	}
	return crowds(counts, seen)
}

// Requests are those of table 3, three times.
func Requests() string { return "[" + table3Requests() + "]" }

// Sites are the first so many resources, of which those of an opened log's machine play it.
func Sites(limit int, opened string) string { return sites(limit, market.Table2{Opened: opened}) }

// BusySites are all resources, of which stand-ins keep so many per cent busy.
func BusySites(busy int) string { return sites(20, market.Table2{Busy: busy}) }

// What the experiments compute from figures.
var (
	Bend    = bend
	Bounded = bounded
)

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

// Patient are the settings of rounds that end when all have answered.
const Patient = patient
