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
		"parley paper unknown.json":  `unknown.json: function is "rounds/form", which is not known here; there are batch/log, board/files, board/graphs, market/gain, `,
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
