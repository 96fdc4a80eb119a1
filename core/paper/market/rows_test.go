package market_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"parley/core/paper/market"
	"parley/core/rfql"
	"parley/core/study"
	"parley/core/study/evidence"
	system "parley/core/system/market"
	"parley/core/system/market/logs"
	"parley/core/testkit/studytest"
	"parley/core/unit"
)

// told is what a market may have come to.
type told struct {
	outcomes  []system.Outcome
	resources []system.Resource
	response  float64
}

func (x told) Outcomes() []system.Outcome   { return x.outcomes }
func (x told) Resources() []system.Resource { return x.resources }
func (x told) Response() float64            { return x.response }

const credit = rfql.Price(1000)

// bought is the auction of a request that asked for a price and paid another.
func bought(request, site int, requested, paid rfql.Price, best ...rfql.Price) system.Outcome {
	return system.Outcome{Request: request, Bought: true, Units: []system.UnitOutcome{{AskingPrice: requested * credit, Paid: paid * credit, Site: site, Best: credits(best)}}}
}

func failed(request int, requested rfql.Price, best ...rfql.Price) system.Outcome {
	return system.Outcome{Request: request, Units: []system.UnitOutcome{{AskingPrice: requested * credit, Site: -1, Best: credits(best)}}}
}

func credits(best []rfql.Price) (out []rfql.Price) {
	for _, p := range best {
		out = append(out, p*credit)
	}
	return out
}

