package des_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"parley/core/des"
	"parley/core/scripttest"
	"parley/core/unit"
)

// TestScripts plays testdata/*.txt. Times are microseconds; an event's name
// is written when it fires. `at 5 a` schedules a, `at 5 a then +3 b` one that
// schedules b three later when it fires, `at 5 a then cancel b` one that
// cancels b.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		p := &player{kernel: des.New(), tickets: map[string]des.Ticket{}}
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "play" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			p.out.Reset()
			for line := range strings.Lines(d.Input) {
				p.do(strings.Fields(line))
			}
			return p.out.String()
		}
	})
}

type player struct {
	kernel  *des.Kernel
	tickets map[string]des.Ticket
	acts    [][]string // by the event's argument: its name and what it does
	out     strings.Builder
}

func (p *player) do(words []string) {
	number := func(i int) unit.Time {
		n, err := strconv.ParseInt(words[i], 10, 64)
		if err != nil {
			panic(err)
		}
		return unit.Time(n)
	}
	switch words[0] {
	case "at":
		p.schedule(number(1), words[2:])
	case "cancel":
		p.kernel.Cancel(p.tickets[words[1]])
	case "step":
		fmt.Fprintf(&p.out, "%v, now %d\n", p.kernel.Step(number(1)), p.kernel.Now())
	case "run":
		for p.kernel.Step(number(1)) {
		}
		fmt.Fprintf(&p.out, "now %d\n", p.kernel.Now())
	case "next":
		next := strconv.FormatInt(int64(p.kernel.Next()), 10)
		if p.kernel.Next() == unit.Forever {
			next = "never"
		}
		fmt.Fprintf(&p.out, "next %s, %d wait, %d fired\n", next, p.kernel.Pending(), p.kernel.Fired())
	default:
		panic("unknown act " + words[0])
	}
}

func (p *player) schedule(at unit.Time, act []string) {
	p.acts = append(p.acts, act)
	p.tickets[act[0]] = p.kernel.At(at, p, uint64(len(p.acts)-1))
}

// Fire implements des.Handler.
func (p *player) Fire(now unit.Time, arg uint64) {
	act := p.acts[arg]
	fmt.Fprintf(&p.out, "%d %s\n", now, act[0])
	if len(act) == 1 {
		return
	}
	if act[2] == "cancel" {
		p.kernel.Cancel(p.tickets[act[3]])
		return
	}
	after, err := strconv.ParseInt(act[2], 10, 64)
	if err != nil {
		panic(err)
	}
	p.schedule(now+unit.Time(after), act[3:])
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
