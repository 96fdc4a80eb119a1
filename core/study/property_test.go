package study_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/estimate"
	"parley/core/study"
	_ "parley/core/testkit/scripttest/seed"
)

// kinds are a plain grid, one that stops by confidence, a search, and one that stops by
// confidence of differences.
var kinds = []string{
	`{"v":1,"base":"small","axes":{"cluster.nodes":[50,100],"workload.scale":{"from":0.5,"to":0.7,"step":0.1}},"seeds":{"from":1,"to":3},"compare":{"axis":"cluster.nodes"}}`,
	`{"v":1,"base":"small","axes":{"cluster.nodes":[50,100]},"seeds":{"from":1,"to":30},"stop":{"metric":"load","half_width":0.03}}`,
	`{"v":1,"base":"small","axes":{"cluster.nodes":[50,100]},"seeds":[2,3],"search":{"axis":"workload.scale","from":0.9,"to":1.5,"step":0.05,"start":1,"find":"largest","fits":{"load":{"at_most":1.3}}}}`,
	`{"v":1,"base":"small","axes":{"cluster.nodes":[50,100],"workload.scale":[1,1.05,2]},"seeds":{"from":1,"to":20},"compare":{"axis":"workload.scale","with":1.05},"stop":{"metric":"wait","difference":true,"half_width":0.6}}`,
}

