package market_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/core/paper/market"
	system "parley/core/system/market"
	"parley/core/unit"
	"parley/core/workload"
)

// TestWhatIsPlayed: the requests of table 3, three times, to the twenty resources of table 2,
// with the seed 1, for two hours; on sites that are fuller where that is wanted.
func TestWhatIsPlayed(t *testing.T) {
	for arguments, all := range map[string]string{`{}`: market.Sites(20, ""), `{"busy":90}`: market.BusySites(90)} {
		out, err := market.Play(fmt.Sprintf(`{"sites":%s,"requests":%s}`, all, market.Requests()), `{"signatures":"modelled"}`, 2*unit.Hour)
		if err != nil {
			t.Fatal(err)
		}
		want := market.Tally(out)
		maps.Copy(want, market.Offers(out.Resources()))
		if diff := cmp.Diff(want, called(t, "market/requests", arguments)); diff != "" || len(want) < 40 {
			t.Errorf("%s: %s", arguments, diff)
		}
	}
}

// TestUsersAtOnce: a resource answers one request in 0.55 s, and 100 users see what a
// market with so many and these settings shows.
func TestUsersAtOnce(t *testing.T) {
	if one := called(t, "market/users", `{"counts":[1],"settings":{"resource_work_us":550000}}`); !near(one["1 users: response"], 0.55) || one["1 users: that buy"] != 100 || len(one) != 4 {
		t.Errorf("%v", one)
	}
	document := fmt.Sprintf(`{"sites":%s,"demand":{"requests":100,"every":"0s","cores":[16,64],"price":[50,80],"lead":["12h","20h"],"wall":["10m","30m"],"units":[1,1]}}`, market.Sites(5, ""))
	const quick, slow = `"resource_work_us":1000,"user_work_us":1000`, `"resource_work_us":550000`
	seen := map[string]market.Seen{}
	for _, settings := range []string{quick, slow} {
		out, err := market.Play(document, `{"users":100,`+market.Patient+`,`+settings+`}`, 11*unit.Hour)
		if err != nil {
			t.Fatal(err)
		}
		seen[settings] = market.CrowdOf(out, 100)
	}
	got := called(t, "market/users", fmt.Sprintf(`{"counts":[100],"resources":5,"settings":{%s},"beside":{%s}}`, quick, slow))
	want := market.Crowds([]int{100}, func(int) market.Seen { return seen[quick] })
	want["auction of the most users / with the settings beside"] = seen[quick].Auction / seen[slow].Auction
	if diff := cmp.Diff(want, got); diff != "" || seen[quick].Response == seen[slow].Response {
		t.Error(diff)
	}
}

// TestRoundsAreBought: in n rounds of 15 s each, for no more than is asked for; and the
// lowest minimum price decides who offers.
func TestRoundsAreBought(t *testing.T) {
	for _, lowest := range []float64{0, 65} {
		got := called(t, "market/rounds", fmt.Sprintf(`{"asking_price":75,"min_price":%v,"prices":[66,60],"durations":[18.81,31.91]}`, lowest))
		for i := range 2 {
			if d := got[fmt.Sprintf("%d rounds: duration", i+1)] - 15*float64(i+1); d < 0 || d > 5 {
				t.Errorf("%d rounds take %v s longer", i+1, d)
			}
			if p := got[fmt.Sprintf("%d rounds: price", i+1)]; p > 75 || p < max(25, lowest) {
				t.Errorf("%d rounds: %v credits, at least %v", i+1, p, lowest)
			}
		}
		if len(got) != 6 {
			t.Errorf("%v", got)
		}
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
		gain := called(t, "market/gain", fmt.Sprintf(`{"method":%q,"resources":5}`, way))
		got := market.Gained{
			Started: gain["requests that run"], Wait: gain["mean wait"], Slowdown: gain["mean bounded slowdown"],
			Fairness: gain["fairness between sites"], OwnWait: gain["mean wait of the sites' own jobs"],
		}
		if want := market.Dispatch(source, random, 1); got != want || len(gain) != 5 {
			t.Errorf("%s: %+v, want %+v", way, gain, want)
		}
	}
	if gain := called(t, "market/gain", `{"method":"fixed","resources":5}`); gain["mean price"] <= 0 || len(gain) != 6 {
		t.Errorf("%v", gain)
	}
}

// TestCallsRefused: a call says what is wrong with its arguments, and of a log that cannot
// be opened.
func TestCallsRefused(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"market/gain", `{"method":"fast"}`, `method is "fast": choose paper, fixed, utilisation, least loaded or random`},
		{"market/gain", `{"way":"fast"}`, `method is "fast": choose paper, fixed, utilisation, least loaded or random`}, // the former name
		{"market/rounds", `{"asked":75,"least":1,"prices":[66]}`, "there are 1 prices and 0 durations: give as many of both, 1 to 100"},
		{"market/gain", `{"method":"fixed","resources":21}`, "resources is 21: choose 1 to 20"},
		{"market/units", `{}`, "counts has no number of units: give one or more"},
		{"market/users", `{"counts":[5,5]}`, "counts[1] is 5: choose 1 to 100000, in rising order"},
		{"market/users", `{"counts":[5],"settings":[]}`, "settings of users are an object of the market's settings: json: cannot unmarshal array into Go value of type map[string]json.RawMessage"},
		{"market/rounds", `{"asking_price":75,"prices":[66]}`, "there are 1 prices and 0 durations: give as many of both, 1 to 100"},
		{"market/units", `{"counts":[101,102]}`, "counts[0] is 101: choose 1 to 100, in rising order"},
	} {
		if _, err := market.Functions(nil)[c.name](1, json.RawMessage(c.arguments)); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v", c.name, c.arguments, err)
		}
	}
	stop := errors.New("stop")
	none := market.Functions(func() (workload.Source, string, error) { return nil, "", stop })
	for name, arguments := range map[string]string{
		"market/units": `{"counts":[1,2]}`, "market/gain": `{"method":"random"}`, "market/requests": `{}`,
		"market/rounds": `{"asking_price":75,"prices":[66],"durations":[19]}`, "market/users": `{"counts":[1]}`,
	} {
		if _, err := none[name](1, json.RawMessage(arguments)); !errors.Is(err, stop) {
			t.Errorf("%s without its log: %v", name, err)
		}
		if got, err := none[name](3, json.RawMessage(`{"seeds":2}`)); got != nil || err != nil {
			t.Errorf("%s with a seed that it is not played with: %v, %v", name, got, err)
		}
	}
}
