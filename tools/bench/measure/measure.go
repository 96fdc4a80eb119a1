// Package measure times the operations that should be fast. A measurement runs once and returns one
// figure. The caller provides the clock, decides how often and where it runs (native, under Node, in
// a browser), and processes the figures.
//
//	m, ok := measure.Find("12500 nodes")
//	speed, err := m.Once(time.Now)
package measure

import (
	"slices"
	"time"

	"parley/core/batch"
	"parley/core/unit"
)

// Measurement is one speed figure.
type Measurement struct {
	Name string // as the rows of make bench begin
	Unit string // of Once's result
	Once func(now func() time.Time) (float64, error)

	// Nodes is how large the cell is for which a tab reserves memory before it starts, as
	// the page does; 0: none is reserved.
	Nodes int

	// Beside names a second figure of a run, empty if there is none, and Both
	// returns it after the first.
	Beside string
	Both   func(now func() time.Time) (figure, beside float64, err error)
}

// Take measures once and returns the figure, with the one beside it; 0 if there is none.
func (m Measurement) Take(now func() time.Time) (figure, second float64, err error) {
	if m.Both != nil {
		return m.Both(now)
	}
	figure, err = m.Once(now)
	return figure, 0, err
}

// All lists the measurements. A further one is one line here and a place in
// the table of benchmarks.
var All = slices.Concat(allPublished(), []Measurement{
	Cell(1_250), Cell(12_500), Cell(50_000), Cell(100_000), Cell(250_000), Cell(1_000_000),
	Central("best-fit"), Central("worst-fit"), Central("first-fit"), Central("random"), Central("kube"),
	Formula("4 operations", "-cpu.used / cpu.capacity"),
	Formula("12 operations", "cpu.used - memory.used if cpu.used / cpu.capacity < 0.9 else memory.used - cpu.used"),
	Formula("20 operations",
		"1 - abs(cpu.used / cpu.capacity - memory.used / memory.capacity) * 0.5 + 0.25 * min(1 - cpu.used / cpu.capacity, 1 - memory.used / memory.capacity)"),
	ByFormula("of nodes alone", "cpu.used / cpu.capacity + memory.used / memory.capacity", 12_500),
	ByFormula("of the task too, 1250 nodes", "after.cpu / cpu.capacity + after.memory / memory.capacity", 1_250),
	CompiledFormula(), ProgramOverhead(1_250),
	CalmCell(), DefaultCell(), BusyCell(),
	Kernel("1,000 events waiting", 1_000), Kernel("140,000 events waiting", 140_000),
	HeapKernel("1,000 events waiting, container/heap", 1_000), HeapKernel("140,000 events waiting, container/heap", 140_000),
	TaskLines("google2011, lines alone"), IdleRun("16 jobs on 134 nodes of 96 processors", 134, 96),
	IdleRun("16 jobs on 12846 nodes of one", 12_846, 1), IdleRun("16 jobs on 93312 nodes of one", 93_312, 1),
	Trace("google2011 summary", false, summarise), Trace("google2011 as a workload", false, replay),
	Trace("google2011 gzip summary", true, summarise),
	SWFRows("swf as a workload", 300_000), Batch("easy, 100 processors", batch.EASY, 300_000, 100),
	Batch("easy, 163840 processors", batch.EASY, 300_000, 163_840),
	Batch("conservative, 100 processors", batch.Conservative, 30_000, 100),
	BatchRun("easy, a whole run", 30_000, 100),
	Yield(500, 64), Yield(10_000, 1_000), Yield(100_000, 10_000),
	SmallSetOf("longest", 1), SmallSetOf("median", 0.5), Adapt(2000, 240), LiveYield(2000, 240),
	Rounds("umr2", 50), Rounds("umr2", 1_000), Rounds("best", 50), Rounds("best", 1_000), Chunks(), LivePlan(),
	LiveChunks(),
	Board("safe", 1_000, 0.1, 8*unit.Hour), Board("ready", 1_000, 0.7, 8*unit.Hour),
	Board("ready", 100_000, 0.7, 2*unit.Minute), Plans("heft"),
	Auctions("auctions", "modelled", 10_000), Auctions("auctions, Ed25519", "ed25519", 1_000), UsersAtOnce(10_000),
})

// Find returns the measurement of a name.
func Find(name string) (Measurement, bool) {
	for _, m := range All {
		if m.Name == name {
			return m, true
		}
	}
	return Measurement{}, false
}

// timed returns the time of f in seconds.
func timed(now func() time.Time, f func() error) (float64, error) {
	began := now()
	err := f()
	return max(now().Sub(began).Seconds(), 1e-9), err
}
