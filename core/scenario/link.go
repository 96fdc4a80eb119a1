package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A link is the part after # in the page's address: the scenario and the place in it, so that a
// link reopens its sender's view. Most scenarios are one of the gallery with a few changes, which a
// link writes in keys:
//
//	v=1&s=rack-loss&n=2000&seed=9&x.candidates=20
//
// Everything that keys cannot express is packed in the key z. The page reads and writes the same
// (site/src/model/address.ts); testdata/links.txt tests both against it.

// DefaultBase is the gallery's scenario that a link without s is about.
const DefaultBase = "google-cell"

// Lengths of a link in characters, from # on: longer than PlainLink is worth a
// note, because some programs cut such links; longer than MaxLink is not a link
// any more but a file.
const (
	PlainLink = 2000
	MaxLink   = 8000
)

// Address is a link in parts. A zero or nil part is the default. Its JSON is that of the page's
// Address.
type Address struct {
	Base     string          `json:"base,omitempty"`   // s: a scenario of the gallery
	Name     string          `json:"name,omitempty"`   // name
	System   string          `json:"system,omitempty"` // sys
	Nodes    *int            `json:"nodes,omitempty"`  // n
	Seed     *uint64         `json:"seed,omitempty"`   // seed
	Settings map[string]any  `json:"settings"`         // x.<setting>: a string, float64 or bool each
	Faults   *[]Fault        `json:"faults,omitempty"` // f, once for each: 6m.rack.137.down; empty for no faults
	Packed   json.RawMessage `json:"packed,omitempty"` // z: a whole scenario document, where keys cannot say it
	// fork: the number of the fault, from 1, that began this course in the past of another, which has those before
	// it
	Fork int `json:"fork,omitempty"`
	// private trace files, "|" between them: "sha256:16 digits,name", or the name alone
	Need     string   `json:"need,omitempty"`
	At       Duration `json:"-"`                  // at: the simulated time that its sender saw
	Digest   string   `json:"digest,omitempty"`   // d: the first 32 bits at that time, 8 hex digits
	Fill     string   `json:"fill,omitempty"`     // the layer of the heatmap, by its id
	Selected *int     `json:"selected,omitempty"` // sel=node.4711
	Place    string   `json:"place,omitempty"`    // p: where on the page; empty: where the run is watched
	Group    string   `json:"group,omitempty"`    // how the stage groups nodes
	// draw: "2d" keeps the page's own drawing, "gl" starts the renderer on any machine
	Drawing string `json:"drawing,omitempty"`
	// embed=1: a part of the page alone, for a frame in another page
	Embed   bool     `json:"embed,omitempty"`
	Show    []string `json:"show,omitempty"`    // show=map,charts: the parts that embed shows; empty: the map
	Paused  bool     `json:"paused,omitempty"`  // paused=1: the run opens paused
	Present bool     `json:"present,omitempty"` // present=1: a lesson in large type
	May     []string `json:"may,omitempty"`     // may=settings.fill,seed: the fields that a class may change

	Filter  string  `json:"filter,omitempty"`  // filter: which nodes are looked at, as it was typed
	Score   string  `json:"score,omitempty"`   // score: the formula that fills the cells
	Palette string  `json:"palette,omitempty"` // pal: the colours of the cells
	Whole   bool    `json:"whole,omitempty"`   // scale=full: the colours run from 0 to 100 %
	Camera  *Camera `json:"camera,omitempty"`  // cam=node.4711-3.5
	// speed: simulated seconds a second; max, which is 0 here, is as fast as it goes
	Speed *int   `json:"speed,omitempty"`
	Tab   string `json:"tab,omitempty"` // tab: the drawer's tab

	// with=central.best-fit+yield: the systems with which the scenario is compared
	Rivals   []string `json:"rivals,omitempty"`
	Until    Duration `json:"-"`                 // until: the end of the comparison
	Seeds    int      `json:"seeds,omitempty"`   // seeds: how many each system is played with; 0: the usual number
	Compared bool     `json:"started,omitempty"` // run=1: its sender had started it
	// beside: how the systems are watched side by side; empty: they are not
	Beside   string   `json:"beside,omitempty"`
	BesideAt Duration `json:"-"` // moment: their simulated time

	Card bool `json:"card,omitempty"` // card=1: the gallery's question about the scenario is shown

	// ask: a packed question about a dump, with the hashes of its files and the digest of its answer
	Ask string `json:"ask,omitempty"`

	// keys that this version does not know, with their values: they stay in the link
	More [][2]string `json:"more,omitempty"`
}

