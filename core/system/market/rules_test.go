package market_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/rfql"
	"parley/core/system"
	"parley/core/system/market"
	"parley/core/unit"
)

// silent is a market whose resources are down, so that a test may speak for them, and
// whose only user asks for one unit in three rounds at 10, 25 and 40 s.
func silent(t *testing.T, until unit.Time) (*world, market.Books) {
	t.Helper()
	w := open(t, `{"cells":1,"sites":[{"name":"one","cores":48,"start_price":60,"min_price":40},{"name":"two","cores":48,"start_price":60,"min_price":40},{"name":"three","cores":48,"start_price":60,"min_price":40}],
 "requests":[{"at":"10s","user":0,"units":[{"CPUHourCost":70,"TotalCores":12,"StartDate":"2016-01-01","StartTime":"00:20:00","EndDate":"2016-01-01","EndTime":"06:00:00","WallTime":"PT1H"}]}]}`, `{"signatures":"modelled","users":1}`, 1)
	for i := range 3 {
		w.system.(system.FaultTarget).Fail(system.AgentFault{Kind: "resource_down", Target: i})
	}
	if err := w.pass(until); err != nil {
		t.Fatal(err)
	}
	return w, market.BooksOf(w.system)
}

// TestRanking: the lowest price leads, then the earliest end, then the first to arrive;
// an offer that only comes closest leads if nothing else does.
func TestRanking(t *testing.T) {
	type offer struct {
		price, end int
		closest    bool
	}
	for _, c := range []struct {
		subject string
		offers  []offer // of the resources 0, 1 and 2, in the order in which they arrive
		leader  int
	}{
		{"the lowest price", []offer{{50, 80, false}, {49, 100, false}, {51, 60, false}}, 1},
		{"at equal prices the earliest end", []offer{{50, 80, false}, {50, 70, false}, {50, 75, false}}, 1},
		{"at equal prices and ends the first to arrive", []offer{{51, 60, false}, {50, 80, false}, {50, 80, false}}, 1},
		{"what meets the request, whatever it costs", []offer{{30, 70, true}, {60, 90, false}, {20, 60, true}}, 1},
	} {
		_, b := silent(t, 11*unit.Second)
		for r, o := range c.offers {
			price := rfql.Price(o.price) * rfql.Credit
			if o.closest {
				price += 50 * rfql.Credit // above what is asked for
			}
			b.Propose(r, 1, price, unit.Time(o.end)*unit.Minute, o.closest)
		}
		if got, _ := b.Leader(true); got != c.leader {
			t.Errorf("%s: resource %d leads, want %d", c.subject, got, c.leader)
		}
	}
}

// TestOldAnswers: an answer of an earlier round that comes late or twice changes nothing,
// nor does the same answer twice; a refusal ends a resource's bidding and leaves its
// earlier offer.
func TestOldAnswers(t *testing.T) {
	const end = 2 * unit.Hour
	for _, c := range []struct {
		subject string
		speak   func(market.Books)
		want    string
	}{
		{"two rounds", func(b market.Books) {
			b.Propose(0, 1, 60*rfql.Credit, end, false)
			b.Propose(0, 2, 50*rfql.Credit, end, false)
		}, "0 at 50"},
		{"a repetition of the first round's offer", func(b market.Books) {
			b.Propose(0, 2, 50*rfql.Credit, end, false)
			b.Propose(0, 1, 60*rfql.Credit, end, false)
		}, "0 at 50"},
		{"a repetition of the first round's lower offer", func(b market.Books) {
			b.Propose(0, 2, 60*rfql.Credit, end, false)
			b.Propose(0, 1, 50*rfql.Credit, end, false)
		}, "0 at 60"},
		{"the same offer twice", func(b market.Books) {
			b.Propose(0, 2, 50*rfql.Credit, end, false)
			b.Propose(1, 2, 50*rfql.Credit, end, false)
			b.Propose(0, 2, 50*rfql.Credit, end, false)
		}, "0 at 50"},
		{"a refusal to go lower", func(b market.Books) {
			b.Propose(0, 1, 50*rfql.Credit, end, false)
			b.Refuse(0, 2)
		}, "0 at 50"},
		{"a late repetition of a refusal", func(b market.Books) {
			b.Refuse(0, 1)
			b.Propose(0, 2, 50*rfql.Credit, end, false)
			b.Refuse(0, 1)
		}, "0 at 50"},
		{"a late refusal, and the newest offer once more", func(b market.Books) {
			b.Propose(0, 2, 50*rfql.Credit, end, false)
			b.Propose(1, 2, 50*rfql.Credit, end, false)
			b.Refuse(0, 1)
			b.Propose(0, 2, 50*rfql.Credit, end, false)
		}, "0 at 50"},
		{"an offer too dear", func(b market.Books) { b.Propose(0, 2, 71*rfql.Credit, end, false) }, "-1"},
		{"an offer too late", func(b market.Books) { b.Propose(0, 2, 50*rfql.Credit, 7*unit.Hour, false) }, "-1"},
	} {
		_, b := silent(t, 26*unit.Second)
		c.speak(b)
		r, price := b.Leader(true)
		if got := strings.TrimSuffix(fmt.Sprintf("%d at %v", r, price), " at 0"); got != c.want {
			t.Errorf("%s: %s leads, want %s", c.subject, got, c.want)
		}
	}
}

