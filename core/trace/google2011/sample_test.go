package google2011_test

import (
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// cell writes the sample in testdata/cell: an hour of twenty machines, made up
// by a seed, in all six tables. Nothing of it comes from the public trace.
func cell() *writer {
	w := &writer{}
	random := rng.New(1, "google2011/sample")
	mix := []unit.Vec{{500_000, 499_500}, {500_000, 249_300}, {500_000, 749_000}, {1_000_000, 1_000_000}}
	for id := range uint64(20) {
		w.machine(0, 1000+id, 0, mix[[]int{0, 0, 1, 1, 2, 3}[random.Intn(6)]])
		w.row(attributeTable, 0, 1000+id, hash("attribute"), random.Intn(4), 0)
	}
	w.machine(1500*unit.Second, 1007, 1, mix[0])
	w.machine(2100*unit.Second, 1007, 0, mix[0])
	w.machine(2400*unit.Second, 1003, 2, unit.Vec{500_000, 124_100})
	events := []func(){}
	times := []unit.Time{}
	at := func(t unit.Time, event func()) {
		i, _ := slices.BinarySearchFunc(times, t, func(a, b unit.Time) int {
			if a <= b {
				return -1
			}
			return 1
		})
		times, events = slices.Insert(times, i, t), slices.Insert(events, i, event)
	}
	for job := range uint64(60) {
		begin := unit.Time(0)
		if job >= 25 {
			begin = 600*unit.Second + unit.Time(random.Intn(3000))*unit.Second
		}
		w.sampleJob(random, 6_000_000_000+job*1013, begin, at)
	}
	for _, event := range events {
		event()
	}
	return w
}

// sampleJob plans one job's rows with at, which runs them in time order.
func (w *writer) sampleJob(random *rng.Stream, job uint64, begin unit.Time, at func(unit.Time, func())) {
	d := demandOf{
		user:  hash([]string{"one user", "another user"}[job%2]),
		class: random.Intn(4), priority: []uint8{0, 1, 2, 4, 9, 10}[random.Intn(6)],
		request: unit.Vec{unit.Share(6_250 * (1 + random.Intn(10))), unit.Share(7_770 * (1 + random.Intn(8)))},
		spread:  random.Intn(2),
	}
	constrained := random.Intn(5) == 0
	length := unit.Time(300+random.Intn(3000)) * unit.Second
	at(begin, func() { w.row(jobTable, begin, "", job, 0, d.user, d.class, hash("name"), hash("logical name")) })
	for index := range uint32(1 + random.Intn(6)) {
		d.key = workload.Key{Job: job, Index: index}
		machine := 1000 + uint64(random.Intn(7))
		submitted, d := begin, d
		at(submitted, func() {
			if constrained {
				w.row(constraintTable, submitted, job, index, 3, hash("attribute"), 0)
			}
			w.task(submitted, d, "", 0)
		})
		placed := submitted
		if submitted > 0 {
			placed += unit.Time(1 + random.Intn(20_000_000))
		}
		at(placed, func() { w.task(placed, d, machine, 1) })
		end := placed + length
		if random.Intn(8) == 0 { // evicted on the way, and placed elsewhere
			moved := placed + length/2
			at(moved, func() { w.task(moved, d, machine, 2) })
			at(moved+4, func() { w.task(moved+4, d, "", 0) })
			at(moved+unit.Second, func() { w.task(moved+unit.Second, d, machine+9, 1) })
		}
		for from := max(placed, 600*unit.Second) / (300 * unit.Second) * 300 * unit.Second; from < min(end, 3600*unit.Second); from += 300 * unit.Second {
			first, last := max(from, placed), min(from+300*unit.Second, end)
			use := unit.Vec{d.request[0] * unit.Share(2+random.Intn(7)) / 10, d.request[1] * 7 / 10}
			at(first, func() { w.usage(first, last, d.key, machine, use) })
		}
		if end < 3600*unit.Second {
			at(end, func() { w.task(end, d, machine, []int{4, 4, 4, 5, 3}[index%5]) })
		}
	}
}

// sampleFiles are the sample's files: names, rows and gzip members (0: plain).
func sampleFiles() map[string]struct {
	rows    rows
	members int
} {
	w := cell()
	type file = struct {
		rows    rows
		members int
	}
	tasks := w.tables[taskTable]
	return map[string]file{
		"machine_events/part-00000-of-00001.csv":     {w.tables[machineTable], 0},
		"machine_attributes/part-00000-of-00001.csv": {w.tables[attributeTable], 0},
		"task_constraints/part-00000-of-00001.csv":   {w.tables[constraintTable], 0},
		"task_events/part-00000-of-00002.csv.gz":     {tasks[:len(tasks)/2], 1},
		"task_events/part-00001-of-00002.csv.gz":     {tasks[len(tasks)/2:], 2},
		"task_usage/part-00000-of-00001.csv.gz":      {w.tables[usageTable], 1},
		"job_events/part-00000-of-00001.csv":         {w.tables[jobTable], 0},
	}
}

// TestSampleIsCurrent compares testdata/cell with cell, and with -rewrite
// writes it anew.
func TestSampleIsCurrent(t *testing.T) {
	for name, f := range sampleFiles() {
		path := filepath.Join("testdata/cell", name)
		if flag.Lookup("rewrite").Value.String() == "true" {
			stored := []byte(f.rows.content())
			if f.members > 0 {
				stored = zipped(string(stored), f.members)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, stored, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var in io.Reader = file
		if f.members > 0 {
			if in, err = gzip.NewReader(file); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != f.rows.content() {
			t.Errorf("%s is not what cell writes (%v); run with -rewrite", path, err)
		}
	}
}

// sample returns the files of testdata/cell.
func sample(t testing.TB) (files []trace.File) {
	paths, err := filepath.Glob("testdata/cell/*/*")
	if err != nil || len(paths) != 7 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		files = append(files, onDisk(path))
	}
	return files
}

// The sample reads the same whatever order its files come in, however few bytes
// a read gives, packed or not.
func TestSampleReadsTheSame(t *testing.T) {
	read := func(files []trace.File) string {
		s, err := google2011.Open(files, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		texts, err := records(t, s)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(texts, "\n") + "\n" + counted(s.Report().Summary)
	}
	files := sample(t)
	want := read(files)
	if lines := strings.Count(want, "\n"); lines < 1400 {
		t.Fatalf("the sample has only %d records", lines)
	}
	random := rng.New(1, "order")
	for range 20 {
		random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		if read(files) != want {
			t.Fatalf("other records in the order %v", files)
		}
	}
	var slow, plain []trace.File
	for _, f := range files {
		stored, err := os.ReadFile(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, memory(f.Name, stored, 7))
		text := sampleFiles()[strings.TrimPrefix(filepath.ToSlash(f.Name), "testdata/cell/")].rows.content()
		plain = append(plain, memory(f.Name, []byte(text), 0))
	}
	if read(slow) != want {
		t.Error("other records where a read gives 7 bytes")
	}
	if read(plain) != want {
		t.Error("other records from plain files")
	}
}
