package market

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley/core/system/market"
	"parley/core/unit"
)

// table3 are the paper's requests.
var table3 = []struct {
	cores int
	start unit.Time
	price float64
}{
	{16, 5 * unit.Minute, 70},
	{16, unit.Hour, 55},
	{16, 12 * unit.Hour, 35},
	{256, 5 * unit.Minute, 50},
	{256, unit.Hour, 30},
	{256, 12 * unit.Hour, 25},
	{1024, unit.Hour, 55},
	{1024, 12 * unit.Hour, 35},
	{4096, unit.Hour, 55},
	{4096, 12 * unit.Hour, 35},
	{20_480, 5 * unit.Minute, 80},
	{20_480, unit.Hour, 55},
	{20_480, 12 * unit.Hour, 35},
}

// wall is how long each request runs: the paper does not say.
const wall = unit.Hour

// times is how often the requests of table 3 are sent.
const times = 3

// table3Requests returns the requests of table 3, all of them `times` times over, as a list in JSON:
// one every two minutes, the request of row k always by user k.
func table3Requests() string {
	var list []string
	for i := range times * len(table3) {
		q, at := table3[i%len(table3)], unit.Time(i)*2*unit.Minute
		list = append(list, fmt.Sprintf(`{"at":%s,"user":%d,"units":[%s]}`, seconds(at),
			i%len(table3), fixed(q.cores, q.price, at+q.start, wall)))
	}
	return strings.Join(list, ",")
}

// requests sends the thirteen requests of table 3, three times over, in three rounds of
// bidding.
func (c *call) requests() (map[string]float64, error) {
	out, err := c.play(market.Table2{Busy: c.Busy}, `"requests":[`+table3Requests()+`]`, `{"signatures":"modelled"}`,
		2*unit.Hour)
	if err != nil {
		return nil, err
	}
	figures := map[string]float64{}
	tally(figures, out)
	offers(figures, out.Resources())
	return figures, nil
}

// tally adds the outcomes of one run. Figures of bought requests are missing if none was.
func tally(figures map[string]float64, out market.Outcomes) {
	bought, paid := map[int]int{}, map[int]float64{}
	wins := map[int]int{}
	var ratios []float64
	var rounds [3]struct{ sum, count float64 }
	for _, o := range out.Outcomes() {
		i := o.Request % len(table3)
		u := o.Units[0]
		for k, p := range u.Best {
			if k < 3 && p > 0 {
				rounds[k].sum += float64(p) / float64(u.AskingPrice)
				rounds[k].count++
			}
		}
		if !o.Bought {
			continue
		}
		bought[i]++
		paid[i] += float64(u.Paid) / 1000
		wins[u.Site]++
		ratios = append(ratios, 100*float64(u.Paid)/float64(u.AskingPrice))
	}
	for i := range table3 {
		name := fmt.Sprintf("exp%d", i+1)
		figures[name+": bought"] = 100 * float64(bought[i]) / times
		if bought[i] > 0 {
			figures[name+": winning price"] = paid[i] / float64(bought[i])
		}
	}
	const exp11 = 10
	figures["the others: bought"] = 100 * float64(len(ratios)-bought[exp11]) / float64(times*(len(table3)-1))
	for k, r := range rounds {
		figures[fmt.Sprintf("best offer / price asked for, round %d", k+1)] = 100 * r.sum / max(1, r.count)
	}
	figures["resources that win any"] = float64(len(wins))
	if len(ratios) == 0 {
		return
	}
	slices.Sort(ratios)
	figures["winning price / price asked for, median"] = ratios[len(ratios)/2]
	largest := 0
	for _, n := range wins {
		largest = max(largest, n)
	}
	figures["share of the biggest winner"] = 100 * float64(largest) / float64(len(ratios))
	// Do the most attractive resources win? Rank the resources by attractiveness.
	all := out.Resources()
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].Appeal, all[a].Appeal) })
	top := 0
	for _, i := range order[:min(10, len(order))] {
		top += wins[i]
	}
	figures["won by the ten most attractive at the end"] = 100 * float64(top) / float64(len(ratios))
}

// offers adds where the mean offers of one run lie, of the resources that made any.
func offers(figures map[string]float64, resources []market.Resource) {
	part, within, n := 0.0, 0.0, 0.0
	for _, r := range resources {
		if r.Bids == 0 {
			continue
		}
		low, high := float64(r.Min)/1000, float64(r.Start)/1000
		figures[r.Name+": mean offer"] = r.MeanOffer
		n++
		part += (r.MeanOffer - low) / (high - low)
		if r.MeanOffer >= low && r.MeanOffer <= high {
			within++
		}
	}
	if n == 0 {
		return
	}
	figures["mean offers between minimum and start price"] = 100 * within / n
	figures["place of the mean offer from the minimum, 0, to the start price, 1"] = part / n
}
