package fipa

import (
	"parley/core/des"
	"parley/core/mail"
	"parley/core/system/market/seal"
	"parley/core/unit"
)

// Means are the tools of an agent of any role.
type Means struct {
	Clock  des.Clock
	Post   *mail.Post[Payload]
	Keys   seal.Keys
	Answer unit.Time // how long it waits for an answer
}
