package rfql_test

import (
	"strings"
	"testing"

	"parley/core/trace/rfql"
)

// TestAnswers: what a document has that no request can have is refused by its name.
func TestAnswers(t *testing.T) {
	const terms = "<CPUHourCost>70</CPUHourCost><EndDate>2016-01-01</EndDate><EndTime>06:00:00</EndTime><TotalCores>16</TotalCores>"
	for doc, want := range map[string]string{
		"<RFQ><Request>" + terms + "</Request></RFQ>":                                                  "",
		`<RFQ xmlns="https://parley.dev/rfql"><Request>` + terms + "</Request></RFQ>":                  "",
		"<RFQ><Request>" + terms + "<Price>3</Price></Request></RFQ>":                                  "the term Price is no term of RFQL: choose among ",
		"<RFQ><Request>" + terms + "<EndTime>07:00:00</EndTime></Request></RFQ>":                       "the term EndTime is given twice, in line 1 before",
		`<RFQ xmlns="urn:other"><Request>` + terms + "</Request></RFQ>":                                `<RFQ> is of the namespace "urn:other"`,
		`<RFQ><Request>` + terms + `<x:WallTime xmlns:x="urn:other">PT1H</x:WallTime></Request></RFQ>`: `<WallTime> is of the namespace "urn:other"`,
		strings.Replace("<RFQ><Request>"+terms+"</Request></RFQ>", "2016-01-01", "1970-01-01", 1):      "lies in 1970",
	} {
		_, err := rfql.Read("a.xml", strings.NewReader(doc))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), `""`)) {
			t.Errorf("%s\nis answered with %v, want %q", doc, err, want)
		}
	}
}
