package negotiation_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/scripttest"
	"parley/core/system"
	"parley/core/system/negotiation"
	"parley/core/unit"
	"parley/core/workload"
)

// TestScripts plays testdata/*.txt: small cells in which every message and
// every physical event is written down as it happens.
//
//	60.004  n0 -> b0  GetCandidateNodesRequest a
//	        n0 owns a, agent of n0 asks broker 0 about it
//	60.006  ** migration_began a n0>n2
//
// `settings` makes an empty cell whose agents have the JSON that follows as
// settings (messages take 1 ms unless it says otherwise), `play` does one act a
// line: see stage.play.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		var s *stage
		return func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "settings":
				var err error
				if s, err = newStage(cluster.Default(), d.Input); err != nil {
					return err.Error() + "\n"
				}
				return "ok\n"
			case "play":
				s.log.Reset()
				for line := range strings.Lines(d.Input) {
					if err := s.play(strings.Fields(line)); err != nil {
						t.Fatalf("%s: %q: %v", d.Pos, strings.TrimSpace(line), err)
					}
				}
				return s.log.String()
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		}
	})
}

// stage is a small cell with agents, and tasks that have letters for names.
type stage struct {
	kernel *des.Kernel
	c      *cluster.Cluster
	agents system.System
	names  map[unit.TaskID]string
	tasks  map[string]unit.TaskID
	lose   map[string]int // how many more messages of a kind get lost
	quiet  bool           // messages are not written down
	log    strings.Builder
}

// newStage makes a stage without nodes. Settings are JSON over the defaults,
// but mail takes exactly 1 ms.
func newStage(physical cluster.Settings, settings string) (*stage, error) {
	k := des.New()
	s := &stage{kernel: k, c: cluster.New(physical, k), names: map[unit.TaskID]string{}, tasks: map[string]unit.TaskID{}, lose: map[string]int{}}
	mine := negotiation.Default()
	mine.Mail = mail.Settings{Latency: unit.Millisecond}
	if err := system.Decode(json.RawMessage(settings), &mine); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	s.agents, err = negotiation.New(system.Env{
		Clock: k, View: s.c.View(), Acts: s.c, Rand: func(name string) *rng.Stream { return rng.New(1, name) },
	}, raw)
	if err != nil {
		return nil, err
	}
	negotiation.Overhear(s.agents, s.hear)
	return s, nil
}

// play does one act.
//
//	nodes 3 cpu=1 mem=1 [rack=0] [disk=2]   more nodes, all alike
//	run a n0 cpu=.1 mem=.1 [task]           a task that runs on n0 and uses this much
//	submit a cpu=.1 mem=.1 [task]           a task that a broker has to place; it uses all it requests
//	use a cpu=.2 mem=.1                     a task uses this much from now on
//	end a
//	resize n0 cpu=.5 mem=.5 · attribute n0 disk=3
//	down n0 · up n0                         the node crashes, and returns
//	fault rack_cut 0 · fault mail_loss 0 .5 what Fail takes
//	lose TaskMigrationProcessRequest 2      two more of these never arrive
//	until 90s                               time passes up to this moment; `quietly` leaves messages out
//	draw · state a · open · knows b0 n0 · report NAME …
//
// A [task] may have request=.2/.3 instead of what it uses, priority=9,
// production, image=100 (MB), disk=2 (it runs only there), user=1, replica=1 (of
// job 1, to be kept apart).
func (s *stage) play(words []string) error {
	args := map[string]string{}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		args[key] = value
	}
	switch words[0] {
	case "nodes":
		s.join(number(words[1]), args)
	case "run", "submit":
		w := task(args)
		id := s.c.Submit(workload.Key{Job: job(args, len(s.names)), Index: uint32(len(s.names))}, w)
		s.tasks[words[1]], s.names[id] = id, words[1]
		if words[0] == "run" {
			if err := s.c.Place(id, node(words[2]), cluster.Unchecked); err != nil {
				return err
			}
		}
		s.c.Measure(id, vec(args))
	case "use":
		s.c.Measure(s.tasks[words[1]], vec(args))
	case "end":
		s.c.End(s.tasks[words[1]], workload.Finished)
	case "resize":
		s.c.Resize(node(words[1]), vec(args))
	case "attribute":
		s.c.SetAttribute(node(words[1]), workload.Attribute{Name: disk, Value: int64(number(args["disk"]))})
	case "down":
		s.c.Leave(node(words[1]))
	case "up":
		s.c.Restore(node(words[1]))
	case "fault":
		d := system.AgentFault{Kind: words[1], Target: number(words[2])}
		if len(words) > 3 {
			d.Value, _ = strconv.ParseFloat(words[3], 64)
		}
		s.agents.(system.FaultTarget).Fail(d)
	case "lose":
		s.lose[words[1]] += number(words[2])
	case "until":
		return s.until(words[1], len(words) > 2)
	case "draw", "state", "open", "knows", "report":
		s.tell(words)
	default:
		return fmt.Errorf("unknown act %q", words)
	}
	return s.events()
}

