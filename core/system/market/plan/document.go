// Package plan reads a scenario's workload.system: the sites that sell, the logs that keep
// them busy, and the requests of the users, written or drawn. Its source plays them.
package plan

import (
	"encoding/json"
	"fmt"

	"parley/core/rfql"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/system/market/bank"
	"parley/core/system/market/logs"
	"parley/core/system/market/price"
	"parley/core/unit"
	"parley/core/workload"
)

// document is a scenario's workload.system: who sells and who asks.
type document struct {
	Epoch    string    `json:"epoch"` // the calendar's time at the run's beginning
	Cells    int       `json:"cells"` // the largest number of nodes that a site is drawn as
	Sites    []Site    `json:"sites"`
	Requests []Request `json:"requests"`
	Demand   *demand   `json:"demand"`
}

// Site is a resource: its administrator's settings, and the log that keeps it busy.
type Site struct {
	Name string `json:"name"`
	// a stand-in for one of logs.Machines; "file": the opened log; "": it has no work of its own
	Log   string            `json:"log"`
	Base  scenario.Duration `json:"base"` // the moment of the log at which the run begins
	Cores int               `json:"cores"`
	Busy  int               `json:"busy"` // per cent, of a stand-in; 0: as the log's machine
	Start rfql.Price        `json:"start_price"`
	Min   rfql.Price        `json:"min_price"`
	Terms terms             `json:"terms"`

	Joins  scenario.Duration `json:"joins"`  // when its agent enters the market; 0: it is there from the beginning
	Leaves scenario.Duration `json:"leaves"` // when it leaves, and keeps the reservations that it has sold; 0: never
}

// terms describe a site's machines. A request may not ask for a term that the site omits.
type terms struct {
	OperatingSystem string `json:"operating_system"`
	OSVersion       string `json:"os_version"`
	Architecture    string `json:"architecture"`
	CPUSpeed        int64  `json:"cpu_speed"`
	RAMPerCore      int64  `json:"ram_per_core"`
	TotalDisk       int64  `json:"total_disk_space"`
	NodeDisk        int64  `json:"node_disk_space"`
	InterNode       int64  `json:"inter_node_bandwidth"`
	NodeCores       int32  `json:"node_cores"`
}

// usual are the terms of every site that gives none: the paper's resources were all
// configured alike.
var usual = terms{
	OperatingSystem: "Linux", OSVersion: "2.6", Architecture: "x86_64", CPUSpeed: 2400, RAMPerCore: 2048,
	TotalDisk: 100_000_000, NodeDisk: 100_000, InterNode: 20_000, NodeCores: 16,
}

// Satisfies reports whether the static terms of a request hold on a site.
func (s *Site) Satisfies(u *rfql.Unit) bool {
	t := &s.Terms
	same := func(required, has string) bool { return required == "" || required == has }
	return same(u.OperatingSystem, t.OperatingSystem) && same(u.OSVersion, t.OSVersion) &&
		same(u.Architecture, t.Architecture) &&
		u.CPUSpeed <= t.CPUSpeed && u.RAMPerCore <= t.RAMPerCore && u.TotalDisk <= t.TotalDisk &&
		u.NodeDisk <= t.NodeDisk &&
		u.InterNode <= t.InterNode && u.CoresANode <= t.NodeCores &&
		(u.NodeCount == 0 || int(u.NodeCount) <= s.Cores/int(max(1, t.NodeCores))) &&
		u.Cores() <= s.Cores
}

// Request is a user's request in one auction.
type Request struct {
	At     scenario.Duration `json:"at"`
	User   int               `json:"user"`
	Units  []rfql.Unit       `json:"units"`
	Run    float64           `json:"run"`          // the part of its time that a unit really runs; 0: 0.8
	Cancel scenario.Duration `json:"cancel_after"` // the user gives the units back so long after buying them; 0: never
	Rounds int               `json:"rounds"`       // 0: as the settings say

	Goal    string            `json:"goal"`     // "cheapest" or "fastest"; "": as the settings say
	MaxCost float64           `json:"max_cost"` // credits for all units together; 0: no maximum but their prices
	MaxWait scenario.Duration `json:"max_wait"` // from asking to the start of each unit; 0: no maximum but its terms
}

