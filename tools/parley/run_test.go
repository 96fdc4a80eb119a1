package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	parley "parley/tools/parley"
	"parley/tools/parley/console"
)

// The documents have the fields that the reference of the command line lists.
func TestReportsHaveTheirFields(t *testing.T) {
	fields := func(document map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(document)), " ") }
	check := func(subject, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s has the fields\n%s\nwant\n%s", subject, got, want)
		}
	}
	var report map[string]any
	call(t, "", &report, "run", "#n=100&sys=negotiation", "--until", "3m", "--json")
	check("run", fields(report), "at_end digest engine events metrics repairs scenario simulated_s speedup system tasks wall_s warnings window")
	system := report["system"].(map[string]any)
	for _, name := range strings.Fields(`idle_pct overloaded_pct sta_pct ta_pct pa_pct da_pct tasks_submitted tasks_placed tasks_waiting
		migrations migration_mb migrations_forced migration_attempts migration_rejected rus_breaches_per_min messages`) {
		if _, ok := system[name].(float64); !ok {
			t.Errorf("the system's report has no number %s", name)
		}
	}
	four := system["sta_pct"].(float64) + system["ta_pct"].(float64) + system["pa_pct"].(float64) + system["da_pct"].(float64)
	if four < 100-1e-6 || four > 100+1e-6 {
		t.Errorf("the four classes sum to %v %%", four)
	}
	if wall, speed := report["wall_s"].(float64), report["speedup"].(float64); wall <= 0 || speed != 180/wall {
		t.Errorf("180 s took %v s, %v times real time", wall, speed)
	}

	var list []map[string]any
	call(t, "", &list, "paper", "--json")
	if len(list) == 0 {
		t.Fatal("no experiments are listed")
	}
	check("paper", fields(list[0]), "claim id seconds source title")

	var compared map[string]any
	call(t, "", &compared, "compare", "#n=100&sys=central", "#n=100&sys=central&x.policy=random", "--until", "2m", "--seeds", "2", "--json")
	check("compare", fields(compared), "engine metrics scenarios seeds simulated_s window")
}

// What a comparison says of one scenario is what a run of it says, seed by
// seed, and its deltas are the differences.
func TestCompareIsRunsSideBySide(t *testing.T) {
	links := []string{"#n=100&sys=central&x.policy=best-fit", "#n=100&sys=central&x.policy=worst-fit"}
	var all struct {
		Seeds     []uint64
		Scenarios []struct{ Digests []string }
		Metrics   []struct {
			ID             string
			Values, Deltas []struct{ Mean, Spread float64 }
		}
	}
	call(t, "", &all, append([]string{"compare", "--until", "10m", "--seeds", "2", "--json"}, links...)...)
	if len(all.Seeds) != 2 {
		t.Fatalf("two seeds are asked for, %d compared", len(all.Seeds))
	}
	for i, link := range links {
		for k, seed := range all.Seeds {
			var p played
			call(t, "", &p, "run", link, "--until", "10m", "--seed", fmt.Sprint(seed), "--json")
			if got := all.Scenarios[i].Digests[k]; got != p.Digest {
				t.Errorf("%s with seed %d: compared %s, run %s", link, seed, got, p.Digest)
			}
		}
	}
	moved := false
	for _, m := range all.Metrics {
		delta := m.Values[1].Mean - m.Values[0].Mean
		if got := m.Deltas[0].Mean; got < delta-1e-9 || got > delta+1e-9 {
			t.Errorf("%s: %v and %v differ by %v", m.ID, m.Values[0].Mean, m.Values[1].Mean, got)
		}
		moved = moved || m.Deltas[0].Mean != 0
	}
	if !moved {
		t.Error("two policies that differ in nothing are one policy")
	}
}

// A terminal sees how far a run is, on a line that is gone at the end; a file
// sees nothing of it.
func TestProgress(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		now := time.Unix(0, 0)
		var out, line bytes.Buffer
		code := parley.Main([]string{"run", "#n=100&sys=central", "--until", "9m"}, &console.Console{
			In: strings.NewReader(""), Out: &out, Err: &line, Terminal: terminal,
			Now: func() time.Time { now = now.Add(2 * time.Millisecond); return now },
		})
		if code != 0 || strings.Contains(out.String(), "\r") {
			t.Errorf("exits with %d and prints %q", code, out.String())
		}
		if terminal && (!strings.Contains(line.String(), " of 9m, ") || !strings.HasSuffix(line.String(), "\r\x1b[K")) {
			t.Errorf("a terminal sees %q", line.String())
		}
		if !terminal && line.Len() > 0 {
			t.Errorf("a file sees %q", line.String())
		}
	}
}

