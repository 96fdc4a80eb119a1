package main

// Bench takes the figures of a benchmark of these measurements, which stand apart, and
// shows the rows as they come.
func Bench(c *Console, runs int, of []string, show func(name string, runs int)) error {
	m := &measurer{console: c, runs: runs, native: true}
	_, err := m.measure(benchmark{name: "test", of: of, apart: true}, newBar(c), func(r benchRow) { show(r.Name, r.Runs) })
	return err
}

// Encoded is a text in the encoding of a PDF.
var Encoded = encoded