func (s *stage) join(n int, args map[string]string) {
	for range n {
		d := workload.Node{Capacity: vec(args), Rack: -1, Site: -1}
		if rack, ok := args["rack"]; ok {
			d.Rack = int32(number(rack))
		}
		if value, ok := args["disk"]; ok {
			d.Attributes = []workload.Attribute{{Name: disk, Value: int64(number(value))}}
		}
		s.c.Join(uint64(s.c.View().Nodes()), d)
	}
}

func (s *stage) until(moment string, quiet bool) error {
	d, err := time.ParseDuration(moment)
	if err != nil {
		return err
	}
	s.quiet = quiet
	for s.kernel.Step(unit.Time(d.Microseconds())) {
		if err := s.events(); err != nil {
			return err
		}
	}
	s.quiet = false
	return s.c.Audit()
}

// events hands the events of one step to the agents and writes them down.
func (s *stage) events() error {
	err := s.c.Deliver(func(e cluster.Event) error {
		if e.Kind != cluster.UsageSwept && e.Kind != cluster.UsageMeasured && e.Kind != cluster.NodeUp && e.At > 0 {
			s.write("** %v%s", e.Kind, s.what(e))
		}
		return s.agents.On(e)
	})
	if err != nil {
		return err
	}
	return s.c.Check()
}

func (s *stage) what(e cluster.Event) string {
	text := ""
	if e.Task != unit.NoTask {
		text += " " + s.names[e.Task]
	}
	if e.Node != unit.NoNode {
		text += fmt.Sprintf(" n%d", e.Node)
	}
	switch e.Kind {
	case cluster.MigrationBegan, cluster.MigrationEnded, cluster.MigrationBroken:
		text += fmt.Sprintf(">n%d", e.Other)
		if e.Detail == 1 {
			text += " forced"
		}
	}
	return text
}

// hear writes a message down, or loses it.
func (s *stage) hear(m negotiation.Overheard) bool {
	lost := s.lose[m.Kind] > 0
	if lost {
		s.lose[m.Kind]--
	}
	if !s.quiet {
		s.write("%s -> %s  %s %s%s", m.From, m.To, m.Kind, s.names[m.Task], map[bool]string{true: "  lost"}[lost])
	}
	return !lost
}

func (s *stage) write(format string, args ...any) {
	fmt.Fprintf(&s.log, "%7.3f  %s\n", s.kernel.Now().Seconds(), fmt.Sprintf(format, args...))
}

