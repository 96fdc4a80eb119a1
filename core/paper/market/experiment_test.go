package market_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/core/paper/market"
	system "parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// TestExperiments plays each with one seed, which is the first, in its quick form: rows
// with figures that can be, and progress that names the seed.
func TestExperiments(t *testing.T) {
	for _, x := range market.All() {
		var told []string
		rows, err := x.Run(market.Effort{Seeds: 1, Quick: true, Tell: func(doing string) error {
			told = append(told, doing)
			return nil
		}})
		if err != nil {
			t.Errorf("%s: %v", x.ID, err)
			continue
		}
		for _, doing := range told {
			if !slices.Contains(strings.Split(doing, ", "), "seed 1") {
				t.Errorf("%s tells %q", x.ID, doing)
			}
		}
		if len(told) == 0 || len(rows) == 0 {
			t.Errorf("%s: told %d times, %d rows", x.ID, len(told), len(rows))
		}
		for _, r := range rows {
			if strings.HasSuffix(r.Name, ": that buy") && r.Measured != 100 || strings.HasSuffix(r.Unit, "%") && (r.Measured < 0 || r.Measured > 100) {
				t.Errorf("%s: %s is %v", x.ID, r.Name, r.Measured)
			}
			if r.Interval != nil && !strings.Contains(r.Rule, "would refute it") {
				t.Errorf("%s: %s has an interval of one seed", x.ID, r.Name)
			}
		}
	}
}

