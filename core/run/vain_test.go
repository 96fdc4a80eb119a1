package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// TestFaultsOfAgents: what a fault of a system's agents may be stands in the
// systems' descriptions, and a sentence says what is wrong with one.
func TestFaultsOfAgents(t *testing.T) {
	for fault, want := range map[string]string{
		`"kind":"broker_down","target":"broker.0"`:              "",
		`"kind":"broker_down","target":"broker"`:                `faults[0]: target is "broker": broker_down needs one like broker.14`,
		`"kind":"broker_up","target":"node.1"`:                  `faults[0]: target is "node.1": broker_up needs one like broker.14`,
		`"kind":"rack_cut","target":"rack.1"`:                   "",
		`"kind":"rack_cut","target":"broker.1"`:                 `faults[0]: target is "broker.1": partition needs one like rack.14`,
		`"kind":"mail_loss","target":"mail","value":0.5`:        "",
		`"kind":"mail_loss","target":"","value":0`:              "",
		`"kind":"mail_loss","target":"node.4","value":0.5`:      `faults[0]: target is "node.4": mail_loss needs "mail"`,
		`"kind":"mail_loss","target":"mail","value":1`:          `faults[0]: value is 1: mail_loss needs 0 or more, below 1`,
		`"kind":"mail_delay","value":3601`:                      `faults[0]: value is 3601: mail_delay needs 0 to 3600 s`,
		`"kind":"offer_approved","target":"user.1","value":3`:   "", // the auction
		`"kind":"offer_declined","target":"user.1","value":0.5`: `faults[0]: value is 0.5: offer_declined needs the number of one auction, or none`,
		`"kind":"user_down","target":"user.1","value":3`:        `faults[0]: value is 3: user_down takes none, leave it out`,
		`"kind":"sun_flare","target":"sun"`:                     `faults[0]: kind is "sun_flare": choose one of node_down, node_up, rack_down, rack_up, `, // and those of the systems
	} {
		for _, id := range []string{"negotiation", "central"} { // a comparison plays the faults of one under the other
			_, err := run.Open(parse(t, fmt.Sprintf(`{"v":1,"system":%q,"cluster":{"nodes":10},"faults":[{"at":"1m",%s}]}`, id, fault)), nil)
			if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.HasPrefix(got, want) {
				t.Errorf("the fault %s under %s gives %q, want %q", fault, id, got, want)
			}
		}
	}
}

// TestFaultsInVain: a fault that finds nothing to break, or comes after the end,
// is named in a warning; one that breaks something is not.
func TestFaultsInVain(t *testing.T) {
	const cell = `{"v":1,"system":%q,"cluster":{"nodes":20,"physical":{"rack_size":10}},"workload":{"preset":"none"},"until":"10m","faults":[
		{"at":"1m","kind":"node_down","target":"node.999"}, {"at":"1m","kind":"node_down","target":"node.19"},
		{"at":"2m","kind":"rack_up","target":"rack.500"}, {"at":"3m","kind":"broker_down","target":"broker.7"},
		{"at":"4m","kind":"rack_cut","target":"rack.1"}, {"at":"4m","kind":"rack_cut","target":"rack.2"},
		{"at":"5m","kind":"mail_loss","value":0.1}, {"at":"6m","kind":"candidates","target":"settings","value":3}, {"at":"10m","kind":"node_up","target":"node.19"}, {"at":"11m","kind":"rack_down","target":"rack.0"}]}`
	physical := []string{
		"the fault node_down of node.999 at 1m0s did nothing: there is no such node, the last is node.19",
		"the fault rack_up of rack.500 at 2m0s did nothing: there is no such rack, the last is rack.1",
	}
	late := "the fault rack_down of rack.0 at 11m0s never happens: the run ends at 10m0s"
	for id, agents := range map[string][]string{
		"negotiation": {
			"the fault broker_down of broker.7 at 3m0s did nothing: there is no such broker, the last is broker.0",
			"the fault partition of rack.2 at 4m0s did nothing: there is no such rack, the last is rack.1",
		},
		"central": {
			"the fault broker_down of broker.7 at 3m0s did nothing: the central scheduler knows no such fault",
			"the fault partition of rack.1 at 4m0s did nothing: the central scheduler knows no such fault",
			"the fault partition of rack.2 at 4m0s did nothing: the central scheduler knows no such fault",
			"the fault mail_loss at 5m0s did nothing: the central scheduler knows no such fault",
			"the change of candidates at 6m0s did nothing: the central scheduler has no such setting to change while it runs",
		},
	} {
		r := open(t, fmt.Sprintf(cell, id))
		advance(t, r, unit.Forever)
		if got, want := r.Report().Warnings, slices.Concat(physical, agents, []string{late}); !slices.Equal(got, want) {
			t.Errorf("%s warns of\n%s\nwant\n%s", id, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestFaultsInVainAreBounded: of thousands the first are named and the rest counted.
func TestFaultsInVainAreBounded(t *testing.T) {
	s := parse(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"10m"}`)
	for range 2000 {
		s.Faults = append(s.Faults, scenario.Fault{At: scenario.Duration(unit.Minute), Kind: "node_down", Target: "node.77"})
	}
	r, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Forever)
	if got := r.Report().Warnings; len(got) != 11 || got[10] != "1990 more faults did nothing" {
		t.Errorf("2,000 faults of no node give the warnings %q", got)
	}
}

// A fault's kind as earlier versions spelled it is read, and told as it is called now.
func TestFormerNamesOfFaults(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","cluster":{"nodes":20},"until":"1m","faults":[{"at":"10s","kind":"rack_cut","target":"rack.0"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Inject(scenario.Fault{Kind: "rack_healed", Target: "rack.0"}); err != nil {
		t.Fatal(err)
	}
	if faults := r.Report().Scenario.Faults; faults[0].Kind != "partition" || faults[1].Kind != "partition_healed" || s.Faults[0].Kind != "rack_cut" {
		t.Errorf("%v", faults)
	}
}
