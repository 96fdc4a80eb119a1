package buyer

import "parley/core/rfql"

// ShownRounds is for how many rounds the offers are shown.
const ShownRounds = 5

// Recent sums up the latest auctions, for charts.
type Recent struct {
	Offers [ShownRounds]window // best offers by round
	Asking window
	Paid   window
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

// Mean returns that of the latest, in credits; 0 of none.
func (w *window) Mean() float64 {
	n := min(w.count, len(w.prices))
	sum := rfql.Price(0)
	for _, p := range w.prices[:n] {
		sum += p
	}
	return sum.Credits() / float64(max(1, n))
}

// round notes the best offer of a round.
func (r *Recent) round(n int, p rfql.Price) {
	if n <= ShownRounds {
		r.Offers[n-1].add(p)
	}
}

// won notes a purchase.
func (r *Recent) won(a *Auction) {
	for i := range a.Lots {
		r.Asking.add(a.Lots[i].Unit.Price)
		r.Paid.add(a.Contract.Lots[i].Price)
	}
}

// Prices returns the asking price, the agreed price for a core and hour, and the best offer after
// each of the first rounds, in credits: means over all units bought; 0 if there are none.
func (u *Users) Prices() (asking, agreed float64, byRound [ShownRounds]float64) {
	var sums [2 + ShownRounds]rfql.Price
	var counts [2 + ShownRounds]int
	add := func(i int, p rfql.Price) {
		sums[i] += p
		counts[i]++
	}
	for _, a := range u.Auctions {
		if a == nil || a.Phase != Bought {
			continue
		}
		for i := range a.Lots {
			add(0, a.Lots[i].Unit.Price)
			add(1, a.Contract.Lots[i].Price)
			for k, p := range a.Lots[i].Best[:min(ShownRounds, len(a.Lots[i].Best))] {
				if p > 0 {
					add(2+k, p)
				}
			}
		}
	}
	mean := func(i int) float64 { return sums[i].Credits() / float64(max(1, counts[i])) }
	for k := range byRound {
		byRound[k] = mean(2 + k)
	}
	return mean(0), mean(1), byRound
}