func tableOf(t interface{ Fatal(...any) }, s *study.Study, have *study.Results) []byte {
	tab, err := s.Tabulate(have)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(tab)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// However often a sweep is interrupted, whoever plays which share, in whichever order
// files are read, and how often: the table is that of one go to the bit, and each run is
// played once.
func TestInterruptedSharedAndMerged(t *testing.T) {
	for _, doc := range kinds {
		s, err := study.Parse([]byte(doc), named)
		if err != nil {
			t.Fatal(err)
		}
		whole := study.NewResults(engine)
		once, err := finish(s, whole, study.Shard{Of: 1}, s.Runs())
		if err != nil {
			t.Fatal(err)
		}
		want := tableOf(t, s, whole)
		rapid.Check(t, func(t *rapid.T) {
			of := rapid.IntRange(1, 7).Draw(t, "shards")
			var files []string
			count := 0
			for shard := range of {
				have := study.NewResults(engine)
				var file bytes.Buffer
				for {
					runs, err := finish(s, have, study.Shard{Number: shard, Of: of}, rapid.IntRange(1, 30).Draw(t, "until killed"))
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range runs {
						line, _ := played(r).Line()
						file.Write(line)
					}
					if count += len(runs); len(runs) == 0 {
						break
					}
				}
				files = append(files, file.String(), file.String()[:rapid.IntRange(0, file.Len()).Draw(t, "cut")])
			}
			if count != len(once) {
				t.Fatalf("%d runs were played, not %d", count, len(once))
			}
			rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			merged := study.NewResults(engine)
			for i, f := range files {
				if _, err := merged.Read(fmt.Sprint(i), strings.NewReader(f)); err != nil {
					t.Fatal(err)
				}
			}
			if got := tableOf(t, s, merged); !bytes.Equal(got, want) {
				t.Fatalf("the table is\n%s\nnot\n%s", got, want)
			}
		})
	}
}

// Two results of one run that differ name both files, whichever comes first.
func TestConflicts(t *testing.T) {
	s, err := study.Parse([]byte(kinds[0]), named)
	if err != nil {
		t.Fatal(err)
	}
	have := study.NewResults(engine)
	runs, err := finish(s, have, study.Shard{Of: 1}, 3)
	if err != nil {
		t.Fatal(err)
	}
	other := played(runs[1])
	other.Digest = "00000000deadbeef"
	var conflict *study.Conflict
	if err := have.Add(other, "elsewhere"); !errors.As(err, &conflict) || !strings.Contains(err.Error(), "memory") || !strings.Contains(err.Error(), "elsewhere") ||
		!strings.Contains(err.Error(), other.Digest) || !strings.Contains(err.Error(), played(runs[1]).Digest) {
		t.Errorf("another digest: %v", err)
	}
	other = played(runs[1])
	other.Figures["load"]++
	if err := have.Add(other, "elsewhere"); !errors.As(err, &conflict) || conflict.Figure != "load" {
		t.Errorf("another figure: %v", err)
	}
	other = played(runs[1])
	other.WallS, other.Machine = 7, "another"
	if err := have.Add(other, "elsewhere"); err != nil {
		t.Errorf("another time is no conflict: %v", err)
	}
}

// playedOut plays a sweep to its end: every run that was played is in the table, and none
// is missing there.
func playedOut(t *testing.T, document string) (*study.Study, []study.Run, *study.Table) {
	t.Helper()
	s, err := study.Parse([]byte(document), named)
	if err != nil {
		t.Fatal(err)
	}
	have := study.NewResults(engine)
	runs, err := finish(s, have, study.Shard{Of: 1}, s.Runs())
	if err != nil {
		t.Fatal(err)
	}
	tab, err := s.Tabulate(have)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != tab.Done || tab.Done != tab.Runs {
		t.Errorf("%d runs played, %d in the table of %d", len(runs), tab.Done, tab.Runs)
	}
	return s, runs, tab
}

// A sweep that stops by confidence plays no seed after the interval was narrow enough.
func TestStopPlaysNoSeedTooMany(t *testing.T) {
	s, runs, tab := playedOut(t, kinds[1])
	if tab.Done >= s.Runs() {
		t.Errorf("%d runs were played, the most that there are", s.Runs())
	}
	looks := estimate.Looks(3, 30)
	for _, r := range tab.Rows {
		var values []float64
		for _, run := range runs {
			if cell := s.Cell(run.Cell); string(cell.Values[0]) == string(r.At[0].Value) {
				values = append(values, played(run).Figures["load"])
			}
		}
		at := slices.Index(looks, r.N)
		if at < 0 {
			t.Fatalf("%d seeds were looked at, and not after 3, 6, 12 …", r.N)
		}
		for _, n := range looks[:at] {
			if estimate.OfLooks(values[:n], len(looks)).Half() <= 0.03 {
				t.Errorf("%d seeds, though %d told enough", r.N, n)
			}
		}
		f, _ := study.Find(r.Figures, "load")
		if f.Half() > 0.03 || *f.Interval != *estimate.OfLooks(values, len(looks)).Interval {
			t.Errorf("%d seeds give ± %v", r.N, f.Half())
		}
	}
}

// A difference is looked at after 5, 10, 20 … seeds, all at once; a cell plays no seed after
// it told enough, and the one that it is compared with as many as any of them.
func TestStopByDifferencePlaysNoSeedTooMany(t *testing.T) {
	s, runs, tab := playedOut(t, kinds[3])
	looks := estimate.Looks(5, 20)
	for i, r := range tab.Rows {
		if len(r.Differences) == 0 { // the middle one of three, with which the others are compared
			if r.N != max(tab.Rows[i-1].N, tab.Rows[i+1].N) {
				t.Errorf("%v: %d seeds", r.At, r.N)
			}
			continue
		}
		var own, others []float64
		for _, run := range runs {
			if cell := s.Cell(run.Cell); string(cell.Values[0]) != string(r.At[0].Value) || run.Seed > uint64(r.N) {
				continue
			} else if x := played(run).Figures["wait"]; string(cell.Values[1]) == string(r.At[1].Value) {
				own = append(own, x)
			} else if string(cell.Values[1]) == "1.05" {
				others = append(others, x)
			}
		}
		tells := func(n int) bool {
			d := estimate.OfLooks(estimate.Differences(own[:n], others[:n]), len(looks))
			return d.Low > 0 || d.High < 0 || d.Half() <= 0.6
		}
		for _, n := range looks[:slices.Index(looks, r.N)] {
			if tells(n) {
				t.Errorf("%v: %d seeds, though %d told enough", r.At, r.N, n)
			}
		}
		if !tells(r.N) && r.N != 20 {
			t.Errorf("%v: stopped after %d seeds without an answer", r.At, r.N)
		}
		if d, _ := study.Find(r.Differences, "wait"); d.Interval == nil || *d.Interval != *estimate.OfLooks(estimate.Differences(own, others), len(looks)).Interval {
			t.Errorf("%v: the table has the interval %+v", r.At, d)
		}
	}
}

// A run that cannot be played stops what follows from it and nothing else.
func TestFailuresAreGivenUp(t *testing.T) {
	for i, doc := range kinds {
		s, err := study.Parse([]byte(doc), named)
		if err != nil {
			t.Fatal(err)
		}
		have := study.NewResults(engine)
		q := study.NewQueue(s, have, study.Shard{Of: 1})
		for {
			r, ok, err := q.Take()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			broken := r.Cell == 0 && r.Seed == 2
			if !broken {
				if err := have.Add(played(r), "memory"); err != nil {
					t.Fatal(err)
				}
			}
			if err := q.Done(r, broken); err != nil {
				t.Fatal(err)
			}
		}
		tab, err := s.Tabulate(have)
		if err != nil {
			t.Fatal(err)
		}
		if tab.Runs-tab.Done != 1 {
			t.Errorf("%s: %d runs are missing, not 1", kinds[i], tab.Runs-tab.Done)
		}
	}
}

// FuzzParse: a document is refused in one bearable sentence or is a sweep that can be
// expanded and written down.
func FuzzParse(f *testing.F) {
	for _, doc := range append(kinds, `{}`, `[`, `{"v":1,"base":"small","axes":{"seed":[1]}}`, `{"v":1,"base":{},"axes":{"a":{"from":0,"to":1e300}}}`, `{"v":1,"base":"small","axes":{"faults.0":[{"at":"5m","kind":"node_down","target":"node.1"}]},"zip":[["faults.0"]]}`) {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := study.Parse(doc, named)
		if err != nil {
			if text := err.Error(); len(text) > 2000 || strings.Contains(text, "\n") {
				t.Fatalf("%q", text)
			}
			return
		}
		if s.Runs() > study.MaxRuns || s.Runs() < 1 {
			t.Fatalf("%d runs", s.Runs())
		}
		s.Cell(s.Cells() - 1)
		if _, _, err := study.NewQueue(s, study.NewResults(engine), study.Shard{Of: 1}).Take(); err != nil {
			t.Fatal(err)
		}
		if _, err := study.Parse(s.Encode(), nil); err != nil {
			t.Fatalf("%v of\n%s", err, s.Encode())
		}
	})
}

