package files_test

import (
	"bytes"
	"io"
	"testing"

	"parley/core/play/files"
	"parley/core/protocol"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/recorded"
	"parley/core/trace"
	"parley/core/unit"
)

// onNode0 forces every task onto node 0.
type onNode0 struct{}

func (onNode0) Begin(*protocol.Hello) (protocol.Welcome, error) {
	return protocol.Welcome{Parley: protocol.Version}, nil
}

func (onNode0) Decide(m *protocol.Moment) (protocol.Answer, error) {
	a := protocol.Answer{Acts: []protocol.Act{}}
	for _, f := range m.Facts {
		if f.Event == "task_submitted" {
			a.Acts = append(a.Acts, protocol.Act{Do: protocol.DoPlace, Task: f.Task, Node: new(unit.NodeID), By: "total"})
		}
	}
	return a, nil
}

// TestActs: the page's reader plays a scenario with the file of its recorded acts to the same
// digest, and keeps its end; snapshots of it go back.
func TestActs(t *testing.T) {
	const document = `{"v":1,"system":"recorded","seed":3,"cluster":{"nodes":20},"until":"10m"}`
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	recorder := protocol.NewRecorder(onNode0{}, &log)
	r, err := run.Registry{recorded.Asking(func() protocol.Scheduler { return recorder })}.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	list := []trace.File{{Name: "recorded.jsonl", Size: int64(log.Len()), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log.Bytes())), nil }}}
	reader := files.Reader{}
	listed, err := reader.Look(s, list, false, func(trace.Progress) error { return nil })
	if err != nil || len(listed) != 1 || s.Until != scenario.Duration(10*unit.Minute) {
		t.Fatalf("%+v, until %v, %v", listed, s.Until, err)
	}
	source, err := reader.Open(s, list)
	if err != nil {
		t.Fatal(err)
	}
	again, err := run.Systems().Open(s, source)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Advance(3 * unit.Minute); err != nil {
		t.Fatal(err)
	}
	back, err := run.NewSnapshots(again).Take()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := again.Advance(unit.Forever); err != nil {
			t.Fatal(err)
		}
		if again.Digest() != r.Digest() || r.View().Totals().Placements < 50 {
			t.Errorf("digest %v, and %v when recorded, after %d placements", again.Digest(), r.Digest(), r.View().Totals().Placements)
		}
		if again, _, err = back.Restore(nil, nil); err != nil {
			t.Fatal(err)
		}
	}
}
