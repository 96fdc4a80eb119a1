package scenario_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"math"
	"runtime"
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
	for subject, c := range map[string]struct{ good, bad func(*scenario.Scenario) }{
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
			t.Errorf("%s: %v", subject, err)
		}
		c.bad(s)
		if s.Validate() == nil {
			t.Errorf("%s beyond its limit is allowed", subject)
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

// TestLargestPackedScenario: a link's z unfolds to as much as a file may hold, but not to more
// than strict.Unpacked bytes for each of its own.
func TestLargestPackedScenario(t *testing.T) {
	begin, end := `{"v":1,"system":"central","name":"`, `"}`
	letters, x := make([]byte, 1<<20), uint32(1)
	for i := range letters {
		if i%32 == 0 { // so that the link has at most 64 KiB
			x = x*1664525 + 1013904223
		}
		letters[i] = 'a' + byte(x>>24)%26
	}
	for _, c := range []struct {
		document string
		read     bool
	}{
		{begin + string(letters[:1<<20-len(begin)-len(end)]) + end, true},
		{begin + string(letters[:1<<20-len(begin)-len(end)+1]) + end, false},
		{begin + strings.Repeat("a", 64<<10) + end, true},
		{begin + strings.Repeat("a", 1<<19) + end, false},
	} {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, 9)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(c.document)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		a, stated, _ := scenario.DecodeAddress("z=1." + base64.RawURLEncoding.EncodeToString(packed.Bytes()))
		if (string(a.Packed) == c.document) != c.read || (len(stated) == 0) != c.read {
			t.Errorf("of %d bytes, packed %d, %d are read: %v", len(c.document), packed.Len(), len(a.Packed), stated)
		}
	}
	long := parsed(t, begin+strings.Repeat("a", 1<<19)+end)
	if a, stated, _ := scenario.DecodeAddress(scenario.LinkTo(long, scenario.Gallery{}).Encode()); len(stated) > 0 && a.Packed == nil && !strings.Contains(stated[0], "characters") {
		t.Errorf("a link is written that is not read: %v", stated)
	}
}

// TestWhatIsWrittenIsReadAgain: a scenario that is read is written so that it is read again, in
// bounded memory, whatever indentation, escapes and defaults add to it; others are refused.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	view := func(v string) string { return `{"v":1,"system":"central","view":{"x":` + v + `}}` }
	deep := func(n int, of string) string { return strings.Repeat("[", n) + of + strings.Repeat("]", n) }
	zeros := strings.Repeat("0,", 1<<18) + "0"
	for subject, document := range map[string]string{
		"many lines, deep":       view(deep(60, zeros)),
		"many lists, deep":       view(deep(60, strings.Repeat("[],", 1<<17)+"[]")),
		"too deep":               view(deep(63, "0")),
		"far too deep":           view(deep(9000, "0")),
		"signs that grow":        `{"v":1,"system":"central","about":"` + strings.Repeat("<", 900<<10) + `"}`,
		"bytes that are no text": `{"v":1,"system":"central","about":"` + strings.Repeat("\xff", 900<<10) + `"}`,
		"signs with escapes":     `{"v":1,"system":"central","about":"` + strings.Repeat("\x7f\u2028", 200<<10) + `"}`,
		"as long as can be":      `{"v":1,"system":"central","about":"` + strings.Repeat("a", 1<<20-40) + `"}`,
		"numbers that grow":      `{"v":1,"system":"central","faults":[` + strings.Repeat(`{"at":"90000s","kind":"node_down","target":"node.1","value":1e20},`, 9999) + `{"at":"1s","kind":"node_down","target":"node.1"}]}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := scenario.Parse([]byte(document))
		if err == nil {
			var again *scenario.Scenario
			if again, err = scenario.Parse(s.Encode()); err != nil {
				t.Errorf("%s: what is written is not read: %v", subject, err)
			} else if !bytes.Equal(again.Encode(), s.Encode()) {
				t.Errorf("%s: it is another one when it is read again", subject)
			}
		} else if len(err.Error()) > 250 {
			t.Errorf("%s: the sentence is long: %v", subject, err)
		}
		runtime.ReadMemStats(&after)
		if all := after.TotalAlloc - before.TotalAlloc; all > 256<<20 {
			t.Errorf("%s: it takes %d MB", subject, all>>20)
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

// A link of nothing but parts that no link has is answered in a few sentences, of which the last is
// about its scenario.
func TestFewSentencesAboutALink(t *testing.T) {
	link := "#z=1.bad"
	for i := range 2000 {
		link += fmt.Sprintf("&k%d=1&f=%d", i, i)
	}
	_, problems, _ := scenario.DecodeAddress(link)
	if len(problems) != 20 || !strings.HasPrefix(problems[19], "the link's z cannot be read: ") || !strings.HasSuffix(problems[18], " more of its parts are like these") {
		t.Errorf("%d sentences: %q", len(problems), problems)
	}
}
