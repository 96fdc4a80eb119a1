package batsim_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/feed"
	"parley/core/protocol"
	"parley/core/run"
	"parley/core/run/events"
	"parley/core/scenario"
	"parley/core/system/recorded"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/tools/parley/batsim"
	"parley/tools/parley/external"
)

// The scheduler's side is written here from the public descriptions of ZMTP 3.0 and of
// Batsim's protocol, and shares no code with the package.

// rep is a socket of type REP over one connection.
type rep struct{ net.Conn }

func (r rep) must(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		panic(err)
	}
	return b
}

// accept shakes hands as a socket of a type.
func accept(l net.Listener, kind string) (r rep, err error) {
	conn, err := l.Accept()
	if err != nil {
		return r, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	r = rep{conn}
	hello := make([]byte, 64)
	hello[0], hello[9], hello[10], hello[11], hello[32] = 0xff, 0x7f, 3, 1, 1
	copy(hello[12:], "NULL")
	_, _ = r.Write(hello)
	if theirs := r.must(64); theirs[0] != 0xff || theirs[10] != 3 || string(theirs[12:16]) != "NULL" {
		return r, fmt.Errorf("the greeting is %q", theirs)
	}
	head := r.must(2)
	if body := r.must(int(head[1])); head[0] != 4 || !bytes.Contains(body, []byte("Socket-Type\x00\x00\x00\x03REQ")) {
		return r, fmt.Errorf("READY is %q", body)
	}
	ready := "\x05READY\x0bSocket-Type\x00\x00\x00" + string(rune(len(kind))) + kind
	_, err = r.Write(append([]byte{4, byte(len(ready))}, ready...))
	return r, err
}

func (r rep) read() (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = io.EOF
		}
	}()
	if head := r.must(2); head[0] != 1 || head[1] != 0 {
		return nil, fmt.Errorf("the first frame of a request is %v", head)
	}
	flags := r.must(1)[0]
	if flags == 0 {
		return r.must(int(r.must(1)[0])), nil
	}
	n := 0
	for _, b := range r.must(8) {
		n = n<<8 | int(b)
	}
	return r.must(n), nil
}

func (r rep) answer(text []byte) {
	out := []byte{1, 0, 2}
	for shift := 56; shift >= 0; shift -= 8 {
		out = append(out, byte(uint64(len(text))>>shift))
	}
	_, _ = r.Write(append(out, text...))
}

type wire struct {
	Now    float64 `json:"now"`
	Events []struct {
		Timestamp float64 `json:"timestamp"`
		Type      string  `json:"type"`
		Data      struct {
			JobID     string `json:"job_id"`
			State     string `json:"job_state"`
			Alloc     string `json:"alloc"`
			Resources int    `json:"nb_compute_resources"`
			Job       struct {
				Size     int     `json:"res"`
				Walltime float64 `json:"walltime"`
			} `json:"job"`
		} `json:"data"`
	} `json:"events"`
}

// serve binds a socket, answers the messages of one connection and returns its address,
// and a function that waits for the end of the connection, which the other side closes.
func serve(t *testing.T, kind string, answer func(*wire) string) (address string, end func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	end = func() {
		l.Close()
		<-done
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		defer close(done)
		r, err := accept(l, kind)
		if err != nil {
			return
		}
		defer r.Close()
		for {
			text, err := r.read()
			if err != nil {
				return
			}
			var m wire
			if err := json.Unmarshal(text, &m); err != nil {
				t.Errorf("%v: %s", err, text)
				return
			}
			reply := answer(&m)
			if reply == "" {
				return
			}
			r.answer([]byte(reply))
		}
	}()
	return "tcp://" + l.Addr().String(), end
}

// easy is EASY backfilling that counts processors: at an instant it takes the jobs that
// arrive before those that end earlier than expected, with a pass after each, as published
// results do.
type easy struct {
	free    map[int]bool
	total   int
	queue   []*queued
	running map[string]*queued
	starts  map[string]float64
	ended   bool
}

type queued struct {
	id   string
	size int
	wall float64
	end  float64
	held []int
}

