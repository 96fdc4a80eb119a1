package google2011

import (
	"cmp"
	"io"
	"slices"

	"parley/core/trace"
)

// merge takes the rows of many parts in time order. Parts are opened when their
// time has come, so a trace in 500 parts has about as many files open as it has
// tables.
type merge struct {
	meter   *trace.Meter
	waiting []*part // not opened yet, by first time
	open    []*part // a heap, the part with the next row first
}

func newMerge(parts []*part, m *trace.Meter) *merge {
	waiting := slices.Clone(parts)
	slices.SortFunc(waiting, func(a, b *part) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.order, b.order))
	})
	return &merge{meter: m, waiting: waiting}
}

// peek returns the part whose present row is next, or io.EOF.
func (m *merge) peek() (*part, error) {
	for len(m.waiting) > 0 && (len(m.open) == 0 || m.waiting[0].first <= m.open[0].now) {
		p := m.waiting[0]
		m.waiting = m.waiting[1:]
		switch err := p.open(m.meter); err {
		case nil:
			m.open = append(m.open, p)
			m.up(len(m.open) - 1)
		case io.EOF:
		default:
			return nil, err
		}
	}
	if len(m.open) == 0 {
		return nil, io.EOF
	}
	return m.open[0], nil
}

// advance passes over the row that peek showed.
func (m *merge) advance() error {
	switch err := m.open[0].next(); err {
	case nil:
	case io.EOF:
		last := len(m.open) - 1
		m.open[0] = m.open[last]
		m.open = m.open[:last]
	default:
		return err
	}
	m.down()
	return nil
}

func (m *merge) close() {
	for _, p := range m.open {
		p.close()
	}
	m.open, m.waiting = nil, nil
}

func (m *merge) less(i, j int) bool {
	a, b := m.open[i], m.open[j]
	return a.now < b.now || a.now == b.now && a.order < b.order
}

func (m *merge) up(i int) {
	for i > 0 && m.less(i, (i-1)/2) {
		m.open[i], m.open[(i-1)/2] = m.open[(i-1)/2], m.open[i]
		i = (i - 1) / 2
	}
}

func (m *merge) down() {
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(m.open); c++ {
			if m.less(c, least) {
				least = c
			}
		}
		if least == i {
			return
		}
		m.open[i], m.open[least] = m.open[least], m.open[i]
		i = least
	}
}