// TestNeverOffered: a resource holds nothing at a price, or for a time, that it never
// offered, and what it did offer at that.
func TestNeverOffered(t *testing.T) {
	for subject, change := range map[string]func(o *market.Offer){
		"":                  func(*market.Offer) {},
		"a lower price":     func(o *market.Offer) { o.Price-- },
		"a later end":       func(o *market.Offer) { o.End++ },
		"an earlier start":  func(o *market.Offer) { o.Start-- },
		"another's auction": func(o *market.Offer) { o.Auction++ },
		"another's offer":   func(o *market.Offer) { o.Resource = 1 - o.Resource },
	} {
		w := open(t, `{"cells":1,"sites":[{"name":"one","cores":48,"start_price":60,"min_price":20},{"name":"two","cores":48,"start_price":90,"min_price":20}],
 "requests":[{"at":"10s","user":0,"units":[{"CPUHourCost":70,"TotalCores":12,"StartDate":"2016-01-01","StartTime":"00:20:00","EndDate":"2016-01-01","EndTime":"06:00:00","WallTime":"PT1H"}]}]}`, `{"signatures":"modelled","users":1}`, 1)
		if err := w.pass(12 * unit.Second); err != nil {
			t.Fatal(err)
		}
		if got, want := market.BooksOf(w.system).Accept(change), subject == ""; got != want {
			t.Errorf("an acceptance with %q: the resource holds a reservation: %v, want %v", subject, got, want)
		}
	}
}

// TestPlantedHalves: each way in which a purchase can be divided, planted by hand, is seen.
func TestPlantedHalves(t *testing.T) {
	for subject, c := range map[string]struct {
		at    unit.Time
		plant func(market.Books) bool
		says  string
	}{
		"nothing":                                   {2 * unit.Minute, func(market.Books) bool { return true }, ""},
		"a unit is given back for no reason":        {2 * unit.Minute, market.Books.GiveBack, "was given back, though its site lost no cores"},
		"a paid unit is forgotten":                  {2 * unit.Minute, market.Books.Lose, "neither ran nor was given back"},
		"the user takes what is paid for nothing":   {2 * unit.Minute, market.Books.Doubt, "failed for its user"},
		"the user takes for paid what is not":       {26200 * unit.Millisecond, market.Books.Believe, "is bought for its user"},
		"a unit runs that is not paid":              {26200 * unit.Millisecond, market.Books.Unpaid, "and was not paid"},
		"the user does not learn of what came back": {2 * unit.Minute, market.Books.GiveBackSilently, "true by the bank, false by its user"},
	} {
		w := open(t, `{"cells":1,"sites":[{"name":"one","cores":48,"start_price":60,"min_price":40},{"name":"two","cores":48,"start_price":60,"min_price":40}],
 "requests":[{"at":"10s","user":0,"units":[{"CPUHourCost":70,"TotalCores":30,"StartDate":"2016-01-01","StartTime":"00:20:00","EndDate":"2016-01-01","EndTime":"01:20:00","WallTime":"PT1H"},
  {"CPUHourCost":70,"TotalCores":30,"StartDate":"2016-01-01","StartTime":"00:25:00","EndDate":"2016-01-01","EndTime":"01:25:00","WallTime":"PT1H"}]}]}`, `{"signatures":"modelled","users":1,"rounds":1}`, 1)
		if err := w.pass(c.at); err != nil {
			t.Fatal(err)
		}
		b := market.BooksOf(w.system)
		if !c.plant(b) {
			t.Fatalf("%s: nothing to plant it in", subject)
		}
		if strings.HasPrefix(subject, "the user does not learn") { // a give-back that is no half by itself
			w.facts.Lost[0], w.facts.Lost[1] = []unit.Time{c.at}, []unit.Time{c.at}
		}
		if err := w.pass(4 * unit.Hour); err != nil {
			t.Fatal(err)
		}
		switch err := b.Atomic(w.facts); {
		case c.says == "" && err != nil, c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: the checker says %v, want %q", subject, err, c.says)
		}
	}
}

// TestStrangersAsk: the bank says what became of a contract to the user who signed it, and
// to no other agent.
func TestStrangersAsk(t *testing.T) {
	for subject, c := range map[string]struct {
		from   int
		forged bool
		want   int
	}{
		"the user who bought":             {0, false, 1},
		"another user":                    {1, false, 0},
		"the user, without its signature": {0, true, 0},
	} {
		w := open(t, `{"cells":1,"sites":[{"name":"one","cores":48,"start_price":60,"min_price":40}],
 "requests":[{"at":"10s","user":0,"units":[{"CPUHourCost":70,"TotalCores":12,"StartDate":"2016-01-01","StartTime":"00:20:00","EndDate":"2016-01-01","EndTime":"01:20:00","WallTime":"PT1H"}]}]}`, `{"signatures":"modelled","users":2,"rounds":1}`, 1)
		if err := w.pass(2 * unit.Minute); err != nil {
			t.Fatal(err)
		}
		if got := market.BooksOf(w.system).AskBank(c.from, c.forged); got != c.want {
			t.Errorf("%s asks: the bank sends %d answers, want %d", subject, got, c.want)
		}
	}
}
