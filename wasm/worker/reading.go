//go:build js && wasm

package main

import (
	"errors"
	"io"
	"syscall/js"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/wasm/bridge"
)

// reading is one look through files that a user gave, from end to end, before
// the run that plays them replaces the present one. It runs beside the player
// and lets the browser breathe, so that the old run plays on and Cancel works.
type reading struct {
	player  *player
	want    opening
	files   []trace.File
	stopped bool
	wake    chan struct{}
	breath  *bridge.Turns
	began   float64
	last    float64 // when the page was last told
	rested  float64 // when the browser last had its turn
}

var errCancelled = errors.New("cancelled")

// breathEvery is how long reading may keep the thread, tellEvery how often the
// page hears of it, both in ms.
const (
	breathEvery = 30
	tellEvery   = 100
)

func read(p *player, want opening, list js.Value) *reading {
	r := &reading{player: p, want: want, wake: make(chan struct{}, 1), began: bridge.Now()}
	r.breath = bridge.NewTurns(func() { r.wake <- struct{}{} })
	for i := range list.Length() {
		r.files = append(r.files, browserFile(list.Index(i)))
	}
	go r.work()
	return r
}

func (r *reading) work() {
	report, err := trace.Summarise(r.files, formats.All, trace.Options{SkipBadRows: r.want.document.Workload.SkipBadRows, Progress: r.progress})
	if r.stopped || errors.Is(err, errCancelled) {
		return
	}
	if err != nil {
		r.player.reading = nil
		bridge.Trouble(err)
		return
	}
	list := make([]map[string]any, len(report.Files))
	s := r.want.document
	s.Workload.Trace = nil
	for i, f := range report.Files {
		list[i] = map[string]any{"file": f.File, "format": f.Format, "rows": float64(f.Rows), "bad": float64(f.BadRows), "bytes": float64(r.size(f.File))}
		s.Workload.Trace = append(s.Workload.Trace, scenario.TraceFile{Name: f.File, Format: f.Format})
	}
	if !r.want.ends {
		if err := r.findEnd(s); err != nil {
			if !r.stopped && !errors.Is(err, errCancelled) {
				r.player.reading = nil
				bridge.Trouble(err)
			}
			return
		}
	}
	r.player.reading = nil
	r.player.start(r.want, r.files, list)
}

// findEnd makes the scenario end with the last record about a task, as the
// command line does: machines are often known for much longer.
func (r *reading) findEnd(s *scenario.Scenario) error {
	source, err := run.OpenTrace(s, r.files, formats.All, trace.Options{SkipBadRows: s.Workload.SkipBadRows, Progress: r.progress})
	if err != nil {
		return err
	}
	end, err := run.TraceEnd(source)
	end = (end + run.SampleStep - 1) / run.SampleStep * run.SampleStep
	s.Until = scenario.Duration(max(end, run.SampleStep))
	return err
}

func (r *reading) size(name string) int64 {
	for _, f := range r.files {
		if f.Name == name {
			return f.Size
		}
	}
	return 0
}

// progress tells the page and lets it breathe.
func (r *reading) progress(p trace.Progress) error {
	t := bridge.Now()
	if t-r.last >= tellEvery {
		r.last = t
		rate := float64(p.Total) / max(1, t-r.began) * 1000
		bridge.Post(map[string]any{
			"type": "progress", "phase": "reading", "done": float64(p.Total), "total": float64(p.Sum),
			"files": []any{map[string]any{
				"file": p.File, "format": "", "bytes": float64(p.Read), "total": float64(p.Size), "rate": rate, "rows": float64(p.Rows),
			}},
		})
	}
	if t-r.rested >= breathEvery {
		r.breath.Ask()
		<-r.wake
		r.rested = bridge.Now()
	}
	if r.stopped {
		return errCancelled
	}
	return nil
}

// browserFile is a File of the page as the core reads it.
func browserFile(file js.Value) trace.File {
	size := int64(file.Get("size").Float())
	return trace.File{
		Name: file.Get("name").String(), Size: size,
		Open: func() (io.ReadCloser, error) { return &fileReader{file: file, size: size}, nil },
	}
}

// fileReader reads a File piece by piece, synchronously: workers may.
type fileReader struct {
	file  js.Value
	size  int64
	at    int64
	piece []byte
	rest  []byte
}

const pieceSize = 1 << 20

// Read implements io.Reader.
func (f *fileReader) Read(p []byte) (n int, err error) {
	defer func() {
		if e := recover(); e != nil { // a file that changed on the disk throws
			err = errors.New("it changed, was removed or is a folder")
		}
	}()
	if len(f.rest) == 0 {
		if f.at >= f.size {
			return 0, io.EOF
		}
		end := min(f.at+pieceSize, f.size)
		buffer := js.Global().Get("FileReaderSync").New().Call("readAsArrayBuffer", f.file.Call("slice", float64(f.at), float64(end)))
		if f.piece == nil {
			f.piece = make([]byte, pieceSize)
		}
		f.rest = f.piece[:js.CopyBytesToGo(f.piece, js.Global().Get("Uint8Array").New(buffer))]
		f.at = end
	}
	n = copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (f *fileReader) Close() error {
	f.rest, f.piece, f.at = nil, nil, f.size
	return nil
}
