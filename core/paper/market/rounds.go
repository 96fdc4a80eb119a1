package market

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"parley/core/system/market"
	"parley/core/unit"
)

// table4 are the paper's mean sale prices and durations by rounds, from one on.
var table4 = []struct{ price, duration float64 }{
	{66.00, 18.81},
	{60.00, 31.91},
	{51.83, 46.19},
	{41.83, 61.15},
	{37.40, 76.18},
	{35.40, 91.18},
	{37.83, 106.21},
	{37.83, 121.24},
	{34.75, 136.26},
	{36.50, 151.26},
}

// asks is the price that the request of table 4 asks for: it is not given, and what
// the first rounds pay points to 70 to 75.
const asks = 75

// reading is one way to read what the paper leaves open: the price asked for, n of
// the price formula, and which resources have room. Those are the logs' affair; in the
// paper the price stops falling near 36, so no resource with a lower minimum bid then.
type reading struct {
	asked float64
	n     int
	least float64 // the lowest minimum price of those with room; 0: as the logs say
}

// readings are tried beside {asks, 3, 0}.
var readings = []reading{{65, 3, 0}, {70, 3, 0}, {80, 3, 0}, {75, 2, 0}, {75, 4, 0}, {75, 5, 0}, {70, 4, 0}, {70, 3, 35}, {75, 3, 35}}

// String describes what is read.
func (r reading) String() string {
	text := fmt.Sprintf("%g asked for, n = %d", r.asked, r.n)
	if r.least > 0 {
		text += fmt.Sprintf(", nobody below %g has room", r.least)
	}
	return text
}

// tails is the reading under which the price flattens as the paper's does. It is tried
// with every seed.
var tails = reading{75, 2, 35}

// Rounds buys one unit in one to ten rounds of bidding, and says how far prices and
// durations lie from table 4, also for other values of what the paper leaves open.
func Rounds(e Effort) ([]Row, error) {
	s := newSheet()
	var late []float64 // mean prices of tails
	for seed := range uint64(max(1, e.Seeds)) {
		if err := e.tell("rounds, seed %d", seed+1); err != nil {
			return nil, err
		}
		prices, durations, err := byRounds(e, seed+1, reading{asks, 3, 0})
		if err != nil {
			return nil, err
		}
		for i := range table4 {
			s.add(fmt.Sprintf("%d rounds: price", i+1), "credits", prices[i])
			s.add(fmt.Sprintf("%d rounds: duration", i+1), "s", durations[i])
		}
		if e.Quick {
			continue
		}
		if prices, _, err = byRounds(e, seed+1, tails); err != nil {
			return nil, err
		}
		if late == nil {
			late = make([]float64, len(table4))
		}
		for i := range late {
			late[i] += prices[i] / float64(max(1, e.Seeds))
		}
		s.add("fall from 1 to 5 rounds, "+tails.String(), "credits", prices[0]-prices[4])
		s.add("fall from 5 to 10 rounds, "+tails.String(), "credits", prices[4]-prices[9])
		if seed >= 3 {
			continue
		}
		for _, other := range readings {
			prices, _, err := byRounds(e, seed+1, other)
			if err != nil {
				return nil, err
			}
			s.add("distance of prices, "+other.String(), "credits", distance(prices, priceOf))
		}
	}
	return s.roundRows(late), nil
}

// The rows in which the price falls steeply at first.
const (
	fifth   = "5 rounds: price"
	early   = "fall of the price from 1 to 5 rounds"
	steeper = "fall from 1 to 5 rounds less four times that from 5 to 10"
)