// demand draws requests at random.
type demand struct {
	Requests int                  `json:"requests"`
	Every    scenario.Duration    `json:"every"` // mean time between two; 0: all at the beginning
	Cores    []int32              `json:"cores"` // each as likely
	Price    [2]rfql.Price        `json:"price"` // between, evenly
	Lead     [2]scenario.Duration `json:"lead"`  // from asking to the start
	Wall     [2]scenario.Duration `json:"wall"`
	// from the earliest end to the deadline; 0: it starts at its time exactly
	Slack scenario.Duration `json:"slack"`
	Units [2]int            `json:"units"`
}

// usualDemand has the defaults of a demand.
func usualDemand() demand {
	d := func(t unit.Time) scenario.Duration { return scenario.Duration(t) }
	return demand{
		Requests: 400, Every: d(3 * unit.Minute), Cores: []int32{16, 16, 256, 256, 1024, 4096},
		Price: [2]rfql.Price{25 * rfql.Credit, 80 * rfql.Credit},
		Lead:  [2]scenario.Duration{d(5 * unit.Minute), d(6 * unit.Hour)},
		Wall:  [2]scenario.Duration{d(20 * unit.Minute), d(4 * unit.Hour)}, Units: [2]int{1, 3},
	}
}

// The limits of documents and settings.
const (
	MaxRounds   = 100  // of an auction
	maxCost     = 1e12 // credits of a maximum
	maxSites    = 500
	maxCells    = 1024
	usualCells  = 64
	maxRequests = 1_000_000
	maxUnits    = 1000
	MaxUsers    = 100_000
	usualRun    = 0.8
)

// Goals are the goals of users, as settings and requests spell them.
var Goals = []string{"cheapest", "fastest"}

// Plan is a document with everything filled in. It does not change.
type Plan struct {
	Epoch    unit.Time
	cells    int
	Sites    []Site
	Requests []Request      // sorted by their times
	recorded *logs.Recorded // the opened log; nil if there is none
	file     int            // its machine's processors
}

// read reads a document and fills in defaults.
func read(raw json.RawMessage, seed uint64, recorded workload.Source) (*Plan, error) {
	d := document{Epoch: "2016-01-01T00:00:00Z", Cells: usualCells}
	if err := strict.Part(raw, &d); err != nil {
		return nil, err
	}
	epoch, err := rfql.ParseMoment(d.Epoch)
	switch {
	case err != nil:
		return nil, fmt.Errorf("epoch: %w", err)
	case d.Cells < 1 || d.Cells > maxCells:
		return nil, fmt.Errorf("cells is %d: choose 1 to %d", d.Cells, maxCells)
	case len(d.Sites) > maxSites:
		return nil, fmt.Errorf("there are %d sites: at most %d", len(d.Sites), maxSites)
	}
	p := &Plan{Epoch: epoch, cells: d.Cells, Sites: d.Sites, Requests: d.Requests}
	if recorded != nil {
		if err := p.record(recorded); err != nil {
			return nil, err
		}
	}
	if d.Sites == nil {
		p.Sites = table2()
		if recorded != nil {
			p.Sites = append([]Site{{
				Name: "opened", Log: "file", Base: scenario.Duration(p.settled()),
				Start: 40 * rfql.Credit, Min: 20 * rfql.Credit,
			}}, p.Sites...)
		}
	}
	for i := range p.Sites {
		if err := p.complete(&p.Sites[i]); err != nil {
			return nil, fmt.Errorf("sites[%d]: %w", i, err)
		}
	}
	if d.Demand != nil || d.Requests == nil {
		if err := p.draw(d.Demand, seed); err != nil {
			return nil, err
		}
	}
	return p, p.check(seed)
}

// UnmarshalJSON reads a demand beside the usual one.
func (d *demand) UnmarshalJSON(raw []byte) error {
	type plain demand
	own := plain(usualDemand())
	if err := strict.Part(raw, &own); err != nil {
		return err
	}
	*d = demand(own)
	return nil
}

