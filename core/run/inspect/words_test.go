package inspect_test

import (
	"io"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
)

// swf is a log of two jobs on 96 nodes of a processor.
const swfLog = "; MaxProcs: 96\n; MaxNodes: 96\n1 0 -1 600 40 -1 -1 40 600 -1 1 1 1 1 1 -1 -1 -1\n2 10 -1 600 40 -1 -1 40 600 -1 1 1 1 1 1 -1 -1 -1\n"

// What failed has the words of the system that plays: its noun for a node, and no rack where
// racks mean nothing to it, or where the work is a log of jobs that knows none.
func TestWordsOfAFault(t *testing.T) {
	for _, c := range []struct {
		name, scenario, log string
		want                string
		noRacks             bool
	}{
		{"tasks", `{"v":1,"system":"central","cluster":{"nodes":96},"faults":[{"at":"1m","kind":"node_down","target":"node.31"}]}`, "", "Node 31", false},
		{"tasks", `{"v":1,"system":"central","cluster":{"nodes":96},"faults":[{"at":"1m","kind":"rack_down","target":"rack.1"}]}`, "", "Rack 1", false},
		{"hosts", `{"v":1,"system":"yield","cluster":{"nodes":96},"faults":[{"at":"1m","kind":"node_down","target":"node.31"}]}`, "", "Host 31", false},
		{"rounds", `{"v":1,"system":"rounds","cluster":{"nodes":96},"faults":[{"at":"1m","kind":"node_down","target":"node.3"}]}`, "", "Worker 3", true},
		{"rounds", `{"v":1,"system":"rounds","cluster":{"nodes":96},"faults":[{"at":"1m","kind":"rack_down","target":"rack.0"}]}`, "", "workers", true},
		{"log", `{"v":1,"system":"central","faults":[{"at":"1m","kind":"rack_down","target":"rack.0"}]}`, swfLog, "nodes", true},
		{"log with racks", `{"v":1,"system":"central","cluster":{"physical":{"rack_size":32}},"faults":[{"at":"1m","kind":"rack_down","target":"rack.0"}]}`, swfLog, "Rack 0", false},
	} {
		s, err := scenario.Parse([]byte(c.scenario))
		if err != nil {
			t.Fatal(err)
		}
		var files trace.Source
		if c.log != "" {
			file := trace.File{Name: "log.swf", Size: int64(len(c.log)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.log)), nil }}
			if files, err = feed.Open(s, []trace.File{file}, formats.All, trace.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := run.Open(s, files, run.KeepIncidents())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := r.Advance(2 * unit.Minute); err != nil {
			t.Fatal(err)
		}
		all := r.Incidents()
		if len(all) != 1 || !strings.HasSuffix(all[0].Subject, c.want) {
			t.Errorf("%s: %+v, want %q", c.name, all, c.want)
		}
		if r.NoRacks() != c.noRacks {
			t.Errorf("%s: no racks: %v", c.name, r.NoRacks())
		}
		layout, _ := r.LayoutIn(640, 400, 20, "")
		if named := layout.Blocks[0].Rack >= 0; named == c.noRacks {
			t.Errorf("%s: a block is rack %d", c.name, layout.Blocks[0].Rack)
		}
	}
}
