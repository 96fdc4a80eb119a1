// Package batsim lets schedulers that were written for Batsim schedule runs of Parley: it
// speaks Batsim's protocol of versions 3 and 4, JSON over ZeroMQ, as the simulator does. The
// scheduler binds a REP socket, and Parley connects to it.
//
// Source: the protocol's public description (https://batsim.readthedocs.io, protocol) and, for
// fields that schedulers of pybatsim read beyond it, their sources. Differences: a job's profile is
// of type delay and has the user's estimate as its length, because a run does not reveal the actual
// length; a job that is killed or rejected waits until the run ends; faults of nodes with running
// jobs, dynamic jobs, energy and several machines for one processor have no counterpart and end the
// run with a sentence.
//
//	s := batsim.New("tcp://127.0.0.1:28000", external.Options{Patience: time.Minute})
//	entry := recorded.Asking(func() protocol.Scheduler { return s })
package batsim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"parley/core/protocol"
	"parley/core/unit"
	"parley/core/words"
	"parley/tools/parley/external"
)

// Scheduler is a scheduler of Batsim's protocol. It implements protocol.Scheduler.
type Scheduler struct {
	address string
	options external.Options
	conn    net.Conn
	socket  *request
	failed  error
	closed  bool

	resources []unit.NodeID // node of each resource: a resource is a processor
	first     map[unit.NodeID]int
	jobs      map[int64]*job // that have not ended
	names     map[string]int64
	events    []event    // that are to be sent
	pending   []decision // by time
	calls     []unit.Time
	busy      unit.Time // until then the scheduler computes
	now       unit.Time
	tried     []decision // of the answer before
}

// job is a job that has not ended.
type job struct {
	name    string
	size    int
	alloc   []int // nil while it waits
	refused bool  // rejected or killed: it will not start
}

// decision is a decision of the scheduler that is to be done at its time.
type decision struct {
	at    unit.Time
	kind  string // its type
	job   int64
	alloc []int
}

// New returns a scheduler that is connected to when the run begins.
func New(address string, o external.Options) *Scheduler {
	return &Scheduler{
		address: address, options: o, first: map[unit.NodeID]int{}, jobs: map[int64]*job{},
		names: map[string]int64{},
	}
}

// failure is why the scheduler cannot go on, in a sentence.
func (s *Scheduler) failure(format string, args ...any) error {
	if s.failed == nil {
		s.failed = &external.Failure{Reason: fmt.Sprintf("the scheduler batsim:%s: ", s.address) +
			fmt.Sprintf(format, args...)}
		select {
		case <-s.options.Stop:
			s.failed = external.ErrStopped
		default:
		}
	}
	return s.failed
}

// connectFor limits the wait for a scheduler that is not listening yet.
const connectFor = 10 * time.Second

// connect dials, again while no scheduler listens, and shakes hands.
func (s *Scheduler) connect() error {
	host, is := strings.CutPrefix(s.address, "tcp://")
	if !is {
		return s.failure("its address is not tcp://HOST:PORT")
	}
	var err error
	for deadline := time.Now().Add(min(connectFor, s.options.Patience)); ; {
		if s.conn, err = net.DialTimeout("tcp", host, time.Until(deadline)); err == nil {
			break
		}
		select {
		case <-s.options.Stop:
			return s.failure("stopped")
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return s.failure("nothing listens there (%v): start the scheduler first", reason(err))
		}
	}
	if s.options.Stop != nil {
		conn := s.conn
		go func() {
			<-s.options.Stop
			_ = conn.Close() // whatever is waited for ends
		}()
	}
	if err := s.conn.SetDeadline(time.Now().Add(s.options.Patience)); err != nil {
		return s.failure("%v", err)
	}
	if s.socket, err = newRequest(s.conn); err != nil {
		return s.failure("%v", s.why(err))
	}
	return nil
}

// reason returns the error of a connection without its addresses.
func reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// why returns the reason of a failed connection, as the end of a sentence.
func (s *Scheduler) why(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("its answer has not come within %v; --scheduler-patience allows more", s.options.Patience)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection in the middle of a message")
	case errors.Is(err, io.EOF):
		return errors.New("it closed the connection instead of an answer")
	}
	return reason(err)
}

// exchange sends the events collected since the last one, possibly none, and queues the decisions of the answer. An
// error is the scheduler's failure.
func (s *Scheduler) exchange(now unit.Time) error {
	text, err := json.Marshal(message{seconds(now), s.events})
	if err == nil {
		err = s.conn.SetDeadline(time.Now().Add(s.options.Patience))
	}
	if err == nil {
		err = s.socket.send(text)
	}
	var reply []byte
	if err == nil {
		reply, err = s.socket.receive()
	}
	if err != nil {
		return s.failure("%v", s.why(err))
	}
	s.events = []event{}
	m, err := read(reply)
	if err == nil {
		err = s.decide(m, now)
	}
	if err != nil {
		return s.failure("its answer to the moment at %v: %v; the answer is %q", now, err, cut(string(reply)))
	}
	return nil
}

