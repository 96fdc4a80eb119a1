package scenario_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// TestParseScripts reads testdata/parse_*.txt: a document, and what Parse makes
// of it: the sentence that says what is wrong, or the document in full. `fault`
// reads one fault; `set` reads the document below its first line with the changes
// of that line.
func TestParseScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/parse_*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no script: %v", err)
	}
	for _, path := range files {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			document := d.Input
			var changes []string
			switch d.Cmd {
			case "parse":
			case "set":
				first, rest, _ := strings.Cut(document, "\n")
				changes, document = strings.Split(first, " "), rest
			case "fault":
				document = `{"v":1,"system":"negotiation","faults":[` + document + `]}`
			case "long": // the field holds very much of one letter
				document = strings.ReplaceAll(document, "…", strings.Repeat("a", 100_000))
			default:
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			s, err := scenario.Parse([]byte(document))
			if err == nil && len(changes) > 0 {
				s, err = s.Set(changes)
			}
			if err != nil {
				if !oneLine(err) {
					t.Errorf("%s: not one short line: %q", d.Pos, err.Error())
				}
				return err.Error() + "\n"
			}
			if d.Cmd != "parse" && d.Cmd != "set" {
				return "ok\n"
			}
			return string(s.Encode())
		})
	}
}

// oneLine reports whether an error fits a line of a dialog.
func oneLine(err error) bool {
	text := err.Error()
	return len(text) > 10 && len(text) < 500 && !strings.ContainsAny(text, "\n\r")
}

func TestHugeDocument(t *testing.T) {
	doc := append([]byte(`{"v":1,"system":"negotiation","name":"`), bytes.Repeat([]byte("a"), 1<<20)...)
	_, err := scenario.Parse(append(doc, `"}`...))
	if err == nil || !oneLine(err) {
		t.Errorf("a document of a megabyte gives %v", err)
	}
	faults := strings.Repeat(`{"at":"1s","kind":"node_up","target":"node.1"},`, 10_001)
	_, err = scenario.Parse([]byte(`{"v":1,"system":"negotiation","faults":[` + faults[:len(faults)-1] + `]}`))
	if err == nil || !oneLine(err) {
		t.Errorf("10,001 faults give %v", err)
	}
	if _, err = scenario.Parse([]byte(`{"v":1,"system":"x","view":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`)); err == nil || !oneLine(err) {
		t.Errorf("20,000 brackets give %v", err)
	}
}

