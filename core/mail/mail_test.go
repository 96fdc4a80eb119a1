package mail_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/des"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/unit"
)

// inbox keeps what arrives, and may answer.
type inbox struct {
	at     []unit.Time
	got    []letter
	answer func(m *letter)
}

// say is a payload like those of the systems.
type say struct {
	kind     uint8
	ref, gen uint32
	a, b     unit.Vec
}

type letter = mail.Message[say]

func (b *inbox) Receive(now unit.Time, m *letter) {
	b.at, b.got = append(b.at, now), append(b.got, *m)
	if b.answer != nil {
		b.answer(m)
	}
}

func newPost(s mail.Settings, seed uint64) (*des.Kernel, *mail.Post[say], *inbox) {
	k, b := des.New(), &inbox{}
	p := mail.New[say](k, s, rng.New(seed, "mail"))
	p.Deliver = b
	return k, p, b
}

func run(k *des.Kernel, until unit.Time) {
	for k.Step(until) {
	}
}

// TestAddresses: an address holds its role and its number, and no other agent has it.
func TestAddresses(t *testing.T) {
	seen := map[mail.Agent]bool{}
	for _, role := range []mail.Role{0, 1, 2, 255} {
		for _, number := range []int{0, 1, 99_999, 1_000_000, 1<<24 - 1} {
			a := mail.At(role, number)
			if a.Role() != role || a.Number() != number || seen[a] {
				t.Errorf("agent %d of role %d reads back as %d of %d, or is somebody else too", number, role, a.Number(), a.Role())
			}
			seen[a] = true
		}
	}
	for _, number := range []int{-1, 1 << 24} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("agent %d has an address", number)
				}
			}()
			mail.At(0, number)
		}()
	}
}

// sent is a message that was sent in the property below.
type sent struct {
	m     letter
	at    unit.Time
	extra unit.Time // the delay in force
}

// TestEveryMessageArrivesOnceOrIsLost sends at random times under random
// latency, jitter, delay and partitions.
func TestEveryMessageArrivesOnceOrIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := mail.Settings{
			Latency: unit.Time(rapid.IntRange(1, 1000).Draw(t, "latency")), Jitter: unit.Time(rapid.IntRange(0, 1000).Draw(t, "jitter")),
			Loss: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "loss"),
		}
		k, p, b := newPost(s, rapid.Uint64().Draw(t, "seed"))
		cut := [4]bool{} // agents that nobody reaches
		p.Connected = func(from, to mail.Agent) bool { return !cut[from] && !cut[to] }
		var letters []sent
		delay := unit.Time(0)
		lostBefore := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "act") {
			case 0:
				a := rapid.IntRange(0, 3).Draw(t, "agent")
				cut[a] = !cut[a]
			case 1:
				delay = unit.Time(rapid.IntRange(0, 3000).Draw(t, "delay"))
				p.SetDelay(delay)
			case 2:
				run(k, k.Now()+unit.Time(rapid.IntRange(1, 2000).Draw(t, "pass")))
			default:
				m := letter{
					From: mail.Agent(rapid.IntRange(0, 3).Draw(t, "from")), To: mail.Agent(rapid.IntRange(0, 3).Draw(t, "to")),
					Payload: say{uint8(rapid.IntRange(0, 255).Draw(t, "kind")), uint32(len(letters)), 7, unit.Vec{1, 2}, unit.Vec{3, 4}},
				}
				p.Send(m.From, m.To, m.Payload)
				if cut[m.From] || cut[m.To] {
					if p.Lost() != lostBefore+1 {
						t.Fatalf("a message over a cut was not lost when it was sent")
					}
				} else if p.Lost() == lostBefore {
					letters = append(letters, sent{m, k.Now(), delay})
				}
			}
			lostBefore = p.Lost()
		}
		run(k, k.Now()+unit.Minute)
		if p.Sent() != int64(len(b.got))+p.Lost() {
			t.Fatalf("%d sent, but %d arrived and %d lost", p.Sent(), len(b.got), p.Lost())
		}
		if !slices.IsSorted(b.at) {
			t.Fatalf("arrivals out of order: %v", b.at)
		}
		seen := map[uint32]bool{}
		for i, m := range b.got {
			j := slices.IndexFunc(letters, func(l sent) bool { return l.m == m })
			if j < 0 || seen[m.Payload.ref] {
				t.Fatalf("%+v arrived, but was sent otherwise, never, or arrived before", m)
			}
			seen[m.Payload.ref] = true
			took := b.at[i] - letters[j].at - letters[j].extra
			if took < s.Latency || took > s.Latency+max(0, s.Jitter-1) {
				t.Fatalf("a message took %d µs beside the delay, with latency %d and jitter %d", took, s.Latency, s.Jitter)
			}
		}
	})
}

