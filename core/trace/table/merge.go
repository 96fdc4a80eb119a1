package table

import (
	"cmp"
	"io"
	"slices"

	"parley/core/heap"
	"parley/core/trace"
)

// Merge takes the rows of many parts in time order. Parts are opened when their
// time has come, so a trace in 500 parts has about as many files open as it has
// tables.
type Merge struct {
	meter   *trace.Meter
	waiting []*Part           // not opened yet, by first time
	open    *heap.Heap[*Part] // the part with the next row first
}

// NewMerge returns the rows of parts; m counts the bytes read.
func NewMerge(parts []*Part, m *trace.Meter) *Merge {
	waiting := slices.Clone(parts)
	slices.SortFunc(waiting, func(a, b *Part) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.order, b.order))
	})
	return &Merge{meter: m, waiting: waiting, open: heap.New(sooner)}
}

// Peek returns the part whose present row is next, or io.EOF.
func (m *Merge) Peek() (*Part, error) {
	for len(m.waiting) > 0 && (m.open.Len() == 0 || m.waiting[0].first <= m.open.Values()[0].Now) {
		p := m.waiting[0]
		m.waiting = m.waiting[1:]
		switch err := p.Open(m.meter); err {
		case nil:
			m.open.Push(p)
		case io.EOF:
		default:
			return nil, err
		}
	}
	if m.open.Len() == 0 {
		return nil, io.EOF
	}
	return m.open.Values()[0], nil
}

// Advance passes over the row that Peek showed.
func (m *Merge) Advance() error {
	switch err := m.open.Values()[0].Next(); err {
	case nil:
		m.open.Fix(0)
	case io.EOF:
		m.open.Pop()
	default:
		return err
	}
	return nil
}

// Ahead returns how many rows are read that Advance has not passed over.
func (m *Merge) Ahead() int64 { return int64(m.open.Len()) }

// Close ends the reading early.
func (m *Merge) Close() {
	for _, p := range m.open.Values() {
		p.Close()
	}
	m.open, m.waiting = heap.New(sooner), nil
}

// sooner orders parts by their present row, then as they were given.
func sooner(a, b *Part) bool { return a.Now < b.Now || a.Now == b.Now && a.order < b.order }
