package market

import (
	"fmt"

	"parley/core/frame"
	"parley/core/rfql"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Measure implements system.MetricSource, in the order of the description.
func (x *exchange) Measure(values []float64) {
	c, r := &x.users.Counts, &x.users.Recent
	own, sold, size, appeal := 0, 0, 0, rfql.Price(0)
	for i := range x.resources.All {
		one := &x.resources.All[i]
		own, sold, size = own+one.Queue.Busy(), sold+int(one.SoldCores), size+one.Queue.Processors()
		appeal = max(appeal, one.Appeal)
	}
	part := func(cores int) float64 { return 100 * float64(cores) / float64(max(1, size)) }
	i := 0
	for _, value := range [...]float64{
		float64(c.Begun - c.Bought - c.Failed), float64(c.Bought), float64(c.Failed), float64(c.Units), r.Asking.Mean(),
	} {
		values[i] = value
		i++
	}
	for k := range r.Offers {
		values[i] = r.Offers[k].Mean()
		i++
	}
	for _, value := range [...]float64{
		r.Paid.Mean(), appeal.Credits(), part(own), part(sold),
		x.banker.bank.Total(seal.User).Credits(), x.banker.bank.Total(seal.Resource).Credits(), x.inboxes.waits.mean(),
	} {
		values[i] = value
		i++
	}
}

// The values of the layer "owner".
const (
	unowned byte = iota
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

// cell returns a layer's value of one node, 0 if its resource is not known: who has its busy processors (0), the part
// of its processors that is busy (1), or its resource's present offer (2) or appeal (3) up to the top of their scale.
func (x *exchange) cell(layer int, n unit.NodeID) byte {
	site := int(x.view.Rack(n))
	if site < 0 || site >= len(x.resources.All) {
		return 0
	}
	one := &x.resources.All[site]
	busy := x.view.BusyProcessors(n)
	bought := int32(0)
	if int(n) < len(x.resources.Sites.Sold) {
		bought = x.resources.Sites.Sold[n]
	}
	switch layer {
	case 0:
		switch {
		case !x.view.Up(n):
			return off
		case busy == 0:
			return unowned
		case bought == 0:
			return own
		case bought == busy:
			return sold
		}
		return mixed
	case 1:
		return byte(min(255, float64(busy)/float64(max(1, x.view.Processors(n)))*frame.FullScale))
	case 2:
		return byte(min(255, one.Offer.Credits()/topPrice*frame.FullScale))
	}
	return byte(min(255, one.Appeal.Credits()/topAppeal*frame.FullScale))
}

// The tops of the layers of prices, in credits.
const (
	topPrice  = 100
	topAppeal = 20
)

// Report implements system.Reporter.
func (x *exchange) Report() map[string]any {
	c, r := &x.users.Counts, &x.resources.Counts
	paid, returned := x.banker.bank.Turnover()
	judged, correct := 0, 0
	resources := make([]map[string]any, len(x.resources.All))
	for i := range x.resources.All {
		one := &x.resources.All[i]
		j, k := one.Predictor.Coverage()
		judged, correct = judged+j, correct+k
		resources[i] = map[string]any{
			"name": one.Site.Name, "offers": one.Bids, "units_sold": one.Wins,
			"mean_offer": one.Sum.Credits() / float64(max(1, one.Bids)),
			"credits":    x.banker.bank.Balance(seal.Party{Role: seal.Resource, Number: int32(i)}).Credits(),
		}
	}
	asking, agreed, byRound := x.users.Prices()
	report := map[string]any{
		"mean_price_asked": asking, "mean_price_paid": agreed,
		"auctions": c.Begun, "auctions_bought": c.Bought, "auctions_failed": c.Failed, "auctions_closest": c.Closest,
		"rounds_of_bidding": c.Rounds,
		"units_bought":      c.Units, "auction_s": c.Duration.Seconds() / float64(max(1, c.Bought)),
		"offers": r.Offers, "refusals": r.Refusals, "reservations": r.Holds, "reservations_expired": r.Expired,
		"reservations_released": r.Released,
		"units_returned":        r.Returned, "units_broken": r.Broken, "units_late": r.Late,
		"auctions_divided": x.banker.bank.Divided(), "units_done": x.resources.Sites.Ends,
		"bank_refused": x.banker.refused,
		"credits_paid": paid.Credits(), "credits_returned": returned.Credits(),
		"waits_judged": judged, "waits_within_bound": correct, "resources": resources,
	}
	for i, price := range byRound {
		report[fmt.Sprintf("mean_offer_round_%d", i+1)] = price
	}
	return report
}
