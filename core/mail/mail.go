// Package mail carries messages between the agents of a system: with latency,
// and where the scenario says so with loss and partitions, or in the rounds of
// a minute that some papers simulate.
//
// It knows no protocol. A system declares the roles of its agents, and what a
// message says is a type of its own, the payload P: a plain struct that is
// copied from the sender to the receiver, so that nothing is allocated for it.
//
//	const (bidder mail.Role = iota; auctioneer)
//	type say struct { kind uint8; price int64 }
//
//	post := mail.New[say](clock, mail.Default(), random)
//	post.Deliver = agents // a Receiver[say]
//	post.Send(mail.At(bidder, 17), mail.At(auctioneer, 0), say{offer, 40})
//
// A message that is lost is simply not delivered. To wait for an answer, keep
// a Deadlines, which tells when a wait has lasted too long.
package mail

import (
	"fmt"

	"parley/core/des"
	"parley/core/rng"
	"parley/core/slab"
	"parley/core/unit"
)

// Role is a kind of agent: a system numbers its own from 0 on.
type Role uint8

// Agent is an address: an agent's role and its number within the role.
type Agent uint32

// maxNumber is the highest number that an agent may have.
const maxNumber = 1<<24 - 1

// At returns the address of an agent. Its number is at most 16,777,215; another
// one is a broken invariant of the system.
func At(role Role, number int) Agent {
	if uint(number) > maxNumber {
		panic(fmt.Sprintf("mail: agent %d of role %d: numbers lie in 0…%d", number, role, maxNumber))
	}
	return Agent(role)<<24 | Agent(number)
}

// Role returns the agent's role.
func (a Agent) Role() Role { return Role(a >> 24) }

// Number returns which agent of its role it is, from 0.
func (a Agent) Number() int { return int(a & maxNumber) }

// Message is one message. The payload is the system's.
type Message[P any] struct {
	From, To Agent
	Payload  P
}

// Receiver gets the messages that arrive. The message is the receiver's until
// Receive returns.
type Receiver[P any] interface {
	Receive(now unit.Time, m *Message[P])
}

// Settings say how messages travel.
type Settings struct {
	Latency unit.Time `json:"latency_us"`      // the least time a message takes
	Jitter  unit.Time `json:"jitter_us"`       // at most this much more, uniformly
	Loss    float64   `json:"loss"`            // probability that a message is lost
	Rounds  int       `json:"rounds_a_minute"` // 0: latency above; else the paper's rounds: messages arrive at the next one
}

// Default returns the settings that a scenario leaves out: half a millisecond
// to two, nothing lost.
func Default() Settings {
	return Settings{Latency: 500 * unit.Microsecond, Jitter: 1500 * unit.Microsecond}
}

// Connected says whether a message can pass between two agents now: dead nodes
// and partitions are told here.
type Connected func(from, to Agent) bool

// Post delivers messages on a clock.
type Post[P any] struct {
	Deliver   Receiver[P] // set once before the first Send
	Connected Connected   // nil: always

	settings Settings
	delay    unit.Time // a fault: every message takes so much longer
	clock    des.Clock
	random   *rng.Stream
	letters  []Message[P]
	reading  Message[P] // the one that arrives: kept here, it costs no allocation
	free     []uint32
	sent     int64
	lost     int64
}

// New returns a post without letters.
func New[P any](clock des.Clock, s Settings, random *rng.Stream) *Post[P] {
	return &Post[P]{settings: s, clock: clock, random: random}
}

// Sent returns how many messages were sent, Lost how many never arrived.
func (p *Post[P]) Sent() int64 { return p.sent }

// Lost returns how many messages were lost or could not be delivered.
func (p *Post[P]) Lost() int64 { return p.lost }

// Send posts a message; it arrives later or never.
func (p *Post[P]) Send(from, to Agent, payload P) {
	p.sent++
	if p.settings.Loss > 0 && p.random.Float64() < p.settings.Loss || !p.connected(from, to) {
		p.lost++
		return
	}
	i := slab.Take(&p.free, &p.letters)
	m := &p.letters[i]
	m.From, m.To, m.Payload = from, to, payload
	p.clock.At(p.arrival(), p, uint64(i))
}

func (p *Post[P]) connected(from, to Agent) bool { return p.Connected == nil || p.Connected(from, to) }

// SetLoss makes messages get lost with this probability from now on, SetDelay
// makes them take so much longer.
func (p *Post[P]) SetLoss(probability float64) { p.settings.Loss = probability }

// SetDelay makes every message sent from now on take so much longer.
func (p *Post[P]) SetDelay(delay unit.Time) { p.delay = delay }

func (p *Post[P]) arrival() unit.Time {
	now := p.clock.Now()
	if p.settings.Rounds > 0 {
		round := unit.Minute / unit.Time(p.settings.Rounds)
		return ((now+p.delay)/round + 1) * round
	}
	at := now + p.settings.Latency + p.delay
	if p.settings.Jitter > 0 {
		at += unit.Time(p.random.Uint64n(uint64(p.settings.Jitter)))
	}
	return at
}

// Fire implements des.Handler: letter arg has arrived.
func (p *Post[P]) Fire(now unit.Time, arg uint64) {
	p.reading = p.letters[arg]
	p.free = append(p.free, uint32(arg))
	if !p.connected(p.reading.From, p.reading.To) {
		p.lost++
		return
	}
	p.Deliver.Receive(now, &p.reading)
}
