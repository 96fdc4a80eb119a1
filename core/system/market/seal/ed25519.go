//go:build !js

package seal

import (
	"crypto/ed25519"
	"encoding/binary"
	"reflect"

	"parley/core/rng"
)

// Real reports whether this program has Ed25519.
const Real = true

func edwards(seed uint64) Keys { return &ring{store: NewStore(seed), pairs: map[Party]pair{}} }

// Unchanging lists the types whose values a run and its copies share: none changes a
// key store.
func Unchanging() []reflect.Type { return []reflect.Type{reflect.TypeFor[Store]()} }

// Private returns a party's private key, which follows from the scenario's seed.
func Private(seed uint64, p Party) ed25519.PrivateKey {
	var raw [ed25519.SeedSize]byte
	key := rng.New(seed, "market/keys/"+p.Role.String())
	for i := range 4 {
		binary.LittleEndian.PutUint64(raw[8*i:], rng.Hash(key.Uint64(), uint64(p.Number), uint64(i)))
	}
	return ed25519.NewKeyFromSeed(raw[:])
}

type pair struct {
	private ed25519.PrivateKey
	public  ed25519.PublicKey
}

// ring makes the keys of a party when they are needed first. The public one is that of
// the party's certificate.
type ring struct {
	store *Store
	pairs map[Party]pair
}

// of returns the keys of a party, made at the first use. The public key is that of the certificate which
// the store issues.
func (e *ring) of(p Party) pair {
	one, known := e.pairs[p]
	if !known {
		var err error
		one.private = Private(e.store.seed, p)
		if one.public, err = e.store.Key(p, e.store.Certificate(p)); err != nil {
			panic("seal: " + err.Error()) // the store has just issued it
		}
		e.pairs[p] = one
	}
	return one
}

// Sign implements Keys.
func (e *ring) Sign(by Party, message []byte) (s Signature) {
	copy(s[:], ed25519.Sign(e.of(by).private, message))
	return s
}

// Verify implements Keys.
func (e *ring) Verify(by Party, message []byte, s *Signature) bool {
	return s != nil && ed25519.Verify(e.of(by).public, message, s[:])
}
