package rfql_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	terms "parley/core/rfql"
	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/trace/rfql"
	"parley/core/unit"
)

// TestScripts reads documents that are written as text and prints them anew, as XML
// or JSON, or what is wrong with them.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			units, err := rfql.Read("request.xml", strings.NewReader(d.Input))
			if err != nil {
				return err.Error() + "\n"
			}
			return string(appended(nil, units))
		}
	})
}

const good = `<RFQ><Request><CPUHourCost>33.5</CPUHourCost><StartDate>2016-02-28</StartDate><StartTime>23:59:59.5</StartTime><EndDate>2016-02-29</EndDate>
<EndTime>06:00:00</EndTime><WallTime>PT2H30M</WallTime><OperatingSystem>Linux &amp; more</OperatingSystem><OSVersion>2.6</OSVersion><Architecture>x86_64</Architecture>
<CPUSpeed>2400</CPUSpeed><RAMPerCore>2048</RAMPerCore><NodeDiskSpace>100</NodeDiskSpace><InterNodeBandwidth>10</InterNodeBandwidth><NodeCount>4</NodeCount><NodeCores>16</NodeCores></Request></RFQ>`

// FuzzRead: whatever comes is a request or one sentence with a place, and a request
// that was read is written as something that is read again as the same, as XML and
// as JSON.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add(`<!DOCTYPE a [<!ENTITY b "c">]><RFQ>&b;</RFQ>`)
	f.Add(`<RFQ><Request><TotalCores>0</TotalCores></Request></RFQ>`)
	f.Fuzz(func(t *testing.T, text string) {
		units, err := rfql.Read("f", strings.NewReader(text))
		if err != nil {
			var e *trace.Error
			if !errors.As(err, &e) || strings.ContainsRune(err.Error(), '\n') || len(err.Error()) > 1000 {
				t.Fatalf("%q gives %q", text, err)
			}
			return
		}
		again, err := rfql.Read("f", bytes.NewReader(appended(nil, units)))
		if err != nil || !reflect.DeepEqual(units, again) {
			t.Fatalf("%q is %+v, and written and read %+v (%v)", text, units, again, err)
		}
		for _, u := range units {
			raw, err := u.MarshalJSON()
			var back terms.Unit
			if err != nil || back.UnmarshalJSON(raw) != nil || back != u {
				t.Fatalf("%+v is %s as JSON, and that is %+v (%v)", u, raw, back, err)
			}
		}
	})
}

// TestBomb: a document of nested entities costs no more than its bytes.
func TestBomb(t *testing.T) {
	bomb := `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><RFQ><Request><OperatingSystem>&lol2;</OperatingSystem></Request></RFQ>`
	for _, text := range []string{bomb, `<!DOCTYPE r SYSTEM "file:///etc/passwd"><RFQ/>`, `<RFQ><Request><OperatingSystem>&lol;</OperatingSystem></Request></RFQ>`} {
		if _, err := rfql.Read("bomb.xml", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "bomb.xml, line 1") {
			t.Errorf("%q gives %v", text, err)
		}
	}
	if _, err := rfql.Read("long.xml", io.MultiReader(strings.NewReader("<RFQ>"), endless{})); err == nil || !strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Errorf("a document without end gives %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestEnds: a run of requests goes on until the last of their units must be done, not
// until they are read.
func TestEnds(t *testing.T) {
	source, err := rfql.Format().Open([]trace.File{{Name: "r.xml", Size: int64(len(good)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(good)), nil }}}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// it begins ten minutes before 23:59:59.5, and ends at 06:00
	if got, want := source.(interface{ Ends() unit.Time }).Ends(), 6*unit.Hour+10*unit.Minute+unit.Second/2; got != want {
		t.Errorf("a run of the request ends after %v, want %v", got, want)
	}
}

// TestSchema: the schema has every term with its type, and takes what the reader
// writes, where xmllint is there to say so.
func TestSchema(t *testing.T) {
	var schema struct {
		Types []struct {
			Name     string `xml:"name,attr"`
			Elements []struct {
				Name string `xml:"name,attr"`
				Type string `xml:"type,attr"`
			} `xml:"all>element"`
		} `xml:"complexType"`
	}
	schemaText, err := os.ReadFile("../../../assets/rfql.xsd")
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(schemaText, &schema); err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, e := range schema.Types[slices.IndexFunc(schema.Types, func(c struct {
		Name     string `xml:"name,attr"`
		Elements []struct {
			Name string `xml:"name,attr"`
			Type string `xml:"type,attr"`
		} `xml:"all>element"`
	},
	) bool {
		return c.Name == "Request"
	})].Elements {
		known[e.Name] = e.Type
	}
	for _, term := range terms.Terms {
		if known[term.Name] != term.Type {
			t.Errorf("the schema has %s as %q, the reader as %s", term.Name, known[term.Name], term.Type)
		}
		delete(known, term.Name)
	}
	if len(known) > 0 {
		t.Errorf("the schema has terms that the reader does not know: %v", known)
	}
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not here to check a document against the schema")
	}
	dir := t.TempDir()
	units, err := rfql.Read("good.xml", strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"rfql.xsd": schemaText, "good.xml": appended(nil, units)} {
		if err := os.WriteFile(dir+"/"+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command(lint, "--nonet", "--noout", "--schema", dir+"/rfql.xsd", dir+"/good.xml").CombinedOutput(); err != nil {
		t.Errorf("xmllint says %s", out)
	}
}

// appended writes a document that Read reads back.
func appended(to []byte, units []terms.Unit) []byte {
	to = append(to, xml.Header+"<RFQ xmlns=\"https://parley.dev/rfql\">\n"...)
	for i := range units {
		to = append(to, "  <Request>\n"...)
		for _, g := range units[i].Given() {
			var text bytes.Buffer
			_ = xml.EscapeText(&text, []byte(g.Text)) // a buffer takes all
			to = fmt.Appendf(to, "    <%s>%s</%s>\n", g.Name, text.Bytes(), g.Name)
		}
		to = append(to, "  </Request>\n"...)
	}
	return append(to, "</RFQ>\n"...)
}