func (e *easy) answer(m *wire) string {
	var out []string
	pass := func() {
		start := func(q *queued) {
			var all []int
			for r := range e.free {
				all = append(all, r)
			}
			slices.Sort(all)
			q.held, q.end = all[:q.size], m.Now+q.wall
			words := make([]string, q.size)
			for i, r := range q.held {
				words[i] = fmt.Sprint(r)
				delete(e.free, r)
			}
			e.running[q.id], e.starts[q.id] = q, m.Now
			out = append(out, fmt.Sprintf(`{"timestamp":%v,"type":"EXECUTE_JOB","data":{"job_id":%q,"alloc":%q}}`, number(m.Now), q.id, strings.Join(words, " ")))
		}
		for len(e.queue) > 0 && e.queue[0].size <= len(e.free) {
			start(e.queue[0])
			e.queue = e.queue[1:]
		}
		if len(e.queue) == 0 {
			return
		}
		var ends []float64
		for _, q := range e.running {
			ends = append(ends, q.end)
		}
		slices.Sort(ends)
		shadow, extra := math.Inf(1), 0
		for _, end := range ends {
			free := len(e.free)
			for _, q := range e.running {
				if q.end <= end {
					free += q.size
				}
			}
			if free >= e.queue[0].size {
				shadow, extra = end, free-e.queue[0].size
				break
			}
		}
		e.queue = slices.DeleteFunc(e.queue, func(q *queued) bool {
			before := m.Now+q.wall <= shadow
			if q == e.queue[0] || q.size > len(e.free) || !before && q.size > extra {
				return false
			}
			if !before {
				extra -= q.size
			}
			start(q)
			return true
		})
	}
	release := func(id string) {
		if q := e.running[id]; q != nil {
			delete(e.running, id)
			for _, r := range q.held {
				e.free[r] = true
			}
		}
	}
	for _, v := range m.Events { // what ends when it was expected to is free for all passes
		if v.Type == "JOB_COMPLETED" && e.running[v.Data.JobID].end == m.Now {
			release(v.Data.JobID)
		}
	}
	for _, v := range m.Events {
		switch v.Type {
		case "SIMULATION_BEGINS":
			e.total = v.Data.Resources
			for r := range e.total {
				e.free[r] = true
			}
		case "JOB_SUBMITTED":
			e.queue = append(e.queue, &queued{id: v.Data.JobID, size: v.Data.Job.Size, wall: v.Data.Job.Walltime})
			pass()
		case "SIMULATION_ENDS":
			e.ended = true
		}
	}
	for _, v := range m.Events {
		if v.Type == "JOB_COMPLETED" {
			release(v.Data.JobID)
			pass()
		}
	}
	return fmt.Sprintf(`{"now":%v,"events":[%s]}`, number(m.Now), strings.Join(out, ","))
}

func number(x float64) string { return fmt.Sprintf("%.6f", x) }

func newEASY() *easy {
	return &easy{free: map[int]bool{}, running: map[string]*queued{}, starts: map[string]float64{}}
}

