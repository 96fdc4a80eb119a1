// Package price computes a resource's offer for a unit: plain functions on whole numbers, so that
// an offer is the same on every platform.
//
// Source: Zasada and Coveney, arXiv 1512.04343, section 6.2.3. A resource lowers the
// price that is asked for by
//
//	d = (S - M) (1 - l) / n
//
// with its start price S, its minimum price M, the part l of it that is taken when the unit is to
// run, and the number n of rounds that it expects. Below M it offers nothing. The formula itself is
// lost in the paper's text and reconstructed from the text's description of its symbols; see the
// README of package market.
package price

import (
	"fmt"
	"slices"

	"parley/core/rfql"
)

// Range holds the prices that a resource's administrator sets.
type Range struct {
	Start, Min rfql.Price // Min ≤ Start
}

// Load is the number of a resource's cores that are taken when a unit would run.
type Load struct{ Taken, Size int }

// Strategy turns range, load and the price that is asked for into an offer.
type Strategy uint8

// The strategies.
const (
	Paper       Strategy = iota // the price asked for less d, at least the minimum
	Fixed                       // the start price, the same for every user
	Utilisation                 // from the minimum, empty, up to the start price, full
	strategies
)

var names = [strategies]string{"paper", "fixed", "utilisation"}

// Names lists the strategies as settings spell them.
func Names() []string { return slices.Clone(names[:]) }

// String returns the strategy's name.
func (s Strategy) String() string { return names[s] }

// Parse returns the strategy of a name.
func Parse(name string) (Strategy, error) {
	if i := slices.Index(names[:], name); i >= 0 {
		return Strategy(i), nil
	}
	return 0, fmt.Errorf("the pricing is %q: choose one of %v", name, names)
}

// Decrement returns d, by how much the paper's strategy lowers a price: the
// resource's attractiveness. It is rounded down to a thousandth of a credit.
func Decrement(r Range, l Load, rounds int) rfql.Price {
	free := max(0, l.Size-l.Taken)
	return (r.Start - r.Min) * rfql.Price(free) / (rfql.Price(max(1, l.Size)) * rfql.Price(max(1, rounds)))
}

// Offer returns the bid for an asking price, or false if the resource declines.
func (s Strategy) Offer(r Range, requested rfql.Price, l Load, rounds int) (rfql.Price, bool) {
	switch s {
	case Fixed:
		return r.Start, requested >= r.Start
	case Utilisation:
		p := r.Min + (r.Start-r.Min)*rfql.Price(min(l.Taken, l.Size))/rfql.Price(max(1, l.Size))
		return p, requested >= p
	}
	return max(r.Min, requested-Decrement(r, l, rounds)), requested >= r.Min
}

// Closest returns the lowest price that a resource would come down to, for a user
// whose price no offer meets.
func (s Strategy) Closest(r Range, l Load) rfql.Price {
	switch s {
	case Fixed:
		return r.Start
	case Utilisation:
		p, _ := s.Offer(r, rfql.MaxPrice, l, 1)
		return p
	}
	return max(r.Min, r.Start-Decrement(r, l, 1))
}
