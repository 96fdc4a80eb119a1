package challenge_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"parley/assets"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study/challenge"
)

// TestScore: overloaded nodes and waiting tasks cost a point for each per cent.
func TestScore(t *testing.T) {
	for _, c := range []struct {
		means map[string]float64
		want  float64
	}{
		{map[string]float64{"running": 50}, 100},
		{map[string]float64{"running": 75, "waiting": 25, "overloaded_pct": 10}, 65},
		{map[string]float64{"waiting": 4}, 0},
		{nil, 100},
	} {
		if got := challenge.Score(c.means); got != c.want {
			t.Errorf("%v scores %v, want %v", c.means, got, c.want)
		}
	}
}

// TestVerdict: a difference counts if its interval over the seeds is on one side of zero.
func TestVerdict(t *testing.T) {
	of := func(scores ...float64) challenge.Result {
		return challenge.Result{Name: "best", Cells: [][]float64{scores, scores}}
	}
	best := of(90, 91, 92)
	for _, c := range []struct {
		own  challenge.Result
		want string
	}{
		{of(91, 92.1, 93), "beats best"},
		{of(89, 90.1, 91), "is beaten by best"},
		{of(91, 90, 92), "is not told apart from best"},
		{best, "is not told apart from best"},
		{of(91, 92, 93), "is not told apart from best"}, // three seeds that agree do not show that all do
	} {
		if d, got := c.own.Verdict(best); got != c.want {
			t.Errorf("%v against %v: %s, %+v", c.own.Scores(), best.Scores(), got, d)
		}
	}
	if d, got := of(95).Verdict(of(90)); got != "is not told apart from best" || d.Mean != 5 {
		t.Errorf("one seed tells nothing: %s, %+v", got, d)
	}
}

// TestOnlyTheSchedulerCounts: what a link says of cluster, work, faults and seed is left out.
func TestOnlyTheSchedulerCounts(t *testing.T) {
	c := document(t)
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","seed":99,"cluster":{"nodes":50},"workload":{"scale":0.1},"settings":{"policy":"worst-fit"},"until":"1m"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Scenario(challenge.EntryOf("own", s), 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got.Seed != 3 || got.Cluster.Nodes != 300 || got.Workload.Scale != 1.25 || got.Until.String() != "3h" || string(got.Settings) != `{"policy":"worst-fit"}` {
		t.Errorf("it plays %+v", got)
	}
}

// TestRecorded plays one cell of the recorded table again with its first seed left as it
// is: the mean over the seeds is the same.
func TestRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: five runs of 300 nodes")
	}
	c := document(t)
	text, err := os.ReadFile("../../../assets/challenge.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded challenge.Recorded
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/challenge.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := recorded.Markdown(); !strings.Contains(string(page), table) {
		t.Errorf("docs/challenge.md does not have the recorded table:\n%s", table)
	}
	if len(recorded.Rows) != len(c.Known) {
		t.Fatalf("%d rows for %d schedulers: record them by go run ./tools/gallery challenge", len(recorded.Rows), len(c.Known))
	}
	c.Cells = c.Cells[1:2]
	for i, e := range c.Known[:2] {
		r, err := c.Play(run.Systems(), e)
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		for _, x := range r.Scores() {
			mean += x / float64(len(c.Seeds))
		}
		if row := recorded.Rows[i]; row.Name != e.Name || math.Abs(row.Cells[1]-mean) > 1e-9 {
			t.Errorf("%s scores %v, recorded is %+v: record it by go run ./tools/gallery challenge", e.Name, mean, row)
		}
	}
}

func document(t *testing.T) *challenge.Challenge {
	t.Helper()
	text, _ := assets.Challenge("beat-best-fit")
	c, err := challenge.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRank: each scheduler is played once, the best comes first, what cannot be played last with its reason, and a
// stated score that is not the measured one is said.
func TestRank(t *testing.T) {
	c := document(t)
	c.Seeds, c.Cells = c.Seeds[:2], c.Cells[1:2]
	c.Cells[0].Plays = json.RawMessage(`{"v":1,"system":"central","cluster":{"nodes":60},"workload":{"scale":1.25},"until":"10m"}`)
	c.Known = c.Known[:2]
	wrong, right := 12.5, 0.0
	rows := c.Rank(run.Systems(), nil)
	for _, row := range rows {
		if row.Name == c.Known[1].Name {
			right = row.Score.Mean
		}
	}
	c.Known[0].Score, c.Known[1].Score = &wrong, &right
	rows = c.Rank(run.Systems(), []challenge.Entry{
		{Name: "none", System: "central", Settings: json.RawMessage(`{"policy":"nonsense"}`)},
		{Name: "twice", System: "central", Settings: json.RawMessage(` {"policy": "worst-fit"}`)},
		{Name: "third", System: "central", Settings: json.RawMessage(`{"policy":"first-fit"}`)},
	})
	if len(rows) != 4 {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	for i, row := range rows {
		if failed := row.Name == "none"; failed != (row.Failed != "") || failed != (i == 3) || failed != (row.Rank == 0) {
			t.Errorf("row %d is %+v", i, row)
		}
		if i > 0 && i < 3 && (row.Score.Mean > rows[i-1].Score.Mean || row.Rank != i+1) {
			t.Errorf("row %d is %+v after %+v", i, row, rows[i-1])
		}
		if stated := map[string]string{c.Known[0].Name: "12.50"}[row.Name]; row.LinkScore != stated {
			t.Errorf("%s says %q, want %q", row.Name, row.LinkScore, stated)
		}
		if (row.Difference == nil) != (row.Name == c.Known[0].Name || row.Failed != "") {
			t.Errorf("%s has the difference %+v", row.Name, row.Difference)
		}
	}
	programs := c.Rank(nil, []challenge.Entry{
		{Name: "one", System: "program", Program: "a"},
		{Name: "another", System: "program", Program: "b"},
		{Name: "one again", System: "program", Program: "a"},
	})
	if len(programs) != len(c.Known)+2 {
		t.Errorf("two programs and %d others have %d rows", len(c.Known), len(programs))
	}
	for _, text := range []string{
		`{"v":1,"name":"n","about":"","seeds":[` + strings.Repeat("1,", 50) + `1],"cells":[{"name":"c","about":"","plays":{}}],"known":[{"name":"k","system":"central"}]}`,
		`{"v":1,"name":"n","about":"","seeds":[],"cells":[],"known":[]}`,
	} {
		if _, err := challenge.Parse([]byte(text)); err == nil {
			t.Errorf("%.60s… is read", text)
		}
	}
}