// openLog opens a run of a log under a system.
func openLog(t *testing.T, document string, open func() (io.ReadCloser, error), registry run.Registry) (*run.Run, *events.JobLog) {
	t.Helper()
	s, err := scenario.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	source, err := feed.Open(s, []trace.File{{Name: "log.swf", Size: -1, Open: open}}, formats.All, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	jobs := &events.JobLog{}
	r, err := registry.Open(s, source, run.KeepJobs(jobs))
	if err != nil {
		t.Fatal(err)
	}
	return r, jobs
}

// asking is the registry of one scheduler.
func asking(s protocol.Scheduler) run.Registry {
	return run.Registry{recorded.Asking(func() protocol.Scheduler { return s })}
}

// equalStarts plays a log by Batsim's protocol and by the built-in EASY, both with a pass after
// each event.
func equalStarts(t *testing.T, open func() (io.ReadCloser, error), until string, minimum int) {
	t.Helper()
	e := newEASY()
	address, _ := serve(t, "REP", e.answer)
	s := batsim.New(address, external.Options{Patience: time.Minute})
	theirs, jobs := openLog(t, `{"v":1,"system":"recorded","until":"`+until+`"}`, open, asking(s))
	if err := theirs.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || !e.ended {
		t.Errorf("at the end: %v, SIMULATION_ENDS received: %v", err, e.ended)
	}
	ours, own := openLog(t, `{"v":1,"system":"central","settings":{"policy":"easy","batch":{"pass":"event"}},"until":"`+until+`"}`, open, run.Systems())
	if err := ours.Advance(unit.Forever); err != nil {
		t.Fatal(err)
	}
	different := 0
	for i := range jobs.Rows {
		a, b := &jobs.Rows[i], &own.Rows[i]
		if a.Key != b.Key || a.Started != b.Started || a.Ended != b.Ended {
			different++
		}
	}
	if different > 0 || len(jobs.Rows) != len(own.Rows) || len(jobs.Rows) < minimum {
		t.Errorf("%d of %d jobs start otherwise than with the built-in EASY, which has %d", different, len(jobs.Rows), len(own.Rows))
	}
	t.Logf("%d jobs, bounded slowdown %.6f", len(jobs.Rows), bsld(jobs))
}

func bsld(l *events.JobLog) (mean float64) {
	for i := range l.Rows {
		mean += l.Rows[i].BoundedSlowdown() / float64(len(l.Rows))
	}
	return mean
}

// TestEASY: a scheduler of Batsim's protocol starts each job when the built-in EASY does.
func TestEASY(t *testing.T) {
	log := "; MaxProcs: 16\n"
	for i := range 400 {
		ran := 20 + i*7919%900
		log += fmt.Sprintf("%d %d -1 %d %d -1 -1 %d %d -1 1 1 1 1 1 -1 -1 -1\n", i+1, i/3*60, ran, 1+i*31%16, 1+i*31%16, ran*(1+i%3))
	}
	equalStarts(t, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }, "3d", 400)
}

// TestKTH does so on the KTH log.
func TestKTH(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: plays 28,481 jobs twice")
	}
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	name := filepath.Join(root, "swf", "KTH-SP2-1996-2.1-cln.swf.gz")
	if _, err := os.Stat(name); err != nil {
		t.Skipf("no %s, see PARLEY_TRACES", name)
	}
	equalStarts(t, func() (io.ReadCloser, error) { return os.Open(name) }, "400d", 28_000)
}

const three = "; MaxProcs: 4\n1 0 -1 50 1 -1 -1 1 60 -1 1 1 1 1 1 -1 -1 -1\n2 0 -1 100 2 -1 -1 2 100 -1 1 1 1 1 1 -1 -1 -1\n3 10 -1 30 4 -1 -1 4 30 -1 1 1 1 1 1 -1 -1 -1\n"

// play plays three jobs with a scheduler that gives these answers to the events of a type
// (the first ones of its kind), and nothing else.
func play(t *testing.T, kind string, answers map[string][]string) (*events.JobLog, []string, error) {
	t.Helper()
	var heard []string
	address, end := serve(t, kind, func(m *wire) string {
		events := ""
		now := number(m.Now)
		for _, e := range m.Events {
			heard = append(heard, fmt.Sprintf("%v %s %s", m.Now, e.Type, e.Data.JobID))
			key := strings.TrimSpace(e.Type + " " + e.Data.JobID)
			if list := answers[key]; len(list) > 0 {
				answers[key] = list[1:]
				events = list[0]
				if events == "die" {
					return ""
				}
				if strings.HasPrefix(events, "{") && strings.Contains(events, `"now"`) {
					return events
				}
			}
		}
		return fmt.Sprintf(`{"now":%s,"events":[%s]}`, now, events)
	})
	s := batsim.New(address, external.Options{Patience: 5 * time.Second})
	r, jobs := openLog(t, `{"v":1,"system":"recorded","until":"1h"}`, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(three)), nil }, asking(s))
	err := r.Advance(unit.Forever)
	if closed := s.Close(); err == nil {
		err = closed
	}
	end()
	return jobs, heard, err
}

