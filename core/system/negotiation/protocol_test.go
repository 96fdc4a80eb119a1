package negotiation_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/negotiation"
	"parley/core/testkit/scripttest"
	"parley/core/testkit/scripttest/cell"
	"parley/core/unit"
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
// line, in the words of package cell and those of stage.play, `told` prints the notes
// of the cell so far.
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
				for _, l := range scripttest.Lines(t, d) {
					if err := s.play(l); err != nil {
						l.Fail("%v", err)
					}
				}
				return s.log.String()
			case "told":
				return s.sentences()
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		}
	})
}

// stage is a small cell with agents.
type stage struct {
	*cell.Cell
	agents system.System
	lose   map[string]int64 // how many more messages of a kind get lost
	quiet  bool             // messages are not written down
	log    strings.Builder
	notes  []system.Note
}

// newStage makes a stage without nodes. Settings are JSON over the defaults,
// but mail takes exactly 1 ms.
func newStage(physical cluster.Settings, settings string) (*stage, error) {
	s := &stage{Cell: cell.New(physical), lose: map[string]int64{}}
	s.Measured, s.Settle = true, s.events
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
		Clock: s.Kernel, View: s.Cluster.View(), Acts: s.Cluster, Rand: func(name string) *rng.Stream { return rng.New(1, name) },
		Note: func(n system.Note) { s.notes = append(s.notes, n) },
	}, raw)
	if err != nil {
		return nil, err
	}
	negotiation.Overhear(s.agents, s.hear)
	return s, nil
}

// play does one act: one of package cell's, of which `submit` makes a task that uses
// exactly what it says and `until … quietly` leaves messages out, or
//
//	run a n0 cpu=.1 mem=.1 [task]           a task that runs on n0 and uses this much
//	fault partition 0 · fault mail_loss 0 .5 what Fail takes
//	lose TaskMigrationProcessRequest 2      two more of these never arrive
//	open · knows b0 n0 · report NAME …
func (s *stage) play(l scripttest.Line) error {
	s.quiet = l.Has("quietly")
	shown, known, err := s.Do(l)
	s.quiet = false
	switch {
	case err != nil:
		return err
	case !known:
		err = s.own(l)
	case l.Act() == "state":
		s.write("%s", strings.TrimSpace(shown))
	case l.Act() == "submit":
		s.Cluster.Measure(s.Task(l), cell.Shares(l))
	default:
		s.log.WriteString(shown)
	}
	return cmp.Or(err, s.events())
}

// own does an act that only these scripts have.
func (s *stage) own(l scripttest.Line) error {
	switch l.Act() {
	case "run":
		id := s.Submit(l)
		if err := s.Cluster.Place(id, cell.At(l, l.Word(1)), cluster.Unchecked); err != nil {
			return err
		}
		s.Cluster.Measure(id, cell.Shares(l))
	case "fault":
		d := system.AgentFault{Kind: l.Word(0), Target: int(l.Int(l.Word(1)))}
		if len(l.Words) > 3 {
			d.Value = l.Float(l.Word(2))
		}
		s.agents.(system.FaultTarget).Fail(d)
	case "lose":
		s.lose[l.Word(0)] += l.Int(l.Word(1))
	case "open":
		r := s.agents.(system.Reporter).Report()
		s.write("negotiations open %v, begun %v, without a target %v, expired %v; migrations tried %v, refused %v",
			r["negotiations_open"], r["negotiations"], r["negotiations_failed"], r["recommendations_expired"], r["migration_attempts"], r["migration_rejected"])
	case "report":
		r := s.agents.(system.Reporter).Report()
		for _, name := range l.Words[1:] {
			if _, known := r[name]; !known {
				l.Fail("no figure is called %s", name)
			}
			s.write("%s %v", name, r[name])
		}
	case "knows":
		seen, idle := negotiation.Believes(s.agents, int(l.Int(l.Word(0)[1:])), cell.At(l, l.Word(1)))
		if seen < 0 {
			s.write("%s knows nothing of %s", l.Word(0), l.Word(1))
		} else {
			s.write("%s heard of %s %.3f s ago: idle %v", l.Word(0), l.Word(1), (s.Kernel.Now() - seen).Seconds(), idle)
		}
	default:
		l.Fail("no act is called so")
	}
	return nil
}

// events hands the events of one step to the agents and writes them down.
func (s *stage) events() error {
	err := s.Cluster.Deliver(func(e cluster.Event) error {
		if e.Kind != cluster.UsageSwept && e.Kind != cluster.UsageMeasured && e.Kind != cluster.NodeUp && e.At > 0 {
			s.write("** %s", s.Describe(e))
		}
		return s.agents.On(e)
	})
	return cmp.Or(err, s.Cluster.Check())
}

// sentences tells the notes that the agents made.
func (s *stage) sentences() string {
	var out strings.Builder
	for _, n := range s.notes {
		fmt.Fprintf(&out, "%7.3f  %s: %s\n", n.At.Seconds(), cmp.Or(s.Names[n.Task], "-"), s.agents.(system.NoteFormatter).FormatNote(n))
	}
	return out.String()
}

// hear writes a message down, or loses it.
func (s *stage) hear(m negotiation.Overheard) bool {
	lost := s.lose[m.Kind] > 0
	if lost {
		s.lose[m.Kind]--
	}
	if !s.quiet {
		s.write("%s -> %s  %s %s%s", m.From, m.To, m.Kind, s.Names[m.Task], map[bool]string{true: "  lost"}[lost])
	}
	return !lost
}

func (s *stage) write(format string, args ...any) {
	fmt.Fprintf(&s.log, "%7.3f  %s\n", s.Kernel.Now().Seconds(), fmt.Sprintf(format, args...))
}
