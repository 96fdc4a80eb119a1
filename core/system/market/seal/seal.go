// Package seal signs contracts and verifies signatures. The bank accepts nothing else as
// proof.
//
// There are two kinds of signature. Ed25519 (RFC 8032) is real. The modelled one is a keyed
// hash that anyone who knows the scenario's seed could forge; it is a hundred times faster
// and has the same outcome in runs without forgery.
//
// The page does not include Ed25519, which would be a twentieth of its first download.
// There every signature is modelled, and Real is false.
//
// Keys are derived from the scenario's seed, so a run has the same signatures everywhere. As
// in the paper, parties have X.509 certificates (Store), issued by an authority of the
// scenario, and signatures are verified with the key in the certificate. The page has no
// certificates; its digests are the same.
package seal

import (
	"encoding/binary"
	"fmt"

	"parley/core/rng"
)

// Party is somebody who signs.
type Party struct {
	Role   Role
	Number int32
}

// String returns the party's name: "user 3".
func (p Party) String() string { return fmt.Sprintf("%v %d", p.Role, p.Number) }

// Role is a kind of party.
type Role uint8

// The roles.
const (
	User Role = iota
	Resource
	Bank
)

// String returns the role in words.
func (r Role) String() string {
	if r > Bank {
		return "authority"
	}
	return [...]string{"user", "resource", "bank"}[r]
}

// Signature is that of one party under one message.
type Signature [64]byte

// Keys are those of all parties.
type Keys interface {
	Sign(by Party, message []byte) Signature
	Verify(by Party, message []byte, s *Signature) bool
}

// Names are the schemes as settings spell them.
func Names() []string { return []string{"ed25519", "modelled"} }

// New returns the keys of a scheme.
func New(name string, seed uint64) Keys {
	if name == "modelled" || !Real {
		return modelled(seed)
	}
	return edwards(seed)
}

// modelled is the seed of a keyed hash.
type modelled uint64

// Sign implements Keys.
func (m modelled) Sign(by Party, message []byte) (s Signature) {
	h := rng.Hash(uint64(m), uint64(by.Role), uint64(by.Number))
	for len(message) >= 8 {
		h = rng.Mix(h ^ binary.LittleEndian.Uint64(message))
		message = message[8:]
	}
	for _, b := range message {
		h = rng.Mix(h ^ uint64(b) ^ 1<<32)
	}
	binary.LittleEndian.PutUint64(s[:], h)
	return s
}

// Verify implements Keys.
func (m modelled) Verify(by Party, message []byte, s *Signature) bool {
	return s != nil && m.Sign(by, message) == *s
}
