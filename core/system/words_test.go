package system_test

import (
	"testing"

	"parley/core/system"
	"parley/core/unit"
)

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		system.Count(1, "subtask"):              "1 subtask",
		system.Count(0, "subtask"):              "0 subtasks",
		system.Count(350.505, "work unit"):      "351 work units",
		system.Count(11.8182, "work unit"):      "11.8 work units",
		system.Count(60, "user"):                "60 users",
		system.Count(3241, "work unit"):         "3,241 work units",
		system.Whole(1234567.6):                 "1,234,568",
		system.Whole(-1234):                     "-1,234",
		system.Whole(-.2):                       "0",
		system.Whole(999.6):                     "1,000",
		system.Price(29.633):                    "29.63",
		system.Price(25):                        "25",
		system.Span(0):                          "0s",
		system.Span(1.94):                       "1.9s",
		system.Span(9.97):                       "10s",
		system.Span(59.7):                       "1m",
		system.Span(1781.55):                    "29m 42s",
		system.Span(3600):                       "1h",
		system.SpanOf(11497 * unit.Second):      "3h 12m",
		system.SpanOf(86_399 * unit.Second):     "24h",
		system.SpanOf(2*unit.Day + 4*unit.Hour): "2d 4h",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
