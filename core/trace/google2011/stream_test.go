package google2011_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"

	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// endless is a task_events file of any length that is never in memory: a
// thousand tasks at a time are submitted, scheduled, evicted, submitted and
// scheduled again, and finished.
type endless struct {
	rows, row int
	rest      []byte
	buffer    []byte
}

var endlessLife = [...]int{0, 1, 2, 0, 1, 4}

func (e *endless) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		if e.row == e.rows {
			return 0, io.EOF
		}
		const together = 1000
		block, event, task := e.row/(together*6), e.row/together%6, e.row%together
		e.buffer = fmt.Appendf(e.buffer[:0], "%d,,%d,%d,%d,%d,70s3v5qRyCO/1PCdI6fVXnrW8FU=,3,9,0.125,0.07446,0.0004244,0\n",
			e.row*100, block*7+task%7, task, task, endlessLife[event])
		e.rest = e.buffer
		e.row++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func endlessFile(rows int) trace.File {
	return trace.File{Name: "task_events", Size: -1, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&endless{rows: rows}), nil
	}}
}

// streamRows is how many rows the memory test reads: less in a browser's
// engine, which is slower.
func streamRows() int {
	if runtime.GOOS == "js" {
		return 400_000
	}
	return 2_000_000
}

// What a Source holds does not grow with what it has read: one byte kept for
// each row would show.
func TestMemoryIsBounded(t *testing.T) {
	rows := streamRows()
	s, err := google2011.Open([]trace.File{endlessFile(rows)}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var early uint64
	var r workload.Record
	var kinds [workload.TaskReleased + 1]int
	read := 0
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		kinds[r.Kind]++
		if read++; read == rows/10 {
			early = heap()
		}
	}
	if err != io.EOF || read < rows/2 {
		t.Fatalf("%d records, then %v", read, err)
	}
	var events [6]int
	for row := range rows {
		events[row/1000%6]++
	}
	if kinds[workload.TaskArrives] != events[0] || kinds[workload.TaskRecorded] != events[1]+events[4] ||
		kinds[workload.TaskReleased] != events[2] || kinds[workload.TaskEnds] != events[5] {
		t.Errorf("of the events %v come the records %v", events, kinds)
	}
	late := heap()
	t.Logf("%d records; heap %d KB after a tenth, %d KB at the end", read, early>>10, late>>10)
	if late > early+uint64(rows) {
		t.Errorf("the heap grew from %d to %d bytes", early, late)
	}
	runtime.KeepAlive(s)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Reading makes no garbage: the allocations do not depend on the rows.
func TestNoAllocationPerRow(t *testing.T) {
	count := func(rows int) float64 {
		content, err := io.ReadAll(&endless{rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(1, func() {
			s, err := google2011.Open([]trace.File{memory("task_events", content, 0)}, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var r workload.Record
			for s.Next(&r) == nil {
			}
		})
	}
	if few, many := count(30_000), count(90_000); many > few+300 {
		t.Errorf("30,000 rows take %v allocations, 90,000 take %v", few, many)
	}
}

// A trace in many parts has few of them open at a time, whatever their order.
func TestPartsAreOpenedInTime(t *testing.T) {
	const parts = 200
	var w writer
	for i := range 10 * parts {
		w.machine(unit.Time(i)*unit.Second, uint64(i), 0, unit.Vec{500_000, 250_000})
	}
	open, largest := 0, 0
	var files []trace.File
	for i := range parts {
		content := rows(w.tables[machineTable][10*i : 10*i+10]).content()
		f := memory(fmt.Sprintf("part-%05d-of-00200.csv", i*77%parts), []byte(content), 0)
		inner := f.Open
		f.Open = func() (io.ReadCloser, error) {
			open++
			largest = max(largest, open)
			r, err := inner()
			return closing{r, &open}, err
		}
		files = append(files, f)
	}
	s, err := google2011.Open(files, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	texts, err := records(t, s)
	if err != nil || len(texts) != 10*parts {
		t.Fatalf("%d records, %v", len(texts), err)
	}
	if largest > 2 || open != 0 {
		t.Errorf("%d files were open at once, %d still are", largest, open)
	}
}

type closing struct {
	io.ReadCloser
	open *int
}

func (c closing) Close() error {
	*c.open--
	return c.ReadCloser.Close()
}

// Close gives back what is open, and a listener can end the reading.
func TestCloseAndCancel(t *testing.T) {
	open := 0
	f := memory("task_events", nil, 0)
	f.Open = func() (io.ReadCloser, error) {
		open++
		return closing{io.NopCloser(&endless{rows: 1_000_000}), &open}, nil
	}
	s, err := google2011.Open([]trace.File{f}, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Record
	if err := s.Next(&r); err != nil || open != 1 {
		t.Fatalf("%v, %d files open", err, open)
	}
	if err := s.Close(); err != nil || open != 0 {
		t.Errorf("Close: %v, %d files open", err, open)
	}
	if err := s.Next(&r); err != io.EOF && err != nil {
		t.Errorf("Next after Close: %v", err)
	}

	stop := errors.New("stop")
	o := trace.Options{Progress: func(p trace.Progress) error {
		if p.Rows > 100_000 {
			return stop
		}
		return nil
	}}
	if s, err = google2011.Open([]trace.File{f}, o); err != nil {
		t.Fatal(err)
	}
	if _, err := records(t, s); err != stop || open != 0 {
		t.Errorf("a cancelled reading ends with %v and %d files open", err, open)
	}
	if _, err := google2011.Summarise([]trace.File{f}, o); err != stop || open != 0 {
		t.Errorf("a cancelled summary ends with %v and %d files open", err, open)
	}
}

// The models of usage and images are the caller's.
func TestOptions(t *testing.T) {
	var requested []workload.Key
	s, err := google2011.Open(sample(t), trace.Options{
		Usage: func(key workload.Key, class workload.PriorityClass, request unit.Vec) workload.UsageModel {
			requested = append(requested, key)
			return workload.UsageModel{Key: key.Job, Mean: [unit.Resources]uint16{1, uint16(class)}}
		},
		Image: func(request unit.Vec) unit.Bytes { return unit.Bytes(request[unit.Memory]) },
	})
	if err != nil {
		t.Fatal(err)
	}
	arrivals := 0
	var r workload.Record
	for err = s.Next(&r); err == nil; err = s.Next(&r) {
		if r.Kind != workload.TaskArrives {
			continue
		}
		arrivals++
		u := r.Task.Usage
		if requested[len(requested)-1] != r.Key || u.Key != r.Key.Job || u.Mean[1] != uint16(r.Task.Class) || !u.Measured {
			t.Fatalf("%v arrives with usage %+v", r.Key, u)
		}
		if r.Task.Image != unit.Bytes(r.Task.Request[unit.Memory]) {
			t.Fatalf("%v arrives with an image of %d", r.Key, r.Task.Image)
		}
	}
	if arrivals == 0 || len(requested) != arrivals {
		t.Errorf("%d arrivals, %d models", arrivals, len(requested))
	}

	s, err = google2011.Open(sample(t), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for err = s.Next(&r); r.Kind != workload.TaskArrives; err = s.Next(&r) {
	}
	if use := r.Task.Usage.Average(r.Task.Request); err != nil || use[0] < r.Task.Request[0]*99/100 || use[0] > r.Task.Request[0] {
		t.Errorf("without a model a task that requests %v uses %v, %v", r.Task.Request, use, err)
	}
}
