package market

import (
	"fmt"
	"math"

	"parley/core/system/market"
	"parley/core/unit"
)

// maxRounds limits how many rounds of bidding an auction has.
const maxRounds = 100

// rounds buys one unit of 256 cores in an hour, once for each number of rounds from one on,
// in markets that begin alike. It says how far prices and durations lie from the
// published ones, of which there is one for each number of rounds.
func (c *call) rounds() (map[string]float64, error) {
	n := len(c.Prices)
	if n < 1 || n > maxRounds || n != len(c.Durations) {
		return nil, fmt.Errorf("there are %d prices and %d durations: give as many of both, 1 to %d",
			n, len(c.Durations), maxRounds)
	}
	prices, durations := make([]float64, n), make([]float64, n)
	for i := range n {
		request := fmt.Sprintf(`"requests":[{"at":"1m","user":0,"rounds":%d,"units":[%s]}]`, i+1,
			fixed(256, c.AskingPrice, unit.Hour, wall))
		out, err := c.play(market.Table2{MinPrice: c.MinPrice}, request,
			fmt.Sprintf(`{"signatures":"modelled","anticipated":%d}`, c.Anticipated), 10*unit.Minute)
		if err != nil {
			return nil, err
		}
		all := out.Outcomes()
		if len(all) != 1 || !all[0].Bought {
			return nil, fmt.Errorf("the request of %d rounds bought nothing: %+v", i+1, all)
		}
		prices[i], durations[i] = float64(all[0].Units[0].Paid)/1000, (all[0].Ended - all[0].Began).Seconds()
	}
	return c.fell(prices, durations), nil
}

// fell returns the figures of the prices and durations by rounds.
func (c *call) fell(prices, durations []float64) map[string]float64 {
	figures := map[string]float64{
		"distance of prices": distance(prices, c.Prices), "distance of durations": distance(durations, c.Durations),
	}
	for i := range prices {
		figures[fmt.Sprintf("%d rounds: price", i+1)] = prices[i]
		figures[fmt.Sprintf("%d rounds: duration", i+1)] = durations[i]
	}
	if len(prices) < 10 {
		return figures
	}
	early, late := prices[0]-prices[4], prices[4]-prices[9]
	figures["duration of a further round"] = (durations[9] - durations[2]) / 7
	figures["fall from 1 to 5 rounds"], figures["fall from 5 to 10 rounds"] = early, late
	figures["fall from 1 to 5 rounds less four times that from 5 to 10"] = early - float64(4*late)
	return figures
}

// distance is the root mean square distance of values from the paper's.
func distance(values, paper []float64) float64 {
	sum := 0.0
	for i, x := range values {
		d := x - paper[i]
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(values)))
}