func event(at float64, kind, data string) string {
	return fmt.Sprintf(`{"timestamp":%v,"type":%q,"data":%s}`, at, kind, data)
}

// TestDecisions: decisions happen at their time, calls come when they were asked for, jobs
// that are killed or rejected stop, and what happens while the scheduler computes comes
// later.
func TestDecisions(t *testing.T) {
	jobs, heard, err := play(t, "REP", map[string][]string{
		"SIMULATION_BEGINS":   {event(0, "CALL_ME_LATER", `{"timestamp":5.5}`)},
		"JOB_SUBMITTED w0!2":  {`{"now":3,"events":[` + event(1, "EXECUTE_JOB", `{"job_id":"w0!2","alloc":"3 1"}`) + `,` + event(3, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":"0-0"}`) + `]}`},
		"REQUESTED_CALL":      {event(5.5, "CALL_ME_LATER", `{"timestamp":20}`), event(20, "KILL_JOB", `{"job_ids":["w0!2","w0!77"]}`)},
		"JOB_SUBMITTED w0!3":  {event(10, "REJECT_JOB", `{"job_id":"w0!3"}`)},
		"JOB_COMPLETED w0!1 ": nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0 SIMULATION_BEGINS ", "0 JOB_SUBMITTED w0!1", "0 JOB_SUBMITTED w0!2", "5.5 REQUESTED_CALL ", "10 JOB_SUBMITTED w0!3",
		"20 REQUESTED_CALL ", "20.000001 JOB_COMPLETED w0!2", "20.000001 JOB_KILLED ", "53 JOB_COMPLETED w0!1", "53 SIMULATION_ENDS ",
	}
	if !slices.Equal(heard, want) {
		t.Errorf("heard\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(want, "\n"))
	}
	r := jobs.Rows
	if r[0].Started != 3*unit.Second || !slices.Equal(r[0].Nodes, []unit.NodeID{0}) || r[1].Restarts != 1 || r[2].Started != -1 {
		t.Errorf("%+v", r)
	}
}

// TestMisbehaviour: each answer that Batsim would abort on is one sentence.
func TestMisbehaviour(t *testing.T) {
	at := "JOB_SUBMITTED w0!2"
	for _, c := range []struct{ kind, key, answer, want string }{
		{"REP", at, "die", "it closed the connection instead of an answer"},
		{"REP", at, `{"now":}`, "closed the connection"},
		{"PUB", at, "", `its socket is of type "PUB": bind one of type REP`},
		{"REP", at, `{"now":0,"events":null}`, `it needs "now" and "events"`},
		{"REP", at, `{"now":0,"Events":[]}`, `"Events" is written "events"`},
		{"REP", at, "{\"now\":0,\"events\":[],\"x\":\"\xff\"}", "no UTF-8"},
		{"REP", at, `{"now":0,"events":[{"type":"EXECUTE_JOB","data":{}}]}`, "events[0] needs timestamp and type"},
		{"REP", at, `{"now":-1e300,"events":[]}`, "its now is -1e+300, and it answers a message of 0 s"},
		{"REP", "JOB_SUBMITTED w0!3", `{"now":9.9,"events":[]}`, "its now is 9.9, and it answers a message of 10 s"},
		{"REP", "JOB_SUBMITTED w0!3", `{"now":10,"events":[` + event(-1e300, "REJECT_JOB", `{"job_id":"w0!3"}`) + `]}`, "events[0] is at -1e+300, before the message that it answers, of 10 s"},
		{"REP", at, event(5, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":"0"}`), "after the message's now"},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!9","alloc":"0"}`), `job_id is "w0!9": no job of that name`},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":""}`), "alloc is empty"},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":"4"}`), "there are resources 0 to 3"},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":"0-1"}`), "which is 2 resources, and w0!1 needs 1"},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!2","alloc":"1 1"}`), "names a resource twice"},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":"0"}`) + `,` + event(0, "EXECUTE_JOB", `{"job_id":"w0!2","alloc":"0-1"}`), "was refused: full"},
		{"REP", at, event(0, "EXECUTE_JOB", `{"job_id":"w0!1","alloc":"0"}`) + `,` + event(0, "REJECT_JOB", `{"job_id":"w0!1"}`), "does not wait"},
		{"REP", at, event(0, "CALL_ME_LATER", `{"timestamp":0}`), "its timestamp is not after 0s"},
		{"REP", at, event(0, "REGISTER_JOB", `{}`), "events[0], REGISTER_JOB: it is not supported"},
		{"REP", at, event(0, "NOTIFY", `{"type":"hello"}`), `a notice of type "hello" means nothing here`},
		{"REP", at, `{"timestamp":0,"type":"EXECUTE_JOB"}`, "it has no data"},
		{"REP", at, event(0, "EXECUTE_JOB", `5`), "data: it is a number, not an object"},
	} {
		answers := map[string][]string{c.key: {c.answer}}
		if c.answer == "" {
			answers = nil
		}
		_, _, err := play(t, c.kind, answers)
		if !errors.As(err, new(*external.Failure)) && err == nil {
			t.Errorf("%s: no error", c.answer)
			continue
		}
		if c.answer == `{"now":}` {
			c.want = "invalid character"
		}
		if !strings.Contains(err.Error(), c.want) || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: %v, want %q", c.answer, err, c.want)
		}
	}
}

// TestNobodyListens: an address without a scheduler is one sentence.
func TestNobodyListens(t *testing.T) {
	for _, address := range []string{"tcp://127.0.0.1:1", "127.0.0.1:28000"} {
		s := batsim.New(address, external.Options{Patience: 200 * time.Millisecond})
		if _, err := s.Begin(&protocol.Hello{}); err == nil || !strings.Contains(err.Error(), "nothing listens there") && !strings.Contains(err.Error(), "is not tcp://HOST:PORT") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// FuzzZMTP: whatever a peer sends, a message arrives or a sentence says why not, in bounded
// memory.
func FuzzZMTP(f *testing.F) {
	hello := make([]byte, 64)
	hello[0], hello[9], hello[10] = 0xff, 0x7f, 3
	copy(hello[12:], "NULL")
	good := string(hello) + "\x04\x1a\x05READY\x0bSocket-Type\x00\x00\x00\x03REP" + "\x01\x00\x00\x02{}"
	f.Add([]byte(good))
	f.Add([]byte(good[:70]))
	f.Add([]byte(good[:92] + "\x02\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		message, err := batsim.Receive(text)
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%q is no sentence", err)
		}
		if len(message) > len(text) {
			t.Errorf("%d bytes of %d", len(message), len(text))
		}
	})
}

// FuzzReply: whatever a scheduler answers is taken in or refused with a sentence.
func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"now":1,"events":[{"timestamp":0.5,"type":"EXECUTE_JOB","data":{"job_id":"w0!1","alloc":"0-1 3"}},{"timestamp":1,"type":"CALL_ME_LATER","data":{"timestamp":9}}]}`))
	f.Add([]byte(`{"now":1,"events":[{"timestamp":0.5,"type":"KILL_JOB","data":{"job_ids":["w0!1"]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		acts, err := batsim.Reply(text)
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%q is no sentence", err)
		}
		for i := range acts {
			if err := (&protocol.Answer{Acts: acts[i : i+1]}).Check(); err != nil {
				t.Errorf("%s leads to an act that means nothing: %v", text, err)
			}
		}
	})
}

// TestAllocations: what is written is read back, and is as short as can be.
func TestAllocations(t *testing.T) {
	for text, want := range map[string]string{"0-3 5": "0-3 5", "5 0-2 3": "0-3 5", "7": "7", "2,1": "1-2"} {
		all, err := batsim.ParseAllocation(text, 10)
		if err != nil || batsim.FormatAllocation(all) != want {
			t.Errorf("%s is %v (%v), want %s", text, all, err, want)
		}
	}
}