// complete fills in a site's defaults and checks it.
func (p *Plan) complete(s *Site) error {
	switch {
	case s.Log == "file" && p.recorded == nil:
		return fmt.Errorf("log is \"file\", but no log was opened: open one, or choose one of the stand-ins")
	case s.Log == "file" && s.Cores == 0:
		s.Cores = p.file
	case s.Log != "" && s.Log != "file":
		m, err := logs.Find(s.Log)
		if err != nil {
			return err
		}
		if s.Cores == 0 {
			s.Cores = m.Cores
		}
		if s.Busy == 0 {
			s.Busy = m.Busy
		}
	}
	if s.Terms == (terms{}) {
		s.Terms = usual
	}
	switch {
	case s.Name == "" || len(s.Name) > 40:
		return fmt.Errorf("name is %q: write one of 1 to 40 bytes", s.Name)
	case s.Cores < 1 || s.Cores > rfql.MaxCores:
		return fmt.Errorf("cores is %d: choose 1 to %d", s.Cores, rfql.MaxCores)
	case s.Busy < 0 || s.Busy > 100:
		return fmt.Errorf("busy is %d: choose 1 to 100 per cent", s.Busy)
	case s.Min > s.Start:
		return fmt.Errorf("min_price is %v, above the start_price %v: a resource comes down from one to the other",
			s.Min, s.Start)
	case s.Joins < 0 || s.Leaves < 0 || s.Leaves > 0 && s.Leaves <= s.Joins:
		return fmt.Errorf("joins is %v and leaves %v: choose times from 0 on, and leave after joining", s.Joins,
			s.Leaves)
	case s.Base < 0 || unit.Time(s.Base) > 3650*unit.Day:
		return fmt.Errorf("base is %v: choose 0 to 3650d", s.Base)
	}
	return nil
}

// Prices returns the range of the site's prices.
func (s *Site) Prices() price.Range { return price.Range{Start: s.Start, Min: s.Min} }

// draw makes requests at random; nil: the usual ones.
func (p *Plan) draw(want *demand, seed uint64) error {
	d := usualDemand()
	if want != nil {
		d = *want
	}
	switch {
	case d.Requests < 0 || d.Requests > maxRequests:
		return fmt.Errorf("demand.requests is %d: choose 0 to %d", d.Requests, maxRequests)
	case len(d.Cores) == 0:
		return fmt.Errorf("demand.cores is empty: list what is asked for, such as [16, 256]")
	case d.Price[0] > d.Price[1] || d.Lead[0] > d.Lead[1] || d.Wall[0] > d.Wall[1] || d.Units[0] > d.Units[1]:
		return fmt.Errorf("demand has a pair whose first value is the larger: write the lower one first")
	case d.Units[0] < 1 || d.Units[1] > maxUnits:
		return fmt.Errorf("demand.units is %v: choose 1 to %d", d.Units, maxUnits)
	case d.Every < 0 || d.Lead[0] < 0 || d.Slack < 0 || d.Wall[0] < scenario.Duration(unit.Second):
		return fmt.Errorf("demand has a time below 0, or a wall below a second")
	}
	for _, n := range d.Cores {
		if n < 1 || n > rfql.MaxCores {
			return fmt.Errorf("demand.cores has %d: choose 1 to %d", n, rfql.MaxCores)
		}
	}
	r := rng.New(seed, "market/demand")
	between := func(pair [2]scenario.Duration) unit.Time {
		whole := unit.Time(pair[0]) + unit.Time(r.Uint64n(uint64(pair[1]-pair[0])+1))
		return max(unit.Second, whole/unit.Second*unit.Second)
	}
	at := unit.Time(0)
	for i := range d.Requests {
		at += unit.Time(r.Exponential() * float64(d.Every))
		q := Request{At: scenario.Duration(at), User: -1 - i, Run: usualRun}
		for range d.Units[0] + r.Intn(d.Units[1]-d.Units[0]+1) {
			u := rfql.Unit{TotalCores: d.Cores[r.Intn(len(d.Cores))], Wall: between(d.Wall)}
			u.Price = d.Price[0] + rfql.Price(r.Uint64n(uint64((d.Price[1]-d.Price[0])/rfql.Credit)+1))*rfql.Credit
			u.Start = (p.Epoch+at)/unit.Second*unit.Second + unit.Second + between(d.Lead)
			u.Fixed = d.Slack == 0
			u.End = u.Start + u.Wall + unit.Time(d.Slack)
			q.Units = append(q.Units, u)
		}
		p.Requests = append(p.Requests, q)
	}
	return nil
}

// Maximum returns the most that a request may cost by its own limit.
func (q *Request) Maximum() bank.Money { return bank.Money(q.MaxCost * 1000) }

// Cost returns the most that a request may cost, and whether that can be counted.
func (q *Request) Cost() (sum bank.Money, counted bool) {
	for i := range q.Units {
		one, ok := bank.Cost(q.Units[i].Price, q.Units[i].Cores(), q.Units[i].Wall)
		if sum += one; !ok || sum < 0 || sum > 1<<60 {
			return 0, false
		}
	}
	return sum, true
}
