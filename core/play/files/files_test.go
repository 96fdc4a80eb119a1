package files_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/core/message"
	"parley/core/play/files"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// stored is a file whose bytes come a few at a time; after so many openings it cannot
// be opened any more (0: always).
type stored struct {
	content  []byte
	step     int
	openings int
}

func (s *stored) file(name string) trace.File {
	opened := 0
	return trace.File{Name: name, Size: int64(len(s.content)), Open: func() (io.ReadCloser, error) {
		if opened++; s.openings > 0 && opened > s.openings {
			return nil, errors.New("the disk is gone")
		}
		return io.NopCloser(&pieces{s.content, s.step}), nil
	}}
}

// pieces hands out a few bytes at a time, and the last ones with the end.
type pieces struct {
	left []byte
	step int
}

func (p *pieces) Read(to []byte) (int, error) {
	n := copy(to[:min(len(to), p.step)], p.left)
	if p.left = p.left[n:]; len(p.left) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// log is one of rigid jobs: each a second long, one after another.
func log(jobs int) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "; MaxProcs: 4")
	for i := range jobs {
		fmt.Fprintf(&b, "%d %d 0 1 1 -1 -1 1 1 -1 1 1 1 1 1 -1 -1 -1\n", i+1, i)
	}
	return b.Bytes()
}

func look(t *testing.T, hasEnd bool, given ...trace.File) (*scenario.Scenario, []string, error) {
	t.Helper()
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","until":"7h"}`))
	if err != nil {
		t.Fatal(err)
	}
	listed, err := files.Reader{}.Look(s, given, hasEnd, func(trace.Progress) error { return nil })
	var told []string
	for _, f := range listed {
		told = append(told, fmt.Sprintf("%s %s: %d rows, %d bad, %d bytes, %s", f.File, f.Label, f.Rows, f.Bad, f.Bytes, f.SHA256))
	}
	return s, told, err
}

// TestLook: a file is told with its rows and the hash of its stored bytes, packed or
// not, in whatever pieces it comes; the scenario plays it until its tasks end, rounded up
// to the next sample, unless it says itself when it ends.
func TestLook(t *testing.T) {
	plain := log(100)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	samples := func(n unit.Time) unit.Time { return (n + run.SampleStep - 1) / run.SampleStep * run.SampleStep }
	for _, content := range [][]byte{plain, packed.Bytes()} {
		for _, step := range []int{1, 7, 1 << 20} {
			s, told, err := look(t, false, (&stored{content: content, step: step}).file("a.swf"))
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("a.swf jobs: 100 rows, 0 bad, %d bytes, %s", len(content), hash(content)); len(told) != 1 || told[0] != want {
				t.Errorf("in pieces of %d: %v, want %s", step, told, want)
			}
			if got, want := unit.Time(s.Until), samples(100*unit.Second); got != want || len(s.Workload.Trace) != 1 || s.Workload.Trace[0].Name != "a.swf" {
				t.Errorf("the scenario plays %+v until %v, want %v", s.Workload.Trace, got, want)
			}
		}
	}
	if s, _, err := look(t, true, (&stored{content: plain, step: 100}).file("a.swf")); err != nil || unit.Time(s.Until) != 7*unit.Hour {
		t.Errorf("a scenario with an end ends at %v (%v)", unit.Time(s.Until), err)
	}
	just := log(int(run.SampleStep / unit.Second)) // ends on a sample
	if s, _, err := look(t, false, (&stored{content: just, step: 100}).file("a.swf")); err != nil || unit.Time(s.Until) != run.SampleStep {
		t.Errorf("what ends with the first sample ends at %v (%v)", unit.Time(s.Until), err)
	}
}

