package rfql_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/rfql"
	"parley/core/testkit/scripttest"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// TestScripts reads units that are written as JSON and prints them anew, with what
// they ask for, or what is wrong with them.
//
//	unit
//	{"CPUHourCost": 70, …}
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			var u rfql.Unit
			if err := json.Unmarshal([]byte(d.Input), &u); err != nil {
				return err.Error() + "\n"
			}
			again, err := json.Marshal(u)
			if err != nil {
				t.Fatal(err)
			}
			return string(again) + "\n"
		}
	})
}

// TestCalendar: moments are those of Go's package time, an independent calendar, on
// every day and at any microsecond of it.
func TestCalendar(t *testing.T) {
	const layout = "2006-01-02T15:04:05.999999Z"
	day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	for ; day.Year() <= 2200; day = day.AddDate(0, 0, 1) {
		if at := unit.Time(day.UnixMicro()); rfql.FormatMoment(at) != day.Format(layout) {
			t.Fatalf("%v is written as %s", day, rfql.FormatMoment(at))
		}
	}
	last := time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro() - 1
	rapid.Check(t, func(t *rapid.T) {
		micro := rapid.Int64Range(0, last).Draw(t, "µs")
		text := time.UnixMicro(micro).UTC().Format(layout)
		if got, err := rfql.ParseMoment(text); err != nil || got != unit.Time(micro) {
			t.Fatalf("%s is read as %d µs (%v), want %d", text, got, err, micro)
		}
		if got := rfql.FormatMoment(unit.Time(micro)); got != text {
			t.Fatalf("%d µs are written as %s, want %s", micro, got, text)
		}
	})
}

// TestUnits: whatever terms are drawn is a unit that says the same as JSON, or one
// sentence that names a term.
func TestUnits(t *testing.T) {
	values := map[string][]string{
		"xs:decimal":         {"0", "70", "33.5", "-1", "1e3", "0.0001", "99999999", ""},
		"xs:date":            {"2016-02-29", "2015-02-29", "2016-12-31", "2300-01-01", "16-1-1"},
		"xs:time":            {"00:00:00", "23:59:59.5", "24:00:00", "6:00:00"},
		"xs:duration":        {"PT1H", "P2DT12H", "PT0S", "P400D", "1h", "PT1H1D"},
		"xs:positiveInteger": {"1", "16", "0", "-4", "4.5", "99999999999999999999"},
		"xs:token":           {"Linux", "", "x86_64", strings.Repeat("a", 101), "a\x00b"},
	}
	rapid.Check(t, func(t *rapid.T) {
		var given []rfql.Given
		for _, term := range rfql.Terms {
			if rapid.IntRange(0, 9).Draw(t, term.Name) < 4 || term.Required {
				good := rapid.SampledFrom(values[term.Type][:1+rapid.IntRange(0, 8).Draw(t, "bad")/8*(len(values[term.Type])-1)])
				given = append(given, rfql.Given{Name: term.Name, Text: good.Draw(t, "text")})
			}
		}
		u, problem := rfql.Parse(given)
		if problem != nil {
			if s := problem.Error(); s == "" || strings.Contains(s, "\n") || len(s) > 600 {
				t.Fatalf("%v is refused with %q", given, s)
			}
			return
		}
		back, again := rfql.Parse(u.Given())
		if again != nil || back != u {
			t.Fatalf("%+v says %v, and that is read as %+v (%v)", u, u.Given(), back, again)
		}
		if u.Cores() < 1 || u.Start >= 0 && u.End <= u.Start || u.Wall > 0 && u.Start >= 0 && u.Wall > u.End-u.Start || u.TotalDisk > 0 && u.NodeDisk > 0 {
			t.Fatalf("%v is taken as %+v", given, u)
		}
	})
}

// TestCores: a unit asks for cores in all, or for so many on each of its nodes.
func TestCores(t *testing.T) {
	for want, u := range map[int]rfql.Unit{16: {TotalCores: 16}, 12: {NodeCount: 4, CoresANode: 3}, 0: {}} {
		if got := u.Cores(); got != want {
			t.Errorf("%+v asks for %d cores", u, got)
		}
	}
	for price, want := range map[rfql.Price]string{0: "0", 1500: "1.5", -1500: "-1.5", -1: "-0.001", 70 * rfql.Credit: "70"} {
		if got := price.String(); got != want {
			t.Errorf("%d thousandths are %s, want %s", int64(price), got, want)
		}
	}
}