// Camera describes where a viewer looks, whatever the size of the window: the node in the
// middle, and how many times larger a cell is than when all of them are shown.
type Camera struct {
	Node int     `json:"node"`
	Zoom float64 `json:"zoom"`
}

// Gallery holds the scenarios that a link may start from, by id.
type Gallery map[string]*Scenario

// LinkTo returns the shortest address that leads to s: differences from the
// gallery's nearest scenario, or s as a whole if no differences can say it.
func LinkTo(s *Scenario, g Gallery) Address {
	best, length := Address{}, -1
	for _, id := range slices.Sorted(maps.Keys(g)) {
		if a, ok := difference(id, g, s); ok {
			if n := len(a.Encode()); length < 0 || n < length || n == length && id == DefaultBase {
				best, length = a, n
			}
		}
	}
	if length >= 0 {
		return best
	}
	bare := *s
	a := Address{Settings: map[string]any{}}
	if a.Fill = plainFill(s.View); a.Fill != "" || len(s.View) == 0 {
		bare.View = nil
	}
	if a.Fill == usualFill {
		a.Fill = ""
	}
	a.Packed = compact(bare.Brief())
	return a
}

// difference returns the keys that turn a scenario of the gallery into s, and
// whether reading them gives s again.
func difference(id string, g Gallery, s *Scenario) (Address, bool) {
	base := g[id]
	a := Address{Base: id, Settings: map[string]any{}}
	if s.Name != base.Name {
		a.Name = s.Name
	}
	before := base.Settings
	if s.System != base.System {
		a.System, before = s.System, nil
	}
	if s.Cluster.Nodes != base.Cluster.Nodes {
		a.Nodes = &s.Cluster.Nodes
	}
	if s.Seed != base.Seed {
		a.Seed = &s.Seed
	}
	if !slices.Equal(s.Faults, base.Faults) {
		if len(s.Faults) > linkFaults {
			return a, false
		}
		a.Faults = &s.Faults
	}
	if !slices.Equal(s.May, base.May) {
		if len(s.May) == 0 || len(strings.Join(s.May, ",")) > linkMay {
			return a, false
		}
		a.May = s.May
	}
	if !differing(a.Settings, "", before, s.Settings) {
		return a, false
	}
	if fill := plainFill(s.View); fill != plainFill(base.View) {
		a.Fill = fill
	}
	read, problems, notes := DecodeAddress(a.Encode())
	rebuilt, err := read.Scenario(g)
	return a, len(problems)+len(notes) == 0 && err == nil && rebuilt.same(s)
}

// differing adds the settings that differ from others by their paths: "formula.score". It
// reports whether all have values.
func differing(out map[string]any, path string, before, after json.RawMessage) bool {
	was := fields(before)
	for name, raw := range fields(after) {
		at := path + name
		var value any
		switch {
		case bytes.Equal(canonical(was[name]), canonical(raw)):
		case len(fields(raw)) > 0:
			if !differing(out, at+".", was[name], raw) {
				return false
			}
		case json.Unmarshal(raw, &value) != nil:
			return false
		default:
			out[at] = value
		}
	}
	return true
}

// Scenario returns the scenario to which a leads. Its error names, in one sentence, the part of the
// link that does not exist or is invalid.
func (a Address) Scenario(g Gallery) (*Scenario, error) { return a.scenario(g, (*Scenario).clone) }

// ForFiles returns the scenario to which a leads if files provide the workload: the link's own
// values, on the system and settings of the gallery's scenario that it names. A link that names
// none starts from an empty document, and must name a system.
func (a Address) ForFiles(g Gallery) (*Scenario, error) {
	if a.Base == "" && a.Packed == nil {
		const nothing = "-"
		a.Base = nothing
		g = Gallery{nothing: {V: Version, System: a.System}}
	}
	return a.scenario(g, (*Scenario).ForFiles)
}

// ForFiles returns a scenario with the system and the settings of s, and defaults
// otherwise. The rest of s describes a workload and a cluster that files replace.
func (s *Scenario) ForFiles() *Scenario {
	bare := &Scenario{V: Version, System: s.System, Settings: s.Settings, Program: s.Program}
	bare.fill()
	return bare
}

// scenario returns the scenario that a leads to; begin makes it from the gallery's.
func (a Address) scenario(g Gallery, begin func(*Scenario) *Scenario) (*Scenario, error) {
	var s *Scenario
	var err error
	if a.Packed != nil {
		if s, err = Parse(a.Packed); err != nil {
			return nil, fmt.Errorf("the link's z: %w", err)
		}
	} else if s, err = a.apply(g, begin); err != nil {
		return nil, err
	}
	if a.Fill != "" {
		view := fields(s.View)
		if view == nil {
			view = map[string]json.RawMessage{}
		}
		view["fill"] = encoded(a.Fill)
		s.View = encoded(view)
	}
	return s, s.Validate()
}