// check holds rows to figures: a value, and "yes", "no", or "" if nothing is judged.
func check(t *testing.T, rows []evidence.Row, want map[string]figure) {
	t.Helper()
	found := 0
	for _, r := range rows {
		w, is := want[r.Name]
		if !is {
			continue
		}
		found++
		holds := ""
		if r.Holds != nil {
			holds = map[bool]string{true: "yes", false: "no"}[*r.Holds]
		}
		if !near(r.Measured, w.value) || holds != w.holds {
			t.Errorf("%s is %v, judged %q, want %v and %q", r.Name, r.Measured, holds, w.value, w.holds)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d rows are there: %v", found, len(want), rows)
	}
}

type figure struct {
	value float64
	holds string
}

// TestWorkloadsByHand: what five auctions come to. Requests 0 and 13 are exp1, 10 is exp11.
func TestWorkloadsByHand(t *testing.T) {
	out := told{
		outcomes: []system.Outcome{
			bought(0, 3, 70, 49, 63, 56, 49, 7), // a fourth round is not shown
			bought(13, 3, 70, 35, 0, 42, 35),    // nobody offered anything in the first round
			failed(10, 80, 0, 0, 64),
			bought(2, 11, 40, 36, 40, 38, 36),
			bought(28, 11, 40, 24, 32, 28, 24),
			bought(1, 0, 50, 30, 50, 40, 30),
		},
	}
	for i := range 12 { // the last is the least attractive, the first the second least
		out.resources = append(out.resources, system.Resource{Appeal: credit * rfql.Price([]int{2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 3, 1}[i])})
	}
	rows := planted(t, "workloads", market.Tally(out))
	check(t, rows, map[string]figure{
		"exp1: bought":                              {200 / 3., "yes"},
		"exp1: winning price, 70 asked":             {42, ""},
		"exp2: bought":                              {100 / 3., "no"},
		"exp3: bought":                              {200 / 3., "yes"},
		"exp3: winning price, 35 asked":             {30, ""},
		"exp4: bought":                              {0, "no"},
		"exp11: bought":                             {0, "yes"},
		"winning price / price asked for, median":   {60, "no"}, // of 50, 60, 60, 70, 90
		"best offer / price asked for, round 1":     {(90 + 100 + 80 + 100) / 4., ""},
		"best offer / price asked for, round 2":     {(80 + 60 + 95 + 70 + 80) / 5., ""},
		"best offer / price asked for, round 3":     {(70 + 50 + 80 + 90 + 60 + 60) / 6., ""},
		"resources that win any":                    {3, ""},
		"share of the biggest winner":               {40, ""},
		"won by the ten most attractive at the end": {40, ""}, // the two of resource 3: 0 and 11 are behind
	})
	for _, r := range rows {
		if r.Name == "resources that win any" && *r.Paper != 5 {
			t.Errorf("%+v", r)
		}
		if r.Name == "exp11: bought" && r.Note != "" {
			t.Errorf("exp11 buys nothing, as in the paper, and yet: %s", r.Note)
		}
		if strings.HasPrefix(r.Name, "exp4: winning") {
			t.Errorf("nobody bought, yet %+v", r)
		}
	}
	// All that is to be bought is, and exp11 too.
	out = told{}
	for i := range 39 {
		out.outcomes = append(out.outcomes, bought(i, 0, 1000, []rfql.Price{709, 711, 714}[i%3]))
	}
	rows = planted(t, "workloads", market.Tally(out))
	for _, r := range rows {
		if r.Name == "exp11: bought" && r.Note == "" {
			t.Error("exp11 buys, and nothing says why")
		}
	}
	check(t, rows, map[string]figure{"exp1: bought": {100, "yes"}, "exp11: bought": {100, "no"}, "winning price / price asked for, median": {71.1, "yes"}, "the others buy where stand-ins are 95 % busy": {100, ""}})
	if got := market.Tally(told{}); len(got) != 13+1+3+1 {
		t.Errorf("where nothing is bought: %v", got)
	}
}

// TestBuyers: of the three runs of exp11, and of the 36 of the others.
func TestBuyers(t *testing.T) {
	out := told{outcomes: []system.Outcome{bought(10, 0, 80, 70), bought(23, 0, 80, 70), failed(36, 80), failed(0, 70)}}
	for i := range 9 {
		out.outcomes = append(out.outcomes, bought(1+i, 0, 55, 50))
	}
	check(t, planted(t, "workloads", market.Tally(out)), map[string]figure{
		"exp11 buys where stand-ins are 90 % busy": {200 / 3., ""}, "the others buy where stand-ins are 90 % busy": {25, ""},
	})
}

// TestOffers: where mean offers lie between the minimum and the start price of resources
// that offered anything.
func TestOffers(t *testing.T) {
	resource := func(name string, bids int64, offer float64) system.Resource {
		return system.Resource{Name: name, Bids: bids, Min: 20 * credit, Start: 40 * credit, MeanOffer: offer}
	}
	for _, c := range []struct {
		offers               []float64
		within, place        float64
		judgedIn, judgedNear string
	}{
		{[]float64{20, 20, 40, 42}, 75, (0 + 0 + 1 + 1.1) / 4, "yes", "no"},
		{[]float64{20, 20, 19, 41}, 50, (0 + 0 - 0.05 + 1.05) / 4, "no", "yes"},
		{[]float64{20, 40, 20, 40}, 100, 0.5, "yes", "yes"},
	} {
		all := []system.Resource{resource("curie1", 0, 0)}
		for i, x := range c.offers {
			all = append(all, resource(fmt.Sprint("ricc", i+1), 1, x))
		}
		rows := planted(t, "prices", market.Offers(all))
		check(t, rows, map[string]figure{
			"mean offers between minimum and start price":                        {c.within, c.judgedIn},
			"place of the mean offer from the minimum, 0, to the start price, 1": {c.place, c.judgedNear},
			"ricc1: mean offer, 25 to 40":                                        {c.offers[0], ""},
		})
		if len(rows) != 6 {
			t.Errorf("a resource without an offer has a row: %v", rows)
		}
		for _, r := range rows {
			if (r.Note != "") != (r.Holds != nil && !*r.Holds) {
				t.Errorf("%s: judged %v, note %q", r.Name, r.Holds, r.Note)
			}
		}
	}
}

// TestPricesNameTable2: a row for each of its resources, with its minimum and start price.
func TestPricesNameTable2(t *testing.T) {
	var list []struct {
		Name string
		Min  float64 `json:"min_price"`
		High float64 `json:"start_price"`
	}
	if err := json.Unmarshal([]byte(market.Sites(20, "")), &list); err != nil || len(list) != 20 {
		t.Fatal(len(list), err)
	}
	figures, want := map[string]float64{"mean offers between minimum and start price": 1, "place of the mean offer from the minimum, 0, to the start price, 1": 1}, map[string]figure{}
	for i, s := range list {
		figures[s.Name+": mean offer"] = float64(i)
		want[fmt.Sprintf("%s: mean offer, %g to %g", s.Name, s.Min, s.High)] = figure{float64(i), ""}
	}
	check(t, planted(t, "prices", figures), want)
}

// The prices and durations of table 4, read from the paper once more.
var (
	paperPrices    = []float64{66.00, 60.00, 51.83, 41.83, 37.40, 35.40, 37.83, 37.83, 34.75, 36.50}
	paperDurations = []float64{18.81, 31.91, 46.19, 61.15, 76.18, 91.18, 106.21, 121.24, 136.26, 151.26}
)

// byRounds are the rows where these prices and durations were measured, and these prices
// where nobody below 35 has room.
func byRounds(t *testing.T, prices, late, durations []float64) []evidence.Row {
	f := func(_ uint64, arguments json.RawMessage) (map[string]float64, error) {
		if strings.Contains(string(arguments), `"min_price":35`) {
			return market.Fell(late, durations, arguments)
		}
		return market.Fell(prices, durations, arguments)
	}
	return studytest.Judge(t, "rounds.json", many, study.Functions{"market/rounds": f})
}

const steeper = "fall from 1 to 5 rounds less four times that from 5 to 10"

// TestRoundsAsInThePaper: who measures just what the paper did finds all its claims.
func TestRoundsAsInThePaper(t *testing.T) {
	want := map[string]figure{
		"distance of prices, root mean square":    {0, ""},
		"distance of durations, root mean square": {0, ""},
		"duration of a further round":             {(151.26 - 46.19) / 7, "yes"},
		"fall of the price from 1 to 5 rounds":    {28.6, ""},
		steeper:                                   {28.6 - 4*0.9, "yes"},
		"fall of the price from 5 to 10 rounds":   {0.9, ""},
	}
	for i := range paperPrices {
		want[fmt.Sprintf("%d rounds: price", i+1)] = figure{paperPrices[i], "yes"}
		want[fmt.Sprintf("%d rounds: duration", i+1)] = figure{paperDurations[i], "yes"}
	}
	check(t, byRounds(t, paperPrices, paperPrices, paperDurations), want)
}

// TestRoundsOtherwise: prices that fall on as they began, and rounds of ten seconds.
func TestRoundsOtherwise(t *testing.T) {
	prices := []float64{66, 61, 56, 51, 46, 45, 44, 43, 42, 40.9} // 20 and then 5.1: just not four times
	durations := make([]float64, 10)
	for i := range durations {
		durations[i] = paperDurations[i] + float64(i) - 4 // from 4 s less to 5 s more
	}
	late := append([]float64{paperPrices[0] + 10}, paperPrices[1:]...)
	rows := byRounds(t, prices, late, durations)
	var priceSquares, durationSquares float64
	for i := range prices {
		priceSquares += (prices[i] - paperPrices[i]) * (prices[i] - paperPrices[i])
		durationSquares += float64((i - 4) * (i - 4))
	}
	check(t, rows, map[string]figure{
		"1 rounds: price":                         {66, "yes"},
		"2 rounds: price":                         {61, "no"},
		"4 rounds: duration":                      {60.15, "yes"}, // a second off
		"7 rounds: duration":                      {108.21, "no"},
		"distance of prices, root mean square":    {math.Sqrt(priceSquares / 10), ""},
		"distance of prices, 80 asked for, n = 3": {math.Sqrt(priceSquares / 10), ""},
		"distance of durations, root mean square": {math.Sqrt(durationSquares / 10), ""},
		"distance of prices, 70 asked for, n = 3, nobody below 35 has room":       {math.Sqrt(100 / 10.), ""},
		"distance of prices, 75 asked for, n = 2, nobody below 35 has room":       {math.Sqrt(100 / 10.), ""},
		"duration of a further round":                                             {(durations[9] - durations[2]) / 7, "no"},
		"fall of the price from 1 to 5 rounds":                                    {20, ""},
		"fall of the price from 5 to 10 rounds":                                   {5.1, ""},
		"fall from 1 to 5 rounds, 75 asked for, n = 2, nobody below 35 has room":  {38.6, ""},
		"fall from 5 to 10 rounds, 75 asked for, n = 2, nobody below 35 has room": {0.9, ""},
		steeper: {-0.4, "no"},
		steeper + ", 75 asked for, n = 2, nobody below 35 has room": {38.6 - 4*0.9, "yes"},
	})
	for _, r := range rows {
		if says := map[string]float64{"fall of the price from 1 to 5 rounds": 28.6, "fall of the price from 5 to 10 rounds": 0.9, "fall from 1 to 5 rounds, 75 asked for, n = 2, nobody below 35 has room": 28.6}[r.Name]; says > 0 && (r.Paper == nil || !near(*r.Paper, says)) {
			t.Errorf("%s: the paper says %v", r.Name, r.Paper)
		}
		if r.Holds != nil && *r.Holds && r.Note != "" {
			t.Errorf("%s holds, and yet: %s", r.Name, r.Note)
		}
	}
}

// many is a number of seeds with which what does not differ is decided.
const many = 120

// planted judges a document whose function gives these figures, the same with many seeds.
func planted(t *testing.T, id string, figures map[string]float64) []evidence.Row {
	t.Helper()
	f := func(uint64, json.RawMessage) (map[string]float64, error) { return figures, nil }
	return studytest.Judge(t, id+".json", many, study.Functions{"market/units": f, "market/gain": f, "market/requests": f})
}

// TestUnits: what a further unit costs, how straight the line is, how flat the agreement;
// each at the very limit of the words.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		further, bend, flat float64
		unit, line, agreed  string
	}{
		{1, 0, 1, "yes", "yes", "yes"},
		{4, 14.9, 1.99, "yes", "yes", "yes"},
		{4.01, 15.1, 2.01, "no", "no", "no"},
		{0.99, 15, 3, "no", "yes", "no"},
	} {
		figures := map[string]float64{"a further unit": c.further, "largest distance from a straight line": c.bend, "agreement, most units / fewest": c.flat}
		for _, n := range []int{1, 5, 10, 15, 20, 25} {
			for _, subject := range []string{"bidding", "agreement", "whole auction"} {
				figures[fmt.Sprintf("%d units: %s", n, subject)] = float64(n)
			}
		}
		rows := planted(t, "units", figures)
		check(t, rows, map[string]figure{
			"a further unit":                        {c.further, c.unit},
			"largest distance from a straight line": {c.bend, c.line},
			"agreement, 25 units / 1 unit":          {c.flat, c.agreed},
			"10 units: agreement":                   {10, ""},
		})
		for _, r := range rows {
			if strings.HasPrefix(r.Name, "agreement, 25") && (r.Note != "") != (c.agreed == "no") {
				t.Errorf("%v: %q", c.flat, r.Note)
			}
		}
	}
}

