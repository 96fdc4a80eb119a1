package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/scenario"
)

// TestLinks holds Go to testdata/links.txt; a test of the page holds it to the
// same file.
func TestLinks(t *testing.T) {
	gallery := scenario.Gallery{}
	packed := regexp.MustCompile(`z=[^&]*`)
	datadriven.RunTest(t, "testdata/links.txt", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "gallery":
			var id string
			d.ScanArgs(t, "id", &id)
			gallery[id] = parse(t, d.Input)
			return "ok\n"
		case "address":
			return describe(t, d.Input)
		case "link":
			from := gallery
			if d.HasArg("base") {
				var id string
				d.ScanArgs(t, "base", &id)
				from = scenario.Gallery{id: gallery[id]}
			}
			text := scenario.LinkTo(parse(t, d.Input), from).Encode()
			return packed.ReplaceAllString(text, "z=…") + "\n"
		case "open":
			a, problems, _ := scenario.DecodeAddress(d.Input)
			s, err := a.Scenario(gallery)
			if err != nil || len(problems) > 0 {
				return fmt.Sprintln(strings.Join(problems, "\n"), err)
			}
			var line bytes.Buffer
			if err := json.Compact(&line, s.Brief()); err != nil {
				d.Fatalf(t, "%v", err)
			}
			return line.String() + "\n"
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
}

func parse(t *testing.T, doc string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func describe(t *testing.T, link string) string {
	a, problems, notes := scenario.DecodeAddress(link)
	parts, err := json.Marshal(struct {
		scenario.Address
		At       int64 `json:"at,omitempty"`
		Until    int64 `json:"until,omitempty"`
		BesideAt int64 `json:"besideAt,omitempty"`
	}{a, int64(a.At), int64(a.Until), int64(a.BesideAt)})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", parts)
	if len(problems) > 0 {
		fmt.Fprintf(&out, "problems: %d\n", len(problems))
	}
	if len(notes) > 0 {
		fmt.Fprintf(&out, "notes: %d\n", len(notes))
	}
	if a.Packed == nil {
		fmt.Fprintln(&out, a.Encode())
	}
	return out.String()
}