// TestPartsTakeDefaults: of physical and usage only some fields need be told,
// and telling the defaults is telling nothing.
func TestPartsTakeDefaults(t *testing.T) {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","cluster":{"physical":{"rack_size":10}},"workload":{"usage":{"swing":[0.1,0.1]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	physical := cluster.Default()
	physical.RackSize = 10
	usage := workload.DefaultCalm()
	usage.Swing = workload.Ratios{0.1, 0.1}
	if *s.Cluster.Physical != physical || s.Workload.Usage.Calm == nil || *s.Workload.Usage.Calm != usage {
		t.Errorf("physical %+v, usage %+v", *s.Cluster.Physical, *s.Workload.Usage)
	}
	s, err = scenario.Parse([]byte(`{"v":1,"system":"negotiation","cluster":{"physical":{"rack_size":48}},"workload":{"usage":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Cluster.Physical != nil || s.Workload.Usage != nil {
		t.Errorf("the defaults are kept as %+v and %+v", s.Cluster.Physical, s.Workload.Usage)
	}
}

// TestRoundTrip: what Encode writes, Parse reads as the same scenario.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawn(t)
		for range rapid.IntRange(0, 3).Draw(t, "faults") {
			s.Faults = append(s.Faults, drawnFault(t))
		}
		s.Chaos.NodeMTBF = scenario.Duration(rapid.Int64Range(int64(unit.Minute), int64(unit.Day)).Draw(t, "mtbf"))
		s.Chaos.MTTR = scenario.Duration(rapid.Int64Range(1, int64(unit.Day)).Draw(t, "mttr"))
		if rapid.Bool().Draw(t, "slow") {
			p := cluster.Default()
			p.LinkSpeed = unit.Bytes(rapid.Int64Range(26_000_000, 1e12).Draw(t, "link"))
			s.Cluster.Physical = &p
		}
		back, err := scenario.Parse(s.Encode())
		if err != nil {
			t.Fatalf("%s\n%v", s.Encode(), err)
		}
		if got, want := meaning(t, back), meaning(t, s); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
		if again := back.Encode(); !bytes.Equal(again, s.Encode()) && s.Settings == nil {
			t.Fatalf("%s is written as\n%s", s.Encode(), again)
		}
	})
}

func drawnFault(t *rapid.T) scenario.Fault {
	f := scenario.Fault{At: scenario.Duration(rapid.Int64Range(0, int64(unit.Day)).Draw(t, "at")), Kind: rapid.SampledFrom(append(scenario.PhysicalFaults, "broker_down", "rack_cut", "mail_loss")).Draw(t, "kind")}
	subject, _, _ := strings.Cut(f.Kind, "_")
	if f.Target = subject; subject != "mail" && subject != "cluster" {
		f.Target += "." + rapid.StringMatching(`[0-9]{1,5}`).Draw(t, "number")
	}
	switch f.Kind {
	case "mail_loss":
		f.Value = rapid.Float64Range(0, 0.999).Draw(t, "value")
	case scenario.Grow:
		f.Value = float64(rapid.IntRange(1, scenario.MaxGrown).Draw(t, "value"))
	case "mail_delay":
		f.Value = rapid.Float64Range(0, 3600).Draw(t, "value")
	}
	return f
}

// TestDurations: every duration of a run survives being written and read.
func TestDurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := scenario.Duration(rapid.OneOf(rapid.Int64Range(0, int64(3650*unit.Day)), rapid.Int64Range(0, int64(unit.Minute))).Draw(t, "duration"))
		if back, err := scenario.ParseDuration(d.String()); err != nil || back != d {
			t.Fatalf("%d µs are %q, which is %d (%v)", int64(d), d, int64(back), err)
		}
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back scenario.Duration
		if err := json.Unmarshal(text, &back); err != nil || back != d {
			t.Fatalf("%d µs are %s in JSON, which is %d (%v)", int64(d), text, int64(back), err)
		}
	})
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]unit.Time{
		"90s": 90 * unit.Second, "6h12m40s": 6*unit.Hour + 12*unit.Minute + 40*unit.Second, "29d": 29 * unit.Day, "1.5h": 90 * unit.Minute,
		"0s": 0, "250ms": 250 * unit.Millisecond, "1us": 1, "0.5us": 1, "1m1m": 2 * unit.Minute, ".5s": 500 * unit.Millisecond, "36500d": 36500 * unit.Day,
	} {
		if got, err := scenario.ParseDuration(text); err != nil || got != scenario.Duration(want) {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "5", "s", "-5s", "+5s", "5 s", "1e3s", "5x", "5sec", "1..5s", "5s.", "NaNs", "infs", "0x5s", "1_000s", "٥s", "5µs",
		"36501d", "99999999999999999999d", strings.Repeat("9", 400) + "s", "s5", "5s5",
	} {
		if got, err := scenario.ParseDuration(text); err == nil {
			t.Errorf("%q is %v", text, got)
		} else if !oneLine(err) {
			t.Errorf("%q gives %q", text, err)
		}
	}
}

// FuzzParse: no document makes Parse panic or answer with more than a sentence,
// and what it reads it writes so that it reads it again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"v":1,"system":"negotiation"}`))
	f.Add([]byte(`{"v":1,"name":"x","about":"y","system":"central","seed":7,"cluster":{"preset":"google2011","nodes":12500,"keep":0.98,"physical":{"rack_size":10}},"workload":{"preset":"none","scale":1.02,"day_swing":0.1,"skip_bad_rows":true,"trace":[{"name":"a.csv.gz"}]},"settings":{"policy":"best-fit"},"faults":[{"at":"6m","kind":"rack_down","target":"rack.137"},{"at":"1h","kind":"mail_loss","target":"mail","value":0.5}],"chaos":{"node_mtbf":"90d","mttr":"5m"},"until":"29d","view":{"fill":"cpu"}}`))
	f.Add([]byte(`{"v":1,"system":5}`))
	f.Add([]byte(`{"v":1,"until":"5x"}`))
	f.Add([]byte(`[`))
	if files, err := filepath.Glob("../../assets/scenarios/*.json"); err == nil {
		for _, file := range files {
			if doc, err := os.ReadFile(file); err == nil {
				f.Add(doc)
			}
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := scenario.Parse(doc)
		if err != nil {
			if !oneLine(err) {
				t.Errorf("%q is no sentence", err)
			}
			return
		}
		written := s.Encode()
		back, err := scenario.Parse(written)
		if err != nil && len(written) <= 1<<20 {
			t.Fatalf("%q was read, but not what it is written as: %v", doc, err)
		}
		if err == nil && !bytes.Equal(back.Encode(), written) {
			t.Fatalf("%s is written as\n%s", written, back.Encode())
		}
	})
}

