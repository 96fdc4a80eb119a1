package sweeps

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/study"
)

// line returns the line of the result of a run with a number.
func line(t *testing.T, run int) string {
	t.Helper()
	id := fmt.Sprintf("%032x", run)
	text, err := study.Result{ID: id, Engine: "1", Digest: id[:16], Figures: map[string]float64{"x": float64(run)}}.Line()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shards makes a folder with the files of two shards that play: the first has one result and a half, the second one.
func shards(t *testing.T) (dir string, parts [2]string) {
	t.Helper()
	dir = t.TempDir()
	folder := filepath.Join(dir, partsFolder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{line(t, 1) + line(t, 2)[:30], line(t, 3)} {
		parts[i] = filepath.Join(folder, fmt.Sprintf("shard-%d-of-2.a.part", i+1))
		if err := os.WriteFile(parts[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, parts
}

// rename renames the file of a shard as Done does.
func rename(t *testing.T, part string) {
	t.Helper()
	if err := os.Rename(part, strings.TrimSuffix(part, ".part")+".jsonl"); err != nil {
		t.Fatal(err)
	}
}

// TestRenamedMeanwhile: a shard that is done renames its file at any moment of a reader: before its file is opened, or
// while it is open. All results are read at once, and each line and each repair counts once.
func TestRenamedMeanwhile(t *testing.T) {
	for _, x := range []struct {
		when   string
		rename [2]string // which file is renamed, by the one that is opened; "before" or "after" that
	}{
		{"not", [2]string{}},
		{"before the first is opened", [2]string{"before", ""}},
		{"before the second is opened", [2]string{"", "before"}},
		{"after the first was opened", [2]string{"after", ""}},
		{"both after they were opened", [2]string{"after", "after"}},
	} {
		dir, parts := shards(t)
		have := study.NewResults("1")
		f := newFolder(dir, have)
		f.open = func(name string) (*os.File, error) {
			at := -1
			for i, part := range parts {
				if name == part && x.rename[i] != "" {
					at = i
				}
			}
			if at >= 0 && x.rename[at] == "before" {
				rename(t, name)
			}
			file, err := os.Open(name)
			if at >= 0 && x.rename[at] == "after" {
				rename(t, name)
			}
			return file, err
		}
		lines, err := f.readLines()
		if want := line(t, 1) + line(t, 3); err != nil || string(lines) != want || have.Len() != 2 || have.Repairs != 1 {
			t.Errorf("renamed %s: %v, %d results, %d repairs, lines\n%swant\n%s", x.when, err, have.Len(), have.Repairs, lines, want)
		}
		for i, part := range parts {
			if x.rename[i] == "" {
				rename(t, part)
			}
		}
		if err := f.Refresh(); err != nil || have.Len() != 2 || have.Repairs != 1 {
			t.Errorf("renamed %s, and the others after it: %v, %d results, %d repairs", x.when, err, have.Len(), have.Repairs)
		}
	}
}
