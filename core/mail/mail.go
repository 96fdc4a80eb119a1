// Package mail delivers messages between the agents of a system. Messages have a latency. If the
// scenario sets it, they can also be lost, be stopped by partitions, or arrive only in rounds,
// several a minute, as some papers simulate.
//
// The package knows no protocol. A system declares the roles of its agents and the type
// of its messages, the payload P: a plain struct that is copied from the sender to the
// receiver, so that no message allocates memory.
//
//	const (bidder mail.Role = iota; auctioneer)
//	type say struct { kind uint8; price int64 }
//
//	post := mail.New[say](clock, mail.Default(), random)
//	post.Deliver = agents // a Receiver[say]
//	post.Send(mail.At(bidder, 17), mail.At(auctioneer, 0), say{offer, 40})
//
// A lost message is not delivered, and the sender is not notified. To wait for a reply,
// use Deadlines, which reports a wait that has lasted too long.
package mail

import (
	"fmt"

	"parley/core/des"
	"parley/core/rng"
	"parley/core/slab"
	"parley/core/unit"
)

// Role is a kind of agent. A system numbers its roles from 0.
type Role uint8

// Agent is an address: an agent's role and its number within the role.
type Agent uint32

// maxNumber is the highest number that an agent may have.
const maxNumber = 1<<24 - 1

// At returns the address of an agent. It panics if the number is below 0 or above
// 16,777,215.
func At(role Role, number int) Agent {
	if uint(number) > maxNumber {
		panic(fmt.Sprintf("mail: agent %d of role %d: numbers lie in 0…%d", number, role, maxNumber))
	}
	return Agent(role)<<24 | Agent(number)
}

// Role returns the agent's role.
func (a Agent) Role() Role { return Role(a >> 24) }

// Number returns the number of the agent within its role, from 0.
func (a Agent) Number() int { return int(a & maxNumber) }

// Message is a message with a payload of the system.
type Message[P any] struct {
	From, To Agent
	Payload  P
}

// Receiver handles messages that arrive. A message is valid until Receive returns.
type Receiver[P any] interface {
	Receive(now unit.Time, m *Message[P])
}

// Settings describe how messages travel.
type Settings struct {
	Latency unit.Time `json:"latency_us"` // the least time a message takes
	Jitter  unit.Time `json:"jitter_us"`  // at most this much more, uniformly
	Loss    float64   `json:"loss"`       // probability that a message is lost
	// 0: latency above; else the paper's rounds: messages arrive at the next one
	Rounds int `json:"rounds_a_minute"`
}

// Default returns the default settings: a latency of 0.5 to 2 ms, and no losses.
func Default() Settings {
	return Settings{Latency: 500 * unit.Microsecond, Jitter: 1500 * unit.Microsecond}
}

// Connected reports whether a message can pass between two agents now. It is false for
// failed nodes and across partitions.
type Connected func(from, to Agent) bool

// Post delivers messages on a clock.
type Post[P any] struct {
	Deliver   Receiver[P] // set once before the first Send
	Connected Connected   // nil: always

	settings Settings
	delay    unit.Time // a fault: additional delay of every message
	clock    des.Clock
	random   *rng.Stream
	letters  []Message[P]
	reading  Message[P] // the one that arrives: kept here, it costs no allocation
	free     []uint32
	sent     int64
	lost     int64
}

// New returns a post without messages under way.
func New[P any](clock des.Clock, s Settings, random *rng.Stream) *Post[P] {
	return &Post[P]{settings: s, clock: clock, random: random}
}

// Sent returns the number of messages that were sent.
func (p *Post[P]) Sent() int64 { return p.sent }

// Lost returns the number of messages that were lost or could not be delivered.
func (p *Post[P]) Lost() int64 { return p.lost }

// Send sends a message, which arrives later or is lost.
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

// SetLoss sets the probability that a message sent from now on is lost.
func (p *Post[P]) SetLoss(probability float64) { p.settings.Loss = probability }

// SetDelay adds a delay to every message sent from now on.
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

// Fire delivers letter arg, or counts it as lost if its ends are not connected at this moment.
func (p *Post[P]) Fire(now unit.Time, arg uint64) {
	p.reading = p.letters[arg]
	p.free = append(p.free, uint32(arg))
	if !p.connected(p.reading.From, p.reading.To) {
		p.lost++
		return
	}
	p.Deliver.Receive(now, &p.reading)
}
