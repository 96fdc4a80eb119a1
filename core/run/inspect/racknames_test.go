package inspect_test

import (
	"slices"
	"testing"

	"parley/core/system"
	"parley/core/unit"
)

// TestRacksHaveTheNamesOfTheirSites: every block of a picture of the market is a site with
// the name that the market gives to the site's nodes. Blocks of a system whose racks have
// no names belong to no group.
func TestRacksHaveTheNamesOfTheirSites(t *testing.T) {
	r := open(t, `{"v":1,"system":"market","until":"1m"}`)
	advance(t, r, unit.Second)
	l, names := r.LayoutIn(1000, 600, 20, "rack")
	if len(l.Blocks) < 2 || len(names) != len(l.Blocks) {
		t.Fatalf("%d names of %d blocks", len(names), len(l.Blocks))
	}
	racks := r.View().Racks()
	for _, b := range l.Blocks {
		report, err := r.Inspect(nodeOf(racks, b.Rack))
		if err != nil {
			t.Fatal(err)
		}
		if got := names[b.Group]; got == "" || !slices.ContainsFunc(report.Facts, func(f system.Fact) bool { return f.Name == "Site" && f.Value == got }) {
			t.Errorf("rack %d is named %q, its facts are %v", b.Rack, got, report.Facts)
		}
	}
	r = open(t, `{"v":1,"system":"negotiation","cluster":{"nodes":100},"until":"1m"}`)
	if _, names := r.LayoutIn(1000, 600, 20, "rack"); names != nil {
		t.Errorf("racks without names are %q", names)
	}
}

// nodeOf returns the last node of a rack.
func nodeOf(racks []int32, rack int32) unit.NodeID {
	for n := len(racks) - 1; n >= 0; n-- {
		if racks[n] == rack {
			return unit.NodeID(n)
		}
	}
	return unit.NoNode
}
