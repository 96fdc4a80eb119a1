package papers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/core/paper"
	"parley/tools/gallery/papers"
)

const root = "../../.."

// TestEveryExperimentIsRecorded: in their order, as they call themselves, and with the
// command line of the size that they are recorded at.
func TestEveryExperimentIsRecorded(t *testing.T) {
	recorded, err := papers.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []paper.Experiment
	for _, r := range recorded {
		got = append(got, paper.Experiment{ID: r.ID, Title: r.Title, Source: r.Source, Seconds: r.Seconds})
		if command := "parley " + strings.Join(papers.SizeOf(r.ID).Arguments(r.ID), " "); r.Command != command {
			t.Errorf("%s was recorded by %q, and its size says %q: go run ./tools/gallery papers %[1]s", r.ID, r.Command, command)
		}
		if e, err := paper.Find(r.ID); err == nil && (r.Claim != e.Claim || r.Claim == "") {
			t.Errorf("%s was recorded with the claim %q, and says %q", r.ID, r.Claim, e.Claim)
		}
		if r.Result.ID != r.ID || len(r.Result.Rows) == 0 {
			t.Errorf("%s: the result is of %q and has %d rows", r.ID, r.Result.ID, len(r.Result.Rows))
		}
		if size := papers.SizeOf(r.ID); r.Small != (size.Seeds > 0 || size.Nodes > 0) || size.Seeds > 0 && r.Result.Seeds != size.Seeds {
			t.Errorf("%s: small is %v with %d seeds, and its size is %+v", r.ID, r.Small, r.Result.Seeds, size)
		}
	}
	for _, e := range paper.Experiments() {
		want = append(want, paper.Experiment{ID: e.ID, Title: e.Title, Source: e.Source, Seconds: e.Seconds})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recorded (-experiments +recordings): go run ./tools/gallery papers\n%s", diff)
	}
}

// TestRecordingsAreWhatIsFound plays the quick experiments again: the same to the last
// bit.
func TestRecordingsAreWhatIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: plays experiments again")
	}
	recorded, err := papers.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for _, r := range recorded {
		switch r.ID {
		default:
			continue
		case "yield/table1", "rounds/table2", "rounds/lemmas", "rounds/adapt", "market/units":
		}
		again++
		e, err := paper.Find(r.ID)
		if err != nil {
			t.Fatal(err)
		}
		size := papers.SizeOf(r.ID)
		result, err := e.Run(paper.Options{Seeds: size.Seeds, Nodes: size.Nodes})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(lines(t, r.Result), lines(t, result)); diff != "" {
			t.Errorf("%s (-recorded +found): go run ./tools/gallery papers %[1]s\n%s", r.ID, diff)
		}
	}
	if again != 5 {
		t.Errorf("%d experiments were played again, not 5", again)
	}
}

func lines(t *testing.T, r paper.Result) string {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