// FuzzSet: any change gives a scenario that reads back as it is, or one sentence.
func FuzzSet(f *testing.F) {
	for _, change := range []string{"settings.policy=easy", "faults.0.at=5m", "workload.scale=1e-300", "settings=[]", "view={", "cluster..=1", "seed=\xff"} {
		f.Add(change)
	}
	f.Fuzz(func(t *testing.T, change string) {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","faults":[{"at":"1s","kind":"node_up","target":"node.1"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		before := string(s.Encode())
		changed, err := s.Set([]string{change})
		if string(s.Encode()) != before {
			t.Fatalf("%q changed the scenario itself", change)
		}
		if err != nil {
			if !oneLine(err) {
				t.Fatalf("%q: not one short line: %q", change, err)
			}
			return
		}
		if again, err := scenario.Parse(changed.Encode()); err != nil || string(again.Encode()) != string(changed.Encode()) {
			t.Fatalf("%q does not read back: %v", change, err)
		}
	})
}

// TestZeros: a field that says 0 is not one that was left out. Of a document, --set and a
// sweep's axis it is refused where it means nothing; left out, it is the default.
func TestZeros(t *testing.T) {
	for _, c := range []struct{ path, document string }{
		{"cluster.nodes", `"cluster":{"nodes":0}`},
		{"cluster.keep", `"cluster":{"keep":0}`},
		{"cluster.keep", `"cluster":{"keep":1e-400}`},
		{"workload.scale", `"workload":{"scale":0.0}`},
		{"chaos.mttr", `"chaos":{"mttr":"0s"}`},
		{"chaos.mttr", `"chaos":{"node_mtbf":"30d","mttr":"0m"}`},
		{"until", `"until":"0s"`},
	} {
		_, err := scenario.Parse([]byte(`{"v":1,"system":"central",` + c.document + `}`))
		if err == nil || !strings.HasPrefix(err.Error(), c.path+" is 0") {
			t.Errorf("%s is answered with %v", c.document, err)
		}
		usual, err := scenario.Parse([]byte(`{"v":1,"system":"central"}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, zero := range []string{"0", `"0s"`} {
			if _, err := usual.Set([]string{c.path + "=" + zero}); err == nil {
				t.Errorf("%s=%s is taken", c.path, zero)
			}
		}
		if c.path == "chaos.mttr" || c.path == "until" {
			continue // no duration is null
		}
		if again, err := usual.Set([]string{c.path + "=null"}); err != nil || !bytes.Equal(again.Encode(), usual.Encode()) {
			t.Errorf("%s=null is %v (%v), not the default", c.path, again, err)
		}
	}
}

// TestValueOfNone: a fault of the hardware that has no value is refused with one.
func TestValueOfNone(t *testing.T) {
	for _, kind := range []string{"node_down", "node_up", "rack_down", "rack_up"} {
		target, _, _ := strings.Cut(kind, "_")
		f := scenario.Fault{Kind: kind, Target: target + ".3", Value: 2}
		if _, _, err := f.Parse(); err == nil || err.Error() != "value is 2: "+kind+" takes none, leave it out" {
			t.Errorf("%s with a value is answered with %v", kind, err)
		}
		f.Value = 0
		if _, _, err := f.Parse(); err != nil {
			t.Error(err)
		}
	}
}

// TestByteOrderMark: a scenario that an editor began with a byte order mark is read.
func TestByteOrderMark(t *testing.T) {
	if _, err := scenario.Parse([]byte("\xef\xbb\xbf{\"v\":1,\"system\":\"central\"}")); err != nil {
		t.Error(err)
	}
}
