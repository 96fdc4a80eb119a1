package market

import (
	"cmp"
	"fmt"
	"math"
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

// table3Requests are those of table 3, one after the other, so often.
func table3Requests(times int) string {
	var list []string
	for i := range times * len(table3) {
		q, at := table3[i%len(table3)], unit.Time(i)*2*unit.Minute
		list = append(list, fmt.Sprintf(`{"at":%s,"user":%d,"units":[%s]}`, seconds(at), i%13, fixed(q.cores, q.price, at+q.start, wall)))
	}
	return strings.Join(list, ",")
}

// Workloads sends the thirteen requests of table 3 to the twenty resources of table
// 2, three times over, in three rounds of bidding.
func Workloads(e Effort) ([]Row, error) {
	s := newSheet()
	opened := ""
	for seed := range uint64(max(1, e.Seeds)) {
		if err := e.tell("workloads, seed %d", seed+1); err != nil {
			return nil, err
		}
		log, name, err := e.log()
		if err != nil {
			return nil, err
		}
		opened = name
		st, err := open(fmt.Sprintf(`{"sites":%s,"requests":[%s]}`, sitesOf(20, name), table3Requests(3)), `{"signatures":"modelled"}`, seed+1, log)
		if err != nil {
			return nil, err
		}
		out, err := st.play(2 * unit.Hour)
		if err != nil {
			return nil, err
		}
		tally(s, out)
		if e.Quick {
			continue
		}
		for _, busy := range fuller {
			if err := crowded(e, s, seed+1, busy); err != nil {
				return nil, err
			}
		}
	}
	return s.workloadRows(opened), nil
}

// workloadRows judges what all seeds came to, with the log of a machine opened or none.
func (s *sheet) workloadRows(opened string) []Row {
	note := "logs that are not opened are stand-ins, so which resources win is theirs"
	if opened != "" {
		note = "atlas and ricc need their logs: " + opened + " was opened, the others are stand-ins"
	}
	return s.rows(func(r *Row) {
		switch {
		case r.Name == "exp11: bought":
			r.Says(0)
			r.Judge(r.Measured == 0, "none of its runs buys: one would refute it")
			if r.Measured > 0 {
				r.Note = "ten of the resources have more than 93,000 cores, and even where stand-ins are 95 % busy one of them mostly has 20,480 free in five minutes: the load alone does not explain the paper's failure"
			}
		case strings.HasSuffix(r.Name, ": bought"):
			r.Says(100)
			r.Judge(r.Measured == 100, "all of its runs buy: one that does not would refute it")
		case r.Name == "winning price / price asked for, median":
			r.Near(71.1, 0.5, "whole percents")
			r.Note = "the paper's words are \"the median offer price\"; that of all offers would lie higher"
		case r.Name == "resources that win any":
			r.Says(5)
			r.Note = note
		}
	})
}

// fuller is how busy stand-ins are made, in per cent, to see on what exp11 hangs.
var fuller = []int{80, 90, 95}

// crowded plays the requests at fuller sites and adds how many buy.
func crowded(e Effort, s *sheet, seed uint64, busy int) error {
	log, name, err := e.log()
	if err != nil {
		return err
	}
	all := sites(20, market.Table2{Opened: name, Busy: busy})
	st, err := open(fmt.Sprintf(`{"sites":%s,"requests":[%s]}`, all, table3Requests(3)), `{"signatures":"modelled"}`, seed, log)
	if err != nil {
		return err
	}
	out, err := st.play(2 * unit.Hour)
	if err != nil {
		return err
	}
	exp11, others := buyers(out)
	s.add(fmt.Sprintf("exp11 buys where stand-ins are %d %% busy", busy), "%", exp11)
	s.add(fmt.Sprintf("the others buy where stand-ins are %d %% busy", busy), "%", others)
	return nil
}

// buyers returns how many per cent of the three runs of exp11 bought, and of the 36 of
// the others.
func buyers(out market.Outcomes) (exp11, others float64) {
	for _, o := range out.Outcomes() {
		switch {
		case !o.Bought:
		case o.Request%len(table3) == 10:
			exp11++
		default:
			others++
		}
	}
	return 100 * exp11 / 3, 100 * others / 36
}

// tally adds what one run came to.
func tally(s *sheet, out market.Outcomes) {
	bought, paid := map[int]int{}, map[int]float64{}
	wins := map[int]int{}
	var ratios []float64
	var rounds [3]struct{ sum, count float64 }
	for _, o := range out.Outcomes() {
		i := o.Request % len(table3)
		u := o.Units[0]
		for k, p := range u.Best {
			if k < 3 && p > 0 {
				rounds[k].sum += float64(p) / float64(u.Asked)
				rounds[k].count++
			}
		}
		if !o.Bought {
			continue
		}
		bought[i]++
		paid[i] += float64(u.Paid) / 1000
		wins[u.Site]++
		ratios = append(ratios, 100*float64(u.Paid)/float64(u.Asked))
	}
	for i := range table3 {
		name := fmt.Sprintf("exp%d", i+1)
		s.add(name+": bought", "%", 100*float64(bought[i])/3)
		if bought[i] > 0 {
			s.add(name+fmt.Sprintf(": winning price, %g asked", table3[i].price), "credits", paid[i]/float64(bought[i]))
		}
	}
	slices.Sort(ratios)
	s.add("winning price / price asked for, median", "%", ratios[len(ratios)/2])
	for k, r := range rounds {
		s.add(fmt.Sprintf("best offer / price asked for, round %d", k+1), "%", 100*r.sum/math.Max(1, r.count))
	}
	s.add("resources that win any", "", float64(len(wins)))
	most := 0
	for _, n := range wins {
		most = max(most, n)
	}
	s.add("share of the biggest winner", "%", 100*float64(most)/float64(len(ratios)))
	// Do the most attractive resources win? Rank the resources by attractiveness.
	all := out.Resources()
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].Appeal, all[a].Appeal) })
	top := 0
	for _, i := range order[:10] {
		top += wins[i]
	}
	s.add("won by the ten most attractive at the end", "%", 100*float64(top)/float64(len(ratios)))
}
