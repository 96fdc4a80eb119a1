//go:build js && wasm

package main

import (
	"encoding/binary"
	"math"
	"runtime"
	"syscall/js"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/unit"
	"parley/wasm/bridge"
)

// output is what was told to the page, and when.
type output struct {
	buffers  []js.Value // frames that came back
	flying   int        // frames under way
	scratch  []byte
	frameAt  float64
	statusAt float64
	rows     int       // samples told
	marks    int       // of the course, told
	lastRow  unit.Time // when the last of them was taken
	nodes    int       // cells of the layout that was told
	seen     int64
}

// How often the page is told, in ms between messages.
const (
	frameEvery  = 40
	statusEvery = 250
	maxFlying   = 2
)

func (o *output) reset() {
	o.rows, o.marks, o.nodes, o.frameAt, o.statusAt, o.seen, o.lastRow = 0, 0, 0, 0, 0, 0, 0
}

func (o *output) giveBack(buffer js.Value) {
	o.flying = max(0, o.flying-1)
	if len(o.buffers) < maxFlying {
		o.buffers = append(o.buffers, buffer)
	}
}

// tell posts what is due; all of it if now is set.
func (p *player) tell(always bool) {
	if p.run == nil {
		return
	}
	t := bridge.Now()
	if n := p.run.View().Nodes(); n != p.out.nodes && (always || t-p.out.statusAt >= statusEvery) {
		p.out.nodes = n
		bridge.Post(map[string]any{"type": "layout", "layout": p.layout()})
	}
	if always || t-p.out.frameAt >= frameEvery && p.out.flying < maxFlying {
		p.out.frameAt = t
		p.tellFrame()
	}
	if always || t-p.out.statusAt >= statusEvery {
		p.out.statusAt = t
		p.tellColumns()
		p.tellStatus()
		p.tellCourse()
		p.tellNode()
		p.tellLines()
	}
}

func (p *player) tellOpened() {
	p.out.nodes = p.run.View().Nodes()
	files := make([]any, len(p.list))
	for i, f := range p.list {
		files[i] = f
	}
	bridge.Post(map[string]any{
		"type": "opened", "scenario": bridge.Value(p.document), "bringsMachines": p.run.BringsMachines(), "layers": bridge.Value(p.run.Layers()), "layout": p.layout(), "files": files,
	})
}

func (p *player) layout() js.Value {
	l := p.run.Layout()
	x, y, racks := make([]byte, 2*len(l.X)), make([]byte, 2*len(l.Y)), make([]byte, 4*len(l.X))
	for i, rack := range p.run.View().Racks() {
		binary.LittleEndian.PutUint16(x[2*i:], l.X[i])
		binary.LittleEndian.PutUint16(y[2*i:], l.Y[i])
		binary.LittleEndian.PutUint32(racks[4*i:], uint32(rack))
	}
	blocks := make([]any, len(l.Blocks))
	for i, b := range l.Blocks {
		blocks[i] = map[string]any{"rack": b.Rack, "x": b.X, "y": b.Y, "width": b.Width, "height": b.Height}
	}
	return js.ValueOf(map[string]any{
		"columns": l.Columns, "rows": l.Rows, "blocks": blocks,
		"x": bridge.Typed("Uint16Array", x, len(l.X)), "y": bridge.Typed("Uint16Array", y, len(l.X)), "rack": bridge.Typed("Int32Array", racks, len(l.X)),
	})
}

func (p *player) tellFrame() {
	o := &p.out
	o.scratch = p.run.Frame(o.scratch[:0])
	var buffer js.Value
	if n := len(o.buffers); n > 0 && o.buffers[n-1].Get("byteLength").Int() == len(o.scratch) {
		buffer = o.buffers[n-1]
		o.buffers = o.buffers[:n-1]
	} else {
		buffer = js.Global().Get("ArrayBuffer").New(len(o.scratch))
	}
	js.CopyBytesToJS(js.Global().Get("Uint8Array").New(buffer), o.scratch)
	o.flying++
	bridge.PostBuffer(map[string]any{"type": "frame", "buffer": buffer}, buffer)
}

