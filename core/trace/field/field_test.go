package field_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/trace/field"
	"parley/core/trace/simgrid"
	"parley/core/unit"
	"parley/core/workload"
)

// memory returns a file that hands out at most step bytes at a time; 0: all.
func memory(name, content string, step int) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
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

// TestScripts reads traces that are written as text. A line "== NAME" begins a file; the rest of
// the input is its content. `read [skip] [every=N]` prints what becomes of them: the records, the
// tally, the notes and the summary's counts. Each is read a second time, seven bytes at a time.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands { return command })
}

func command(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd != "read" {
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	o := trace.Options{SkipBadRows: d.HasArg("skip"), MaxTasks: 1000}
	if d.HasArg("every") {
		d.ScanArgs(t, "every", &o.EveryJob)
	}
	text := read(filesOf(d.Input, 0), o)
	if slow := read(filesOf(d.Input, 7), o); slow != text {
		t.Errorf("%s: seven bytes at a time it is\n%s", d.Pos, slow)
	}
	return text
}

// filesOf returns the files of a script's input.
func filesOf(input string, step int) (files []trace.File) {
	if !strings.HasPrefix(input, "== ") {
		input = "== file\n" + input
	}
	for part := range strings.SplitSeq("\n"+input, "\n== ") {
		if part == "" {
			continue
		}
		name, content, _ := strings.Cut(part, "\n")
		content = strings.ReplaceAll(content, `\t`, "\t")
		files = append(files, memory(name, content+"\n", step))
	}
	return files
}

// read returns what becomes of files as text.
func read(files []trace.File, o trace.Options) string {
	var b strings.Builder
	report, err := trace.Summarise(files, formats(files), o)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	source, err := trace.Open(files, formats(files), o)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var r workload.Record
	for err = source.Next(&r); err == nil && b.Len() < 100_000; err = source.Next(&r) {
		b.WriteString(line(&r, source) + "\n")
	}
	if err == nil {
		return b.String() + "and so on\n"
	}
	if !errors.Is(err, io.EOF) {
		return b.String() + "! " + err.Error() + "\n"
	}
	for _, f := range report.Files {
		fmt.Fprintf(&b, "%s: %s, %d rows, %d bad, %g to %g s\n", f.File, f.Format, f.Rows, f.BadRows, f.FirstS, f.LastS)
		for _, note := range f.Notes {
			b.WriteString(note + "\n")
		}
	}
	s := report.Summary.(field.Summary)
	fmt.Fprintf(&b, "%d machines, %g cores, %d GPUs; %d jobs, %d instances, %g cores, %g GPUs; alive at the end: %d\n",
		s.Machines, s.MachineCores, s.MachineGPUs, s.Jobs, s.Instances, s.Cores, s.GPUs, s.OpenEnds)
	tally := source.Tally()
	left := int64(0)
	for _, c := range tally.LeftOut {
		left += c.Count
	}
	if tally.Rows != tally.Played+left {
		fmt.Fprintf(&b, "the tally is wrong: %d rows, %d played, %d left out\n", tally.Rows, tally.Played, left)
	}
	return b.String()
}

// formats are those of the package, and platforms where a file is one.
func formats(files []trace.File) []trace.Format {
	list := field.Formats()
	if slices.ContainsFunc(files, func(f trace.File) bool { return strings.HasSuffix(f.Name, ".xml") }) {
		list = append(list, simgrid.Format())
	}
	return list
}

// line returns a record as text.
func line(r *workload.Record, source trace.Source) string {
	at := fmt.Sprintf("%g s", r.At.Seconds())
	switch r.Kind {
	case workload.NodeJoins, workload.NodeChanges:
		text := fmt.Sprintf("%s: machine %d", at, r.Machine)
		if r.Kind == workload.NodeChanges {
			text += " changes"
		}
		if name := source.Names().Machine(r.Machine); name != "" {
			text += " " + name
		}
		if r.Node.Processors > 0 {
			return text + fmt.Sprintf(" of %d processors", r.Node.Processors)
		}
		text += fmt.Sprintf(" of %d CPU, %d memory", r.Node.Capacity[unit.CPU], r.Node.Capacity[unit.Memory])
		for _, a := range r.Node.Attributes {
			text += ", " + source.Names().AttributeText(a.Name) + " " + source.Names().ValueText(a.Value)
		}
		return text
	case workload.NodeLeaves:
		return fmt.Sprintf("%s: machine %d leaves", at, r.Machine)
	case workload.TaskUses:
		return fmt.Sprintf("%s: %s uses %d CPU, %d memory", at, r.Key.TaskName(), r.Use[unit.CPU], r.Use[unit.Memory])
	case workload.TaskRecorded:
		return fmt.Sprintf("%s: %s was placed on %d", at, r.Key.TaskName(), r.Machine)
	case workload.JobArrives:
		return fmt.Sprintf("%s: job %s of %d processors for %g s, user %d", at, r.Key.JobName(), r.Job.Processors, r.Job.Run.Seconds(), r.Job.User)
	}
	text := fmt.Sprintf("%s: task %s of %d CPU, %d memory for %g s", at, r.Key.TaskName(), r.Task.Request[unit.CPU], r.Task.Request[unit.Memory], r.Task.Lifetime.Seconds())
	if r.Task.Class == workload.Production {
		text += ", production"
	}
	for _, c := range r.Task.Constraints {
		text += fmt.Sprintf(", %s %d", source.Names().AttributeText(c.Name), c.Value)
	}
	return text
}

// What is held is bounded, whatever a table makes grow: tasks, names, machines, requests, events.
func TestTooLarge(t *testing.T) {
	many := func(line string) string {
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, line+"\n", i)
		}
		return b.String()
	}
	for name, files := range map[string][]trace.File{
		"tasks":      {memory("batch_task", many("M1,1,j_%d,1,Terminated,100,107,50,0.2"), 0)},
		"requests":   {memory("batch_task", many("M%d,1,j_1,1,Terminated,100,107,50,0.2"), 0), memory("batch_instance", "i,M1,j_1,1,Terminated,100,130,m_4,1,1,90,120,0.1,0.2\n", 0)},
		"machines":   {memory("machine_meta", many("m_%d,0,219,17,96,100,USING"), 0)},
		"containers": {memory("container_meta", many("c_%d,m_2,0,app_5,stopped,400,400,1.56"), 0)},
		"events":     {memory("instance_events", many(`{"time":"%d","type":2,"collection_id":"1","instance_index":3}`), 0)},
		"jobs":       {memory("pai_job_table", many("job_%d,j1,u1,Terminated,90.0,200.0"), 0)},
		"types":      {memory("vmType", "vmTypeId,machineId,core,memory\n"+many("%d,0,0.02,0.01"), 0)},
	} {
		got := read(files, trace.Options{MaxTasks: 100})
		if !strings.HasPrefix(got, "! "+files[0].Name+", line ") || !strings.Contains(got, "with this row there are more than ") || !strings.Contains(got, "--every-job") {
			t.Errorf("%s: %.300s", name, got)
		}
	}
}

