package market

import (
	"fmt"
	"strings"

	"parley/core/system/market"
	"parley/core/unit"
)

// patient are rounds as in the paper's performance tests: five minutes, unless all
// have answered before. Votes and contracts wait as long.
const patient = `"early":true,"interval_us":300000000,"answer_us":300000000,"hold_us":600000000,"settle_us":600000000,"signatures":"modelled"`

// bend returns how far values lie from the line between the first and the last, in
// per cent of the last.
func bend(at []int, value func(int) float64) (most float64) {
	first, last := at[0], at[len(at)-1]
	for _, n := range at {
		line := value(first) + (value(last)-value(first))*float64(n-first)/float64(last-first)
		d := 100 * (value(n) - line) / value(last)
		most = max(most, d, -d)
	}
	return most
}

// crowd is what n users at once see.
type crowd struct{ response, duration, round, bought float64 }

// atOnce lets n users ask for one unit each at the same moment.
func atOnce(e Effort, seed uint64, users, sites int, settings string) (crowd, error) {
	log, name, err := e.log()
	if err != nil {
		return crowd{}, err
	}
	document := fmt.Sprintf(`{"sites":%s,"demand":{"requests":%d,"every":"0s","cores":[16,64],"price":[50,80],"lead":["12h","20h"],"wall":["10m","30m"],"units":[1,1]}}`, sitesOf(sites, name), users)
	st, err := open(document, fmt.Sprintf(`{"users":%d,%s,%s}`, users, patient, settings), seed, log)
	if err != nil {
		return crowd{}, err
	}
	out, err := st.play(11 * unit.Hour)
	if err != nil {
		return crowd{}, err
	}
	return crowdOf(out, users), nil
}

// crowdOf is what n users saw, in the mean of those that bought.
func crowdOf(out market.Outcomes, users int) crowd {
	c := crowd{response: out.Response()}
	n := 0.0
	for _, o := range out.Outcomes() {
		if o.Bought {
			n++
			c.duration += (o.Ended - o.Began).Seconds()
			c.round += (o.Bidden - o.Began).Seconds() / 3
		}
	}
	c.duration, c.round, c.bought = c.duration/max(1, n), c.round/max(1, n), 100*n/float64(users)
	return c
}

// Users lets up to 30 users ask at once, as the paper, and then up to ten thousand.
func Users(e Effort) ([]Row, error) {
	s := newSheet()
	for seed := range uint64(max(1, e.Seeds)) {
		for _, n := range []int{1, 5, 10, 15, 20, 25, 30, 100, 1000, 10_000} {
			if seed > 0 && n > 1000 || e.Quick && n > 100 {
				continue
			}
			if err := e.tell("users, seed %d, %d at once", seed+1, n); err != nil {
				return nil, err
			}
			c, err := atOnce(e, seed+1, n, e.resources(), `"resource_work_us":550000`)
			if err != nil {
				return nil, err
			}
			s.crowd(fmt.Sprintf("%d users", n), c)
			if n < 100 {
				continue
			}
			if c, err = atOnce(e, seed+1, n, e.resources(), `"resource_work_us":1000,"user_work_us":1000`); err != nil {
				return nil, err
			}
			s.crowd(fmt.Sprintf("%d users, agents that work 1 ms on a message", n), c)
		}
	}
	s.crowdRows("")
	return s.rows(func(r *Row) { judgeCrowd(r, "") }), nil
}

func (s *sheet) crowd(who string, c crowd) {
	s.add(who+": response", "s", c.response)
	s.add(who+": round", "s", c.round)
	s.add(who+": auction", "s", c.duration)
	s.add(who+": that buy", "%", c.bought)
}

// crowdRows adds what follows from the figures of up to 30 users.
func (s *sheet) crowdRows(where string) {
	response := func(n int) string { return fmt.Sprintf("%d users%s: response", n, where) }
	round := func(n int) string { return fmt.Sprintf("%d users%s: round", n, where) }
	s.derive("response"+where+unbent, "%", response(30), func(of func(string) float64) float64 {
		return bend([]int{1, 5, 10, 15, 20, 25, 30}, func(n int) float64 { return of(response(n)) })
	})
	s.derive("round"+where+steep, "s a user", round(30), func(of func(string) float64) float64 {
		return (of(round(10))-of(round(1)))/9 - 2*(of(round(30))-of(round(10)))/20
	})
}

// What the rows that follow are called after what they are about.
const (
	unbent = ", largest distance from a straight line of 1 to 30 users"
	steep  = ", rise a user up to 10 less twice that beyond"
)

// judgeCrowd holds figures of up to 30 users to the paper's words.
func judgeCrowd(r *Row, where string) {
	switch {
	case r.Name == "response"+where+unbent:
		r.AtMost(15)
		r.Ruled("linear in the users: in percent of the value at 30")
	case r.Name == "round"+where+steep:
		r.AtLeast(0)
		r.Ruled("steep to 10 users, then flat: more than twice as steep")
		r.Why("the paper finds no reason for its shape; with resources that answer one after the other a round grows with the users")
	case strings.HasSuffix(r.Name, ": that buy"):
		r.AtLeast(99)
		r.Ruled("all do")
		r.Why("a round of at most five minutes ends before resources that work half a second on a message have answered all")
	}
}

// Network repeats the experiment of users on the first fifteen resources, which
// stand together or lie 10 to 80 ms apart, as London, Sheffield, Italy and Poland do.
func Network(e Effort) ([]Row, error) {
	s := newSheet()
	for seed := range uint64(max(1, e.Seeds)) {
		for _, n := range []int{1, 5, 10, 15, 20, 25, 30} {
			if err := e.tell("network, seed %d, %d at once", seed+1, n); err != nil {
				return nil, err
			}
			for _, net := range []struct{ where, mail string }{
				{", one network", `"mail":{"latency_us":500,"jitter_us":1500,"loss":0,"rounds_a_minute":0}`},
				{", wide area", `"mail":{"latency_us":10000,"jitter_us":70000,"loss":0,"rounds_a_minute":0}`},
			} {
				c, err := atOnce(e, seed+1, n, min(15, e.resources()), net.mail)
				if err != nil {
					return nil, err
				}
				s.crowd(fmt.Sprintf("%d users%s", n, net.where), c)
			}
		}
	}
	return s.networkRows(), nil
}

// networkRows sets the wide area beside the one network, and judges.
func (s *sheet) networkRows() []Row {
	const near, far = "30 users, one network: auction", "30 users, wide area: auction"
	s.derive("auction of 30 users over the wide area / in one network", "", near, func(of func(string) float64) float64 { return of(far) / of(near) })
	s.crowdRows(", wide area")
	return s.rows(func(r *Row) {
		judgeCrowd(r, ", wide area")
		if strings.HasPrefix(r.Name, "auction of 30") {
			r.AtMost(1.1)
			r.Ruled("\"not a significant impact\": less than a tenth more")
		}
	})
}
