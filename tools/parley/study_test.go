package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newcomers is an experiment that somebody adds: a document and no Go.
const newcomers = `{"v":1,"name":"Two latencies","source":"table 2, read anew","function":"rounds/forms",
	"axes":{"latency":[1,0.001]},"seeds":{"from":1,"to":3},
	"rows":[{"each":[{"latency":1,"paper":2.42},{"latency":0.001,"paper":3.5}],"name":"D2 at latency {latency}","figure":"D2","unit":"%",
		"claim":{"near":"{paper}","tolerance":1.5,"reason":"a newcomer's"},"why":"too few rounds"}]}`

// TestNewcomer: a document alone is an experiment, judged and printed as the papers' are; as a
// sweep it is the same, from processes of their own, and what was played is kept.
func TestNewcomer(t *testing.T) {
	dir := t.TempDir()
	run := shell(t, dir)
	write(t, filepath.Join(dir, "mine.json"), newcomers)
	shown, complaints, code := run("parley paper mine.json --keep kept --jobs 1")
	if code != 0 {
		t.Fatal(complaints)
	}
	lines := strings.Split(shown, "\n")
	if len(lines) < 5 || !strings.HasPrefix(shown, "Two latencies (table 2, read anew, 3 seeds)\n") ||
		!strings.HasSuffix(lines[3], "  does not hold") || !strings.HasSuffix(lines[4], "  holds") || !strings.Contains(shown, "too few rounds") {
		t.Error(shown)
	}
	kept, err := os.ReadFile(filepath.Join(dir, "kept", "results.jsonl"))
	if err != nil || bytes.Count(kept, []byte("\n")) != 6 {
		t.Fatalf("%v: %s", err, kept)
	}
	// without its last two lines the study goes on, and plays those alone
	cut := bytes.Join(bytes.SplitAfter(kept, []byte("\n"))[:4], nil)
	write(t, filepath.Join(dir, "kept", "results.jsonl"), string(cut)+`{"id":"half`)
	again, complaints, code := run("parley paper mine.json --keep kept --jobs 1")
	if code != 0 || again != shown {
		t.Errorf("%s\n%s", complaints, again)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "kept", "results.jsonl")); err != nil || !bytes.Equal(after, kept) {
		t.Errorf("%v: %s\nnot %s", err, after, kept)
	}
	swept, err := program(t, dir, "sweep", "mine.json", "--out", "swept", "--jobs", "2").Output()
	if err != nil || string(swept) != shown {
		t.Errorf("%v: %s", err, swept)
	}
}

// TestBadStudies: what cannot be played is one sentence.
func TestBadStudies(t *testing.T) {
	dir := t.TempDir()
	run := shell(t, dir)
	write(t, filepath.Join(dir, "unknown.json"), `{"v":1,"function":"rounds/form"}`)
	write(t, filepath.Join(dir, "argument.json"), `{"v":1,"function":"rounds/forms","arguments":{"latencies":1}}`)
	write(t, filepath.Join(dir, "range.json"), `{"v":1,"function":"rounds/forms","arguments":{"latency":-1}}`)
	write(t, filepath.Join(dir, "named.json"), `{"v":1,"base":"google-cell"}`)
	write(t, filepath.Join(dir, "scenario.json"), `{"v":1,"base":{"v":1,"system":"central"}}`)
	for line, want := range map[string]string{
		"parley paper unknown.json":  `unknown.json: function is "rounds/form", which is not known here; there are batch/log, board/files, board/graphs, fgd/openb, gpu/muri, gpu/pollux, gpu/tiresias, market/gain, `,
		"parley sweep unknown.json":  `unknown.json: function is "rounds/form", which is not known here`,
		"parley paper argument.json": `unknown field "latencies"`,
		"parley paper range.json":    "latency is -1",
		"parley paper named.json":    "give the sweep to parley sweep",
		"parley paper scenario.json": "give it to parley sweep",
		"parley paper missing.json":  "missing.json",

		"parley paper market/units --nodes 10": "--nodes has no effect on market/units",
	} {
		if shown, complaints, code := run(line); code == 0 || shown != "" || !strings.Contains(complaints, want) || strings.Count(complaints, "\n") != 1 {
			t.Errorf("%s: %d %q %q", line, code, shown, complaints)
		}
	}
}

// TestBrokenStudies: what is wrong with an experiment's document is one sentence with the file,
// the line or the row, and the value.
func TestBrokenStudies(t *testing.T) {
	dir := t.TempDir()
	run := shell(t, dir)
	const whole = `{"v":1,
"function":"rounds/forms",
"axes":{"latency":[1,0.001]},
"seeds":{"from":1,"to":3},
"rows":[
 {"each":"latency","rows":[
  {"name":"D2 at {latency}","figure":"D2",
   "claim":{"near":2,"tolerance":1.5,"reason":"a newcomer's"}}]}]}`
	for _, c := range []struct{ old, young, want string }{
		{`"function"`, `"funktion"`, `unknown field "funktion" (line 2): did you mean function?`},
		{`"claim"`, `"clam"`, `unknown field "clam" (line 8): did you mean claim?`},
		{`[1,0.001]`, `[]`, `axes: "latency": the list is empty (line 3)`},
		{`"from":1`, `"from":"one"`, `seeds: {"from":"one","to":3} is no range: write one as {"from":0.8,"to":1.2,"step":0.1} (line 4)`},
		{`"each":"latency"`, `"each":7`, `each is 7: write the name of an axis, {"name":[values]} or a list of objects (line 6)`},
		{`"near":2`, `"near":"two"`, `"two" is no number: write one, or a name such as "{paper}" that each has (line 8)`},
		{`"name":"D2 at {latency}"`, `"name":2`, `rows.rows.name is a number, not a text (line 7)`},
		{`1.5`, `-1.5`, `rows: "D2 at 1": tolerance is -1.5: choose at least 0`},
		{`at {latency}`, `at {late}`, `rows: "D2 at {late}" names {late}, which neither each nor at has`},
		{`"v":1,`, `"v":1`, `invalid character '"' after object key:value pair (line 2, column 1)`},
		{`"a newcomer's"}}]}]}`, `"a newcomer's"`, `it ends too early, in line 8: is it cut off?`},
		{`rounds/forms`, `rounds/form`, `function is "rounds/form", which is not known here`},
	} {
		write(t, filepath.Join(dir, "mine.json"), strings.Replace(whole, c.old, c.young, 1))
		shown, complaints, code := run("parley paper mine.json")
		if code == 0 || shown != "" || !strings.HasPrefix(complaints, "parley: mine.json: ") || !strings.Contains(complaints, c.want) || strings.Count(complaints, "\n") != 1 {
			t.Errorf("%s: %d %q %q, want %q", c.young, code, shown, complaints, c.want)
		}
	}
}
