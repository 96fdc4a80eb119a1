package system_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/system"
	"parley/core/unit"
)

// TestRanges: which numbers a range holds, and how it says so.
func TestRanges(t *testing.T) {
	both := &system.Range{Min: 1, Max: 4, Above: true, Below: true}
	for _, c := range []struct {
		r     *system.Range
		holds []float64
		not   []float64
		says  string
	}{
		{system.Between(1, 4), []float64{1, 2, 4}, []float64{0.99, 4.01}, "1 to 4"},
		{system.Until(1, 4), []float64{1, 3.99}, []float64{0.99, 4, 5}, "1 or more, below 4"},
		{system.Over(1, 4), []float64{1.01, 4}, []float64{0, 1, 4.01}, "above 1, up to 4"},
		{system.ZeroOr(2, 4), []float64{0, 2, 4}, []float64{1.99, -0.01, 4.01}, "0, or 2 to 4"},
		{both, []float64{1.01, 3.99}, []float64{1, 4, 0, 5}, "above 1, below 4"},
		{system.Between(0.25, 1e15), []float64{1e15}, []float64{2e15}, "0.25 to 1e+15"},
		{system.Between(-1e15, 1e14), []float64{-1e15, 0}, []float64{-2e15, 1e15}, "-1e+15 to 100000000000000"},
	} {
		for _, x := range c.holds {
			if !c.r.Holds(x) {
				t.Errorf("%s does not hold %v", c.says, x)
			}
		}
		for _, x := range c.not {
			if c.r.Holds(x) {
				t.Errorf("%s holds %v", c.says, x)
			}
		}
		if got := c.r.String(); got != c.says {
			t.Errorf("%q, want %q", got, c.says)
		}
	}
}

// described has a setting of each kind.
func described() system.Description {
	return system.Description{
		Settings: system.Describe(
			system.Setting{ID: "policy", Value: "best", Choices: []string{"best", "worst"}},
			system.Setting{ID: "greedy", Value: true},
			system.Setting{ID: "limits.fill", Value: 0.9, Range: system.Over(0, 1)},
			system.Setting{ID: "limits.step", Value: 2 * unit.Second, Range: system.Between(1000, 5e6)},
			system.Setting{ID: "brokers", Value: 4, Unit: "agents", Range: system.Between(1, 64)},
			system.Setting{ID: "seed", Value: uint64(3)},
			system.Setting{ID: "small", Value: int(1)},
		),
		Agents: []system.Role{
			{ID: "node", On: "node", Faults: []system.FaultKind{{ID: "deaf"}}},
			{ID: "desk", Faults: []system.FaultKind{{ID: "desk_down", Revert: "desk_up"}}},
			{ID: "broker", Setting: "brokers"},
			{ID: "ghost", Setting: "nothing"},
			{ID: "named", Setting: "policy"},
		},
	}
}

func TestDescribeCompletesSettings(t *testing.T) {
	want := map[string]struct {
		whole         bool
		unit, allowed string
	}{
		"policy":      {false, "", "best, worst"},
		"greedy":      {false, "", "true or false"},
		"limits.fill": {false, "", "above 0, up to 1"},
		"limits.step": {true, "µs", "1000 to 5000000 µs, 1ms to 5s"},
		"brokers":     {true, "agents", "1 to 64 agents"},
		"seed":        {true, "", ""},
		"small":       {true, "", ""},
	}
	for _, s := range described().Settings {
		w := want[s.ID]
		if s.Whole != w.whole || s.Unit != w.unit || s.Allowed() != w.allowed {
			t.Errorf("%s: whole %v, unit %q, allowed %q; want %+v", s.ID, s.Whole, s.Unit, s.Allowed(), w)
		}
	}
	const defaults = `{"brokers":4,"greedy":true,"limits":{"fill":0.9,"step":2000000},"policy":"best","seed":3,"small":1}`
	if got := string(described().Defaults()); got != defaults {
		t.Errorf("defaults %s", got)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		setting int
		value   any
		want    string
	}{
		{0, "best", ""},
		{0, "middle", `settings: policy is "middle": choose one of best, worst`},
		{1, false, ""},
		{2, 1.0, ""},
		{2, 0.0, "settings: limits.fill is 0: choose above 0, up to 1"},
		{3, unit.Time(1), "settings: limits.step is 1: choose 1000 to 5000000 µs, 1ms to 5s"},
		{4, 65, "settings: brokers is 65: choose 1 to 64 agents"},
		{4, 64, ""},
	} {
		all := described().Settings
		all[c.setting].Value = c.value
		stated := ""
		if err := system.Check(all); err != nil {
			stated = err.Error()
		}
		if stated != c.want {
			t.Errorf("%v: %q, want %q", c.value, stated, c.want)
		}
	}
}