// A file of PlanetLab has 288 percents, one a line; a file with other numbers of rows is none.
func TestPlanetLab(t *testing.T) {
	text := strings.Repeat("0\n10\n20\n", 96)
	got := read([]trace.File{memory("20110303/planetlab_com_7", text, 0)}, trace.Options{})
	for _, want := range []string{
		"0 s: task 7-0 of 62500 CPU, 62500 memory for 86400 s, production\n0 s: 7-0 uses 0 CPU, 62500 memory\n300 s: 7-0 uses 6250 CPU, 62500 memory\n",
		"86100 s: 7-0 uses 12500 CPU", "planetlab/vm, 288 rows, 0 bad, 0 to 86100 s\n", "each virtual machine is taken for one core and 1 GB",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	for _, other := range []string{text + "0\n", strings.Repeat("500\n", 288)} {
		if got := read([]trace.File{memory("numbers", other, 0)}, trace.Options{}); !strings.HasPrefix(got, "! numbers") {
			t.Error(got)
		}
	}
}

// Every file of every sample is also read with the wrong ends: cut off at each line.
func FuzzFile(f *testing.F) {
	scripts, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range scripts {
		if !strings.HasSuffix(s.Name(), ".txt") {
			continue
		}
		text, err := os.ReadFile("testdata/" + s.Name())
		if err != nil {
			f.Fatal(err)
		}
		for block := range strings.SplitSeq(string(text), "\nread") {
			_, input, _ := strings.Cut(block, "\n")
			input, _, _ = strings.Cut(input, "\n----")
			f.Add(input, false)
			f.Add(input, true)
		}
	}
	f.Fuzz(func(t *testing.T, input string, skip bool) {
		if text := read(filesOf(input, 0), trace.Options{SkipBadRows: skip, MaxTasks: 200}); strings.Contains(text, "the tally is wrong") || text == "" {
			t.Errorf("%q makes\n%s", input, text)
		}
	})
}