func (s *stage) tell(words []string) {
	v := s.c.View()
	switch words[0] {
	case "draw":
		s.log.WriteString(s.draw())
	case "state":
		t, alive := v.Task(s.tasks[words[1]])
		switch {
		case !alive:
			s.write("%s has ended", words[1])
		case t.Node == unit.NoNode:
			s.write("%s %v", words[1], t.State)
		default:
			s.write("%s %v on n%d", words[1], t.State, t.Node)
		}
	case "open":
		r := s.agents.(system.Reporter).Report()
		s.write("negotiations open %v, begun %v, without a target %v, expired %v; migrations tried %v, refused %v",
			r["negotiations_open"], r["negotiations"], r["negotiations_failed"], r["recommendations_expired"], r["migration_attempts"], r["migration_rejected"])
	case "report":
		r := s.agents.(system.Reporter).Report()
		for _, name := range words[1:] {
			if _, known := r[name]; !known {
				panic("no figure " + name)
			}
			s.write("%s %v", name, r[name])
		}
	case "knows":
		seen, idle := negotiation.Believes(s.agents, number(words[1][1:]), node(words[2]))
		if seen < 0 {
			s.write("%s knows nothing of %s", words[1], words[2])
		} else {
			s.write("%s heard of %s %.3f s ago: idle %v", words[1], words[2], (s.kernel.Now() - seen).Seconds(), idle)
		}
	}
}

// draw shows one # for each tenth in use, ! where it is more than all.
func (s *stage) draw() string {
	v := s.c.View()
	var out strings.Builder
	for n := range v.Nodes() {
		id := unit.NodeID(n)
		fmt.Fprintf(&out, "n%d cpu [%s] mem [%s]", n, bar(v.Used(id)[unit.CPU], v.Capacity(id)[unit.CPU]), bar(v.Used(id)[unit.Memory], v.Capacity(id)[unit.Memory]))
		tasks := slices.Collect(v.Tasks(id))
		slices.SortFunc(tasks, func(a, b unit.TaskID) int { return cmp.Compare(s.names[a], s.names[b]) })
		for _, task := range tasks {
			out.WriteString(" " + s.names[task])
		}
		out.WriteString("\n")
	}
	return out.String()
}

func bar(part, whole unit.Share) string {
	if part > whole {
		return "!!!!!!!!!!"
	}
	tenths := int(int64(part) * 10 / int64(max(whole, 1)))
	return strings.Repeat("#", tenths) + strings.Repeat(".", 10-tenths)
}

const disk workload.AttributeName = 0

func task(args map[string]string) *workload.Task {
	w := &workload.Task{Request: vec(args), Usage: workload.UsageModel{Measured: true}}
	if both, ok := args["request"]; ok {
		cpu, memory, _ := strings.Cut(both, "/")
		w.Request = vec(map[string]string{"cpu": cpu, "mem": memory})
	}
	w.Image = workload.ImageOf(w.Request)
	if mb, ok := args["image"]; ok {
		w.Image = unit.Bytes(number(mb)) * unit.MB
	}
	if _, ok := args["production"]; ok {
		w.Class = workload.Production
	}
	if _, ok := args["replica"]; ok {
		w.Spread = true
	}
	w.Priority, w.User = uint8(optional(args, "priority")), uint32(optional(args, "user"))
	if value, ok := args["disk"]; ok {
		w.Constraints = []workload.Constraint{{Name: disk, Op: workload.Equal, Value: int64(number(value))}}
	}
	return w
}

// job returns the job of a replica, or one of the task's own.
func job(args map[string]string, own int) uint64 {
	if _, ok := args["replica"]; ok {
		return uint64(number(args["replica"]))
	}
	return uint64(1000 + own)
}

func optional(args map[string]string, name string) int {
	if text, ok := args[name]; ok {
		return number(text)
	}
	return 0
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func vec(args map[string]string) (v unit.Vec) {
	for r, name := range [unit.Resources]string{"cpu", "mem"} {
		if text, ok := args[name]; ok {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic(err)
			}
			v[r] = unit.ShareOf(x)
		}
	}
	return v
}

func node(name string) unit.NodeID { return unit.NodeID(number(strings.TrimPrefix(name, "n"))) }