// TestCounts: how many agents there are follows from the settings, where these tell.
func TestCounts(t *testing.T) {
	d := described()
	for _, c := range []struct {
		role     int
		document string
		n        int
		known    bool
	}{
		{0, `{}`, 0, false},
		{1, `{}`, 1, true},
		{2, `{}`, 4, true},
		{2, `{"brokers": 7}`, 7, true},
		{2, `{"brokers": null}`, 4, true},
		{2, `{"brokers": `, 4, true},
		{2, `[]`, 4, true},
		{3, `{}`, 0, false},
		{4, `{}`, 0, false},
	} {
		if n, known := d.Counts(d.Agents[c.role], json.RawMessage(c.document)); n != c.n || known != c.known {
			t.Errorf("%s of %s: %d, %v; want %d, %v", d.Agents[c.role].ID, c.document, n, known, c.n, c.known)
		}
	}
}

func TestFaultsByName(t *testing.T) {
	d := described()
	for id, role := range map[string]string{"deaf": "node", "desk_down": "desk", "desk_up": "desk"} {
		if kind, of, known := d.Fault(id); !known || of.ID != role || kind.ID != id && kind.Revert != id {
			t.Errorf("%s: %+v of %s, %v", id, kind, of.ID, known)
		}
	}
	for _, id := range []string{"", "up", "desk"} {
		if _, _, known := d.Fault(id); known {
			t.Errorf("%q is a fault", id)
		}
	}
}

func TestDecode(t *testing.T) {
	type settings struct {
		Most int     `json:"most"`
		Fill float64 `json:"fill"`
	}
	for document, want := range map[string]string{
		``:                  "",
		" \n":               "",
		`{"most": 3}`:       "",
		`{"most": 3} `:      "",
		`{"most": 3} {}`:    `"{}" follows the end; remove it`,
		`{"most": "three"}`: "most is a text, not a whole number",
		`[]`:                "it is a list, not an object in braces",
		`{"most": 3`:        "it ends too early: is it cut off?",
		`{"least": 3}`:      `unknown field "least"; remove it or correct its name`,
	} {
		s := settings{Most: 1, Fill: 0.5}
		err := system.Decode(json.RawMessage(document), &s)
		switch {
		case want != "" && (err == nil || err.Error() != "settings: "+want):
			t.Errorf("%q: %v", document, err)
		case want == "" && err != nil:
			t.Errorf("%q: %v", document, err)
		case want == "" && (s.Fill != 0.5 || strings.Contains(document, "3") != (s.Most == 3)):
			t.Errorf("%q: %+v", document, s)
		}
	}
}

// TestLatestDecision: of two decisions about a task the later one is told, also
// when the earlier one is the oldest that is kept.
func TestLatestDecision(t *testing.T) {
	var d system.Decisions
	d.Remember(system.Decision{Task: 1, Ref: 1})
	for i := range 8190 {
		d.Remember(system.Decision{Task: unit.TaskID(10 + i)})
	}
	d.Remember(system.Decision{Task: 1, Ref: 2})
	if one, known := d.Explain(1); !known || one.Ref != 2 {
		t.Errorf("%+v, %v", one, known)
	}
}
