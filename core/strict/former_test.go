package strict_test

import (
	"reflect"
	"testing"

	"parley/core/strict"
)

type stop struct {
	Seeds int     `json:"min_seeds" was:"least"`
	Half  float64 `json:"half_width"`
}

type renamedDoc struct {
	Stop  *stop           `json:"stop"`
	Stops []stop          `json:"stops"`
	By    map[string]stop `json:"by"`
	Name  string          `json:"name"`
	stop
}

// A field that was renamed is read under both names, wherever it is; under both at once it is refused, with its
// line. Values and other fields keep the former name.
func TestFormerNames(t *testing.T) {
	for doc, want := range map[string]renamedDoc{
		`{"least":3}`:                           {stop: stop{Seeds: 3}},
		`{"min_seeds":3}`:                       {stop: stop{Seeds: 3}},
		`{"stop":{"half_width":0.5,"least":7}}`: {Stop: &stop{7, 0.5}},
		`{"stops":[{"least":1},{"min_seeds":2},{"least":3}]}`: {Stops: []stop{{Seeds: 1}, {Seeds: 2}, {Seeds: 3}}},
		`{"by":{"least":{"least":4}}}`:                        {By: map[string]stop{"least": {Seeds: 4}}},
		"{\"name\":\"least\",\n \"least\" : 3}":               {Name: "least", stop: stop{Seeds: 3}},
	} {
		for name, read := range map[string]func([]byte, any) error{"Decode": strict.Decode, "Part": strict.Part, "Unmarshal": strict.Unmarshal} {
			var got renamedDoc
			if err := read([]byte(doc), &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %s: %+v, %v", name, doc, got, err)
			}
		}
	}
	for doc, want := range map[string]string{
		"{\"stop\":{\"least\":3,\n\"min_seeds\":4}}": `"stop.min_seeds" is given twice, and its former name is "least" (line 2); leave one of them out`,
		"{\"min_seeds\":3,\n\n\"least\":4}":          `"min_seeds" is given twice, and its former name is "least" (line 3); leave one of them out`,
		`{"least":"three"}`:                          `stop.min_seeds is a text, not a whole number (line 1)`,
		`{"name":"least","leas":3}`:                  `unknown field "leas"; remove it or correct its name (line 1)`,
		`{"least":3`:                                 `it ends too early, in line 1: is it cut off?`,
		`{"least":3}}`:                               `"}" follows the end (line 1); remove it`,
	} {
		if err := strict.Decode([]byte(doc), &renamedDoc{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", doc, err, want)
		}
	}
	if got := strict.Current(&stop{}, "least") + " " + strict.Current(stop{}, "half_width"); got != "min_seeds half_width" {
		t.Errorf("now they are called %s", got)
	}
}
