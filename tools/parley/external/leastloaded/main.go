// Command leastloaded is an example of a scheduler for parley run --scheduler: each task
// goes to the node on which the largest part of the capacity is left, by requests. It uses
// the standard library alone, so that it can be copied from here.
//
//	go build -o leastloaded ./tools/parley/external/leastloaded
//	parley run google-calm --until 10m --set cluster.nodes=100 --scheduler ./leastloaded
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"slices"
)

// node is a node of the protocol, with the sum of requests on it.
type node struct {
	Node      int     `json:"node"`
	Capacity  []int64 `json:"capacity"`
	requested []int64
}

// fact has the fields of facts that the example reads.
type fact struct {
	Event   string  `json:"e"`
	Task    int64   `json:"task"`
	Node    *int    `json:"node"`
	Request []int64 `json:"request"`
	Is      *node   `json:"is"`
}

// act places a task.
type act struct {
	Do   string `json:"do"`
	Task int64  `json:"task"`
	Node int    `json:"node"`
	By   string `json:"by"`
}

// scheduler is the state between two moments.
type scheduler struct {
	nodes   map[int]*node
	request map[int64][]int64 // by task
	on      map[int64]int     // node by task
	waiting []int64
	tried   []act
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil && err != io.EOF {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// serve answers moments until there are no more.
func serve(in io.Reader, out io.Writer) error {
	lines, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var hello struct {
		Nodes []*node `json:"nodes"`
	}
	if err := lines.Decode(&hello); err != nil {
		return err
	}
	s := &scheduler{nodes: map[int]*node{}, request: map[int64][]int64{}, on: map[int64]int{}}
	for _, n := range hello.Nodes {
		s.join(n)
	}
	if err := answers.Encode(map[string]any{"parley": 1, "name": "least loaded"}); err != nil {
		return err
	}
	for {
		var moment struct {
			Facts    []fact   `json:"facts"`
			Verdicts []string `json:"verdicts"`
		}
		if err := lines.Decode(&moment); err != nil {
			return err
		}
		for i, verdict := range moment.Verdicts {
			if verdict != "ok" && verdict != "gone" { // it waits still
				s.leave(s.tried[i].Task)
				s.waiting = append(s.waiting, s.tried[i].Task)
			}
		}
		for i := range moment.Facts {
			s.learn(&moment.Facts[i])
		}
		s.tried = []act{}
		s.waiting = slices.DeleteFunc(s.waiting, s.place)
		if err := answers.Encode(map[string]any{"acts": s.tried}); err != nil {
			return err
		}
	}
}

func (s *scheduler) learn(f *fact) {
	switch f.Event {
	case "node_up", "node_changed":
		s.join(f.Is)
	case "node_down":
		delete(s.nodes, *f.Node)
	case "task_submitted":
		s.request[f.Task] = f.Request
		s.waiting = append(s.waiting, f.Task)
	case "task_changed":
		n, runs := s.on[f.Task]
		s.leave(f.Task)
		if s.request[f.Task] = f.Request; runs {
			s.take(f.Task, n)
		}
	case "task_displaced":
		s.leave(f.Task)
		s.waiting = append(s.waiting, f.Task)
	case "task_ended":
		s.leave(f.Task)
		delete(s.request, f.Task)
		s.waiting = slices.DeleteFunc(s.waiting, func(t int64) bool { return t == f.Task })
	}
}

// join adds a node, or updates it and keeps its sum of requests.
func (s *scheduler) join(n *node) {
	n.requested = make([]int64, len(n.Capacity))
	if before := s.nodes[n.Node]; before != nil {
		n.requested = before.requested
	}
	s.nodes[n.Node] = n
}

// place acts on a task if a node has room and reports whether one has. Of nodes alike the
// lowest takes it.
func (s *scheduler) place(task int64) bool {
	best, largest := -1, 0.0
	for id, n := range s.nodes {
		left := 1.0
		for r, more := range s.request[task] {
			left = min(left, 1-float64(n.requested[r]+more)/float64(max(1, n.Capacity[r])))
		}
		if left >= 0 && (best < 0 || left > largest || left == largest && id < best) {
			best, largest = id, left
		}
	}
	if best < 0 {
		return false
	}
	s.take(task, best)
	s.tried = append(s.tried, act{"place", task, best, "request"})
	return true
}

func (s *scheduler) take(task int64, n int) {
	s.on[task] = n
	for r, amount := range s.request[task] {
		s.nodes[n].requested[r] += amount
	}
}

// leave forgets where a task is.
func (s *scheduler) leave(task int64) {
	n, runs := s.on[task]
	delete(s.on, task)
	if at := s.nodes[n]; runs && at != nil {
		for r, amount := range s.request[task] {
			at.requested[r] -= amount
		}
	}
}
