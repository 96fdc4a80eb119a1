package rounds_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/rounds"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/*.txt. Commands:
//
//	workload [seed=N]        what a workload.system brings, or what is wrong with it
//	play [step=1s] [notes=N] a scenario; a row a worker, a letter each step: . idle, r receiving,
//	                         c computing, b both, space done, x down; then the report
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "workload":
				seed := 0
				d.MaybeScanArgs(t, "seed", &seed)
				return describe([]byte(d.Input), uint64(seed))
			case "play":
				notes := 0
				d.MaybeScanArgs(t, "notes", &notes)
				return play(t, d.Input, unit.Time(scripttest.Span(t, d, "step")), notes)
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		}
	})
}

func describe(raw json.RawMessage, seed uint64) string {
	source, err := rounds.Workload(raw, seed)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var out strings.Builder
	var r workload.Record
	workers := 0
	for {
		switch err := source.Next(&r); {
		case errors.Is(err, io.EOF):
			fmt.Fprintf(&out, "%d workers\n", workers)
			return out.String()
		case err != nil:
			return err.Error()
		case r.Kind == workload.NodeJoins:
			if w := r.Node.Worker; workers < 3 {
				fmt.Fprintf(&out, "machine %d: %v and %v units a second, latencies %v and %v, strays %+v\n", r.Machine,
					w.Speed.Float(), w.Bandwidth.Float(), w.CompLatency, w.CommLatency, w.Errors)
			}
			workers++
		case r.Kind == workload.LoadArrives:
			fmt.Fprintf(&out, "load %v\n", r.Load.Float())
		}
	}
}

func play(t *testing.T, doc string, step unit.Time, notes int) string {
	s, err := scenario.Parse([]byte(doc))
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	r, err := run.Open(s, nil, run.KeepNotes(max(1, notes)))
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var rows []strings.Builder
	for !r.Done() {
		to := r.Until()
		if step > 0 {
			to = r.Now() + step
		}
		if err := r.Advance(to); err != nil {
			return "! " + err.Error() + "\n"
		}
		if step > 0 {
			rows = draw(t, r, rows)
		}
	}
	var out strings.Builder
	for n := range rows {
		fmt.Fprintf(&out, "n%d |%s|\n", n, rows[n].String())
	}
	lines := r.Lines(unit.NoNode, max(1, notes))
	for i := min(notes, len(lines)) - 1; i >= 0; i-- {
		fmt.Fprintf(&out, "%v %s\n", lines[i].At, lines[i].Text)
	}
	report := r.Report()
	for _, name := range []string{"algorithm", "policy", "workers", "rounds", "chunks", "load", "load_done", "load_lost", "makespan_s", "makespan_predicted_s", "makespan_planned_s", "idle_pct"} {
		fmt.Fprintf(&out, "%s %v\n", name, report.System[name])
	}
	for _, w := range report.Warnings {
		fmt.Fprintf(&out, "warning: %s\n", w)
	}
	return out.String() + "digest " + report.Digest + "\n"
}

// draw adds the present picture of the layer "work" to the rows.
func draw(t *testing.T, r *run.Run, rows []strings.Builder) []strings.Builder {
	var f frame.Frame
	if err := frame.Decode(r.Frame(nil), &f); err != nil {
		t.Fatal(err)
	}
	for i, l := range r.Layers() {
		if l.ID != "work" {
			continue
		}
		if rows == nil {
			rows = make([]strings.Builder, f.Cells)
		}
		for n, state := range f.Layers[i] {
			rows[n].WriteByte(".rcb x"[state])
		}
	}
	return rows
}
