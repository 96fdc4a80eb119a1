// Command library plays a system of its own with Parley as a library, from a module of its
// own: it copies nothing and changes nothing of Parley.
package main

import (
	"fmt"
	"log"

	"parley/core/protocol"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/recorded"
	"parley/core/unit"
)

// roundRobin places each task on the next node, whether it has room or not.
type roundRobin struct{ next, nodes int }

func (r *roundRobin) Begin(h *protocol.Hello) (protocol.Welcome, error) {
	r.nodes = len(h.Nodes)
	return protocol.Welcome{Parley: protocol.Version}, nil
}

func (r *roundRobin) Decide(m *protocol.Moment) (protocol.Answer, error) {
	answer := protocol.Answer{Acts: []protocol.Act{}}
	for _, fact := range m.Facts {
		if fact.Event == "task_submitted" {
			node := unit.NodeID(r.next % r.nodes)
			r.next++
			answer.Acts = append(answer.Acts, protocol.Act{Do: protocol.DoPlace, Task: fact.Task, Node: &node, By: "total"})
		}
	}
	return answer, nil
}

func main() {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"recorded","seed":7,"cluster":{"nodes":100},"until":"10m"}`))
	if err != nil {
		log.Fatal(err)
	}
	registry := run.Registry{recorded.Asking(func() protocol.Scheduler { return &roundRobin{} })}
	r, err := registry.Open(s, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := r.Advance(unit.Forever); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.View().Totals().Placements, "placements, digest", r.Digest())
}
