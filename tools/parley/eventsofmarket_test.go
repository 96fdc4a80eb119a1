package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The checker below knows docs/events.md and nothing of the program: it replays what the
// market's agents agreed on, reserved and paid.

// marketEvent has the fields of the events that the checker reads.
type marketEvent struct {
	T            int64
	E, Kind, Job string
	Node         *int
	Rack         int
	Ref, User    int
	Processors   int
	Value        float64
	Balance      *float64
	UserBalance  *float64 `json:"user_balance"`
	StartUS      int64    `json:"start_us"`
	EndUS        int64    `json:"end_us"`
	UntilUS      int64    `json:"until_us"`
}

// window is a reservation's.
type window struct{ start, end int64 }

// checkedUnit is what the log says of a unit.
type checkedUnit struct {
	processors     int
	accepted       map[int]float64      // the price, by the resource's node
	held           map[int]*reservation // by the resource's node
	paidFor        float64
	paid, refunded bool
	started        bool
	bought         bool
}

// reservation is what a resource holds for a unit.
type reservation struct {
	window
	value float64
	until int64
}

type marketChecker struct {
	racks    map[int]int // of nodes
	cores    map[int]int // of racks
	units    map[string]*checkedUnit
	wanted   map[int]int     // units of an auction
	settled  map[int]float64 // what its contract costs
	paid     map[int]int     // units that were paid
	costs    map[int]float64 // what they cost
	users    map[int]float64
	sites    map[int]float64 // by first node
	expected map[int]float64 // balances that lines said, to compare when the moment is over
	counts   map[string]int
}

// checkMarketLog replays a whole log and returns how many lines of each kind it has.
func checkMarketLog(log []byte) (map[string]int, error) {
	c := &marketChecker{map[int]int{}, map[int]int{}, map[string]*checkedUnit{}, map[int]int{}, map[int]float64{}, map[int]int{}, map[int]float64{}, map[int]float64{}, map[int]float64{}, map[int]float64{}, map[string]int{}}
	at := int64(0)
	for n, line := range bytes.Split(bytes.TrimSpace(log), []byte("\n")) {
		var e marketEvent
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		if e.T > at {
			if err := c.balances(); err != nil {
				return nil, fmt.Errorf("before line %d: %w", n+1, err)
			}
		}
		at = e.T
		kind := e.E
		if e.E == "note" {
			kind = e.Kind
		}
		c.counts[kind]++
		if err := c.take(&e, kind); err != nil {
			return nil, fmt.Errorf("line %d, %s: %w", n+1, line, err)
		}
	}
	return c.counts, c.balances()
}

// balances compares what lines of the last moment said with the sums.
func (c *marketChecker) balances() error {
	for node, stated := range c.expected {
		if math.Abs(c.sites[node]-stated) > 1e-6 {
			return fmt.Errorf("the resource on node %d has %v credits, the log says %v", node, c.sites[node], stated)
		}
	}
	clear(c.expected)
	for ref, n := range c.paid {
		if n != c.wanted[ref] || math.Abs(c.costs[ref]-c.settled[ref]) > 1e-6 {
			return fmt.Errorf("auction %d has %d units for %v credits, and %d are paid for %v", ref, c.wanted[ref], c.settled[ref], n, c.costs[ref])
		}
	}
	return nil
}

// expect remembers what a line says of a resource's balance at the end of the moment.
func (c *marketChecker) expect(node int, balance float64) error {
	if stated, known := c.expected[node]; known && stated != balance {
		return fmt.Errorf("the resource on node %d has %v credits by another line", node, stated)
	}
	c.expected[node] = balance
	return nil
}

// user compares what a line says of a user's balance.
func (c *marketChecker) user(user int, stated *float64) error {
	if stated == nil || math.Abs(c.users[user]-*stated) > 1e-6 {
		return fmt.Errorf("user %d has %v credits", user, c.users[user])
	}
	return nil
}

func (c *marketChecker) take(e *marketEvent, kind string) error {
	if e.E != "note" {
		switch kind {
		case "node_up":
			if _, known := c.racks[*e.Node]; !known {
				c.racks[*e.Node] = e.Rack
				c.cores[e.Rack] += e.Processors
			}
		case "job_submitted":
			if c.units[e.Job] != nil {
				return fmt.Errorf("there is a job %s", e.Job)
			}
			c.units[e.Job] = &checkedUnit{processors: e.Processors, accepted: map[int]float64{}, held: map[int]*reservation{}}
		}
		return nil
	}
	if kind == "begun" {
		c.wanted[e.Ref] = int(e.Value)
		if _, known := c.users[e.User]; !known {
			c.users[e.User] = *e.Balance
		}
		return c.user(e.User, e.Balance)
	}
	if kind == "settled" {
		if _, again := c.settled[e.Ref]; again {
			return fmt.Errorf("auction %d is settled twice", e.Ref)
		}
		c.settled[e.Ref], c.paid[e.Ref] = e.Value, 0
		c.users[e.User] -= e.Value
		return c.user(e.User, e.Balance)
	}
	u := c.units[e.Job]
	if u == nil {
		if kind == "unpaid" {
			return nil
		}
		return fmt.Errorf("there is no job %q", e.Job)
	}
	if e.Node == nil {
		return nil // a call or a failure
	}
	return c.unit(e, u, kind, window{e.StartUS, e.EndUS})
}