// TestLookNotes: what a log's reader leaves out or decides is told with the first file,
// whether the scenario has an end or not.
func TestLookNotes(t *testing.T) {
	content := append(log(3), "4 9 0 -1 1 -1 -1 1 1 -1 5 1 1 1 1 -1 -1 -1\n"...)
	for _, hasEnd := range []bool{false, true} {
		s, err := scenario.Parse([]byte(`{"v":1,"system":"central","until":"7h"}`))
		if err != nil {
			t.Fatal(err)
		}
		listed, err := files.Reader{}.Look(s, []trace.File{(&stored{content: content, step: 100}).file("a.swf")}, hasEnd, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"3 of the 4 jobs in the files are played; left out: never ran (run time 0 or unknown): 1"}; !slices.Equal(listed[0].Notes, want) {
			t.Errorf("with an end: %v, it is noted %q, want %q", hasEnd, listed[0].Notes, want)
		}
		held, want := *listed[0].Held, message.Held{
			Of: "jobs", Rows: 4, Played: 3, LeftOut: []message.HeldCount{{About: "never ran (run time 0 or unknown)", Count: 1}}, Repaired: []message.HeldCount{}, Jobs: 3, Processors: 4, First: 0, End: run.SampleStep,
		}
		if !reflect.DeepEqual(held, want) {
			t.Errorf("with an end: %v, the files hold %+v, want %+v", hasEnd, held, want)
		}
	}
}

// TestLabels: files of one table are told apart by the part that their name says, or
// else by their number.
func TestLabels(t *testing.T) {
	row := func(at int) *stored {
		return &stored{content: fmt.Appendf(nil, "%d,,7,0,,0,u,0,1,0.5,0.5,0.1,0\n", at*1e6), step: 1 << 20}
	}
	machine := &stored{content: []byte("0,5,0,HASH,0.5,0.5\n"), step: 1 << 20}
	for _, c := range []struct{ names, want []string }{
		{[]string{"task_events/part-00012-of-00500.csv"}, []string{"task events, part 12"}},
		{[]string{"part-00000-of-00500.csv", "x/part-1.csv"}, []string{"task events, part 0", "task events, part 1"}},
		{[]string{"a.csv"}, []string{"task events"}},
		{[]string{"a.csv", "b.csv"}, []string{"task events, 1 of 2", "task events, 2 of 2"}},
		{[]string{"part-x.csv", "part-9/b.csv"}, []string{"task events, 1 of 2", "task events, 2 of 2"}},
		{[]string{"part-129.csv", "part-90"}, []string{"task events, part 129", "task events, part 90"}},
	} {
		given := []trace.File{machine.file("machines.csv")}
		for i, name := range c.names {
			given = append(given, row(i+1).file(name))
		}
		_, told, err := look(t, true, given...)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range append([]string{"machine events"}, c.want...) {
			if !strings.Contains(told[i], " "+want+": ") {
				t.Errorf("%v: %s, want %s", c.names, told[i], want)
			}
		}
	}
}

// TestFilesThatBreak: what cannot be read a first, second or third time is an error.
func TestFilesThatBreak(t *testing.T) {
	whole := 0 // openings that a look needs
	for openings := 1; ; openings++ {
		_, _, err := look(t, false, (&stored{content: log(3), step: 100, openings: openings}).file("a.swf"))
		if err == nil {
			whole = openings
			break
		}
		if !strings.Contains(err.Error(), "a.swf") || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("with %d openings: %v", openings, err)
		}
	}
	if whole < 2 {
		t.Errorf("a look opens a file %d times", whole)
	}
}

