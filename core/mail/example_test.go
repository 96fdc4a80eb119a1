package mail_test

import (
	"fmt"

	"parley/core/des"
	"parley/core/mail"
	"parley/core/rng"
	"parley/core/unit"
)

// The roles of a made-up protocol, and what its messages say.
const (
	buyer mail.Role = iota
	seller
)

type offer struct {
	price int64
	gen   uint32 // which wait of the buyer it answers
}

// bazaar holds the agents of both roles: a seller comes down with the price until
// the buyer agrees or has waited too long.
type bazaar struct {
	post  *mail.Post[offer]
	waits mail.Deadlines
	gen   uint32
}

func (b *bazaar) Receive(now unit.Time, m *mail.Message[offer]) {
	switch {
	case m.To.Role() == seller && m.Payload.price < 70:
		fmt.Println(now, "seller", m.To.Number(), "has had enough and says nothing")
	case m.To.Role() == seller:
		b.post.Send(m.To, m.From, offer{m.Payload.price - 10, m.Payload.gen})
	case m.Payload.gen == b.gen:
		fmt.Println(now, "seller", m.From.Number(), "offers", m.Payload.price)
		b.ask(m.From, m.Payload.price)
	}
}

func (b *bazaar) ask(who mail.Agent, price int64) {
	b.gen++
	b.waits.Watch(0, b.gen)
	b.post.Send(mail.At(buyer, 0), who, offer{price, b.gen})
}

// A conversation of two roles: messages with a payload of the system's own, and a
// wait that runs out.
func Example() {
	clock := des.New()
	b := &bazaar{post: mail.New[offer](clock, mail.Settings{Latency: unit.Second}, rng.New(1, "mail"))}
	b.post.Deliver = b
	b.waits = mail.Deadlines{Clock: clock, After: 30 * unit.Second, Expire: func(_, gen uint32) {
		if gen == b.gen {
			fmt.Println(clock.Now(), "the buyer gives up")
		}
	}}
	b.ask(mail.At(seller, 7), 90)
	for clock.Step(unit.Minute) {
	}
	// Output:
	// 2s seller 7 offers 80
	// 4s seller 7 offers 70
	// 6s seller 7 offers 60
	// 7s seller 7 has had enough and says nothing
	// 36s the buyer gives up
}