// A line that is altered in any byte, or by a digit, is refused with its file and line;
// one of an earlier version, without a checksum, is read and counted.
func TestAlteredLines(t *testing.T) {
	s, err := study.Parse([]byte(kinds[0]), named)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := played(runs[0]).Line()
	second, err := played(runs[1]).Line()
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(second) - 1 {
		for _, by := range []byte{1, 2, 16, 32} {
			line := bytes.Clone(second)
			if line[i] ^= by; line[i] == '\n' {
				continue
			}
			_, err := study.NewResults(engine).Read("x.jsonl", bytes.NewReader(append(bytes.Clone(first), line...)))
			if err == nil || !strings.HasPrefix(err.Error(), "x.jsonl, line 2 is no result: ") {
				t.Fatalf("byte %d is %q: %v", i, line[i], err)
			}
		}
	}
	at := bytes.LastIndex(first, []byte(`,"crc32":`))
	earlier := append(bytes.Clone(first[:at]), "}\n"...)
	r := study.NewResults(engine)
	if _, err := r.Read("x.jsonl", bytes.NewReader(append(earlier, second...))); err != nil || r.Len() != 2 || r.NoSums != 1 {
		t.Errorf("%v: %d results, %d without a checksum", err, r.Len(), r.NoSums)
	}
}

// TestLostChecksum: a line that has lost its checksum is of no earlier version where a line before
// it has one.
func TestLostChecksum(t *testing.T) {
	s, err := study.Parse([]byte(kinds[0]), named)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := played(runs[0]).Line()
	second, _ := played(runs[1]).Line()
	for _, end := range []string{"}\n", ",\"crc32\":\"\"}\n"} {
		line := append(bytes.Clone(second[:bytes.LastIndex(second, []byte(`,"crc32":`))]), end...)
		const want = "x.jsonl, line 2 is no result: it has no checksum, and a line before it has one: somebody wrote or altered it; remove the line, and its run is played again"
		if _, err := study.NewResults(engine).Read("x.jsonl", bytes.NewReader(append(bytes.Clone(first), line...))); err == nil || err.Error() != want {
			t.Errorf("%q: %v", end, err)
		}
	}
}

// FuzzRead: a file of results is refused with its line or read, and what is read whole
// can be read again.
func FuzzRead(f *testing.F) {
	s, err := study.Parse([]byte(kinds[0]), named)
	if err != nil {
		f.Fatal(err)
	}
	runs, err := finish(s, study.NewResults(engine), study.Shard{Of: 1}, 2)
	if err != nil {
		f.Fatal(err)
	}
	line, _ := played(runs[0]).Line()
	f.Add(line)
	f.Add(append(bytes.Clone(line), line[:40]...))
	f.Add([]byte("\n{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := study.NewResults(engine)
		whole, err := r.Read("x.jsonl", bytes.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.jsonl, line ") && !strings.HasPrefix(err.Error(), "the run ") {
				t.Fatal(err)
			}
			return
		}
		again := study.NewResults(engine)
		if _, err := again.Read("x.jsonl", bytes.NewReader(text[:whole])); err != nil || again.Len() != r.Len() || again.Repairs != 0 {
			t.Fatalf("%v: %d results, not %d; %d repairs", err, again.Len(), r.Len(), again.Repairs)
		}
	})
}
