package swf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/trace/swf"
	"parley/core/unit"
	"parley/core/workload"
)

// memory returns a file that hands out at most step bytes at a time; 0: all.
func memory(content []byte, step int) trace.File {
	return trace.File{Name: "log.swf", Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		if step == 0 {
			return io.NopCloser(bytes.NewReader(content)), nil
		}
		return io.NopCloser(&stepwise{bytes.NewReader(content), step}), nil
	}}
}

type stepwise struct {
	in   io.Reader
	step int
}

func (s *stepwise) Read(p []byte) (int, error) { return s.in.Read(p[:min(len(p), s.step)]) }

// TestScripts reads logs that are written as text: records, then the report.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands { return command })
}

func command(t *testing.T, d *datadriven.TestData) string {
	content := []byte(d.Input + "\n")
	if d.HasArg("file") {
		var name string
		d.ScanArgs(t, "file", &name)
		var err error
		if content, err = os.ReadFile(filepath.Join("testdata/samples", name)); err != nil {
			t.Fatal(err)
		}
	}
	if d.HasArg("crlf") {
		content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
	}
	switch d.Cmd {
	case "read":
		return read(t, memory(content, 0), d.HasArg("skip"))
	case "summary":
		report, err := swf.Summarise([]trace.File{memory(content, 0)}, trace.Options{})
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		text, _ := json.MarshalIndent(report.Summary, "", " ")
		return string(text) + "\n"
	case "detect":
		h, err := trace.ReadHead(memory(content, 0))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v\n", swf.Detect(h))
	}
	d.Fatalf(t, "unknown command %q", d.Cmd)
	return ""
}

// read tells all that can be seen of reading a file. It checks that times never
// decrease, that an end stays the end, and that the summary counts the same rows.
func read(t testing.TB, f trace.File, skip bool) string {
	o := trace.Options{SkipBadRows: skip}
	s, err := swf.Open([]trace.File{f}, o)
	if err != nil {
		return wrong(t, err)
	}
	var out strings.Builder
	var r workload.Record
	nodes, last := 0, unit.Time(0)
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		if r.At < last {
			t.Fatalf("a record at %v after one at %v", r.At, last)
		}
		switch last = r.At; r.Kind {
		case workload.NodeJoins:
			if nodes++; nodes <= 4 {
				fmt.Fprintf(&out, "node %d: %d processors, %v CPU\n", r.Machine, r.Node.Processors, r.Node.Capacity[unit.CPU].Float())
			}
		case workload.JobArrives:
			j := r.Job
			fmt.Fprintf(&out, "%gs job %d: %d processors for %gs of %gs, user %d, queue %d\n", r.At.Seconds(), r.Key.Job, j.Processors, j.Run.Seconds(), j.Estimate.Seconds(), j.User, j.Queue)
			if j.Processors < 1 || int64(j.Processors) > s.Machine().Processors || j.Run < 1 || j.Estimate < 1 {
				t.Fatalf("job %+v cannot be played on %+v", *j, s.Machine())
			}
		}
	}
	if again := s.Next(&r); again != err {
		t.Fatalf("after %v the source says %v", err, again)
	}
	if err == io.EOF && int64(nodes) != s.Machine().Nodes {
		t.Fatalf("%d nodes join, the machine has %d", nodes, s.Machine().Nodes)
	}
	report := s.Report()
	fmt.Fprintf(&out, "%d rows, %d bad %v, notes %q\n%+v\n", report.Files[0].Rows, report.Files[0].BadRows, report.Files[0].Bad, report.Files[0].Notes, report.Summary)
	if err != io.EOF {
		return out.String() + wrong(t, err)
	}
	sum, err := swf.Summarise([]trace.File{f}, o)
	if err != nil || sum.Files[0].Rows != report.Files[0].Rows || sum.Files[0].BadRows != report.Files[0].BadRows {
		t.Fatalf("the source reads %+v, the summary %+v, %v", report.Files[0], sum.Files[0], err)
	}
	return out.String()
}

