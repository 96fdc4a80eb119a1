package strict_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/scripttest"
	"parley/core/strict"
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