// roundRows adds what follows from the prices and durations of all seeds, and judges.
// late are the mean prices under tails; nil: that was not played.
func (s *sheet) roundRows(late []float64) []Row {
	var prices, durations []float64
	for i := range table4 {
		prices = append(prices, s.mean(fmt.Sprintf("%d rounds: price", i+1)))
		durations = append(durations, s.mean(fmt.Sprintf("%d rounds: duration", i+1)))
	}
	s.add("distance of mean prices, root mean square", "credits", distance(prices, priceOf))
	if late != nil {
		s.add("distance of mean prices, "+tails.String(), "credits", distance(late, priceOf))
	}
	s.add("distance of mean durations, root mean square", "s", distance(durations, durationOf))
	const first, last = "1 rounds: price", "10 rounds: price"
	s.derive("duration of a further round", "s", first, func(of func(string) float64) float64 {
		return (of("10 rounds: duration") - of("3 rounds: duration")) / 7
	})
	s.derive(early, "credits", first, func(of func(string) float64) float64 { return of(first) - of(fifth) })
	s.derive("fall of the price from 5 to 10 rounds", "credits", first, func(of func(string) float64) float64 { return of(fifth) - of(last) })
	s.derive(steeper, "credits", first, func(of func(string) float64) float64 { return of(first) - of(fifth) - float64(4*(of(fifth)-of(last))) })
	fall := "fall from 1 to 5 rounds, " + tails.String()
	s.derive(steeper+", "+tails.String(), "credits", fall, func(of func(string) float64) float64 {
		return of(fall) - float64(4*of("fall from 5 to 10 rounds, "+tails.String()))
	})
	return s.rows(func(r *Row) {
		number, what, _ := strings.Cut(r.Name, " rounds: ")
		if n, err := strconv.Atoi(number); err == nil {
			if what == "price" {
				r.Near(table4[n-1].price, 0.5, "the paper's whole credits")
				r.Why("request price, n and loads of the paper's run are not known")
			} else {
				r.Near(table4[n-1].duration, 1, "a second, less than a tenth of a round")
				r.Why("the paper's first two auctions took 3.8 and 1.9 s beside their rounds, all later ones 1.2 s")
			}
		}
		switch r.Name {
		case "duration of a further round":
			r.Near(15, 0.1, "the paper's last digit")
		case early, fall:
			r.Says(table4[0].price - table4[4].price)
		case steeper:
			r.AtLeast(0)
			r.Why("offers fall on to 25 credits, the lowest minimum of a resource that the stand-ins leave room; the paper's stay near 36: see the last readings")
		case steeper + ", " + tails.String():
			r.AtLeast(0)
			r.Why("also where nobody below 35 has room offers fall on")
		case "fall of the price from 5 to 10 rounds":
			r.Says(table4[4].price - table4[9].price)
		}
	})
}

// priceOf and durationOf are what the paper's table 4 says of i+1 rounds.
func priceOf(i int) float64    { return table4[i].price }
func durationOf(i int) float64 { return table4[i].duration }

// byRounds buys one unit of 256 cores in an hour, once for each number of rounds, in
// markets that begin alike.
func byRounds(e Effort, seed uint64, as reading) (prices, durations []float64, err error) {
	for rounds := 1; rounds <= len(table4); rounds++ {
		log, name, err := e.log()
		if err != nil {
			return nil, nil, err
		}
		request := fmt.Sprintf(`{"at":"1m","user":0,"rounds":%d,"units":[%s]}`, rounds, fixed(256, as.asked, unit.Hour, wall))
		st, err := open(fmt.Sprintf(`{"sites":%s,"requests":[%s]}`, sites(e.resources(), market.Table2{Opened: name, Least: as.least}), request), fmt.Sprintf(`{"signatures":"modelled","anticipated":%d}`, as.n), seed, log)
		if err != nil {
			return nil, nil, err
		}
		out, err := st.play(10 * unit.Minute)
		if err != nil {
			return nil, nil, err
		}
		all := out.Outcomes()
		if len(all) != 1 || !all[0].Bought {
			return nil, nil, fmt.Errorf("the request of %d rounds bought nothing: %+v", rounds, all)
		}
		prices = append(prices, float64(all[0].Units[0].Paid)/1000)
		durations = append(durations, (all[0].Ended - all[0].Began).Seconds())
	}
	return prices, durations, nil
}

// distance is the root mean square distance of values from table 4.
func distance(values []float64, paper func(i int) float64) float64 {
	sum := 0.0
	for i, x := range values {
		d := x - paper(i)
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(values)))
}
