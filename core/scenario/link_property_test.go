package scenario_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/scenario"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// drawn returns a random scenario document as Parse reads it.
func drawn(t *rapid.T) *scenario.Scenario {
	settings := rapid.MapOf(
		rapid.StringMatching(`[a-z_]{1,8}`),
		rapid.OneOf(
			rapid.Float64Range(-1e22, 1e22).AsAny(), rapid.Float64Range(-1, 1).AsAny(), rapid.IntRange(-3000, 3000).AsAny(),
			rapid.Bool().AsAny(), rapid.StringMatching(`[a-z0-9.<&é-]{0,210}`).AsAny(), rapid.SliceOf(rapid.Int()).AsAny(),
		),
	).Draw(t, "settings")
	document := map[string]any{
		"v": 1, "system": rapid.SampledFrom([]string{"negotiation", "central", "other_system"}).Draw(t, "system"),
		"name":    rapid.OneOf(rapid.Just("Google cell"), rapid.StringOfN(rapid.Rune(), 0, 130, -1)).Draw(t, "name"),
		"seed":    rapid.OneOf(rapid.Uint64Range(0, 9), rapid.Uint64()).Draw(t, "seed"),
		"cluster": map[string]any{"nodes": rapid.SampledFrom([]int{10, 11, 12500, 12583, 100_000}).Draw(t, "nodes")},
		"until":   scenario.Duration(rapid.Int64Range(1, int64(3650*unit.Day)).Draw(t, "until")),
		"view":    rapid.SampledFrom([]any{map[string]any{}, map[string]any{"fill": "cpu"}, map[string]any{"fill": "class"}, map[string]any{"fill": "a b"}, map[string]any{"fill": "class", "zoom": 2}, 5}).Draw(t, "view"),
	}
	if rapid.Bool().Draw(t, "usual") {
		delete(document, "cluster")
		delete(document, "until")
	}
	if len(settings) > 0 {
		document["settings"] = settings
	}
	document["faults"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) scenario.Fault {
		f := rapid.SampledFrom([]scenario.Fault{
			{Kind: "rack_down", Target: "rack.137"},
			{Kind: "node_up", Target: "node.0"},
			{Kind: "partition", Target: "rack.14"},
			{Kind: "down", Target: "rack.1"},
			{Kind: "mail_loss", Target: "mail"},
			{Kind: "broker_down", Target: "broker.3"},
			{Kind: "stop", Target: ""},
			{Kind: "s_m", Target: "d_h.2147483647"},
		}).Draw(t, "fault")
		f.At = scenario.Duration(rapid.OneOf(rapid.Int64Range(0, int64(3650*unit.Day)), rapid.Just(int64(6*unit.Minute))).Draw(t, "at"))
		if !f.Physical() {
			f.Value = rapid.OneOf(rapid.Just(0.), rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{.25, -3, 1e-9, 1e22})).Draw(t, "value")
		}
		return f
	}), 0, 60).Draw(t, "faults")
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A link leads back to its scenario, whatever the gallery holds.
func TestLinkLeadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gallery := scenario.Gallery{}
		for _, id := range []string{"google-cell", "best-fit"}[:rapid.IntRange(0, 2).Draw(t, "gallery")] {
			gallery[id] = drawn(t)
		}
		s := drawn(t)
		link := scenario.LinkTo(s, gallery).Encode()
		a, problems, _ := scenario.DecodeAddress("https://example.org/#" + link)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", link, problems)
		}
		back, err := a.Scenario(gallery)
		if err != nil {
			t.Fatalf("%s: %v", link, err)
		}
		if got, want := meaning(t, back), meaning(t, s); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\ngave %v\nwant %v", link, got, want)
		}
	})
}

// Up to fifty faults stand in a link in words and in their order, whatever their times.
func TestFaultsNeedNoPacking(t *testing.T) {
	base := parse(t, `{"v":1,"system":"negotiation"}`)
	rapid.Check(t, func(t *rapid.T) {
		s := *base
		for range rapid.IntRange(0, 50).Draw(t, "faults") {
			s.Faults = append(s.Faults, scenario.Fault{
				At:   scenario.Duration(rapid.Int64Range(0, int64(3650*unit.Day)).Draw(t, "at")),
				Kind: rapid.SampledFrom([]string{"node_down", "node_up"}).Draw(t, "kind"), Target: "node.7",
			})
		}
		link := scenario.LinkTo(&s, scenario.Gallery{"a": base}).Encode()
		a, problems, _ := scenario.DecodeAddress(link)
		if a.Packed != nil || len(problems) > 0 {
			t.Fatalf("%s: %v", link, problems)
		}
		if a.Faults != nil && !reflect.DeepEqual(*a.Faults, s.Faults) || a.Faults == nil && s.Faults != nil {
			t.Fatalf("%s gives %v, want %v", link, a.Faults, s.Faults)
		}
	})
}

