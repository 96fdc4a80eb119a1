package papers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/paper"
	"parley/tools/gallery/papers"
)

// TestTableIsWhatIsRecorded: the table of the documentation and the page's recordings are one.
func TestTableIsWhatIsRecorded(t *testing.T) {
	recorded, err := papers.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(papers.Document)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := papers.PutTable(text, recorded)
	if err != nil || !bytes.Equal(text, want) {
		t.Errorf("%s shows other recordings than %s (%v): go run ./tools/gallery papers rounds/adapt", papers.Document, papers.File, err)
	}
	if _, err := papers.PutTable([]byte("words"), recorded); err == nil {
		t.Error("a table was put where there is no place")
	}
}

// TestNewcomersRow: an experiment that is a document alone is judged, and has its row in the
// table.
func TestNewcomersRow(t *testing.T) {
	e, err := paper.Document("rounds/newcomer", []byte(`{"v":1,"name":"Two latencies","source":"table 2","function":"rounds/forms",
		"axes":{"latency":[1,0.001]},"seeds":{"from":1,"to":3},
		"rows":[{"whose":"theirs","each":[{"latency":1,"paper":2.42},{"latency":0.001,"paper":3.5}],"name":"D2 at latency {latency}","figure":"D2","unit":"%","claim":{"near":"{paper}","tolerance":3,"reason":"a newcomer's"}},
			{"at":{"latency":1},"name":"D1","figure":"D1"},
			{"whose":"ours","at":{"latency":1},"name":"D3","figure":"D3","claim":{"near":26,"tolerance":0.1,"reason":"too narrow for three seeds"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(paper.Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := papers.Table([]papers.Recording{
		{ID: e.ID, Command: "parley paper rounds/newcomer", Result: result},
		{ID: "none", Command: "parley paper none", Result: paper.Result{Seeds: 1, Rows: result.Rows[2:3]}},
	})
	if !strings.HasSuffix(table, "| rounds/newcomer | 3 | 1 | 1 | 1 | `parley paper rounds/newcomer` |\n| · theirs | | 1 | 1 | 0 | |\n| · ours | | 0 | 0 | 1 | |\n| none | 1 | – | – | – | `parley paper none` |\n") {
		t.Error(table)
	}
}
