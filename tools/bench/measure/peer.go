package measure

import (
	"bufio"
	"bytes"
	"container/heap"
	"fmt"
	"math"
	"time"

	"parley/core/feed"
	"parley/core/rng"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/core/workload"
)

// HeapKernel is Kernel on the standard library's heap: the plain way to keep events in order.
func HeapKernel(name string, waiting int) Measurement {
	return Measurement{
		Name: name, Unit: "events/s",
		Once: func(now func() time.Time) (float64, error) {
			const events = 2_000_000
			var queue eventHeap
			random, sequence := rng.New(1, "bench/kernel"), uint64(0)
			ask := func(at unit.Time) {
				sequence++
				heap.Push(&queue, heapEvent{at + 1 + unit.Time(random.Intn(int(unit.Minute))), sequence})
			}
			for range waiting {
				ask(0)
			}
			seconds, err := timed(now, func() error {
				for range events {
					e, _ := heap.Pop(&queue).(heapEvent)
					ask(e.at)
				}
				return nil
			})
			return events / seconds, err
		},
	}
}

type heapEvent struct {
	at       unit.Time
	sequence uint64
}

type eventHeap []heapEvent

func (h eventHeap) Len() int      { return len(h) }
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h eventHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].sequence < h[j].sequence
}
func (h *eventHeap) Push(e any) { *h = append(*h, e.(heapEvent)) }
func (h *eventHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// CompiledFormula is the formula of 20 operations as compiled Go code: an upper bound for
// interpreters.
func CompiledFormula() Measurement {
	const nodes, passes, rounds = 12_500, 10, 200
	return Measurement{
		Name: "20 operations, as Go code", Unit: "values/s",
		Once: func(now func() time.Time) (float64, error) {
			rows, out := nodeRows(4, nodes), make([]float64, nodes)
			fastest := math.Inf(1)
			for range rounds {
				seconds, _ := timed(now, func() error {
					for range passes {
						compiled(rows, out)
					}
					return nil
				})
				fastest = min(fastest, seconds)
			}
			return nodes * passes / fastest, nil
		},
	}
}

func compiled(rows [][]float64, out []float64) {
	cpu, used, memory, taken := rows[0], rows[1], rows[2], rows[3]
	for i := range out {
		a, b := used[i]/cpu[i], taken[i]/memory[i]
		out[i] = 1 - math.Abs(a-b)*0.5 + 0.25*min(1-a, 1-b)
	}
}

// TaskLines measures the MB per second of cutting the table of Trace into lines: an upper bound for
// readers.
func TaskLines(name string) Measurement {
	return Measurement{Name: name, Unit: "MB/s", Once: func(now func() time.Time) (float64, error) {
		text, bytesRead := taskEvents(400_000), 0
		seconds, err := timed(now, func() error {
			lines := bufio.NewScanner(bytes.NewReader(text))
			for lines.Scan() {
				bytesRead += len(lines.Bytes()) + 1
			}
			return lines.Err()
		})
		if err == nil && bytesRead != len(text) {
			err = fmt.Errorf("%d bytes of %d were read", bytesRead, len(text))
		}
		return float64(len(text)) / 1e6 / seconds, err
	}}
}

// IdleRun measures the time of a run of sixteen jobs of an hour, one every three weeks, on a machine
// of a number of nodes: the whole run, from the text of its log to its report.
func IdleRun(name string, nodes, processors int) Measurement {
	return Measurement{Name: name, Unit: "ms", Once: func(now func() time.Time) (float64, error) {
		const jobs, apart = 16, 21 * 86_400
		var log bytes.Buffer
		fmt.Fprintf(&log, "; Version: 2.2\n; MaxNodes: %d\n; MaxProcs: %d\n", nodes, nodes*processors)
		for i := range jobs {
			fmt.Fprintf(&log, "%d %d -1 3600 16 -1 -1 16 7200 -1 1 1 1 1 1 -1 -1 -1\n", i+1, i*apart)
		}
		seconds, err := timed(now, func() error {
			s, err := scenario.Parse([]byte(`{"v":1,"system":"central","settings":{"policy":"easy"},"until":"3650d"}`))
			if err != nil {
				return err
			}
			source, err := feed.Open(s, []trace.File{inMemory("log.swf", log.Bytes())}, formats.All, trace.Options{})
			if err != nil {
				return err
			}
			r, err := run.Open(s, source)
			if err == nil {
				err = r.Advance(jobs * apart * unit.Second)
			}
			if err == nil && r.View().Totals().Jobs.Ended[workload.Finished] != jobs {
				err = fmt.Errorf("%d of %d jobs finished", r.View().Totals().Jobs.Ended[workload.Finished], jobs)
			}
			return err
		})
		return seconds * 1000, err
	}}
}
