package remote_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/play"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/trace"
)

// tab is a host that keeps what it is told.
type tab struct{ told []message.Message }

func (t *tab) Clock() time.Duration           { return 0 }
func (t *tab) Post(m message.Message)         { t.told = append(t.told, m) }
func (t *tab) File(message.File) trace.File   { return trace.File{} }
func (t *tab) Memory() int64                  { return 0 }
func (*tab) Snapshots(int)                    {}
func (t *tab) Device() float64                { return 0 }
func (t *tab) Bytes(b *message.Binary) []byte { return b.Bytes }
func (t *tab) Reserve(int)                    {}
func (t *tab) hears(words string) (told bool) {
	for _, m := range t.told {
		told = told || strings.Contains(fmt.Sprintf("%+v", m), words)
	}
	return told
}

// TestTabHasLimits: a cell that a tab has no memory for is refused in a sentence and
// does not begin.
func TestTabHasLimits(t *testing.T) {
	for nodes, refused := range map[int]bool{250_000: false, 250_001: true} {
		host := &tab{}
		r := remote.New(host, run.First(), nil)
		r.Receive(message.Open{Scenario: json.RawMessage(fmt.Sprintf(`{"v":1,"system":"central","workload":{"preset":"none"},"cluster":{"nodes":%d}}`, nodes))})
		const words = "cluster.nodes is 250001: a tab has memory for 250000; play a larger cell with parley run"
		if host.hears(words) != refused {
			t.Errorf("a cell of %d nodes is told of as %+v", nodes, host.told[1:])
		}
		if begun := r.Slice() == play.Busy; begun == refused {
			t.Errorf("a cell of %d nodes begins: %v", nodes, begun)
		}
	}
}
