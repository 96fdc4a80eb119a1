package des_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/des"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
)

// TestScripts plays testdata/*.txt. An event's name is written when it fires.
//
//	at 5us a                    schedules a for that moment
//	at 5us a then +3us b        the same of one that schedules b so much later when it fires
//	at 5us a then cancel b      the same of one that cancels b
//	cancel a
//	until 10us                  time passes up to that moment
//	step 10us                   the next event fires, unless it lies later
//	next                        when the next one fires, and how many wait and have fired
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		p := &player{kernel: des.New(), tickets: map[string]des.Ticket{}}
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "play" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			p.out.Reset()
			for _, l := range scripttest.Lines(t, d) {
				p.do(l)
			}
			return p.out.String()
		}
	})
}

type player struct {
	kernel  *des.Kernel
	tickets map[string]des.Ticket
	acts    []act // by the event's argument
	out     strings.Builder
}

// act is what an event does: it schedules or cancels another, or nothing.
type act struct {
	name, other string
	after       unit.Time
	cancels     bool
}

func (p *player) do(l scripttest.Line) {
	moment := func() unit.Time { return unit.Time(l.Span(l.Word(0))) }
	switch l.Act() {
	case "at":
		a := act{name: l.Word(1)}
		if l.Has("then") {
			if a.other, a.cancels = l.Word(4), l.Word(3) == "cancel"; !a.cancels {
				a.after = unit.Time(l.Span(l.Word(3)))
			}
		}
		p.schedule(moment(), a)
	case "cancel":
		p.kernel.Cancel(p.tickets[l.Word(0)])
	case "step":
		fmt.Fprintf(&p.out, "%v, now %v\n", p.kernel.Step(moment()), p.kernel.Now())
	case "until":
		for p.kernel.Step(moment()) {
		}
		fmt.Fprintf(&p.out, "now %v\n", p.kernel.Now())
	case "next":
		next := p.kernel.Next().String()
		if p.kernel.Next() == unit.Forever {
			next = "never"
		}
		fmt.Fprintf(&p.out, "next %s, %d wait, %d fired\n", next, p.kernel.Pending(), p.kernel.Fired())
	default:
		l.Fail("the act is unknown")
	}
}

func (p *player) schedule(at unit.Time, a act) {
	p.acts = append(p.acts, a)
	p.tickets[a.name] = p.kernel.At(at, p, uint64(len(p.acts)-1))
}

// Fire implements des.Handler.
func (p *player) Fire(now unit.Time, arg uint64) {
	a := p.acts[arg]
	fmt.Fprintf(&p.out, "%v %s\n", now, a.name)
	switch {
	case a.cancels:
		p.kernel.Cancel(p.tickets[a.other])
	case a.other != "":
		p.schedule(now+a.after, act{name: a.other})
	}
}

// planned is an event of the dumb second kernel: a slice that is searched.
type planned struct {
	at     unit.Time
	seq    int
	ticket des.Ticket
	dead   bool
}

// TestInterleavedAgainstSlice mixes scheduling, cancelling (also of tickets
// that are spent) and stepping, so that slots are used again.
func TestInterleavedAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, r := des.New(), &recorder{}
		var plan []planned
		var tickets []des.Ticket
		var want []string
		fired := 0
		t.Repeat(map[string]func(*rapid.T){
			"at": func(t *rapid.T) {
				at := k.Now() + drawSpan(t)
				if at -= 10; at < k.Now()-10 { // beyond all times
					at = unit.Forever
				}
				seq := len(tickets)
				ticket := k.At(at, r, uint64(seq))
				if slices.Contains(tickets, ticket) || ticket == 0 {
					t.Fatalf("ticket %x was given twice, or is none", ticket)
				}
				plan = append(plan, planned{at: max(at, k.Now()), seq: seq, ticket: ticket})
				tickets = append(tickets, ticket)
			},
			"cancel": func(t *rapid.T) {
				if len(tickets) == 0 {
					return
				}
				ticket := rapid.SampledFrom(tickets).Draw(t, "ticket")
				k.Cancel(ticket)
				for i := range plan {
					plan[i].dead = plan[i].dead || plan[i].ticket == ticket
				}
			},
			"step": func(t *rapid.T) {
				limit := k.Now() + drawSpan(t)
				if limit < 0 {
					limit = unit.Forever
				}
				best := -1
				for i, p := range plan {
					if !p.dead && p.at < limit && (best < 0 || p.at < plan[best].at || p.at == plan[best].at && p.seq < plan[best].seq) {
						best = i
					}
				}
				if got := k.Step(limit); got != (best >= 0) {
					t.Fatalf("Step(%d) is %v", limit, got)
				}
				if best < 0 {
					if k.Now() != limit {
						t.Fatalf("the clock stands at %d after Step(%d) found nothing", k.Now(), limit)
					}
					return
				}
				fired++
				want = append(want, fmt.Sprintf("%d:%d", plan[best].at, plan[best].seq))
				plan[best].dead = true
			},
			"": func(t *rapid.T) {
				if !slices.Equal(r.fired, want) || k.Fired() != uint64(fired) {
					t.Fatalf("fired %v, want %v", r.fired, want)
				}
			},
		})
	})
}

// drawSpan draws a few microseconds, or about as long as one of the spans that
// the queue itself is laid out by, or longer than any run.
func drawSpan(t *rapid.T) unit.Time {
	scale := rapid.SampledFrom([]unit.Time{0, 0, unit.Second, unit.Minute, unit.Hour, 40 * unit.Day, 1 << 62}).Draw(t, "scale")
	return unit.Time(rapid.IntRange(0, 3).Draw(t, "times"))*(scale/2) + unit.Time(rapid.IntRange(0, 20).Draw(t, "span"))
}
