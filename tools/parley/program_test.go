package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// --program plays a text in place of the scenario's system. The run that it reports is
// reproduced by the scenario in its folder and by the link of that.
func TestProgramFromFile(t *testing.T) {
	policy, out := filepath.Join(checkout, "docs", "samples", "policy.star"), t.TempDir()
	type report struct {
		Digest string         `json:"digest"`
		System map[string]any `json:"system"`
	}
	var first, again, other report
	common := []string{"run", "#n=60&sys=central&seed=3", "--until", "4m", "--json", "--program", policy}
	call(t, "", &first, append(common, "--out", out)...)
	if first.System["calls"].(float64) < 100 {
		t.Errorf("the program was called %v times", first.System["calls"])
	}
	saved := filepath.Join(out, "scenario.json")
	call(t, "", &again, "run", saved, "--json")
	if again.Digest != first.Digest {
		t.Errorf("the saved scenario gives %s, want %s", again.Digest, first.Digest)
	}
	var link bytes.Buffer
	if code := parley.Main([]string{"link", saved}, &console.Console{In: strings.NewReader(""), Out: &link, Err: os.Stderr, Now: time.Now}); code != 0 {
		t.Fatalf("parley link exits with %d", code)
	}
	call(t, "", &again, "run", strings.TrimSpace(link.String()), "--json")
	if again.Digest != first.Digest {
		t.Errorf("the link gives %s, want %s", again.Digest, first.Digest)
	}
	call(t, "", &other, append(common, "--set", "settings.fill=0.5")...)
	if other.Digest == first.Digest {
		t.Error("a setting of the program changes nothing")
	}
	broken := filepath.Join(out, "broken.star")
	if err := os.WriteFile(broken, []byte("def on_submit(task, cluster, state):\n    cluster.plce(task, 0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(out, "empty.star")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--program " + filepath.Join(out, "none.star"), 1, "none.star"},
		{"--program " + empty, 1, "empty.star is empty: write def on_submit"},
		{"--program " + broken, 1, "line 2, column 12 of the program: cluster has no plce: did you mean place"},
		{"--system yield --program " + policy, 2, "--system yield reads no program"},
		{"--program " + policy + " --set settings.fil=0.5", 1, "the program has no setting fil: it has fill"},
	} {
		var complaints bytes.Buffer
		args := append([]string{"run", "#n=60&sys=central&seed=3", "--until", "4m"}, strings.Fields(c.args)...)
		code := parley.Main(args, &console.Console{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &complaints, Now: time.Now})
		if code != c.code || !strings.Contains(complaints.String(), c.says) || strings.Count(complaints.String(), "\n") != 1 {
			t.Errorf("%s exits with %d and says %q, want %d and %q", c.args, code, complaints.String(), c.code, c.says)
		}
	}
}
