package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/scenario"
)

// TestMayChange reads which fields a class may change, and refuses in a sentence what
// changes no result or does not exist.
func TestMayChange(t *testing.T) {
	of := func(may string) string { return `{"v":1,"system":"central","may_change":[` + may + `]}` }
	for _, may := range []string{``, `"settings.fill"`, `"settings"`, `"settings.batch.order","seed","system","cluster.nodes","workload.jobs","faults","program"`} {
		if s, err := scenario.Parse([]byte(of(may))); err != nil || len(s.May) != strings.Count(may, `"`)/2 {
			t.Errorf("%s: %v, %v", may, s, err)
		}
	}
	for may, want := range map[string]string{
		`"seed","name"`:                          `may_change[1] is "name"`,
		`"view"`:                                 `may_change[0] is "view"`,
		`"v"`:                                    `may_change[0] is "v"`,
		`"cluster.nodez"`:                        `may_change[0] is "cluster.nodez"`,
		`"seed","seed"`:                          `may_change names "seed" twice`,
		strings.Repeat(`"seed",`, 50) + `"seed"`: "may_change has 51 entries",
	} {
		if _, err := scenario.Parse([]byte(of(may))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", may, err, want)
		}
	}
}

// TestChanges names what a hand-in changed, and what of it the exercise does not allow.
func TestChanges(t *testing.T) {
	parse := func(doc string) *scenario.Scenario {
		t.Helper()
		s, err := scenario.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	exercise := parse(`{"v":1,"name":"Task","system":"central","seed":1,"settings":{"policy":"best-fit","rescheduler":{"every_us":0}},"may_change":["settings.fill","settings.rescheduler","faults"]}`)
	for doc, want := range map[string]string{
		`{"v":1,"name":"Ana","about":"Mine.","system":"central","seed":1,"settings":{"rescheduler":{"every_us":0.0},"policy":"best-fit"},"view":{"fill":"memory"}}`:     ``,
		`{"v":1,"system":"central","seed":1,"settings":{"policy":"best-fit","fill":0.9,"rescheduler":{"every_us":60000000}}}`:                                           `settings.fill: left out → 0.9; settings.rescheduler.every_us: 0 → 60000000`,
		`{"v":1,"system":"central","seed":2,"settings":{"policy":"worst-fit","rescheduler":{"every_us":0}}}`:                                                            `seed: 1 → 2 (may not change); settings.policy: best-fit → worst-fit (may not change)`,
		`{"v":1,"system":"central","seed":1,"settings":{"policy":"best-fit","rescheduler":{"every_us":0}},"faults":[{"at":"6m","kind":"node_down","target":"node.1"}]}`: `faults: left out → a list of 1`,
		`{"v":1,"system":"negotiation","seed":1}`: `settings.policy: best-fit → left out (may not change); settings.rescheduler.every_us: 0 → left out; system: central → negotiation (may not change)`,
	} {
		var told []string
		for _, c := range exercise.Changes(parse(doc)) {
			told = append(told, fmt.Sprint(c))
		}
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("%s\n%s\nwant\n%s", doc, got, want)
		}
	}
	free := *exercise
	free.May = nil
	for _, c := range free.Changes(parse(`{"v":1,"system":"yield","seed":9}`)) {
		if !c.Allowed {
			t.Errorf("%v: without may_change every change is allowed", c)
		}
	}
}
