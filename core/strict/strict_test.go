package strict_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/strict"
	"parley/core/testkit/scripttest"
)

// document has a field of every kind that documents of ours have.
type document struct {
	Hosts  int       `json:"hosts"`
	Seed   uint64    `json:"seed"`
	Small  int8      `json:"small"`
	Load   float64   `json:"load"`
	Name   string    `json:"name"`
	Exact  bool      `json:"exact"`
	Speeds []float64 `json:"speeds"`
	Inner  struct {
		Depth int `json:"depth"`
	} `json:"inner"`
	Wait wait `json:"wait"`
}

// wait has a form of its own.
type wait string

func (w *wait) UnmarshalJSON(text []byte) error {
	if string(text) != `"1s"` {
		return &json.UnmarshalTypeError{Value: string(text), Type: reflect.TypeFor[wait]()}
	}
	*w = "1s"
	return nil
}

func (w *wait) JSONForm() string { return `a wait such as "1s"` }

// TestScripts:
//
//	decode   reads the input as a whole document
//	part     reads it as a part of one: no lines in errors
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			into, err := document{Hosts: 7}, error(nil)
			switch d.Cmd {
			case "decode":
				err = strict.Decode([]byte(d.Input), &into)
			case "part":
				err = strict.Part([]byte(d.Input), &into)
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			if err != nil {
				return "! " + err.Error() + "\n"
			}
			return fmt.Sprintf("%+v\n", into)
		}
	})
}

// An error repeats little of a document, however much it holds.
func TestLongDocuments(t *testing.T) {
	long := strings.Repeat("ä", 1<<16)
	for _, doc := range []string{`{"` + long + `":1}`, `{"hosts":1` + strings.Repeat("0", 1<<16) + `}`, `{} ` + long, `{"wait":"` + long + `"}`} {
		if err := strict.Decode([]byte(doc), &document{}); err == nil || len(err.Error()) > 400 || !json.Valid([]byte(`"`+strings.ReplaceAll(strings.ReplaceAll(err.Error(), `\`, `\\`), `"`, `\"`)+`"`)) {
			t.Errorf("%.40s…: an error of %d bytes", doc, len(fmt.Sprint(err)))
		}
	}
}

// Lines are those of an editor: blank ones before the document count, those after its
// last letter do not.
func TestLines(t *testing.T) {
	for doc, want := range map[string]string{
		"\n\n{\"hosts\":\n1\n\n":      "it ends too early, in line 4",
		"{\"hosts\":1}\n\n x\n\n\n":   `"x" follows the end (line 3)`,
		"{\"hosts\":1}\r\n\t\r\n[]\n": `"[]" follows the end (line 3)`,
	} {
		if err := strict.Decode([]byte(doc), &document{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", doc, err, want)
		}
	}
}

// What is repeated of a document is cut after 40 letters, and none is cut in half.
func TestCutBetweenLetters(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("x", 40):       strings.Repeat("x", 40),
		strings.Repeat("x", 41):       strings.Repeat("x", 40) + "…",
		strings.Repeat("ä", 40):       strings.Repeat("ä", 40),
		strings.Repeat("ä", 41):       strings.Repeat("ä", 40) + "…",
		"x" + strings.Repeat("€", 40): "x" + strings.Repeat("€", 39) + "…",
		strings.Repeat("\x80", 41):    strings.Repeat("\x80", 40) + "…", // quoted as \x80
	} {
		err := strict.Part([]byte(`{}`+text), &document{})
		if want := fmt.Sprintf("%q follows the end; remove it", want); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// What is read is what package json reads; what it refuses is refused.
func FuzzDecode(f *testing.F) {
	for _, doc := range []string{`{}`, `{"hosts":3,"speeds":[1,2.5]}`, `[1]`, "", "{\n\"seed\":-1}", `{"wait":"1s"} x`, `{"inner":{"depth":`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var got, want document
		err := strict.Decode(doc, &got)
		loose := json.Unmarshal(doc, &want)
		if err == nil && (loose != nil || fmt.Sprint(got) != fmt.Sprint(want)) {
			t.Fatalf("%q is read as %+v, by package json as %+v (%v)", doc, got, want, loose)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Fatalf("an error of %d bytes", len(err.Error()))
		}
	})
}

// TestNames: a field that stands twice, and one in other letters than its name, are
// refused with their line, wherever they stand; a raw part is looked through for twins.
func TestNames(t *testing.T) {
	type inner struct {
		Nodes int `json:"nodes"`
	}
	type base struct {
		Seed int `json:"seed"`
	}
	var into struct {
		base
		Cluster inner            `json:"cluster"`
		List    []inner          `json:"list"`
		Map     map[string]inner `json:"map"`
		Raw     json.RawMessage  `json:"raw"`
		Plain   int
	}
	for _, c := range []struct{ doc, want string }{
		{`{"cluster":{"nodes":1},"seed":2,"list":[{"nodes":3}],"map":{"A":{"nodes":1},"a":{"nodes":2}},"raw":{"X":1,"x":2},"Plain":1}`, ""},
		{"{\"cluster\":{\"nodes\":1},\n\"cluster\":{\"nodes\":2}}", `"cluster" is given twice (line 2); leave one of them out`},
		{`{"cluster":{"nodes":1,"nodes":1}}`, `"cluster.nodes" is given twice (line 1); leave one of them out`},
		{`{"cluster":{"NODES":1}}`, `"cluster.NODES" is written "nodes" (line 1)`},
		{`{"SEED":1}`, `"SEED" is written "seed" (line 1)`},
		{`{"plain":1}`, `"plain" is written "Plain" (line 1)`},
		{`{"list":[{"nodes":1},{"Nodes":1}]}`, `"list[1].Nodes" is written "nodes" (line 1)`},
		{`{"map":{"a":{"Nodes":1}}}`, `"map.a.Nodes" is written "nodes" (line 1)`},
		{`{"raw":[{"k":{"a":1,"a":2}}]}`, `"raw[0].k.a" is given twice (line 1); leave one of them out`},
	} {
		got := ""
		if err := strict.Decode([]byte(c.doc), &into); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s is answered with %q, want %q", c.doc, got, c.want)
		}
	}
}
