package remote_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/message"
	"parley/core/play/remote"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/unit"
)

// TestFollow: who follows a task hears of the node where it is, and how it is: where it runs
// after its node has failed, and that it waits. Under an id that another course gave to
// another task there is none.
func TestFollow(t *testing.T) {
	host, r := opened(t, calm, run.First())
	forward := func(slices int) {
		for range slices {
			r.Slice()
			host.at += 10 * time.Millisecond
		}
	}
	last := func() remote.Node {
		t.Helper()
		nodes, _ := heard[remote.Node](host)
		if len(nodes) == 0 {
			t.Fatal("no node is reported")
		}
		return nodes[len(nodes)-1]
	}
	lists := func(one remote.Node, id string) bool {
		return slices.ContainsFunc(one.Report.Tasks, func(task inspect.TaskReport) bool { return task.ID == id })
	}
	r.Receive(message.Seek{At: unit.Hour})
	forward(200)
	r.Receive(message.Inspect{Node: 7})
	first := last()
	if len(first.Report.Tasks) == 0 || first.Followed != nil {
		t.Fatalf("node 7 after an hour: %+v", first)
	}
	task := first.Report.Tasks[len(first.Report.Tasks)-1] // a small one, which finds another place soon
	follow := &message.Followed{Task: task.ID, Name: task.Name}

	// From wherever it is asked, the report is that of the task's node.
	r.Receive(message.Inspect{Node: 8, Follow: follow})
	if one := last(); one.Report.Node != 7 || *one.Followed != (message.Followed{Task: task.ID, Name: task.Name, State: "running", To: unit.NoNode}) {
		t.Fatalf("task %s of node 7: node %d, %+v", task.Name, one.Report.Node, one.Followed)
	}
	host.forget()
	r.Receive(message.Fault{Fault: "node_down", Target: "node.7"})
	for range 60 {
		r.Receive(message.Step{})
		forward(30)
	}
	nodes, _ := heard[remote.Node](host)
	moved := false
	for _, one := range nodes {
		if one.Followed.State != "running" {
			t.Errorf("%+v", one.Followed)
		}
		moved = moved || one.Report.Node != 7
		if !lists(one, task.ID) {
			t.Errorf("task %s is said to run on node %d, which does not list it", task.Name, one.Report.Node)
		}
	}
	if !moved {
		t.Errorf("task %s is told of node 7 alone, which failed", task.Name)
	}
	large := first.Report.Tasks[0]
	r.Receive(message.Inspect{Node: 7, Follow: &message.Followed{Task: large.ID, Name: large.Name}})
	if one := last(); one.Report.Node != 7 || one.Followed.State != "waiting" {
		t.Errorf("task %s has no place since its node failed: node %d, %+v", large.Name, one.Report.Node, one.Followed)
	}
	r.Receive(message.Inspect{Node: nodes[len(nodes)-1].Report.Node, Follow: follow})

	was := last().Report.Node
	r.Receive(message.Inspect{Node: was, Follow: &message.Followed{Task: task.ID, Name: "another"}})
	if one := last(); one.Followed.State != "" || one.Report.Node != was {
		t.Errorf("another task under its id: node %d, %+v", one.Report.Node, one.Followed)
	}
	r.Receive(message.Inspect{Node: was})
	if one := last(); one.Followed != nil {
		t.Errorf("none is followed: %+v", one.Followed)
	}
	r.Receive(message.Inspect{Node: was, Follow: &message.Followed{Task: "seven"}})
	if trouble, _ := heard[message.NewTrouble](host); len(trouble) != 1 || !strings.Contains(trouble[0].Trouble.Sentence, `which "seven" is not`) {
		t.Errorf("a task called seven: %+v", trouble)
	}
}
