package google2011

import (
	"math/bits"

	"parley/core/rng"
)

// keySet is a set of pairs of numbers that is small where the second ones are
// dense: tasks 0 to 63 of a job share one slot of 24 bytes. The whole trace,
// 25 million tasks of 672,000 jobs, takes about 50 MB.
type keySet struct {
	slots  []keySlot // open addressing, at most three quarters full
	filled int       // slots with members
	size   int       // pairs
}

type keySlot struct {
	high, page uint64
	members    uint64 // 0: the slot is free
}

// add puts a pair into the set.
func (s *keySet) add(high, low uint64) {
	if s.filled >= len(s.slots)/4*3 {
		s.grow()
	}
	slot, bit := s.find(high, low>>6), uint64(1)<<(low&63)
	if slot.members == 0 {
		slot.high, slot.page = high, low>>6
		s.filled++
	}
	if slot.members&bit == 0 {
		slot.members |= bit
		s.size++
	}
}

// find returns the slot of a page, or the free one it belongs into.
func (s *keySet) find(high, page uint64) *keySlot {
	mask := uint64(len(s.slots) - 1)
	for i := rng.Hash(high, page, 0) & mask; ; i = (i + 1) & mask {
		if slot := &s.slots[i]; slot.members == 0 || slot.high == high && slot.page == page {
			return slot
		}
	}
}

func (s *keySet) grow() {
	old := s.slots
	s.slots = make([]keySlot, max(64, 2*len(old)))
	for _, slot := range old {
		if slot.members != 0 {
			*s.find(slot.high, slot.page) = slot
		}
	}
}

// without returns how many pairs of s are not in t.
func (s *keySet) without(t *keySet) int {
	n := 0
	for _, slot := range s.slots {
		others := uint64(0)
		if slot.members != 0 && len(t.slots) > 0 {
			others = t.find(slot.high, slot.page).members
		}
		n += bits.OnesCount64(slot.members &^ others)
	}
	return n
}