// users judges a document about users where so many saw this; a tenth of the far auction
// is how long it takes beside the near one.
func users(t *testing.T, id string, of func(n int) market.Seen, far float64) []evidence.Row {
	t.Helper()
	f := func(seed uint64, arguments json.RawMessage) (map[string]float64, error) {
		var c struct {
			Counts []int
			Seeds  uint64
		}
		if err := json.Unmarshal(arguments, &c); err != nil || c.Seeds > 0 && seed > c.Seeds {
			return nil, err
		}
		figures := market.Crowds(c.Counts, of)
		figures["auction of the most users / with the settings beside"] = far / 10
		return figures, nil
	}
	return studytest.Judge(t, id+".json", many, study.Functions{"market/users": f})
}

// TestUsers: a response that grows with the users, and rounds that rise steeply to ten of
// them and then not, are what the paper tells.
func TestUsers(t *testing.T) {
	line := func(n int) float64 { return 2 * float64(n) }
	const bent, steep = "response, largest distance from a straight line of 1 to 30 users", "round, rise a user up to 10 less twice that beyond"
	seen := func(response, round func(int) float64) []evidence.Row {
		return users(t, "users", func(n int) market.Seen {
			return market.Seen{Response: response(n), Round: round(n), Auction: 10, Bought: map[int]float64{5: 80, 1000: 98.9}[n] + map[bool]float64{false: 100}[n == 5 || n == 1000]}
		}, 10)
	}
	check(t, seen(line, func(n int) float64 { return min(float64(n), 10) }), map[string]figure{
		"30 users: response": {60, ""}, bent: {0, "yes"}, steep: {1, "yes"}, "20 users: auction": {10, ""}, "15 users: round": {10, ""},
		"30 users: that buy": {100, "yes"}, "5 users: that buy": {80, "no"}, "1000 users, agents that work 1 ms on a message: that buy": {98.9, "no"},
		"100 users: response": {200, ""}, "10000 users: that buy": {100, ""}, "10000 users, agents that work 1 ms on a message: response": {20_000, ""},
	})
	// 17.1 to ten users, then 20 to thirty: not quite twice as steep
	check(t, seen(func(n int) float64 { return float64(n * n) }, func(n int) float64 { return 1.9*min(float64(n), 10) + max(0, float64(n)-10) }), map[string]figure{
		bent: {100 * (435 - 225) / 900., "no"}, steep: {-0.1, "no"},
	})
	// 27 to ten users, then 20 to thirty: three times as steep
	check(t, seen(line, func(n int) float64 { return float64(3*min(n, 10) + max(0, n-10)) }), map[string]figure{steep: {1, "yes"}})
}

