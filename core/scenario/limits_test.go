package scenario_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"parley/core/scenario"
)

func parsed(t *testing.T, document string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLimitsAreAllowed: what a limit names is within it, and one more is not.
func TestLimitsAreAllowed(t *testing.T) {
	for what, c := range map[string]struct{ good, bad func(*scenario.Scenario) }{
		"system": {
			func(s *scenario.Scenario) { s.System = strings.Repeat("a", 64) },
			func(s *scenario.Scenario) { s.System = strings.Repeat("a", 65) },
		},
		"scale": {
			func(s *scenario.Scenario) { s.Workload.Scale = scenario.MaxScale },
			func(s *scenario.Scenario) { s.Workload.Scale = scenario.MaxScale * 1.01 },
		},
		"keep": {
			func(s *scenario.Scenario) { s.Cluster.Keep = 1 },
			func(s *scenario.Scenario) { s.Cluster.Keep = 0 },
		},
		"faults": {
			func(s *scenario.Scenario) {
				s.Faults = make([]scenario.Fault, scenario.MaxFaults)
				for i := range s.Faults {
					s.Faults[i] = scenario.Fault{Kind: "node_down", Target: "node.1"}
				}
			},
			func(s *scenario.Scenario) { s.Faults = make([]scenario.Fault, scenario.MaxFaults+1) },
		},
		"kind of a fault": {
			func(s *scenario.Scenario) {
				s.Faults = []scenario.Fault{{Kind: strings.Repeat("a", 64), Target: "node.1"}}
			},
			func(s *scenario.Scenario) {
				s.Faults = []scenario.Fault{{Kind: strings.Repeat("a", 65), Target: "node.1"}}
			},
		},
		"production": {
			func(s *scenario.Scenario) { s.Workload.Production = "paper" },
			func(s *scenario.Scenario) {
				s.Workload.Production, s.Workload.Raw = "paper", []byte(`{"load":1}`)
			},
		},
	} {
		s := parsed(t, `{"v":1,"system":"negotiation"}`)
		c.good(s)
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		c.bad(s)
		if s.Validate() == nil {
			t.Errorf("%s beyond its limit is allowed", what)
		}
	}
}

// TestGraphsAreChecked: a scenario's graphs are read when it is, and stand alone.
func TestGraphsAreChecked(t *testing.T) {
	for document, want := range map[string]string{
		`{"v":1,"system":"static","workload":{"graphs":{"generate":{"count":1}}}}`:                       "",
		`{"v":1,"system":"static","workload":{"graphs":{"generate":{"count":-1}}}}`:                      "workload.graphs: generate: count is -1: choose 0 to 1e+09",
		`{"v":1,"system":"static","workload":{"graphs":{"generate":{"count":1}},"system":{"load":1e6}}}`: "workload has both graphs and system: leave one of them out",
	} {
		_, err := scenario.Parse([]byte(document))
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", document, err, want)
		}
	}
}

// TestLongestLink: so many characters are read, and not one more.
func TestLongestLink(t *testing.T) {
	link := "#s=google&name=" + strings.Repeat("a", 1<<16)
	if a, problems, _ := scenario.DecodeAddress(link[:1+1<<16]); a.Base != "google" || len(problems) != 0 {
		t.Errorf("the longest link starts from %q: %v", a.Base, problems)
	}
	if a, problems, _ := scenario.DecodeAddress(link[:2+1<<16]); a.Base != "" || len(problems) != 1 {
		t.Errorf("a longer link starts from %q: %v", a.Base, problems)
	}
}

// TestLargestPackedScenario: a link's z unfolds to as much as a file may hold.
func TestLargestPackedScenario(t *testing.T) {
	for more, problems := range []int{0, 1} {
		begin, end := `{"v":1,"system":"central","name":"`, `"}`
		document := begin + strings.Repeat("a", 1<<20+more-len(begin)-len(end)) + end
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, 9)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(document)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		a, said, _ := scenario.DecodeAddress("z=1." + base64.RawURLEncoding.EncodeToString(packed.Bytes()))
		if len(said) != problems || (string(a.Packed) == document) != (problems == 0) {
			t.Errorf("of %d bytes %d are read: %v", len(document), len(a.Packed), said)
		}
	}
}

// TestValuesOfLinks: numbers of up to fifteen digits on each side of the point are
// numbers, -0 is 0, and longer ones stay text. A layer may have capitals, a system no digit.
func TestValuesOfLinks(t *testing.T) {
	for text, want := range map[string]any{
		"123456789012345": 123456789012345.0, "1234567890123456": "1234567890123456",
		"0.123456789012345": 0.123456789012345, "0.1234567890123456": "0.1234567890123456",
		"-1.5": -1.5, "true": true, "1.": "1.", "none": "none",
	} {
		if a, _, _ := scenario.DecodeAddress("x.a=" + text); a.Settings["a"] != want {
			t.Errorf("%s is read as %#v, want %#v", text, a.Settings["a"], want)
		}
	}
	if a, _, _ := scenario.DecodeAddress("x.a=-0"); a.Settings["a"] != 0.0 || math.Signbit(a.Settings["a"].(float64)) {
		t.Errorf("-0 is read as %v", a.Settings["a"])
	}
	a, problems, _ := scenario.DecodeAddress("fill=Zone_A&sys=2central")
	if a.Fill != "Zone_A" || a.System != "" || len(problems) != 1 {
		t.Errorf("the layer is %q, the system %q: %v", a.Fill, a.System, problems)
	}
	plain := "AZaz09*-._"
	if link := (scenario.Address{Name: plain}).Encode(); !strings.Contains(link, "name="+plain) {
		t.Errorf("%s is written as %s", plain, link)
	}
}

// TestNearestBase: a link starts from the scenario of the gallery that needs the
// fewest characters, whatever its place in the alphabet.
func TestNearestBase(t *testing.T) {
	near := parsed(t, `{"v":1,"name":"Near","system":"central","settings":{"policy":"worst-fit","fill":0.8},"cluster":{"nodes":500}}`)
	far := parsed(t, `{"v":1,"name":"Far","system":"central"}`)
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		g := scenario.Gallery{names[0]: near, names[1]: far}
		wanted := *near
		wanted.Seed = 99
		if got := scenario.LinkTo(&wanted, g); got.Base != names[0] {
			t.Errorf("near is %s and far is %s: the link starts from %q", names[0], names[1], got.Base)
		}
	}
}
