package jobtable_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/jobtable"
)

// inputs are the files that the scripts of testdata read without a mapping, by script and place.
func inputs(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts:", err)
	}
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split("\n"+string(text), "\nread\n")[1:] {
			input, _, is := strings.Cut(part, "\n----\n")
			if !is {
				t.Fatalf("%s: a read without ----", name)
			}
			all[filepath.Base(name)+string(rune('a'+i/26))+string(rune('a'+i%26))] = strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(input) + "\n"
		}
	}
	return all
}

// Every log of the scripts gives the same jobs whatever pieces it comes in.
func TestSevenBytesOfScripts(t *testing.T) {
	for name, text := range inputs(t) {
		whole := read(memory(text, 0), "", trace.Options{SkipBadRows: true})
		if pieces := read(memory(text, 7), "", trace.Options{SkipBadRows: true}); pieces != whole {
			t.Errorf("%s in pieces:\n%s\nwhole:\n%s", name, pieces, whole)
		}
	}
}

// junk is what stands where a word or a number stood.
var junk = []string{
	"", "-1", "-7", "x", "0", "99999999999999999999", "1e400", "NaN", "|", "||||", "\"", "'", "<", ">", "{", "}", "[", "]", "=", ";", ",", ":", "\\", "\x00", "\xff", "é", "2026-13-45T99:99:99", "Feb 30 25:61:61",
	"null", "true", "UNLIMITED", "(null)", strings.Repeat("9", 300), strings.Repeat("y", 70_000), "\n", "\r", "\t",
}

// broken breaks one line of a text: a word of it, its end, or all of it.
func broken(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	i := r.IntN(len(lines))
	switch line := lines[i]; r.IntN(8) {
	case 0:
		lines[i] = line[:r.IntN(len(line)+1)]
	case 1:
		lines[i] = line + line
	case 2:
		lines[i] = ""
	default:
		words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\n|,;:<>=\"{}[]()", c) })
		if len(words) > 0 {
			lines[i] = strings.Replace(line, words[r.IntN(len(words))], junk[r.IntN(len(junk))], 1)
		}
	}
	return strings.Join(lines, "")
}

// Fifty broken rows of each log: reading ends with one sentence that names the file, or with a tally in which
// each row is played or left out; with bad rows passed over likewise.
func TestBrokenRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 51))
	rows := 50
	if testing.Short() {
		rows = 6
	}
	for name, text := range inputs(t) {
		for range rows {
			bad := broken(r, text)
			for _, skip := range []bool{false, true} {
				source, err := trace.Open([]trace.File{memory(bad, 0)}, format(), trace.Options{SkipBadRows: skip, MaxTasks: 1000})
				if err == nil {
					err = drain(source)
				}
				if err != nil {
					if text := err.Error(); !strings.HasPrefix(text, "jobs") || strings.ContainsAny(text, "\n\r") || len(text) > 2000 {
						t.Fatalf("%s: %q of\n%q", name, text, bad)
					}
					continue
				}
				tally, left := source.Tally(), int64(0)
				for _, c := range tally.LeftOut {
					left += c.Count
				}
				if tally.Played < 0 || tally.Played+left != tally.Rows {
					t.Fatalf("%s: %+v of\n%q", name, tally, bad)
				}
			}
		}
	}
}

// A document of one line that is longer than what is read at once loses no job.
func TestLongDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("<Data>")
	const jobs = 5000
	for i := range jobs {
		fmt.Fprintf(&b, "<Job><Job_Id>%d.srv</Job_Id><Variable_List>%s</Variable_List><job_state>C</job_state><ctime>1772445600</ctime><exec_host>n1/0-3</exec_host>"+
			"<start_time>1772445900</start_time><comp_time>%d</comp_time></Job>", i+1, strings.Repeat("x", 400+i%97), 1772446500+i)
	}
	b.WriteString("</Data>\n")
	report, err := format()[0].Summarise([]trace.File{memory(b.String(), 0)}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := report.Summary.(jobtable.Summary); s.Jobs != jobs || s.LargestJob != 4 {
		t.Errorf("%d jobs of %d, the largest with %d processors; want 4", s.Jobs, jobs, s.LargestJob)
	}
}
