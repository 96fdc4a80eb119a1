// Package slab reuses the entries of a slice for values that are created and removed. The
// entry that was freed last is reused first, so indices stay small, memory stays compact,
// and the garbage collector has nothing to do.
//
//	i := slab.Take(&free, &letters) // letters[i] is zero, or as its last user left it
//	free = append(free, i)          // frees it
//
// A caller that gives indices to others keeps a counter of uses in the entry and combines
// both into an id (unit.TaskID, des.Ticket), so that an outdated id is recognised.
package slab

// Take returns the index of an unused entry: the one that was freed last, or a new one at
// the end of the slice.
func Take[N ~int | ~int32 | ~uint32, T any](free *[]N, all *[]T) N {
	if last := len(*free) - 1; last >= 0 {
		n := (*free)[last]
		*free = (*free)[:last]
		return n
	}
	var entry T
	*all = append(*all, entry)
	return N(len(*all) - 1)
}