// TestWhatIsPlayed: the tables of the experiments are those of the requests of table 3,
// three times, to the twenty resources of table 2, with the seed 1, for two hours.
func TestWhatIsPlayed(t *testing.T) {
	document := fmt.Sprintf(`{"sites":%s,"requests":%s}`, market.Sites(20, ""), market.Requests(3))
	out, err := market.Play(document, `{"signatures":"modelled"}`, 2*unit.Hour)
	if err != nil {
		t.Fatal(err)
	}
	workloads, prices := market.SheetOfOne(), market.SheetOfOne()
	workloads.Tally(out)
	prices.Offers(out.Resources())
	for _, c := range []struct {
		run  func(market.Effort) ([]market.Row, error)
		want []market.Row
	}{{market.Workloads, workloads.Workloads("")}, {market.Prices, prices.Prices()}} {
		got, err := c.run(market.Effort{Seeds: 1, Quick: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(market.Row{})); diff != "" {
			t.Error(diff)
		}
	}
}

// TestUsersAtOnce: up to 30 as the paper, and quickly 100, these also with agents that
// work little; a resource answers one request in 0.55 s.
func TestUsersAtOnce(t *testing.T) {
	rows, err := market.Users(market.Effort{Seeds: 1, Quick: true})
	if err != nil {
		t.Fatal(err)
	}
	response, _, err := market.AtOnce(market.Effort{Quick: true}, 100, 5, `"resource_work_us":1000,"user_work_us":1000`)
	if err != nil {
		t.Fatal(err)
	}
	var who []string
	for _, r := range rows {
		name, what, _ := strings.Cut(r.Name, ": ")
		if what != "response" {
			continue
		}
		who = append(who, name)
		if name == "1 users" && !near(r.Measured, 0.55) || name == "100 users, agents that work 1 ms on a message" && r.Measured != response {
			t.Errorf("%s take %v s", name, r.Measured)
		}
	}
	if want := []string{"1 users", "5 users", "10 users", "15 users", "20 users", "25 users", "30 users", "100 users", "100 users, agents that work 1 ms on a message"}; !slices.Equal(who, want) {
		t.Errorf("%q", who)
	}
}

// called returns the figures of a function by the seed 1.
func called(t *testing.T, name, arguments string) map[string]float64 {
	t.Helper()
	figures, err := market.Functions(nil)[name](1, json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return figures
}

// TestUnitsAreBought: bidding and agreement are the whole of an auction, and the figures that
// follow from several auctions are of the first, the middle and the last.
func TestUnitsAreBought(t *testing.T) {
	units := called(t, "market/units", `{"counts":[1,5,25]}`)
	for _, n := range []int{1, 5, 25} {
		bidding, agreement, whole := units[fmt.Sprintf("%d units: bidding", n)], units[fmt.Sprintf("%d units: agreement", n)], units[fmt.Sprintf("%d units: whole auction", n)]
		if !near(bidding+agreement, whole) || bidding <= 0 || agreement <= 0 {
			t.Errorf("%d units: %v and %v of %v s", n, bidding, agreement, whole)
		}
	}
	one, five, last := units["1 units: whole auction"], units["5 units: whole auction"], units["25 units: whole auction"]
	bend := 100 * math.Abs(five-(one+(last-one)/6)) / last
	if !near(units["a further unit"], (last-one)/24) || !near(units["largest distance from a straight line"], bend) || !near(units["agreement, most units / fewest"], units["25 units: agreement"]/units["1 units: agreement"]) || len(units) != 12 {
		t.Errorf("%v", units)
	}
}

// TestGain: a day without a market has no prices, and is that of the same requests.
func TestGain(t *testing.T) {
	document := fmt.Sprintf(`{"sites":%s,"demand":%s}`, market.Sites(5, ""), market.DemandOfGain)
	for way, random := range map[string]bool{"least loaded": false, "random": true} {
		source, err := system.Files(json.RawMessage(document), 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		gain := called(t, "market/gain", fmt.Sprintf(`{"way":%q,"resources":5}`, way))
		got := market.Gained{
			Started: gain["requests that run"], Wait: gain["mean wait"], Slowdown: gain["mean bounded slowdown"],
			Fairness: gain["fairness between sites"], OwnWait: gain["mean wait of the sites' own jobs"],
		}
		if want := market.Dispatch(source, random, 1); got != want || len(gain) != 5 {
			t.Errorf("%s: %+v, want %+v", way, gain, want)
		}
	}
	if gain := called(t, "market/gain", `{"way":"fixed","resources":5}`); gain["mean price"] <= 0 || len(gain) != 6 {
		t.Errorf("%v", gain)
	}
}

// TestCallsRefused: a call says what is wrong with its arguments, and of a log that cannot
// be opened.
func TestCallsRefused(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"market/gain", `{"way":"fast"}`, `way is "fast": choose paper, fixed, utilisation, least loaded or random`},
		{"market/gain", `{"way":"fixed","resources":21}`, "resources is 21: choose 1 to 20"},
		{"market/units", `{}`, "counts has 0 numbers of units: give two or more"},
		{"market/units", `{"counts":[101,102]}`, "counts[0] is 101: choose 1 to 100, in rising order"},
	} {
		if _, err := market.Functions(nil)[c.name](1, json.RawMessage(c.arguments)); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v", c.name, c.arguments, err)
		}
	}
	stop := errors.New("stop")
	none := market.Functions(func() (workload.Source, string, error) { return nil, "", stop })
	for name, arguments := range map[string]string{"market/units": `{"counts":[1,2]}`, "market/gain": `{"way":"random"}`} {
		if _, err := none[name](1, json.RawMessage(arguments)); !errors.Is(err, stop) {
			t.Errorf("%s without its log: %v", name, err)
		}
	}
}

// TestStops: a log that cannot be opened, and whoever is told of progress, end each
// experiment with their error.
func TestStops(t *testing.T) {
	stop := errors.New("stop")
	for _, x := range market.All() {
		if _, err := x.Run(market.Effort{Tell: func(string) error { return stop }}); !errors.Is(err, stop) {
			t.Errorf("%s told: %v", x.ID, err)
		}
		if _, err := x.Run(market.Effort{Log: func() (workload.Source, string, error) { return nil, "", stop }}); !errors.Is(err, stop) {
			t.Errorf("%s without its log: %v", x.ID, err)
		}
	}
}