// apply puts the keys into a copy of the gallery's scenario.
func (a Address) apply(g Gallery, begin func(*Scenario) *Scenario) (*Scenario, error) {
	id := a.Base
	if id == "" {
		id = DefaultBase
	}
	base, ok := g[id]
	if !ok {
		return nil, fmt.Errorf("the link starts from %q, which is not in the gallery: it has %s",
			id, strings.Join(slices.Sorted(maps.Keys(g)), ", "))
	}
	s := begin(base)
	if a.System != "" && a.System != s.System {
		s.SetSystem(a.System)
	}
	if a.Name != "" {
		s.Name = a.Name
	}
	if a.Seed != nil {
		s.Seed = *a.Seed
	}
	if a.Nodes != nil {
		s.Cluster.Nodes = *a.Nodes
	}
	if a.Faults != nil {
		s.Faults = slices.Clone(*a.Faults)
	}
	if len(a.May) > 0 {
		s.May = a.May
	}
	if len(a.Settings) > 0 {
		var all any = s.Settings
		if fields(s.Settings) == nil {
			all = nil
		}
		for _, name := range slices.Sorted(maps.Keys(a.Settings)) {
			var err error
			if all, err = put(all, strings.Split(name, "."), a.Settings[name]); err != nil {
				return nil, fmt.Errorf("the link's x.%s: %w", name, err)
			}
		}
		s.Settings = encoded(all)
	}
	return s, nil
}

// usualFill is the default layer of the cells.
const usualFill = "cpu"

// plainFill returns the layer of a view, or "" if the view has other fields or more.
func plainFill(view json.RawMessage) string {
	parts := fields(view)
	if len(view) == 0 || parts != nil && len(parts) == 0 {
		return usualFill
	}
	var fill string
	if raw, ok := parts["fill"]; !ok || len(parts) > 1 || json.Unmarshal(raw, &fill) != nil || !isLayer(fill) {
		return ""
	}
	return fill
}

// Brief returns the shortest document that Parse reads as s: default values are left out.
func (s *Scenario) Brief() []byte {
	usual := Scenario{}
	usual.fill()
	differences := without(fields(encoded(s)), fields(encoded(usual)))
	differences["v"], differences["system"] = encoded(s.V), encoded(s.System)
	var brief Scenario // gives the fields their order
	if err := json.Unmarshal(encoded(differences), &brief); err != nil {
		panic("scenario: " + err.Error())
	}
	return brief.Encode()
}

// without returns the fields of an object that differ from those of another.
func without(object, other map[string]json.RawMessage) map[string]json.RawMessage {
	rest := map[string]json.RawMessage{}
	for name, raw := range object {
		if bytes.Equal(raw, other[name]) {
			continue
		}
		if inner, theirs := fields(raw), fields(other[name]); inner != nil && theirs != nil {
			raw = encoded(without(inner, theirs))
		}
		rest[name] = raw
	}
	return rest
}

// same reports whether two scenarios make the same run and look.
func (s *Scenario) same(t *Scenario) bool {
	normal := func(s *Scenario) []byte {
		copy := *s
		if plainFill(s.View) == usualFill {
			copy.View = nil
		}
		return canonical(encoded(&copy))
	}
	return bytes.Equal(normal(s), normal(t))
}

// clone returns a copy that shares nothing which apply or a run changes.
func (s *Scenario) clone() *Scenario {
	copy := *s
	copy.Faults = slices.Clone(s.Faults)
	return &copy
}

// fields returns the members of a JSON object, nil if raw is none.
func fields(raw json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}

// encoded returns a value as JSON, in which < is no \u003c, as on the page. Values here are
// ones that JSON has.
func encoded(value any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic("scenario: " + err.Error()) // only raw fields could fail, and Parse checked them
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func compact(doc []byte) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, doc); err != nil {
		panic("scenario: " + err.Error())
	}
	return out.Bytes()
}

// canonical returns JSON with sorted members and each number in one spelling,
// so that equal values are equal texts.
func canonical(raw json.RawMessage) []byte {
	var value any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil
	}
	return encoded(spelled(value))
}

// spelled returns a JSON value in which all numbers but whole ones are float64, so that equal numbers are written
// alike. It changes value.
func spelled(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = spelled(v[name])
		}
	case []any:
		for i := range v {
			v[i] = spelled(v[i])
		}
	case json.Number:
		if _, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return v // exact
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return value
}
