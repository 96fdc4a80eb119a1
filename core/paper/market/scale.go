package market

import (
	"encoding/json"
	"fmt"
	"maps"

	"parley/core/system/market"
	"parley/core/unit"
)

// patient are rounds as in the paper's performance tests: five minutes, unless all
// have answered before. Votes and contracts wait as long.
const patient = `"early":true,"interval_us":300000000,"answer_us":300000000,"hold_us":600000000,"settle_us":600000000,"signatures":"modelled"`

// bend returns how far values lie from the line between the first and the last, in
// per cent of the last.
func bend(at []int, value func(int) float64) (largest float64) {
	first, last := at[0], at[len(at)-1]
	for _, n := range at {
		line := value(first) + (value(last)-value(first))*float64(n-first)/float64(last-first)
		d := 100 * (value(n) - line) / value(last)
		largest = max(largest, d, -d)
	}
	return largest
}

// crowd has the figures of n simultaneous users.
type crowd struct{ response, duration, round, bought float64 }

// atOnce lets n users ask for one unit each at the same moment.
func (c *call) atOnce(n int, settings json.RawMessage) (crowd, error) {
	own := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte("{"+patient+"}"), &own); err != nil {
		return crowd{}, err
	}
	if settings != nil {
		var more map[string]json.RawMessage
		if err := json.Unmarshal(settings, &more); err != nil {
			return crowd{}, fmt.Errorf("settings of users are an object of the market's settings: %w", err)
		}
		maps.Copy(own, more)
	}
	own["users"] = fmt.Appendf(nil, "%d", n)
	text, err := json.Marshal(own)
	if err != nil {
		return crowd{}, err
	}
	demand := fmt.Sprintf(
		`"demand":{"requests":%d,"every":"0s","cores":[16,64],"price":[50,80],"lead":["12h","20h"],"wall":["10m","30m"],"units":[1,1]}`, n,
	)
	out, err := c.play(market.Table2{}, demand, string(text), 11*unit.Hour)
	if err != nil {
		return crowd{}, err
	}
	return crowdOf(out, n), nil
}

// crowdOf returns the figures of n users, in the mean of those that bought.
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

// maxUsers limits how many ask at once.
const maxUsers = 100_000

// knee is the number of users up to which the paper's rounds become longer steeply.
const knee = 10

// users lets several numbers of users ask at once, and returns how the figures depend on
// that number.
func (c *call) users() (map[string]float64, error) {
	if err := c.counted("users", maxUsers); err != nil {
		return nil, err
	}
	seen := map[int]crowd{}
	for _, n := range c.Counts {
		x, err := c.atOnce(n, c.Settings)
		if err != nil {
			return nil, err
		}
		seen[n] = x
	}
	figures := crowds(c.Counts, seen)
	if c.Beside != nil {
		last := c.Counts[len(c.Counts)-1]
		x, err := c.atOnce(last, c.Beside)
		if err != nil {
			return nil, err
		}
		figures["auction of the most users / with the settings beside"] = seen[last].duration / x.duration
	}
	return figures, nil
}

// crowds returns the figures of several numbers of users.
func crowds(counts []int, seen map[int]crowd) map[string]float64 {
	figures := map[string]float64{}
	for n, x := range seen {
		figures[fmt.Sprintf("%d users: response", n)] = x.response
		figures[fmt.Sprintf("%d users: round", n)] = x.round
		figures[fmt.Sprintf("%d users: auction", n)] = x.duration
		figures[fmt.Sprintf("%d users: that buy", n)] = x.bought
	}
	first, last := counts[0], counts[len(counts)-1]
	if first < last {
		figures["response, largest distance from a straight line"] = bend(counts,
			func(n int) float64 { return seen[n].response })
	}
	if middle, is := seen[knee]; is && first < knee && knee < last {
		figures["round, rise a user up to 10 less twice that beyond"] = (middle.round-seen[first].round)/float64(
			knee-first,
		) - 2*(seen[last].round-middle.round)/float64(last-knee)
	}
	return figures
}