// TestLoss: of 20,000 messages about a quarter gets lost, within four standard
// deviations of the binomial distribution.
func TestLoss(t *testing.T) {
	k, p, b := newPost(mail.Default(), 1)
	p.SetLoss(0.25)
	const n = 20_000
	for range n {
		p.Send(0, 0, say{})
	}
	run(k, unit.Second)
	if off := math.Abs(float64(p.Lost()) - n*0.25); off > 4*math.Sqrt(n*0.25*0.75) {
		t.Errorf("%d of %d messages were lost at a probability of 0.25", p.Lost(), n)
	}
	p.SetLoss(0)
	before := len(b.got)
	for range 100 {
		p.Send(0, 0, say{})
	}
	run(k, 2*unit.Second)
	if len(b.got) != before+100 {
		t.Error("messages get lost after loss was set back to 0")
	}
}

// TestPartitionOnTheWay: a message that was sent in time still needs somebody
// to receive it.
func TestPartitionOnTheWay(t *testing.T) {
	k, p, b := newPost(mail.Default(), 1)
	open := true
	p.Connected = func(_, _ mail.Agent) bool { return open }
	p.Send(0, 0, say{})
	open = false
	run(k, unit.Second)
	if len(b.got) != 0 || p.Lost() != 1 {
		t.Errorf("%d messages arrived and %d were lost", len(b.got), p.Lost())
	}
}

// TestRounds: in the paper's second mode (section 7.10) what is sent in one
// round arrives at the beginning of the next, in the order it was sent.
func TestRounds(t *testing.T) {
	s := mail.Default()
	s.Rounds = 4
	k, p, b := newPost(s, 1)
	const round = 15 * unit.Second
	for i, at := range []unit.Time{0, 1, round - 1, round, 2*round + 5} {
		run(k, at)
		p.Send(0, 0, say{ref: uint32(i)})
	}
	run(k, unit.Minute)
	p.SetDelay(20 * unit.Second)
	p.Send(0, 0, say{ref: 9})
	run(k, 3*unit.Minute)
	got := ""
	for i, m := range b.got {
		got += fmt.Sprintf("%d@%v ", m.Payload.ref, b.at[i])
	}
	if want := "0@15s 1@15s 2@15s 3@30s 4@45s 9@1m30s "; got != want {
		t.Errorf("arrivals %s, want %s", got, want)
	}
}

// TestAnswersReuseLetters: an answer sent while a message is read takes over
// the message's place without harm to it, and nothing piles up.
func TestAnswersReuseLetters(t *testing.T) {
	k, p, b := newPost(mail.Default(), 1)
	b.answer = func(m *letter) {
		ref := m.Payload.ref
		p.Send(m.To, m.From, say{ref: ref + 1})
		if m.Payload.ref != ref {
			t.Fatalf("message %d turned into %d while it was read", ref, m.Payload.ref)
		}
	}
	p.Send(1, 2, say{})
	run(k, unit.Minute)
	if len(b.got) < 1000 {
		t.Errorf("%d messages in a minute", len(b.got))
	}
	for i, m := range b.got {
		if m.Payload.ref != uint32(i) || int(m.From) != 1+i%2 {
			t.Fatalf("message %d arrived as %+v", i, m)
		}
	}
	if allocations := testing.AllocsPerRun(1000, func() { b.at, b.got = b.at[:0], b.got[:0]; run(k, k.Now()+10*unit.Millisecond) }); allocations != 0 {
		t.Errorf("ten milliseconds of mail allocate %v times", allocations)
	}
	if k.Pending() != 1 {
		t.Errorf("%d events wait where one message is on its way", k.Pending())
	}
}
