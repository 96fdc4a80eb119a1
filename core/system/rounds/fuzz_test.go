package rounds_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"parley/core/system/rounds"
	"parley/core/unit"
	"parley/core/workload"
)

// Whatever stands in workload.system, it is refused in one sentence or brings
// workers with rates and then one load.
func FuzzWorkload(f *testing.F) {
	f.Add([]byte(`{"load":100,"workers":[{"speed":4,"bandwidth":10,"comp_latency":2,"comm_latency":1}],"error":{"speed":{"worker":0.3}}}`), uint64(1))
	f.Add([]byte(`{"random":{"workers":3,"bandwidth":[100,100],"comm_latency":[0,2]},"load":7}`), uint64(2))
	f.Add([]byte(`{"random":{"speed":[1e308,1.7e308]}}`), uint64(3))
	f.Add([]byte(`{"random":{"speed":[-1e308,1.7e308]}}`), uint64(3))
	f.Add([]byte(`{"workers":null,"random":null,"load":null}`), uint64(4))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		source, err := rounds.Workload(json.RawMessage(raw), seed)
		if err != nil {
			if text := err.Error(); text == "" || strings.ContainsRune(text, '\n') {
				t.Fatalf("%q is no sentence", text)
			}
			return
		}
		var r workload.Record
		workers, loads := 0, unit.Work(0)
		for {
			if err := source.Next(&r); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			switch {
			case r.Kind == workload.NodeJoins && loads == 0:
				workers++
				if w := r.Node.Worker; w == nil || w.Speed <= 0 || w.Bandwidth <= 0 || w.CompLatency < 0 || w.CommLatency < 0 {
					t.Fatalf("worker %+v", w)
				}
			case r.Kind == workload.LoadArrives && loads == 0:
				loads = r.Load
			default:
				t.Fatalf("record %+v", r)
			}
		}
		if workers == 0 || loads <= 0 {
			t.Fatalf("%d workers and a load of %d", workers, loads)
		}
	})
}