// cut shortens a text for a sentence.
func cut(text string) string { return words.Cut(text, 200) }

// Begin implements protocol.Scheduler: it connects and sends SIMULATION_BEGINS. Each processor of a node is one of
// Batsim's resources; those of a node have consecutive numbers.
func (s *Scheduler) Begin(h *protocol.Hello) (protocol.Welcome, error) {
	if err := s.connect(); err != nil {
		return protocol.Welcome{}, err
	}
	type resource struct {
		ID         int            `json:"id"`
		Name       string         `json:"name"`
		State      string         `json:"state"`
		Properties map[string]any `json:"properties"`
	}
	list := []resource{}
	for _, n := range h.Nodes {
		s.first[n.Node] = len(s.resources)
		for range n.Processors {
			list = append(list, resource{len(s.resources), fmt.Sprintf("node%d", n.Node), "idle", map[string]any{}})
			s.resources = append(s.resources, n.Node)
		}
	}
	switch {
	case len(list) == 0:
		return protocol.Welcome{},
			s.failure("no node has processors for rigid jobs: play a log of them, such as one in SWF")
	case len(list) > maxResources:
		return protocol.Welcome{}, s.failure("there are %d processors, and at most %d are described", len(list),
			maxResources)
	}
	s.events = []event{happened(h.At, "SIMULATION_BEGINS", map[string]any{
		"nb_resources": len(list), "nb_compute_resources": len(list), "nb_storage_resources": 0,
		"allow_compute_sharing": false, "allow_storage_sharing": false,
		"compute_resources": list, "storage_resources": []resource{},
		"workloads": map[string]any{workload: "parley"}, "profiles": map[string]any{workload: map[string]any{}},
		"config": map[string]any{
			"redis-enabled": false, "redis-hostname": "127.0.0.1", "redis-port": 6379, "redis-prefix": "default",
			"profiles-forwarded-on-submission": true, "dynamic-jobs-enabled": false, "dynamic-jobs-acknowledged": false,
			"profile-reuse-enabled": false, "forward-unknown-events": false, "sched-config": h.Options,
		},
	})}
	s.now = h.At
	return protocol.Welcome{Parley: protocol.Version, Name: "batsim"}, s.exchange(h.At)
}

// workload is the name of the only workload, the prefix of a job's number: "w0!17".
const workload = "w0"

// Decide implements protocol.Scheduler. It exchanges messages until there are no events left or the answer is for
// a later time (s.busy), and returns the acts that are due. An act that was refused is a failure, unless its job
// has ended meanwhile (gone) or is not in the state that the act needs any more (state): the facts of this moment
// say which.
func (s *Scheduler) Decide(m *protocol.Moment) (protocol.Answer, error) {
	if s.failed != nil {
		return protocol.Answer{}, s.failed
	}
	s.now = m.At
	for i, verdict := range m.Verdicts {
		d := &s.tried[i]
		accepted := verdict == "ok" || verdict == "gone" || verdict == "state"
		if j := s.jobs[d.job]; !accepted && j != nil {
			return protocol.Answer{}, s.failure("its %s of %s on %s was refused: %s", d.kind, j.name,
				formatAllocation(d.alloc), verdict)
		}
	}
	for i := range m.Facts {
		if err := s.learn(m.At, &m.Facts[i]); err != nil {
			return protocol.Answer{}, err
		}
	}
	for m.At >= s.busy {
		for len(s.calls) > 0 && s.calls[0] <= m.At {
			s.events = append(s.events, happened(m.At, "REQUESTED_CALL", struct{}{}))
			s.calls = s.calls[1:]
		}
		if len(s.events) == 0 {
			break
		}
		if err := s.exchange(m.At); err != nil {
			return protocol.Answer{}, err
		}
	}
	return s.answer(m.At), nil
}

// answer returns the acts of the decisions that are due, and the time of the next call: WakeAt stays 0 if only
// facts can change anything. It remembers the decisions of the acts for the verdicts on them.
func (s *Scheduler) answer(now unit.Time) protocol.Answer {
	a := protocol.Answer{Acts: []protocol.Act{}}
	s.tried = s.tried[:0]
	for len(s.pending) > 0 && s.pending[0].at <= now {
		d := s.pending[0]
		s.pending = s.pending[1:]
		if j := s.jobs[d.job]; j != nil {
			if act, does := s.act(&d, j, now); does {
				a.Acts, s.tried = append(a.Acts, act), append(s.tried, d)
			}
		}
	}
	next := unit.Forever
	if len(s.pending) > 0 {
		next = min(next, s.pending[0].at)
	}
	if len(s.calls) > 0 {
		next = min(next, s.calls[0])
	}
	if len(s.events) > 0 {
		next = min(next, max(s.busy, now+1))
	}
	if next < unit.Forever {
		a.WakeAt = max(next, now+1)
	}
	return a
}