// bench rounds plays one plan in SimGrid and here, and says so where SimGrid is
// not installed.
func TestBenchAgainstSimGrid(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: builds a program of SimGrid")
	}
	var bench struct {
		Rows []struct {
			Name  string
			Value float64
		}
		Notes []string
	}
	call(t, "", &bench, "bench", "rounds", "--native", "--runs", "1", "--json")
	rows := map[string]float64{}
	for _, row := range bench.Rows {
		rows[row.Name] = row.Value
	}
	if len(bench.Notes) == 1 && strings.Contains(bench.Notes[0], "SimGrid is not installed") {
		t.Skip(bench.Notes[0])
	}
	live, recurrence := rows["the same plan live, ratio to SimGrid"], rows["the same plan by its recurrence, ratio to SimGrid"]
	if !(live > 1) || !(recurrence > live) || !(rows["the same plan in SimGrid"] > 0) || len(bench.Notes) > 0 {
		t.Errorf("ratios %v and %v in %v, notes %q", live, recurrence, rows, bench.Notes)
	}
}

// fullDisk is a disk without room.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFullDisk(t *testing.T) {
	for _, args := range [][]string{
		{"run", "#n=100&sys=central", "--until", "1m"},
		{"run", "#n=100&sys=central", "--until", "1m", "--json"},
		{"paper"},
		{"--help"},
	} {
		var complaints bytes.Buffer
		code := parley.Main(args, &console.Console{In: strings.NewReader(""), Out: fullDisk{}, Err: &complaints, Now: time.Now})
		if want := "parley: standard output cannot be written: " + syscall.ENOSPC.Error() + "\n"; code != 1 || complaints.String() != want {
			t.Errorf("%q exits with %d and says %q", args, code, complaints.String())
		}
	}
}

// A run that is interrupted keeps what it played, on standard output and in its
// folder; an experiment ends at once.
func TestInterrupted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	stop := make(chan struct{})
	looks := 0
	var text, complaints bytes.Buffer
	code := parley.Main([]string{"run", "#n=100&sys=central", "--until", "29d", "--json", "--out", out}, &console.Console{
		In: strings.NewReader(""), Out: &text, Err: &complaints, Stop: stop,
		Now: func() time.Time {
			if looks++; looks == 3 {
				close(stop)
			}
			return time.Now()
		},
	})
	if want := " of 29d, and the report is of what was played until then\n"; code != 130 || !strings.HasPrefix(complaints.String(), "parley: interrupted; the run ended at ") || !strings.HasSuffix(complaints.String(), want) {
		t.Fatalf("exits with %d and says %q", code, complaints.String())
	}
	var report played
	if err := json.Unmarshal(text.Bytes(), &report); err != nil || report.Digest == "" {
		t.Errorf("the report is %q: %v", text.String(), err)
	}
	kept, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil || !bytes.Equal(kept, text.Bytes()) {
		t.Errorf("the folder has %q: %v", kept, err)
	}

	code = parley.Main([]string{"paper", "negotiation/rus"}, &console.Console{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Now: time.Now, Stop: stop})
	if code != 130 {
		t.Errorf("an interrupted experiment exits with %d", code)
	}
}

// A comparison ends however slow its clock says that everything is: two players share
// one whose time passes whenever one of them looks at it. How many looks that takes depends on
// who looks when: each of the 13,000 events needs at most the 16 steps in which a chunk of a
// millisecond grows to a sample's minute, with four looks a step. Chunks that do not grow need
// 70 million.
func TestCompareUnderTickingClock(t *testing.T) {
	for _, tick := range []time.Duration{2 * time.Millisecond, time.Minute} {
		var ticks atomic.Int64
		code := parley.Main([]string{"compare", "#n=20&sys=central", "#n=20&sys=negotiation", "--until", "1h", "--seeds", "2", "--jobs", "2"}, &console.Console{
			In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
			Now: func() time.Time { return time.Unix(0, 0).Add(time.Duration(ticks.Add(1)) * tick) },
		})
		if code != 0 || ticks.Load() > 1_000_000 {
			t.Errorf("with %v a look it exits with %d after %d looks", tick, code, ticks.Load())
		}
	}
}

// TestFilesPlayAgain: the command at the end of a report plays a dump of a Kubernetes cluster again
// to the same digest; another dump is refused.
func TestFilesPlayAgain(t *testing.T) {
	dir := t.TempDir()
	run := shell(t, dir)
	for name, nodes := range map[string]string{"dump.json": "8", "other.json": "9"} {
		dump, _, _ := run("parley cluster generate --pods 100 --nodes " + nodes)
		write(t, filepath.Join(dir, name), dump)
	}
	first, complaints, code := run("parley run dump.json --system central --set settings.policy=least-allocated --until 10m")
	_, again, found := strings.Cut(first, "\nplays again: ")
	if code != 0 || !found {
		t.Fatalf("%d, %s, %s", code, complaints, first)
	}
	second, complaints, code := run(strings.TrimSpace(again))
	digest := func(report string) string { return strings.SplitN(report, "\n", 4)[2] }
	if code != 0 || digest(second) != digest(first) || !strings.HasPrefix(digest(first), "digest ") {
		t.Errorf("%d, %s: %q after %q", code, complaints, digest(second), digest(first))
	}
	if _, complaints, code := run(strings.Replace(strings.TrimSpace(again), "dump.json", "other.json", 1)); code == 0 || !strings.Contains(complaints, "which none of the given files has") {
		t.Errorf("another dump: %d, %q", code, complaints)
	}
}
