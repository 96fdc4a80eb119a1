package systemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"parley/core/system"
)

// ask puts the questions of the optional interfaces. Answers are words and
// figures; to ask never changes anything, which the digests prove.
func (w *world) ask(notes []system.Note) error {
	if l, ok := w.system.(system.LayerSource); ok {
		if err := w.askLayers(l); err != nil {
			return err
		}
	}
	if r, ok := w.system.(system.Reporter); ok {
		if _, err := json.Marshal(r.Report()); err != nil {
			return fmt.Errorf("its report is no JSON: %w", err)
		}
	}
	if g, ok := w.system.(system.MetricSource); ok {
		if err := askGauges(g); err != nil {
			return err
		}
	}
	if m, ok := w.system.(system.Messenger); ok {
		if sent, lost := m.Messages(); lost < 0 || sent < lost {
			return fmt.Errorf("of %d messages %d were lost", sent, lost)
		}
	}
	if r, ok := w.system.(system.WarningSource); ok {
		for _, warning := range r.Warnings() {
			if len(warning) < 10 {
				return fmt.Errorf("the warning %q says nothing", warning)
			}
		}
	}
	if t, ok := w.system.(system.TimelineSource); ok {
		events, _ := t.Timeline()
		for i, e := range events {
			if i > 0 && e.At < events[i-1].At || e.Value < 0 {
				return fmt.Errorf("event %d of its timeline is %+v after %+v", i, e, events[max(0, i-1)])
			}
		}
	}
	if e, ok := w.system.(system.Explainer); ok {
		for _, id := range w.ids {
			if d, known := e.Explain(id); known && d.Task != id {
				return fmt.Errorf("asked about task %x it explains %x", id, d.Task)
			}
		}
	}
	if f, ok := w.system.(system.NoteFormatter); ok {
		for _, n := range notes {
			if f.FormatNote(n) == "" {
				return fmt.Errorf("it has no words for its own note %+v", n)
			}
		}
		f.FormatNote(system.Note{Kind: 255}) // somebody else's
	}
	return w.stray
}

// askGauges reads every gauge: a number each, none beyond.
func askGauges(g system.MetricSource) error {
	gauges := g.Gauges()
	values := make([]float64, len(gauges)+1)
	values[len(gauges)] = -7
	g.Measure(values[:len(gauges):len(gauges)])
	for i, gauge := range gauges {
		if gauge.ID == "" || gauge.Name == "" || math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			return fmt.Errorf("gauge %d is called %q, %q and stands at %v", i, gauge.ID, gauge.Name, values[i])
		}
	}
	if values[len(gauges)] != -7 {
		return errors.New("it measures more gauges than it has")
	}
	return nil
}

// askLayers fills every layer: as many cells as there are nodes, none beyond.
func (w *world) askLayers(l system.LayerSource) error {
	n := w.cluster.View().Nodes()
	for i, layer := range l.Layers() {
		if layer.ID == "" || layer.Name == "" {
			return fmt.Errorf("layer %d is called %q, %q", i, layer.ID, layer.Name)
		}
		cells := make([]byte, n+1)
		cells[n] = 0xa5
		l.FillLayer(i, cells[:n:n])
		if cells[n] != 0xa5 {
			return fmt.Errorf("layer %s writes beyond its cells", layer.ID)
		}
	}
	return nil
}
