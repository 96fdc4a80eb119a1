// Package mail carries messages between agents: with latency, and where the
// scenario says so with loss and partitions. It knows no protocol: what a
// message means is its sender's affair.
//
// An agent is a node's (its number is the unit.NodeID) or a broker's (Broker).
// A message that is lost is simply not delivered; senders keep their own
// timeouts on the clock.
//
//	post := mail.New(clock, mail.Default(), rng.New(seed, "mail"), where)
//	post.Deliver = agents // a Receiver
//	post.Send(mail.Message{From: 17, To: mail.Broker(0), Kind: getCandidates, Task: id})
package mail

import (
	"parley/core/des"
	"parley/core/rng"
	"parley/core/unit"
)

// Agent is an address: a node's agent (0 and up) or a broker's (below 0).
type Agent int32

// Broker returns the address of the k-th broker, counted from 0.
func Broker(k int) Agent { return Agent(-1 - k) }

// Node returns the node whose agent a is, or unit.NoNode for a broker.
func (a Agent) Node() unit.NodeID {
	if a < 0 {
		return unit.NoNode
	}
	return unit.NodeID(a)
}

// Broker returns which broker a is, or -1 for a node's agent.
func (a Agent) Broker() int {
	if a >= 0 {
		return -1
	}
	return int(-1 - a)
}

// Message is one message. Its fields beside the addresses belong to the
// protocol.
type Message struct {
	From, To Agent
	Kind     uint8
	Flag     uint8
	Ref, Gen uint32
	Task     unit.TaskID
	A, B     unit.Vec
}

// Receiver gets the messages that arrive. The message is the receiver's until
// Receive returns.
type Receiver interface {
	Receive(now unit.Time, m *Message)
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
type Post struct {
	Deliver   Receiver  // set once before the first Send
	Connected Connected // nil: always

	settings Settings
	delay    unit.Time // a fault: every message takes so much longer
	clock    des.Clock
	random   *rng.Stream
	letters  []Message
	reading  Message // the one that arrives: kept here, it costs no allocation
	free     []uint32
	sent     int64
	lost     int64
}

// New returns a post without letters.
func New(clock des.Clock, s Settings, random *rng.Stream) *Post {
	return &Post{settings: s, clock: clock, random: random}
}

// Sent returns how many messages were sent, Lost how many never arrived.
func (p *Post) Sent() int64 { return p.sent }

// Lost returns how many messages were lost or could not be delivered.
func (p *Post) Lost() int64 { return p.lost }

// Send posts a message; it arrives later or never.
func (p *Post) Send(m Message) {
	p.sent++
	if p.settings.Loss > 0 && p.random.Float64() < p.settings.Loss || !p.connected(&m) {
		p.lost++
		return
	}
	var i uint32
	if n := len(p.free); n > 0 {
		i = p.free[n-1]
		p.free = p.free[:n-1]
		p.letters[i] = m
	} else {
		i = uint32(len(p.letters))
		p.letters = append(p.letters, m)
	}
	p.clock.At(p.arrival(), p, uint64(i))
}

func (p *Post) connected(m *Message) bool { return p.Connected == nil || p.Connected(m.From, m.To) }

// SetLoss makes messages get lost with this probability from now on, SetDelay
// makes them take so much longer.
func (p *Post) SetLoss(probability float64) { p.settings.Loss = probability }

// SetDelay makes every message sent from now on take so much longer.
func (p *Post) SetDelay(delay unit.Time) { p.delay = delay }

func (p *Post) arrival() unit.Time {
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
func (p *Post) Fire(now unit.Time, arg uint64) {
	p.reading = p.letters[arg]
	p.free = append(p.free, uint32(arg))
	if !p.connected(&p.reading) {
		p.lost++
		return
	}
	p.Deliver.Receive(now, &p.reading)
}