// act returns the act of a decision on j; false if none is needed. It queues the events that Batsim sends for a kill,
// after which the job's end is not reported again.
func (s *Scheduler) act(d *decision, j *job, now unit.Time) (protocol.Act, bool) {
	switch d.kind {
	case executeJob:
		j.alloc = d.alloc
		parts := [][2]int32{}
		for _, r := range d.alloc {
			n := int32(s.resources[r])
			if len(parts) == 0 || parts[len(parts)-1][0] != n {
				parts = append(parts, [2]int32{n, 0})
			}
			parts[len(parts)-1][1]++
		}
		return protocol.Act{Do: protocol.DoStart, Job: d.job, Parts: parts}, true
	case killJob:
		j.refused = true
		s.events = append(s.events,
			happened(now, "JOB_COMPLETED", completed{j.name, "COMPLETED_KILLED", -1, formatAllocation(j.alloc)}),
			happened(now, "JOB_KILLED", map[string]any{
				"job_ids":      []string{j.name},
				"job_progress": map[string]any{j.name: struct{}{}},
			}))
		if j.alloc == nil {
			return protocol.Act{}, false
		}
		j.alloc = nil
		return protocol.Act{Do: protocol.DoPreemptJob, Job: d.job}, true
	}
	j.refused = true // rejected
	return protocol.Act{}, false
}

// completed is the data of JOB_COMPLETED.
type completed struct {
	JobID      string `json:"job_id"`
	State      string `json:"job_state"`
	ReturnCode int    `json:"return_code"`
	Alloc      string `json:"alloc"`
}

// learn converts a fact to an event. A fact that the protocol cannot express is a failure.
func (s *Scheduler) learn(at unit.Time, f *protocol.Fact) error {
	switch f.Event {
	case "job_submitted":
		s.submitted(at, f)
	case "job_ended":
		j := s.jobs[f.Job]
		delete(s.jobs, f.Job)
		delete(s.names, j.name)
		if j.refused {
			return nil
		}
		how := completed{j.name, "COMPLETED_SUCCESSFULLY", 0, formatAllocation(j.alloc)}
		switch f.How {
		case "killed":
			how.State, how.ReturnCode = "COMPLETED_WALLTIME_REACHED", 1
		case "failed":
			how.State, how.ReturnCode = "COMPLETED_FAILED", 1
		case "evicted", "lost":
			how.State, how.ReturnCode = "COMPLETED_KILLED", 1
		}
		s.events = append(s.events, happened(at, "JOB_COMPLETED", how))
	case "job_displaced":
		return s.failure(
			"at %v a node failed under %s, and Batsim's protocol has no word for a job that waits again: play a scenario without faults", at, s.jobs[f.Job].name,
		)
	case "node_down":
		s.machine(at, "event_machine_unavailable", *f.Node)
	case "node_up":
		s.machine(at, "event_machine_available", f.Is.Node)
	case "node_changed":
		return s.failure("at %v node %d changed, and Batsim's protocol has no word for that", at, f.Is.Node)
	default:
		return s.failure(
			"Batsim's protocol is about rigid jobs, and the workload brings tasks (%s): play a log of jobs, such as one in SWF", f.Event,
		)
	}
	return nil
}

// machine queues the notification that the processors of node n are gone or back; none if it has no processors.
func (s *Scheduler) machine(at unit.Time, kind string, n unit.NodeID) {
	first, known := s.first[n]
	var all []int
	for r := first; known && r < len(s.resources) && s.resources[r] == n; r++ {
		all = append(all, r)
	}
	if len(all) > 0 {
		s.events = append(s.events, happened(at, "NOTIFY",
			map[string]string{"type": kind, "resources": formatAllocation(all)}))
	}
}

// submitted queues the event of a job that arrived. Its profile is a delay of its estimate, because the run time is not
// revealed.
func (s *Scheduler) submitted(at unit.Time, f *protocol.Fact) {
	j := &job{name: workload + "!" + f.Name, size: int(f.Processors)}
	s.jobs[f.Job], s.names[j.name] = j, f.Job
	walltime := f.Estimate.Seconds()
	s.events = append(s.events, happened(at, "JOB_SUBMITTED", map[string]any{
		"job_id": j.name,
		"job": map[string]any{
			"id": j.name, "subtime": *seconds(at), "res": j.size, "walltime": walltime,
			"profile": "p" + f.Name,
		},
		"profile": map[string]any{
			"type": "delay", "delay": walltime,
		},
	}))
}

// Close sends SIMULATION_ENDS, unless the scheduler has failed, and closes the connection. A second call does
// nothing.
func (s *Scheduler) Close() error {
	if s.closed || s.conn == nil {
		return nil
	}
	s.closed = true
	var err error
	if s.failed == nil {
		s.events = append(s.events, happened(s.now, "SIMULATION_ENDS", struct{}{}))
		err = s.exchange(s.now)
	}
	_ = s.conn.Close() // all that was sent has been answered
	return err
}

// add inserts a decision in the order of time, behind those of the same time.
func (s *Scheduler) add(d decision) {
	i, _ := slices.BinarySearchFunc(s.pending, d, func(a, b decision) int {
		if a.at <= b.at {
			return -1
		}
		return 1
	})
	s.pending = slices.Insert(s.pending, i, d)
}
