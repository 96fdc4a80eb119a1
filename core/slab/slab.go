// Package slab numbers things that come and go by the entries of a slice. An entry that
// fell free is used again, the latest first: numbers stay small, memory stays close
// and nothing is left to collect.
//
//	i := slab.Take(&free, &letters) // letters[i] is as it was left, or zero
//	free = append(free, i)          // gives it back
//
// A caller that hands numbers out keeps a count of the uses in the entry, and joins
// both into an id (unit.TaskID, des.Ticket), so that an id that is over names nothing.
package slab

// Take returns the number of an entry to use: of the one that fell free last, or of
// a new one behind all others.
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
