package market

import (
	"fmt"

	"parley/core/frame"
	"parley/core/rfql"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// shownRounds is for how many rounds the offers are shown.
const shownRounds = 5

// recent is what the latest auctions came to, for charts.
type recent struct {
	offers [shownRounds]window // best offers by round
	asked  window
	paid   window
}

// window holds the latest prices.
type window struct {
	prices [20]rfql.Price
	count  int
}

func (w *window) add(p rfql.Price) {
	w.prices[w.count%len(w.prices)] = p
	w.count++
}

// mean returns that of the latest, in credits; 0 of none.
func (w *window) mean() float64 {
	n := min(w.count, len(w.prices))
	sum := rfql.Price(0)
	for _, p := range w.prices[:n] {
		sum += p
	}
	return credits(sum) / float64(max(1, n))
}

// round notes the best offer of a round.
func (r *recent) round(n int, p rfql.Price) {
	if n <= shownRounds {
		r.offers[n-1].add(p)
	}
}

// won notes a purchase.
func (r *recent) won(a *auction) {
	for i := range a.lots {
		r.asked.add(a.lots[i].unit.Price)
		r.paid.add(a.contract.Lots[i].Price)
	}
}

// Measure implements system.MetricSource, in the order of the description.
func (x *exchange) Measure(values []float64) {
	c, r := &x.users.counts, &x.users.recent
	own, sold, size, appeal := 0, 0, 0, rfql.Price(0)
	for i := range x.resources.all {
		one := &x.resources.all[i]
		own, sold, size = own+one.queue.Busy(), sold+int(one.soldCores), size+one.queue.Processors()
		appeal = max(appeal, one.appeal)
	}
	part := func(cores int) float64 { return 100 * float64(cores) / float64(max(1, size)) }
	i := 0
	for _, value := range [...]float64{
		float64(c.begun - c.bought - c.failed), float64(c.bought), float64(c.failed), float64(c.units), r.asked.mean(),
	} {
		values[i] = value
		i++
	}
	for k := range r.offers {
		values[i] = r.offers[k].mean()
		i++
	}
	for _, value := range [...]float64{
		r.paid.mean(), credits(appeal), part(own), part(sold),
		inCredits(x.banker.bank.Total(seal.User)), inCredits(x.banker.bank.Total(seal.Resource)), x.inboxes.waits.mean(),
	} {
		values[i] = value
		i++
	}
}

// mean returns how long a resource took to answer, in seconds.
func (d *delay) mean() float64 { return d.sum.Seconds() / float64(max(1, d.count)) }

// The values of the layer "owner".
const (
	nobodys byte = iota
	sold
	mixed
	own
	off
)

// FillLayer implements system.LayerSource.
func (x *exchange) FillLayer(i int, cells []byte) {
	for n := range cells {
		cells[n] = x.cell(i, unit.NodeID(n))
	}
}

// cell is a layer's value of one node.
func (x *exchange) cell(layer int, n unit.NodeID) byte {
	site := int(x.View.Rack(n))
	if site < 0 || site >= len(x.resources.all) {
		return 0
	}
	one := &x.resources.all[site]
	busy := x.View.BusyProcessors(n)
	bought := int32(0)
	if int(n) < len(x.resources.sites.sold) {
		bought = x.resources.sites.sold[n]
	}
	switch layer {
	case 0:
		switch {
		case !x.View.Up(n):
			return off
		case busy == 0:
			return nobodys
		case bought == 0:
			return own
		case bought == busy:
			return sold
		}
		return mixed
	case 1:
		return byte(min(255, float64(busy)/float64(max(1, x.View.Processors(n)))*frame.FullScale))
	case 2:
		return byte(min(255, credits(one.offer)/topPrice*frame.FullScale))
	}
	return byte(min(255, credits(one.appeal)/topAppeal*frame.FullScale))
}

// The tops of the layers of prices, in credits.
const (
	topPrice  = 100
	topAppeal = 20
)

// prices returns what was asked for, what was agreed a core and hour, and the best
// offer after each of the first rounds, in credits: means over all units bought; 0 where
// there are none.
func (u *users) prices() (asked, agreed float64, byRound [shownRounds]float64) {
	var sums [2 + shownRounds]rfql.Price
	var counts [2 + shownRounds]int
	add := func(i int, p rfql.Price) {
		sums[i] += p
		counts[i]++
	}
	for _, a := range u.auctions {
		if a == nil || a.phase != bought {
			continue
		}
		for i := range a.lots {
			add(0, a.lots[i].unit.Price)
			add(1, a.contract.Lots[i].Price)
			for k, p := range a.lots[i].best[:min(shownRounds, len(a.lots[i].best))] {
				if p > 0 {
					add(2+k, p)
				}
			}
		}
	}
	mean := func(i int) float64 { return credits(sums[i]) / float64(max(1, counts[i])) }
	for k := range byRound {
		byRound[k] = mean(2 + k)
	}
	return mean(0), mean(1), byRound
}

// Report implements system.Reporter.
func (x *exchange) Report() map[string]any {
	c, r := &x.users.counts, &x.resources.counts
	paid, returned := x.banker.bank.Turnover()
	judged, correct := 0, 0
	resources := make([]map[string]any, len(x.resources.all))
	for i := range x.resources.all {
		one := &x.resources.all[i]
		j, k := one.predictor.Coverage()
		judged, correct = judged+j, correct+k
		resources[i] = map[string]any{
			"name": one.site.Name, "offers": one.bids, "units_sold": one.wins, "mean_offer": credits(one.sum) / float64(max(1, one.bids)),
			"credits": inCredits(x.banker.bank.Balance(seal.Party{Role: seal.Resource, Number: int32(i)})),
		}
	}
	asked, agreed, byRound := x.users.prices()
	report := map[string]any{
		"mean_price_asked": asked, "mean_price_paid": agreed,
		"auctions": c.begun, "auctions_bought": c.bought, "auctions_failed": c.failed, "auctions_closest": c.closest, "rounds_of_bidding": c.rounds,
		"units_bought": c.units, "auction_s": c.duration.Seconds() / float64(max(1, c.bought)),
		"offers": r.offers, "refusals": r.refusals, "reservations": r.holds, "reservations_expired": r.expired, "reservations_released": r.released,
		"units_returned": r.returned, "units_broken": r.broken, "units_late": r.late, "auctions_divided": x.banker.bank.Divided(), "units_done": x.resources.sites.ends, "bank_refused": x.banker.refused,
		"credits_paid": inCredits(paid), "credits_returned": inCredits(returned),
		"waits_judged": judged, "waits_within_bound": correct, "resources": resources,
	}
	for i, price := range byRound {
		report[fmt.Sprintf("mean_offer_round_%d", i+1)] = price
	}
	return report
}
