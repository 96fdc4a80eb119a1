package negotiation

import (
	"parley/core/mail"
	"parley/core/system"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// Settings of the system. The defaults are the paper's values if it gives
// one (section and reading in the README).
type Settings struct {
	Brokers          int `json:"brokers"`           // broker agents; one suffices for 12,500 nodes
	Candidates       int `json:"candidates"`        // nodes a broker recommends
	ScanInitial      int `json:"scan_initial"`      // matching nodes scored for a new task
	ScanReallocation int `json:"scan_reallocation"` // matching nodes scored for a running task
	// "best": the highest scores are recommended; "weighted": drawn by score
	Draw         string     `json:"draw"`
	InitialScore string     `json:"initial_score"` // see Scores
	MoveScore    string     `json:"move_score"`    // see Scores
	Initial      score.Form `json:"sias"`          // parameters of the initial score
	Move         score.Form `json:"sras"`          // parameters of the re-allocation score
	Selection    string     `json:"selection"`     // "tabu", "greedy" or "exact"
	Restarts     int        `json:"tabu_restarts"`
	Depth        int        `json:"tabu_depth"`
	Patience     int        `json:"tabu_patience"` // steps without a better selection before the search stops
	Headroom     float64    `json:"headroom"`      // share of each resource kept free for usage spikes
	ReplyTimeout unit.Time  `json:"reply_us"`      // how long a node waits for answers
	Expiry       unit.Time  `json:"expiry_us"`     // how long a recommendation is good
	Silence      unit.Time  `json:"silence_us"`    // how long a broker believes in a silent node
	Report       unit.Time  `json:"report_us"`     // how often a node looks at its load and reports it
	Service      unit.Time  `json:"service_us"`    // how long a broker works on the placement of one new task
	// how long a broker works on one recommendation for a running task
	Search   unit.Time     `json:"search_us"`
	Exchange unit.Time     `json:"exchange_us"` // how long after a report brokers pass it on to each other
	Mail     mail.Settings `json:"mail"`
	Later    Later         `json:"later"`
}

// Later holds the extensions that the paper proposes for later (section 8.2). All are off by
// default.
type Later struct {
	IdleList int `json:"idle_list"` // number of idle nodes that every search scores, at most
	// an agent negotiates above this share of a resource already; 0: when overloaded
	Offload float64 `json:"offload"`
	// for so long a node that did not answer is not recommended; 0: no blacklist
	Blacklist unit.Time `json:"blacklist_us"`
	Preempt   bool      `json:"preempt"` // tasks of the lowest priority are shut down if no node takes the load
	Spread    string    `json:"spread"`  // replicas of a job that asks for it: "off", "node" or "rack" apart
	Quota     float64   `json:"quota"`   // share of the cluster that one user's running tasks may request; 0: any
	// a target's score is divided by 1 + rack_cost × distance (1 in the site, 2 beyond)
	RackCost float64 `json:"rack_cost"`
}

// Scores are the names that InitialScore and MoveScore may have. "sas" is the
// single function of the paper's first version: the re-allocation score for
// everything.
var Scores = []string{"sias", "sias_gain", "sras", "sras_gain", "sas"}

// Selections are the names that Settings.Selection may have.
var Selections = []string{"tabu", "greedy", "exact"}

// maxBrokers bounds Settings.Brokers: each holds a cache line of every node, and
// 100,000 nodes should still fit a browser's tab.
const maxBrokers = 64

// Default returns the settings that a scenario leaves out.
func Default() Settings {
	return Settings{
		Brokers: 1, Candidates: 15, ScanInitial: 200, ScanReallocation: 2000, Draw: "best",
		InitialScore: "sias", MoveScore: "sras",
		Initial: score.SIAS(), Move: score.SRAS(),
		Selection: "tabu", Restarts: 25, Depth: 5, Patience: 6, Headroom: 0.1,
		ReplyTimeout: 30 * unit.Second, Expiry: 3 * unit.Minute, Silence: 5 * unit.Minute, Exchange: 30 * unit.Second,
		Report: unit.Minute, Service: 20 * unit.Microsecond, Search: 200 * unit.Microsecond,
		Mail: mail.Default(), Later: Later{Spread: "off"},
	}
}

// Validate returns an error if s is invalid.
func (s Settings) Validate() error { return system.Check(s.described()) }

// scorer returns the scorer that a name of Scores stands for.
func (s *Settings) scorer(name string) score.Scorer {
	form := s.Move
	if name == "sias" || name == "sias_gain" {
		form = s.Initial
	}
	out := form.Scorer(100 * (1 - s.Headroom))
	out.Gain = name == "sias_gain" || name == "sras_gain"
	return out
}

// patience returns how long an agent waits for answers: in the paper's rounds
// at least two of them, one for the question and one for the answer.
func (s *Settings) patience() unit.Time {
	if s.Mail.Rounds == 0 {
		return s.ReplyTimeout
	}
	return max(s.ReplyTimeout, 2*unit.Minute/unit.Time(s.Mail.Rounds)+1)
}
