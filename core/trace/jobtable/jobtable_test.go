package jobtable_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/trace/jobtable"
	"parley/core/workload"
)

// memory returns a file that hands out at most step bytes at a time; 0: all.
func memory(content string, step int) trace.File {
	return trace.File{Name: "jobs", Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		if step == 0 {
			return io.NopCloser(strings.NewReader(content)), nil
		}
		return io.NopCloser(&stepwise{strings.NewReader(content), step}), nil
	}}
}

type stepwise struct {
	in   io.Reader
	step int
}

func (s *stepwise) Read(p []byte) (int, error) { return s.in.Read(p[:min(len(p), s.step)]) }

// TestScripts reads tables that are written as text: `read [skip] [crlf] [map]` prints the
// jobs, then the tally and the notes; `look [map]` prints what a person sees who says which
// column holds what. With map the first line of the input is the mapping.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands { return command })
}

func command(t *testing.T, d *datadriven.TestData) string {
	content, mapping := d.Input+"\n", ""
	if d.HasArg("map") {
		mapping, content, _ = strings.Cut(content, "\n")
	}
	content = strings.ReplaceAll(strings.ReplaceAll(content, `\t`, "\t"), `\n`, "\n")
	if d.HasArg("crlf") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	if d.Cmd == "look" {
		return looked(memory(content, 0), mapping)
	}
	if d.Cmd != "read" {
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	return read(memory(content, 0), mapping, trace.Options{SkipBadRows: d.HasArg("skip"), MaxTasks: 1000})
}

// looked returns the beginning of a table as text.
func looked(f trace.File, mapping string) string {
	v, err := jobtable.Look(f, mapping)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q between columns, decimal sign %q\n", v.Comma, v.Decimal)
	for _, c := range v.Columns {
		fmt.Fprintf(&b, "%s: %s is %q", c.Name, strings.Join(c.Values, " · "), c.Field)
		if c.Unit != "" || c.Reads != "" {
			fmt.Fprintf(&b, " in %q, read as %q", c.Unit, c.Reads)
		}
		if c.Guess {
			b.WriteString(" (assumed)")
		}
		b.WriteString("\n")
	}
	if v.Asks != "" {
		fmt.Fprintf(&b, "asks: %s\n", v.Asks)
		return b.String()
	}
	fmt.Fprintf(&b, "%d rows, %d jobs, up to %d processors, from %v to %v\n", v.Rows, v.Played, v.Widest, v.First, v.Last)
	for _, j := range v.Jobs {
		fmt.Fprintf(&b, "job %d: wait %v, run %v of %v, %d processors\n", j.Number, j.Wait, j.Run, j.Asks, j.Processors)
	}
	for _, c := range v.LeftOut {
		fmt.Fprintf(&b, "%s: %d\n", c.About, c.Count)
	}
	if v.BadRows > 0 {
		fmt.Fprintf(&b, "%d bad: %s\n", v.BadRows, v.Bad)
	}
	return b.String()
}

// read returns what becomes of a file as text.
func read(f trace.File, mapping string, o trace.Options) string {
	formats, err := trace.Using([]trace.Format{jobtable.Format()}, mapping)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	source, err := trace.Open([]trace.File{f}, formats, o)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var b strings.Builder
	var r workload.Record
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		if r.Kind == workload.NodeJoins {
			continue
		}
		j := r.Job
		fmt.Fprintf(&b, "%v job %d", r.At, r.Key.Job)
		if r.Key.Index > 0 {
			fmt.Fprintf(&b, "-%d", r.Key.Index)
		}
		fmt.Fprintf(&b, ": %d processors, run %v, estimate %v, user %d group %d queue %d", j.Processors, j.Run, j.Estimate, j.User, j.Group, j.Queue)
		if j.Need != (workload.Need{}) {
			fmt.Fprintf(&b, ", on %d nodes, %d bytes, %d GPUs", j.Nodes, j.Memory, j.GPUs)
		}
		for _, part := range j.Components {
			fmt.Fprintf(&b, ", a part of %d processors on %d nodes, %d bytes, %d GPUs", part.Processors, part.Nodes, part.Memory, part.GPUs)
			if part.Switches > 0 {
				fmt.Fprintf(&b, ", under %d switches", part.Switches)
			}
		}
		for _, after := range j.After {
			fmt.Fprintf(&b, ", %v after %sjob %d", after.Think, [...]string{"", "success of ", "failure of ", "start of "}[after.Kind], after.Key.Job)
			if after.Key.Index > 0 {
				fmt.Fprintf(&b, "-%d", after.Key.Index)
			}
		}
		for _, is := range []struct {
			says string
			so   bool
		}{
			{", alone", j.Alone},
			{fmt.Sprintf(", under %d switches or after %v", j.Switches, j.SwitchWait), j.Switches > 0},
			{", fails", j.Fails},
			{", a singleton", j.Singleton},
			{fmt.Sprintf(", throttle %d", j.Throttle), j.Throttle > 0},
			{fmt.Sprintf(", qos %d", j.QOS), j.QOS > 0},
		} {
			if is.so {
				b.WriteString(is.says)
			}
		}
		b.WriteString("\n")
	}
	if !errors.Is(err, io.EOF) {
		return b.String() + "! " + err.Error() + "\n"
	}
	tally := source.Tally()
	fmt.Fprintf(&b, "%d of %d rows\n", tally.Played, tally.Rows)
	for _, s := range tally.Sentences() {
		fmt.Fprintln(&b, s)
	}
	for _, n := range source.Report().Files[0].Notes {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

// format returns tables of jobs as the only format.
func format() []trace.Format {
	return []trace.Format{jobtable.Format()}
}

// drain reads a source to its end.
func drain(s trace.Source) error {
	var r workload.Record
	for {
		if err := s.Next(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// samples are tables of each kind.
var samples = map[string]string{
	"sacct": "JobID|JobName|User|Submit|Start|End|Elapsed|Timelimit|State|AllocCPUS\n" +
		"7|a|b|ann|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T11:05:00|01:00:00|1-00:00:00|COMPLETED|8\n7.0|x|ann|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T11:05:00|01:00:00||COMPLETED|8\n",
	"quoted": "id,submit,runtime,processors,note\r\n1,5,60,4,\"two\r\nlines, \"\"quoted\"\"\"\r\n2,3,60,4,\r\n",
	"json":   "{\"meta\":{\"x\":\"\\\"jobs\\\":[\"},\n\"jobs\":[\n{\"job_id\":19,\"time\":{\"submission\":100,\"elapsed\":50,\"limit\":{\"set\":true,\"number\":1}},\"tres\":{\"allocated\":[{\"type\":\"cpu\",\"count\":4}]}},\n{\"job_id\":20,\"time\":{\"submission\":90,\"elapsed\":5},\"required\":{\"CPUs\":2}}],\"errors\":[]}\n",
}

// A file gives the same jobs whatever pieces it comes in.
func TestSevenBytes(t *testing.T) {
	for name, text := range samples {
		whole := read(memory(text, 0), "", trace.Options{})
		if strings.Contains(whole, "!") {
			t.Errorf("%s: %s", name, whole)
		}
		if pieces := read(memory(text, 7), "", trace.Options{}); pieces != whole {
			t.Errorf("%s in pieces:\n%s\nwhole:\n%s", name, pieces, whole)
		}
	}
}

// Tables of several months are read as one, and a run that both have is one run.
func TestSeveralFiles(t *testing.T) {
	const names = "JobID|Submit|Start|End|State|NCPUS\n"
	both := "2|2026-03-31T10:00:00|2026-03-31T23:00:00|2026-04-01T01:00:00|COMPLETED|4"
	march := memory(names+"1|2026-03-01T10:00:00|2026-03-01T10:05:00|2026-03-01T10:06:00|COMPLETED|4\n"+both, 0)
	april := memory(names+both+"\n3|2026-04-02T10:00:00|2026-04-02T10:05:00|2026-04-02T10:06:00|COMPLETED|4\n", 0)
	report, err := jobtable.Format().Summarise([]trace.File{march, april}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := report.Summary.(jobtable.Summary); s.Jobs != 3 || s.Again != 1 || s.Machine.Processors != 4 {
		t.Errorf("%d jobs, %d repeated, %d processors; want 3, 1 and 4", s.Jobs, s.Again, s.Machine.Processors)
	}
	// Another order of the columns, and more of them.
	may := memory("User|NCPUS|JobID|Submit|End|State|Start\nann|8|4|2026-05-02T10:00:00|2026-05-02T10:06:00|COMPLETED|2026-05-02T10:05:00\n", 0)
	report, err = jobtable.Format().Summarise([]trace.File{march, april, may}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := report.Summary.(jobtable.Summary); s.Jobs != 4 || s.Again != 1 || s.Machine.Processors != 8 || s.Users != 0 {
		t.Errorf("%d jobs, %d repeated, %d processors, %d users; want 4, 1, 8 and 0", s.Jobs, s.Again, s.Machine.Processors, s.Users)
	}
	bad := memory("NCPUS|JobID|Submit|End|State|Start\n8|4|2026-05-02T10:00:00\nx|5|2026-05-02T10:00:00|2026-05-02T10:06:00|COMPLETED|2026-05-02T10:05:00\n", 0)
	report, err = jobtable.Format().Summarise([]trace.File{march, bad}, trace.Options{SkipBadRows: true, ListBad: 5})
	if s := report.Summary.(jobtable.Summary); err != nil || s.Jobs != 2 || report.Files[0].BadRows != 2 {
		t.Errorf("%d jobs, %v, %+v; want 2 and 2 bad rows", s.Jobs, err, report.Files[0])
	}
	_, err = jobtable.Format().Summarise([]trace.File{march, memory("JobID|Submit\n4|x\n", 0)}, trace.Options{})
	if err == nil || !strings.Contains(err.Error(), "has other columns than jobs") {
		t.Errorf("tables with different columns: %v", err)
	}
}

// A row that is too long behind one with free text is one bad row, and the rows after it are read.
func TestLongRowAhead(t *testing.T) {
	text := "JobID|JobName|Submit|Elapsed|State|AllocCPUS\n7|a|2026-03-01T10:00:00|01:00:00|COMPLETED|8\n" +
		strings.Repeat("x", 70_000) + "\n8|b|2026-03-01T10:00:00|01:00:00|COMPLETED|8\n"
	done := make(chan string, 1)
	go func() { done <- read(memory(text, 0), "", trace.Options{SkipBadRows: true, MaxTasks: 1000}) }()
	select {
	case got := <-done:
		if !strings.Contains(got, "job 7") || !strings.Contains(got, "job 8") || !strings.Contains(got, "bad rows: 1") {
			t.Error(got)
		}
	case <-time.After(time.Minute):
		t.Fatal("it is read for a minute")
	}
}