// unit takes a line about a unit and a resource.
func (c *marketChecker) unit(e *marketEvent, u *checkedUnit, kind string, w window) error {
	node := *e.Node
	r := u.held[node]
	as := r != nil && r.window == w && e.Value == r.value // as it is reserved
	switch kind {
	case "offer", "accept":
		if w.start >= w.end || e.Value <= 0 {
			return fmt.Errorf("an offer of %v from %d to %d", e.Value, w.start, w.end)
		}
		if kind == "accept" {
			u.accepted[node] = e.Value
		}
	case "reserved":
		if r != nil || e.Value != u.accepted[node] || e.Processors != u.processors || e.UntilUS < e.T || w.start < e.T {
			return fmt.Errorf("accepted at %v, reserved before: %+v", u.accepted[node], r)
		}
		u.held[node] = &reservation{w, e.Value, e.UntilUS}
		return c.room(c.racks[node])
	case "held", "request":
		if !as {
			return fmt.Errorf("reserved: %+v", r)
		}
	case "paid":
		if r == nil || u.paid || e.T > r.start {
			return fmt.Errorf("reserved: %+v, paid before: %v", r, u.paid)
		}
		cost := math.Ceil(1000*r.value*float64(u.processors)*float64(r.end-r.start)/3.6e9-1e-6) / 1000
		if math.Abs(cost-e.Value) > 1e-6 {
			return fmt.Errorf("%d cores at %v cost %v", u.processors, r.value, cost)
		}
		u.paid, u.paidFor = true, e.Value
		c.paid[e.Ref]++
		c.costs[e.Ref] += e.Value
		c.sites[node] += e.Value
		return c.expect(node, *e.Balance)
	case "refunded":
		if !u.paid || u.refunded || e.Value != u.paidFor {
			return fmt.Errorf("paid: %v, %v credits; refunded before: %v", u.paid, u.paidFor, u.refunded)
		}
		u.refunded = true
		c.sites[node] -= e.Value
		c.users[e.User] += e.Value
		return errors.Join(c.expect(node, *e.Balance), c.user(e.User, e.UserBalance))
	case "bought":
		if !u.paid || u.bought {
			return fmt.Errorf("paid: %v, bought before: %v", u.paid, u.bought)
		}
		u.bought = true
	case "returned":
		if !u.refunded {
			return errors.New("its price was not given back")
		}
	case "late":
		if r == nil || !u.paid || w.start < e.T || e.Value != r.value {
			return fmt.Errorf("paid: %v, reserved: %+v", u.paid, r)
		}
		r.window = w
		return c.room(c.racks[node])
	case "started":
		if !as || !u.paid || u.started || e.T < w.start {
			return fmt.Errorf("paid: %v, started before: %v, reserved: %+v", u.paid, u.started, r)
		}
		u.started = true
	case "expired":
		if !as || e.T < r.until {
			return fmt.Errorf("reserved: %+v", r)
		}
	case "released":
		if !as {
			return fmt.Errorf("reserved: %+v", r)
		}
		delete(u.held, node)
	}
	return nil
}

// room reports a moment at which more cores of a site are reserved than it has.
func (c *marketChecker) room(rack int) error {
	type step struct {
		at    int64
		cores int
	}
	var steps []step
	for _, u := range c.units {
		for node, r := range u.held {
			if c.racks[node] == rack {
				steps = append(steps, step{r.start, u.processors}, step{r.end, -u.processors})
			}
		}
	}
	slices.SortFunc(steps, func(a, b step) int {
		if a.at != b.at {
			return int(min(1, max(-1, a.at-b.at)))
		}
		return a.cores - b.cores
	})
	taken := 0
	for _, s := range steps {
		if taken += s.cores; taken > c.cores[rack] {
			return fmt.Errorf("at %d, %d of %d cores of site %d are reserved", s.at, taken, c.cores[rack], rack)
		}
	}
	return nil
}

