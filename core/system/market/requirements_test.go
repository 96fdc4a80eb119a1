package market_test

import (
	"flag"
	"fmt"
	"testing"

	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/market"
	"parley/core/unit"
)

var requests = flag.Int("requests", 10_000, "how many random requests are held to what is bought for them; with -short a fiftieth of them")

// demanding is a random market of two to four sites and up to six requests with any of the
// terms, goals and limits there are, an owner of any kind, and faults of mail and agents.
// It returns how many requests there are.
func demanding(t *testing.T, seed uint64) (w *world, requested int) {
	r := rng.New(seed, "demanding")
	between := func(low, high int) int { return low + r.Intn(high-low+1) }
	maybe := func(text string) string {
		if r.Intn(3) > 0 {
			return ""
		}
		return text
	}
	list := func(n int, one func(i int) string) (text string) {
		for i := range n {
			text += "," + one(i)
		}
		return text[1:]
	}
	sites := between(2, 4)
	document := `{"epoch":"2016-01-01T00:00:00Z","cells":1,"sites":[` + list(sites, func(i int) string {
		low := between(5, 60)
		return fmt.Sprintf(`{"name":"s%d","cores":%d,"start_price":%d,"min_price":%d%s}`, i, 16*between(1, 2), low+between(0, 30), low,
			fmt.Sprintf(`,"terms":{"node_cores":8,"ram_per_core":%d,"cpu_speed":%d}`, between(1, 3)*1000, between(1, 3)*1000))
	})
	requested = between(2, 6)
	document += `],"requests":[` + list(requested, func(i int) string {
		limits := maybe(fmt.Sprintf(`"max_wait":"%ds",`, between(60, 400))) + maybe(fmt.Sprintf(`"max_cost":%d,`, between(20, 400))) +
			maybe(`"goal":"fastest",`)
		return fmt.Sprintf(`{"at":"%ds","user":%d,%s"units":[%s]}`, between(0, 90), i, limits, list(between(1, 2), func(int) string {
			from, wall := between(2, 8), between(2, 8)
			terms := fmt.Sprintf(`"CPUHourCost":%d,"WallTime":"PT%dM","EndDate":"2016-01-01","EndTime":"00:%02d:00"`, between(10, 90), wall, from+wall+between(0, 30))
			switch r.Intn(3) {
			case 0:
				terms += fmt.Sprintf(`,"StartDate":"2016-01-01","StartTime":"00:%02d:00"`, from)
			case 1:
				terms += `,"StartDate":"2016-01-01"`
			}
			if r.Intn(2) == 0 {
				terms += fmt.Sprintf(`,"TotalCores":%d`, 8*between(1, 4))
			} else {
				terms += fmt.Sprintf(`,"NodeCount":%d,"NodeCores":8`, between(1, 4))
			}
			return "{" + terms + maybe(`,"RAMPerCore":2000`) + maybe(`,"CPUSpeed":2000`) + "}"
		}))
	}) + `]}`
	approval := []string{"match", "match", "manual"}[r.Intn(3)]
	w = open(t, document, fmt.Sprintf(`{"users":6,"signatures":"modelled","rounds":%d,"goal":%q,"approval":%q}`, between(1, 6), []string{"cheapest", "fastest"}[r.Intn(2)], approval), seed)
	fail := func(kind string, target int, value float64) {
		w.system.(system.FaultTarget).Fail(system.AgentFault{Kind: kind, Target: target, Value: value})
	}
	if r.Intn(3) == 0 {
		fail("mail_loss", 0, float64(between(0, 30))/100)
		fail("mail_delay", 0, float64(between(0, 20)))
		fail("mail_repeat", 0, float64(between(0, 40))/100)
	}
	for at := unit.Time(0); at < 6*unit.Minute; {
		at += unit.Time(between(5, 60)) * unit.Second
		if err := w.pass(at); err != nil {
			t.Fatalf("market %d: %v", seed, err)
		}
		fail([]string{"offer_approved", "user_down", "user_up", "resource_down", "resource_up"}[r.Intn(5)], r.Intn(sites), 0)
		fail("offer_approved", r.Intn(6), 0)
	}
	if err := w.pass(2 * unit.Hour); err != nil {
		t.Fatalf("market %d: %v", seed, err)
	}
	return w, requested
}

// TestRequirements: what is bought meets every requirement of its request, or is the offer
// that its owner approved.
func TestRequirements(t *testing.T) {
	n := *requests
	if testing.Short() {
		n /= 50
	}
	played, bought, approved := 0, 0, 0
	for seed := uint64(0); played < n; seed++ {
		w, requested := demanding(t, seed)
		played += requested
		one, two, err := market.BooksOf(w.system).Requirements(w.notes)
		if err != nil {
			t.Fatalf("market %d: %v", seed, err)
		}
		bought, approved = bought+one, approved+two
	}
	t.Logf("%d requests: %d units bought, %d of them because the owner approved", played, bought, approved)
	if bought < played/20 || approved == 0 {
		t.Error("the requests do not reach every outcome")
	}
}
