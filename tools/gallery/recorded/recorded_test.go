package recorded_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/core/run"
	"parley/core/unit"
	"parley/tools/gallery/cards"
	"parley/tools/gallery/recorded"
)

const root = "../../.."

// All recordings together are a small part of what the page is.
const budget = 2 << 20

// Every question that asks for it has its recording, and there are no others.
func TestFiles(t *testing.T) {
	questions, err := cards.Questions(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(recorded.Folder)))
	if err != nil {
		t.Fatal(err)
	}
	var there, want []string
	sum := int64(0)
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		there, sum = append(there, file.Name()), sum+info.Size()
	}
	for _, q := range questions {
		if q.Recorded {
			want = append(want, recorded.Name(q.ID))
		}
	}
	if slices.Sort(want); !slices.Equal(there, want) {
		t.Errorf("the recordings are %v, want %v: make gallery writes them", there, want)
	}
	if sum > budget {
		t.Errorf("the recordings have %d bytes, more than %d", sum, budget)
	}
}

// A run that replays its recording is the run that searches: the digests are equal when the page
// opens it, and at its finding.
func TestReplays(t *testing.T) {
	questions, err := cards.Questions(root)
	if err != nil {
		t.Fatal(err)
	}
	index, err := cards.Read(root, questions)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		if !q.Recorded {
			continue
		}
		t.Run(q.ID, func(t *testing.T) {
			tape, err := recorded.Read(root, q.ID)
			if err != nil {
				t.Fatal(err)
			}
			if tape.Engine != run.Engine || tape.Until != q.Opens() {
				t.Fatalf("the recording is of version %s up to %v, want %s and %v: make gallery records it anew", tape.Engine, tape.Until, run.Engine, q.Opens())
			}
			if testing.Short() && q.ID != "central-kube" {
				t.Skip("-short: cells that take seconds are left out")
			}
			s, err := recorded.Scenario(root, q.ID)
			if err != nil {
				t.Fatal(err)
			}
			replays, err := run.Open(s, nil, run.Replay(tape))
			if err != nil {
				t.Fatal(err)
			}
			if err := replays.Advance(unit.Time(q.At)); err != nil {
				t.Fatal(err)
			}
			if got := replays.Digest().String(); got != index[i].Digest {
				t.Errorf("with the recording of %d choices the digest is %s, without it %s", tape.Len(), got, index[i].Digest)
			}
		})
	}
}
