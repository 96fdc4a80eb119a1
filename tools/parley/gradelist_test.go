package main_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A class hands in links: one table says for each whether it is reproduced, what it
// changed, and its figures; what a link may not change is marked.
func TestGradeList(t *testing.T) {
	dir := t.TempDir()
	run := shell(t, dir)
	digest := func(keys string) string {
		t.Helper()
		out, complaints, code := run("parley run '#" + keys + "' --until 2m --json")
		var report struct {
			Digest string `json:"digest"`
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 {
			t.Fatal(err, complaints)
		}
		return report.Digest[:8]
	}
	const exercise = "s=central-best-fit&n=100&may=settings.fill"
	ana := exercise + "&x.fill=0.9"
	ben := exercise + "&seed=5"
	list := "# class of week 6\n" +
		"Ana: https://host.example/page/#" + ana + "&at=2m&d=" + digest(ana) + "\n" +
		"\"Ben\";#" + ben + "&at=2m&d=" + digest(ben) + "\n\n" +
		"#" + exercise + "&name=Cleo&at=2m&d=00000000\n" +
		"Dora,#" + exercise + "\n" +
		"Emil forgot it\n" +
		"Finn: nonsense\n"
	write(t, filepath.Join(dir, "links.txt"), list)
	out, complaints, code := run("parley grade links.txt --figures overloaded_pct,tasks_waiting")
	if code != 1 || !strings.Contains(complaints, "4 of 6 runs are not reproduced") {
		t.Errorf("it exits with %d and says %q", code, complaints)
	}
	for _, want := range []string{
		`(?m)^hand-in +at +run +overloaded_pct +tasks_waiting +changed$`,
		`(?m)^Ana +2m +reproduced +[\d.]+ +\d+ +cluster\.nodes: 2500 → 100 \(may not change\); settings\.fill: 0 → 0\.9$`,
		`(?m)^Ben +2m +reproduced .*seed: 12 → 5 \(may not change\)`,
		`(?m)^Cleo +2m +differs: [0-9a-f]{8} here`,
		`(?m)^Dora +– +no moment: it has no at and d +– +– `,
		`(?m)^line 7 +– +no link in line 7: it has no #`,
		`(?m)^Finn +– +no link in line 8: it has no #`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	// the same against the exercise itself, as JSON
	out, complaints, _ = run("parley grade links.txt --json --of '#" + exercise + "'")
	var rows []struct {
		Name, Verdict string
		Changes       []string
		Broken        bool `json:"rules_broken"`
		Figures       map[string]float64
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 6 {
		t.Fatal(err, out, complaints)
	}
	if got := rows[0]; got.Name != "Ana" || got.Broken || strings.Join(got.Changes, ";") != "settings.fill: 0 → 0.9" || len(got.Figures) < 10 {
		t.Errorf("%+v", got)
	}
	if got := rows[1]; !got.Broken || strings.Join(got.Changes, ";") != "seed: 12 → 5 (may not change)" {
		t.Errorf("%+v", got)
	}
	for script, want := range map[string]string{
		"parley grade '#n=50&at=1m&d=00000000' --of google-calm": "and none is given",
		"parley grade links.txt --figures gone":                  `no report has a figure "gone"`,
		"parley grade links.txt --of nowhere":                    "--of: \"nowhere\" is no file",
	} {
		if _, complaints, code := run(script); code == 0 || !strings.Contains(complaints, want) {
			t.Errorf("%s exits with %d and says %q, want %q", script, code, complaints, want)
		}
	}
}