// meaning returns a scenario as the values of its document; a view that says
// what is so by default counts as none.
func meaning(t *rapid.T, s *scenario.Scenario) map[string]any {
	d := json.NewDecoder(bytes.NewReader(s.Encode()))
	d.UseNumber() // seeds have 64 bits
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	if view, ok := m["view"].(map[string]any); ok && (len(view) == 0 || len(view) == 1 && view["fill"] == "cpu") {
		delete(m, "view")
	}
	if settings, ok := m["settings"].(map[string]any); ok {
		for name, value := range settings { // 2.50 is 2.5
			if n, ok := value.(json.Number); ok {
				settings[name], _ = n.Float64()
			}
		}
	}
	return m
}

// Brief leaves out only what Parse puts back.
func TestBriefReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		back, err := scenario.Parse(s.Brief())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(back.Encode()), string(s.Encode()); got != want {
			t.Fatalf("got %s\nwant %s", got, want)
		}
		if len(s.Brief()) > len(s.Encode()) {
			t.Fatalf("%s is no shorter than the whole document", s.Brief())
		}
	})
}

// A link cannot fill the memory, however much its z unfolds to.
func TestPackedBomb(t *testing.T) {
	var bomb bytes.Buffer
	w, err := flate.NewWriter(&bomb, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(`{"v":1,"system":"negotiation","name":"`))
	w.Write(bytes.Repeat([]byte("a"), 40<<20))
	w.Write([]byte(`"}`))
	w.Close()
	link := "z=1." + base64.RawURLEncoding.EncodeToString(bomb.Bytes())
	if len(link) > 1<<16 {
		t.Fatalf("the bomb has %d characters: links of that length are not read at all", len(link))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, problems, _ := scenario.DecodeAddress(link)
	runtime.ReadMemStats(&after)
	if a.Packed != nil || len(problems) != 1 || !strings.Contains(problems[0], "unfolds to more than") {
		t.Error(problems)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16<<20 {
		t.Errorf("reading it takes %d bytes", allocated)
	}
}

func TestLinkErrorsNameWhatIsMissing(t *testing.T) {
	gallery := scenario.Gallery{"google-cell": parse(t, `{"v":1,"system":"negotiation"}`)}
	for link, want := range map[string]string{
		"s=rack-loss": `the link starts from "rack-loss", which is not in the gallery: it has google-cell`,
		"z=1.q1YqU7Iy1FEqriwuSc1VslLKK81NSi1SqgUA": "", // {"v":1,"system":"number"}: which systems there are is not known here
		"z=1.q1YqU7Iy0lEqriwuSc1VslLKK81NSi1SqgUA": "the link's z: the scenario has v 2: this program reads version 1",
	} {
		a, problems, _ := scenario.DecodeAddress(link)
		if len(problems) > 0 {
			t.Errorf("%s: %v", link, problems)
		}
		_, err := a.Scenario(gallery)
		if got := sentence(err); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}

func sentence(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// FuzzAddress reads any text as a link: it never fails to end, and what it
// understood it writes so that it is understood again.
func FuzzAddress(f *testing.F) {
	for _, link := range []string{
		"", "#v=1", "v=1&s=rack-loss&n=12500&seed=7&at=6h12m40s&sel=node.4711&x.scan=200&d=8f3a91c2&name=Rack+loss",
		"z=1.q1YqU7Iy1FEqriwuSc1VslJKTs0rKUrMUQIKpaamKFmZm5nWAgA", "f=6m.rack.1.down&f=1m0.25s.mail.loss-0.5&f=none", "f=none&f=1d2h.s.m", "x.a=-0&x.b=.5&x.c=5.&name=%ff%f0%9f%98%80", "z=1.AAAA&v=", "cam=node.4711-03.50&speed=max&with=a.b+c&until=1h&seeds=99&run=1&beside=split&moment=90s&later=1&later=2&filter=cpu+%3E+90",
	} {
		f.Add(link)
	}
	gallery := scenario.Gallery{}
	if s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","settings":{"a":1}}`)); err == nil {
		gallery[scenario.DefaultBase] = s
	}
	f.Fuzz(func(t *testing.T, link string) {
		a, _, _ := scenario.DecodeAddress(link)
		again, problems, notes := scenario.DecodeAddress(a.Encode())
		if len(problems) > 0 || len(notes) > min(1, len(a.More)) {
			t.Fatalf("%q was written as %q, which gives %v", link, a.Encode(), problems)
		}
		if a.Base == scenario.DefaultBase {
			a.Base = ""
		}
		slices.SortStableFunc(a.More, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) }) // as a link is written
		if !reflect.DeepEqual(a, again) {
			t.Fatalf("%q gives %+v, written and read again %+v", link, a, again)
		}
		if s, err := a.Scenario(gallery); err == nil {
			if _, err := scenario.Parse(s.Encode()); err != nil {
				t.Fatalf("%q opens a scenario that cannot be read: %v", link, err)
			}
		}
	})
}
