package market

import (
	"fmt"

	"parley/core/system/market"
	"parley/core/unit"
)

// Prices plays the thirteen requests and sets each resource's mean offer beside its
// start and minimum price.
func Prices(e Effort) ([]Row, error) {
	s := newSheet()
	for seed := range uint64(max(1, e.Seeds)) {
		if err := e.tell("prices, seed %d", seed+1); err != nil {
			return nil, err
		}
		log, name, err := e.log()
		if err != nil {
			return nil, err
		}
		st, err := open(fmt.Sprintf(`{"sites":%s,"requests":[%s]}`, sitesOf(20, name), table3Requests(3)), `{"signatures":"modelled"}`, seed+1, log)
		if err != nil {
			return nil, err
		}
		out, err := st.play(2 * unit.Hour)
		if err != nil {
			return nil, err
		}
		s.offers(out.Resources())
	}
	return s.priceRows(), nil
}

// offers adds where the mean offers of one run lie, of the resources that made any.
func (s *sheet) offers(resources []market.Resource) {
	part, within, n := 0.0, 0.0, 0.0
	for _, r := range resources {
		if r.Bids == 0 {
			continue
		}
		low, high := float64(r.Min)/1000, float64(r.Start)/1000
		s.add(fmt.Sprintf("%s: mean offer, %g to %g", r.Name, low, high), "credits", r.MeanOffer)
		n++
		part += (r.MeanOffer - low) / (high - low)
		if r.MeanOffer >= low && r.MeanOffer <= high {
			within++
		}
	}
	s.add("mean offers between minimum and start price", "%", 100*within/n)
	s.add("place of the mean offer from the minimum, 0, to the start price, 1", "", part/n)
}

// priceRows judges the offers of all seeds.
func (s *sheet) priceRows() []Row {
	return s.rows(func(r *Row) {
		switch r.Name {
		case "mean offers between minimum and start price":
			r.AtLeast(75)
			r.Ruled("\"roughly\" is three in four")
			r.Why("an offer follows the price that is asked for, which lies above the start price of the cheapest resources")
		case "place of the mean offer from the minimum, 0, to the start price, 1":
			r.AtMost(0.5)
			r.Ruled("nearer to the minimum")
			r.Why("requests at 55 to 80 credits are offered at the price asked for less a third of what a resource comes down")
		}
	})
}
