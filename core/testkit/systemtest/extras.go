package systemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"parley/core/system"
	"parley/core/unit"
)

// described checks that a report is JSON, and that it has exactly the numbers of the description,
// except for optional ones.
func described(report map[string]any, d system.Description) error {
	document, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("its report is no JSON: %w", err)
	}
	var values map[string]any
	if err := json.Unmarshal(document, &values); err != nil {
		return err
	}
	for _, c := range d.Figures {
		if _, has := values[c.ID]; !has && !slices.Contains(d.Sometimes, c.ID) {
			return fmt.Errorf("its report lacks %s, which its description names", c.ID)
		}
		delete(values, c.ID)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, is := values[name].(float64); is || values[name] == nil {
			return fmt.Errorf("its report has the number %s, which its description does not name", name)
		}
	}
	return nil
}

// askZones checks that zones have names of their own and share no node.
func (w *world) askZones() error {
	source, ok := w.system.(system.ZoneSource)
	if !ok {
		return nil
	}
	names, in := map[string]bool{}, map[unit.NodeID]string{}
	for _, z := range source.Zones() {
		if z.Name == "" || names[z.Name] || len(z.Nodes) == 0 || !slices.IsSorted(z.Nodes) || w.about.Zone == "" {
			return fmt.Errorf("the zone %q has the nodes %v, and is called %q", z.Name, z.Nodes, w.about.Zone)
		}
		names[z.Name] = true
		for _, n := range z.Nodes {
			if other, twice := in[n]; twice || n < 0 || int(n) >= w.cluster.View().Nodes() {
				return fmt.Errorf("node %d is in the zones %q and %q", n, other, z.Name)
			}
			in[n] = z.Name
		}
		source.ZoneFigure(z)
		if cards, ok := w.system.(system.ZoneCardSource); ok {
			if c := cards.ZoneCard(z); len(c.Lines) > 2 || c.Free < 0 || c.Free > c.Size || c.Leads && c.Mark == "" {
				return fmt.Errorf("the card of zone %q is %+v", z.Name, c)
			}
		}
	}
	return nil
}

// ask puts the questions of the optional interfaces. Answers are words and
// figures; to ask never changes anything, which the digests prove.
func (w *world) ask(notes []system.Note) error {
	if err := w.askLayers(); err != nil {
		return err
	}
	if r, ok := w.system.(system.Reporter); ok {
		if err := described(r.Report(), w.about); err != nil {
			return err
		}
	}
	if err := w.askMetrics(); err != nil {
		return err
	}
	if err := w.askZones(); err != nil {
		return err
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
			} else if known {
				if err := w.askDecision(&d); err != nil {
					return err
				}
			}
		}
	}
	if f, ok := w.system.(system.NoteFormatter); ok {
		var kinds []system.NoteKind
		if d, describes := w.system.(system.NoteDescriber); describes {
			kinds = d.NoteKinds()
		}
		for _, n := range notes {
			if f.FormatNote(n) == "" {
				return fmt.Errorf("it has no words for its own note %+v", n)
			}
			if err := declared(kinds, &n); err != nil {
				return err
			}
		}
		f.FormatNote(system.Note{Kind: 255}) // somebody else's
	}
	return w.misstep
}

// declared compares a note with the declaration of its kind in the system's description.
func declared(kinds []system.NoteKind, n *system.Note) error {
	if int(n.Kind) >= len(kinds) || kinds[n.Kind].ID == "" {
		return fmt.Errorf("its description does not know the kind of the note %+v", n)
	}
	kind := &kinds[n.Kind]
	has := map[string]bool{
		"node": n.Node != unit.NoNode, "other": n.Other != unit.NoNode, "ref": n.Ref != 0,
		"subtasks": n.Subtasks != nil,
		"task":     n.Task != unit.NoTask && !kind.Has("job"),
	}
	for _, d := range n.Details {
		has[d.Name] = true
	}
	for field, is := range has {
		if is && !kind.Has(field) {
			return fmt.Errorf("its description does not know the field %s of the note %s %+v", field, kind.ID, n)
		}
	}
	return nil
}

// askDecision holds a decision to the words of the description.
func (w *world) askDecision(d *system.Decision) error {
	for _, c := range d.Candidates {
		if !slices.ContainsFunc(w.about.Answers, func(a system.Answer) bool { return a.ID == c.Answer }) {
			return fmt.Errorf("candidate %d answers %q, which its description has no words for", c.Node, c.Answer)
		}
	}
	for _, m := range d.Messages {
		if !slices.Contains(w.about.Messages, m.Text) || m.From == "" {
			return fmt.Errorf("the message %+v is none that its description tells of", m)
		}
	}
	return nil
}

// askMetrics reads every figure that the description names: a number each, none
// beyond.
func (w *world) askMetrics() error {
	columns := w.about.Metrics
	source, ok := w.system.(system.MetricSource)
	if ok != (len(columns) > 0) {
		return fmt.Errorf("its description names %d metrics, but that it measures some is %v", len(columns), ok)
	}
	if !ok {
		return nil
	}
	values := make([]float64, len(columns)+1)
	values[len(columns)] = -7
	source.Measure(values[:len(columns):len(columns)])
	for i, column := range columns {
		if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			return fmt.Errorf("its metric %s stands at %v", column.ID, values[i])
		}
	}
	if values[len(columns)] != -7 {
		return errors.New("it measures more metrics than it has")
	}
	return nil
}

// askLayers fills every layer: as many cells as there are nodes, none beyond.
func (w *world) askLayers() error {
	source, ok := w.system.(system.LayerSource)
	if !ok && len(w.about.Layers) > 0 {
		return fmt.Errorf("its description names %d layers, but it fills none", len(w.about.Layers))
	}
	n := w.cluster.View().Nodes()
	for i, layer := range w.about.Layers {
		cells := make([]byte, n+1)
		cells[n] = 0xa5
		source.FillLayer(i, cells[:n:n])
		if cells[n] != 0xa5 {
			return fmt.Errorf("layer %s writes beyond its cells", layer.ID)
		}
		for _, value := range cells[:n] {
			if layer.Names != nil && int(value) >= len(layer.Names) {
				return fmt.Errorf("layer %s has the value %d, which has no name", layer.ID, value)
			}
		}
	}
	return nil
}