// TestEventLogOfMarket writes the log of a market in which messages, agents and cores are
// lost, and checks it with the checker: names, windows, reservations, payments and
// balances; and counts are those of the report.
func TestEventLogOfMarket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "market.jsonl")
	var report struct{ System map[string]any }
	call(t, marketRun(), &report, "run", "-", "--json", "--events", file)
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	documented(t, log, "market")
	counts, err := checkMarketLog(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"offer", "refusal", "accept", "held", "reserved", "cancel", "released", "settled", "paid", "bought", "started", "refunded", "returned", "failed"} {
		if counts[kind] == 0 {
			t.Errorf("the log has no %s: %v", kind, counts)
		}
	}
	if bought, _ := report.System["auctions_bought"].(float64); bought == 0 || float64(counts["settled"]) < bought {
		t.Errorf("%d contracts are settled, the report has %v auctions bought", counts["settled"], report.System["auctions_bought"])
	}
	plantInMarket(t, log)
}

// marketRun is a market whose requests have several units; every fourth is given back.
func marketRun() string {
	var requests []string
	for i := range 60 {
		var units []string
		for k := range 2 + i%2 {
			units = append(units, fmt.Sprintf(`{"CPUHourCost":70,"TotalCores":%d,"StartDate":"2016-01-01","StartTime":"00:%02d:00","EndDate":"2016-01-01","EndTime":"03:00:00","WallTime":"PT%dM"}`, 16+7*i%90, 3+(i*40+120*k)/60, 10+k*5))
		}
		cancel := ""
		if i%4 == 0 {
			cancel = `"cancel_after":"20s",`
		}
		requests = append(requests, fmt.Sprintf(`{"at":"%ds","user":%d,%s"units":[%s]}`, 10+40*i, i%10, cancel, strings.Join(units, ",")))
	}
	return `{"v":1,"system":"market","seed":5,"until":"4h","settings":{"users":10,"budget":20000,"signatures":"modelled"},
		"workload":{"system":{"cells":4,"sites":[{"name":"a","cores":256,"start_price":50,"min_price":20},{"name":"b","cores":512,"start_price":60,"min_price":25},{"name":"c","cores":128,"start_price":45,"min_price":30}],
			"requests":[` + strings.Join(requests, ",") + `]}},
		"faults":[{"at":"2m","kind":"mail_loss","target":"mail","value":0.05},{"at":"3m","kind":"mail_repeat","target":"mail","value":0.1},{"at":"5m","kind":"resource_down","target":"rack.1"},{"at":"10m","kind":"resource_up","target":"rack.1"},
			{"at":"12m","kind":"bank_down","target":"bank"},{"at":"14m","kind":"bank_up","target":"bank"},{"at":"16m","kind":"node_down","target":"node.0"},{"at":"40m","kind":"node_up","target":"node.0"}]}`
}

// plantInMarket puts faults into a good log. The checker must find each.
func plantInMarket(t *testing.T, log []byte) {
	lines := bytes.SplitAfter(log, []byte("\n"))
	try := func(subject, kind string, change func([]byte) []byte) {
		for i, line := range lines {
			if !bytes.Contains(line, []byte(`"kind":"`+kind+`"`)) && !bytes.Contains(line, []byte(`"e":"`+kind+`"`)) || i < len(lines)/4 && kind != "job_submitted" {
				continue
			}
			if _, err := checkMarketLog(slices.Concat(bytes.Join(lines[:i], nil), change(line), bytes.Join(lines[i+1:], nil))); err == nil {
				t.Errorf("%s: the checker does not see it: %.300s", subject, line)
			}
			return
		}
		t.Errorf("%s: the log has no %s", subject, kind)
	}
	more := func(field string) func([]byte) []byte {
		number := regexp.MustCompile(`"` + field + `":(\d+)`)
		return func(line []byte) []byte {
			return number.ReplaceAllFunc(line, func(m []byte) []byte {
				n, _ := strconv.ParseInt(string(number.FindSubmatch(m)[1]), 10, 64)
				return fmt.Appendf(nil, `"%s":%d`, field, n+1_000_000)
			})
		}
	}
	for _, kind := range []string{"job_submitted", "reserved", "settled", "paid", "refunded", "bought", "started", "released"} {
		try("twice", kind, func(line []byte) []byte { return slices.Concat(line, line) })
	}
	for _, kind := range []string{"reserved", "settled", "paid", "refunded", "accept"} {
		try("missing", kind, func([]byte) []byte { return nil })
	}
	for _, kind := range []string{"reserved", "held", "started", "request", "released"} {
		try("another window", kind, more("start_us"))
	}
	for _, kind := range []string{"settled", "paid", "refunded"} {
		try("another balance", kind, more("balance"))
		try("another price", kind, more("value"))
	}
}
