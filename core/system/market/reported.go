package market

import (
	"fmt"

	"parley/core/metric"
	"parley/core/system/market/buyer"
)

// reported describes the numbers of Report.
func reported() []metric.Column {
	list := []metric.Column{
		{
			ID: "mean_price_asked", Name: "Mean asking price", Unit: "credits",
			About: "mean asking price per core-hour of the units bought",
		},
		{
			ID: "mean_price_paid", Name: "Mean price paid", Unit: "credits",
			About: "mean price paid per core-hour of the units bought",
		},
		{ID: "auctions", Name: "Auctions", About: "auctions begun"},
		{ID: "auctions_bought", Name: "Auctions that bought", About: "auctions that bought all their units"},
		{ID: "auctions_failed", Name: "Auctions that failed", About: "auctions that ended without a purchase"},
		{
			ID: "auctions_closest", Name: "Auctions for the closest",
			About: "auctions without a matching offer that asked for the closest one",
		},
		{ID: "rounds_of_bidding", Name: "Rounds of bidding", About: "rounds of all auctions"},
		{ID: "units_bought", Name: "Units bought", About: "units that auctions bought"},
		{ID: "auction_s", Name: "Length of an auction", Unit: "s", About: "mean time from the call to the purchase"},
		{ID: "offers", Name: "Offers", About: "offers that resources made"},
		{ID: "refusals", Name: "Refusals", About: "calls that resources refused"},
		{ID: "reservations", Name: "Reservations", About: "reservations made for auctions"},
		{
			ID: "reservations_expired", Name: "Reservations expired",
			About: "reservations that no contract confirmed in time",
		},
		{ID: "reservations_released", Name: "Reservations released", About: "reservations that users called off"},
		{ID: "units_returned", Name: "Units returned", About: "units that resources returned with the money"},
		{ID: "units_broken", Name: "Units broken", About: "units that a failure ended"},
		{ID: "units_late", Name: "Units late", About: "units that began after their reserved time"},
		{ID: "auctions_divided", Name: "Auctions divided", About: "auctions of which the bank paid only some units"},
		{ID: "units_done", Name: "Units done", About: "units that ran to their end"},
		{ID: "bank_refused", Name: "Refused by the bank", About: "contracts that the bank refused"},
		{ID: "credits_paid", Name: "Credits paid", Unit: "credits", About: "credits that the bank moved to resources"},
		{ID: "credits_returned", Name: "Credits returned", Unit: "credits", About: "credits that resources returned"},
		{ID: "waits_judged", Name: "Waits judged", About: "predicted waits whose job has started"},
		{ID: "waits_within_bound", Name: "Waits within bound", About: "judged waits that were within their bound"},
	}
	for i := range buyer.ShownRounds {
		list = append(list, metric.Column{
			ID:   fmt.Sprintf("mean_offer_round_%d", i+1),
			Name: fmt.Sprintf("Mean best offer of round %d", i+1), Unit: "credits",
			About: "mean of the best offer per core-hour in this round, over the units bought",
		})
	}
	return list
}