// tellColumns posts the samples since the last time. When the table halved,
// all are told again.
func (p *player) tellColumns() {
	t := p.run.Table()
	n := len(t.Rows)
	reset := p.out.rows == 0
	if p.out.rows > n || p.out.rows > 0 && t.At[p.out.rows-1] != p.out.lastRow {
		p.out.rows, reset = 0, true
	}
	if n == p.out.rows && !reset {
		return
	}
	from := p.out.rows
	at := make([]any, 0, n-from)
	for _, x := range t.At[from:] {
		at = append(at, float64(x))
	}
	described := t.Columns()
	columns := make([]any, len(described))
	for c := range columns {
		values := make([]byte, 8*(n-from))
		for i := range n - from {
			binary.LittleEndian.PutUint64(values[8*i:], math.Float64bits(t.Value(from+i, c)))
		}
		columns[c] = map[string]any{
			"id": described[c].ID, "name": described[c].Name, "unit": described[c].Unit,
			"values": js.Global().Get("Array").Call("from", bridge.Typed("Float64Array", values, n-from)),
		}
	}
	p.out.rows = n
	if n > 0 {
		p.out.lastRow = t.At[n-1]
	}
	bridge.Post(map[string]any{"type": "columns", "reset": reset, "at": at, "columns": columns})
}

func (p *player) tellStatus() {
	totals := p.run.View().Totals()
	row := metric.Row{}
	if n := len(p.run.Table().Rows); n > 0 {
		row = p.run.Table().Rows[n-1]
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	up := float64(totals.NodesUp)
	bridge.Post(map[string]any{"type": "status", "status": map[string]any{
		"at": float64(p.run.Now()), "until": float64(p.run.Until()), "playing": p.playing, "ended": p.run.Done(),
		"speed": p.speed, "reached": p.pace.Reached, "possible": p.pace.Able, "events": float64(p.run.Events()),
		"eventsPerSecond": p.pace.Events, "memory": float64(memory.Sys), "digest": p.run.Digest().String(),
		"counts": map[string]any{
			"running": totals.Running, "waiting": totals.Waiting, "migrating": totals.Migrating, "submitted": float64(totals.Submitted),
			"nodes": p.run.View().Nodes(), "down": p.run.View().Nodes() - totals.NodesUp,
			"overloaded": math.Round(row[metric.Overloaded] / 100 * up), "idle": math.Round(row[metric.Idle] / 100 * up),
			"migrations": float64(totals.Migrations), "migrated_mb": float64(totals.Moved) / float64(unit.MB),
		},
	}})
}

// tellCourse posts the marks of a divisible load since the last time, five
// numbers a mark, with the system's own figures.
func (p *player) tellCourse() {
	marks, whole := p.run.Timeline()
	from := p.out.marks
	if p.out.marks = len(marks); from == len(marks) {
		return
	}
	kinds := []any{}
	for k := cluster.Kind(0); k <= cluster.ChunkLost; k++ {
		kinds = append(kinds, k.String())
	}
	numbers := make([]byte, 0, 40*(len(marks)-from))
	for _, m := range marks[from:] {
		for _, x := range [...]float64{float64(m.At), float64(m.Kind), float64(m.Node), float64(m.Group), m.Value} {
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(x))
		}
	}
	bridge.Post(map[string]any{
		"type": "course", "reset": from == 0, "whole": whole, "kinds": kinds, "marks": bridge.Typed("Float64Array", numbers, len(numbers)/8),
		"figures": bridge.Value(p.run.Report().System),
	})
}

func (p *player) tellNode() {
	if p.node == unit.NoNode || p.run == nil {
		return
	}
	report, err := p.run.Inspect(p.node)
	if err != nil {
		p.node = unit.NoNode
		bridge.Trouble(err)
		return
	}
	bridge.Post(map[string]any{"type": "node", "report": bridge.Value(report)})
}

// tellLines posts the latest notes of the whole cluster when there are new ones.
func (p *player) tellLines() {
	lines := p.run.Lines(unit.NoNode, 60)
	if len(lines) == 0 {
		return
	}
	bridge.Post(map[string]any{"type": "lines", "lines": bridge.Value(lines)})
}

func (p *player) tellSeeking() {
	bridge.Post(map[string]any{"type": "progress", "files": []any{}, "phase": "seeking", "done": float64(p.run.Now()), "total": float64(p.seek)})
}
