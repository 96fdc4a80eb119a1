package cluster

import (
	"fmt"

	"parley/core/rng"
)

// Engine is the version of all that decides a digest: runs of one version and scenario
// have one digest.
const Engine = "0.1.0"

// Digest folds every event of a run into 64 bits. Two runs with equal digests
// had the same events at the same times in the same order. Its zero value is
// the digest of no events.
type Digest uint64

// Observe folds one event in. No two fields share bits of the words that are
// folded: times stay below 2^49 µs, the longest run being 3,650 days.
func (d *Digest) Observe(e Event) {
	h := rng.Mix((uint64(*d) + 0x9e3779b97f4a7c15) ^ uint64(e.At) ^ uint64(e.Kind)<<56 ^ uint64(e.Detail)<<49)
	h = rng.Mix(h ^ uint64(uint32(e.Node))<<32 ^ uint64(uint32(e.Other)))
	h = rng.Mix(h ^ uint64(e.Task))
	*d = Digest(rng.Mix(h ^ uint64(e.Amount)))
}

// String prints the digest as links and reports do: 16 hex digits.
func (d Digest) String() string { return fmt.Sprintf("%016x", uint64(d)) }