// wrong checks that an error is one sentence about a file.
func wrong(t testing.TB, err error) string {
	var e *trace.Error
	if !errors.As(err, &e) || e.File == "" || e.Reason == "" || strings.ContainsAny(e.Error(), "\n\x00") {
		t.Fatalf("%#v is no proper error", err)
	}
	return fmt.Sprintf("error (%s): %v\n", e.Kind, e)
}

// TestSevenBytes: it makes no difference in what pieces a file comes.
func TestSevenBytes(t *testing.T) {
	content, err := os.ReadFile("testdata/samples/small.swf")
	if err != nil {
		t.Fatal(err)
	}
	if whole, pieces := read(t, memory(content, 0), false), read(t, memory(content, 7), false); whole != pieces {
		t.Errorf("whole:\n%s\nin pieces:\n%s", whole, pieces)
	}
}

// FuzzRead feeds any file to the reader: it must not panic or hang, and the size of
// reads must not matter.
func FuzzRead(f *testing.F) {
	content, err := os.ReadFile("testdata/samples/small.swf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, true)
	f.Add([]byte("; MaxProcs: 99999999999999999999\n1 0 0 5 1 -1 -1 1 5e3 -1 1 1 1 1 1 1 -1 -1"), false)
	f.Add([]byte("\xef\xbb\xbf1 0 0 -0.0 1 -1 -1 1 9e-9 -1 1 1 1 1 1 1 -1 -1\r\n"), true)
	f.Fuzz(func(t *testing.T, content []byte, skip bool) {
		if whole, pieces := read(t, memory(content, 0), skip), read(t, memory(content, 7), skip); whole != pieces {
			t.Errorf("whole:\n%s\nin pieces:\n%s", whole, pieces)
		}
		if h, err := trace.ReadHead(memory(content, 0)); err == nil {
			swf.Detect(h)
		}
	})
}

// TestRealLogs reads every row of the public logs and finds what is known of them.
func TestRealLogs(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	for _, want := range []struct {
		name                                           string
		jobs, processors                               int64
		withoutWait, zeroRun, withoutProcs, noEstimate int64
		differs, played                                int64
	}{
		{"LLNL-Atlas-2006-2.1-cln.swf.gz", 43_778, 9216, 43_778, 7_178, 4_588, 8_233, 37, 36_600},
		{"RICC-2010-2.swf.gz", 447_794, 8192, 0, 10, 0, 2, 6_976, 447_784},
		{"NASA-iPSC-1993-3.1-cln.swf.gz", 18_239, 128, 18_239, 173, 0, 18_239, 18_239, 18_066},
		{"KTH-SP2-1996-2.1-cln.swf.gz", 28_489, 100, 0, 8, 0, 0, 219, 28_481}, // its header says 28,490; number 27,313 is not there
		{"CTC-SP2-1996-3.1-cln_excerpt.swf", 5, 306, 0, 0, 0, 0, 5, 5},
	} {
		path := filepath.Join(root, "swf", want.name)
		if _, err := os.Stat(path); err != nil {
			t.Logf("no %s, see PARLEY_TRACES", path)
			continue
		}
		files := []trace.File{{Name: path, Size: -1, Open: func() (io.ReadCloser, error) { return os.Open(path) }}}
		report, err := swf.Summarise(files, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := report.Summary.(swf.Summary)
		got := want
		got.jobs, got.processors, got.withoutWait, got.zeroRun = s.Jobs, s.Machine.Processors, s.WithoutWait, s.ZeroRun
		got.withoutProcs, got.noEstimate, got.differs = s.WithoutAllocated, s.WithoutEstimate, s.AllocatedDiffers
		source, err := swf.Open(files, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		for err = source.Next(&r); err == nil; err = source.Next(&r) {
		}
		got.played = source.Report().Summary.(swf.Repairs).Jobs
		if err != io.EOF || got != want || report.Files[0].BadRows > 0 {
			t.Errorf("read %+v (%v), want %+v", got, err, want)
		}
	}
}