// TestNetwork: less than a tenth more is not a significant impact.
func TestNetwork(t *testing.T) {
	line := func(n int) market.Seen {
		return market.Seen{Response: 2 * float64(n), Round: 2 * float64(n), Auction: 10, Bought: 100}
	}
	for far, want := range map[float64]string{10: "yes", 10.9: "yes", 11.1: "no", 9: "yes"} {
		check(t, users(t, "network", line, far), map[string]figure{
			"auction of 30 users over the wide area / in one network":                     {far / 10, want},
			"response, wide area, largest distance from a straight line of 1 to 30 users": {0, "yes"},
			"30 users, wide area: response":                                               {60, ""},
			"30 users, one network: response":                                             {60, ""},
		})
	}
}

// TestBend: how far a value lies from the line between the first and the last.
func TestBend(t *testing.T) {
	for _, c := range []struct{ middle, want float64 }{{30, 0}, {40, 20}, {20, 20}, {25, 10}} {
		at := map[int]float64{5: 10, 10: c.middle, 15: 50}
		if got := market.Bend([]int{5, 10, 15}, func(n int) float64 { return at[n] }); !near(got, c.want) {
			t.Errorf("%v between 10 and 50: %v, want %v", c.middle, got, c.want)
		}
	}
}

// TestCrowd: means of those that bought; three rounds are a bidding.
func TestCrowd(t *testing.T) {
	auction := func(began, bidden, ended unit.Time, bought bool) system.Outcome {
		return system.Outcome{Bought: bought, Began: began * unit.Second, Bidden: bidden * unit.Second, Ended: ended * unit.Second}
	}
	out := told{response: 0.7, outcomes: []system.Outcome{auction(10, 40, 45, true), auction(10, 70, 85, true), auction(10, 99, 99, false)}}
	if got, want := market.CrowdOf(out, 4), (market.Seen{Response: 0.7, Auction: 55, Round: 15, Bought: 50}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := market.CrowdOf(told{}, 4); got != (market.Seen{}) {
		t.Errorf("nobody bought: %+v", got)
	}
}

// TestRequests: table 3 three times over, two minutes apart, each for an hour, with
// times of day that a calendar agrees with.
func TestRequests(t *testing.T) {
	var all []struct {
		At    string
		User  int
		Units []struct {
			CPUHourCost                            float64
			StartDate, StartTime, EndDate, EndTime string
			WallTime                               string
			TotalCores                             int
		}
	}
	if err := json.Unmarshal([]byte(market.Requests()), &all); err != nil {
		t.Fatal(err)
	}
	want := []struct { // cores, minutes from the request to the start, price: the paper's table 3
		cores, minutes int
		price          float64
	}{{16, 5, 70}, {16, 60, 55}, {16, 720, 35}, {256, 5, 50}, {256, 60, 30}, {256, 720, 25}, {1024, 60, 55}, {1024, 720, 35}, {4096, 60, 55}, {4096, 720, 35}, {20480, 5, 80}, {20480, 60, 55}, {20480, 720, 35}}
	if len(all) != 39 {
		t.Fatalf("%d requests", len(all))
	}
	for i, r := range all {
		q, u := want[i%13], r.Units[0]
		sent, err := time.ParseDuration(r.At)
		start, err2 := time.Parse(time.DateTime, u.StartDate+" "+u.StartTime)
		end, err3 := time.Parse(time.DateTime, u.EndDate+" "+u.EndTime)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		begins := start.Sub(time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC))
		if sent != time.Duration(2*i)*time.Minute || begins-sent != time.Duration(q.minutes)*time.Minute || end.Sub(start) != time.Hour ||
			u.TotalCores != q.cores || u.CPUHourCost != q.price || r.User != i%13 || u.WallTime != "PT3600S" {
			t.Errorf("request %d: %+v", i, r)
		}
	}
	if got := market.Unit(1, 2, 25*unit.Hour+61*unit.Second, 90*unit.Second); got != `{"CPUHourCost":2,"StartDate":"2016-01-02","StartTime":"01:01:01","EndDate":"2016-01-02","EndTime":"01:02:31","WallTime":"PT90S","TotalCores":1}` {
		t.Error(got)
	}
}

// TestSites: the first so many of the twenty; those of the opened log's machine play it.
func TestSites(t *testing.T) {
	for limit, want := range map[int]int{1: 1, 5: 5, 20: 20, 30: 20} {
		var list []struct{ Name, Log string }
		if err := json.Unmarshal([]byte(market.Sites(limit, "thunder")), &list); err != nil || len(list) != want {
			t.Errorf("%d of %d resources, %v", len(list), limit, err)
		}
		for _, s := range list {
			if (s.Log == "file") != strings.HasPrefix(s.Name, "thunder") {
				t.Errorf("%s plays %q", s.Name, s.Log)
			}
		}
	}
	for _, m := range logs.Machines {
		if market.Machine(m.Cores) != m.Name || market.Machine(m.Cores+1) != "" {
			t.Errorf("%d cores: %q and %q", m.Cores, market.Machine(m.Cores), market.Machine(m.Cores+1))
		}
	}
}