// TestTable: the beginning of a table is shown with what its columns are taken for and the
// jobs that would be read; anything but a table, or a mapping, is refused in a sentence.
func TestTable(t *testing.T) {
	content := []byte("Nr;Eingang;Los;Aus;Kerne\n4711;2026-03-03 08:00;2026-03-03 08:05;2026-03-03 09:05;16\n4712;2026-03-03 08:01;2026-03-03 08:05;2026-03-03 08:04;16\n")
	first := files.Reader{}.Table((&stored{content: content, step: 7}).file("a.csv"), "")
	if len(first.Columns) != 5 || first.Columns[0].Field != "id" || first.Columns[2].Field != "" || !strings.Contains(first.Asks, "runtime") || len(first.Jobs) != 0 || len(first.Fields) != 21 {
		t.Errorf("without a mapping: %+v", first)
	}
	told := files.Reader{}.Table((&stored{content: content, step: 7}).file("a.csv"), "start=Los, end=Aus, requested=-")
	want := message.TableJob{Number: 4711, Wait: 5 * unit.Minute, Run: unit.Hour, Asks: -1, Processors: 16}
	if told.Asks != "" || told.Rows != 2 || told.Played != 1 || told.Widest != 16 || !slices.Equal(told.Jobs, []message.TableJob{want}) {
		t.Errorf("with a mapping: %+v", told)
	}
	if n := len(told.LeftOut); n != 1 || told.LeftOut[0].About != "bad rows" || !strings.Contains(told.LeftOut[0].First, "line 3") {
		t.Errorf("the bad row is told as %+v", told.LeftOut)
	}
	for mapping, reason := range map[string]string{"rank=Nr": "no field", "submit": "write field=column"} {
		if told := (files.Reader{}).Table((&stored{content: content, step: 7}).file("a.csv"), mapping); !strings.Contains(told.Reason, reason) {
			t.Errorf("%s: %q, want %q", mapping, told.Reason, reason)
		}
	}
	if told := (files.Reader{}).Table((&stored{content: []byte("1 2 3\n"), step: 7}).file("b"), ""); !strings.Contains(told.Reason, "no first line that names its columns") {
		t.Errorf("no table: %q", told.Reason)
	}
}

// TestReadTwice: the card of a file takes two readings of it, also where the machine follows
// from all of its rows. The run that follows begins without a third one, and has the records
// of a file that was not looked at.
func TestReadTwice(t *testing.T) {
	var table bytes.Buffer
	table.WriteString("submit,start,end,cores\n")
	for i := range 50_000 {
		fmt.Fprintf(&table, "%d,%d,%d,%d\n", 1_700_000_000+i, 1_700_000_000+i, 1_700_000_003+i, 1+i%5)
	}
	_, headless, _ := bytes.Cut(log(50_000), []byte("\n"))
	for name, content := range map[string][]byte{"jobs.csv": table.Bytes(), "a.swf": headless} {
		read := 0
		file := (&stored{content: content, step: 1 << 16}).file(name)
		given := []trace.File{{Name: name, Size: file.Size, Open: func() (io.ReadCloser, error) {
			in, err := file.Open()
			return struct {
				io.Reader
				io.Closer
			}{io.TeeReader(in, counter{&read}), in}, err
		}}}
		s, _, err := look(t, false, given...)
		if err != nil {
			t.Fatal(err)
		}
		if times := float64(read) / float64(len(content)); times < 2 || times > 3 {
			t.Errorf("%s was read %.1f times for its card, want twice and some beginnings", name, times)
		}
		read = 0
		source, err := files.Reader{}.Open(s, given)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := files.Reader{}.Open(s, []trace.File{file})
		if err != nil {
			t.Fatal(err)
		}
		var got, want workload.Record
		for n := 0; ; n++ {
			err, wrong := source.Next(&got), fresh.Next(&want)
			if n == 0 && read > len(content)/2 {
				t.Errorf("%s: %d of %d bytes were read before the first record", name, read, len(content))
			}
			if !errors.Is(err, wrong) || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: record %d is %+v (%v), and %+v (%v) from a file that was not looked at", name, n, got, err, want, wrong)
			}
			if err != nil {
				break
			}
		}
	}
}

// counter counts the bytes that are written to it.
type counter struct{ n *int }

func (c counter) Write(p []byte) (int, error) { *c.n += len(p); return len(p), nil }
