package central

import (
	"math"
	"slices"
	"sort"

	"parley/core/unit"
	"parley/core/workload"
)

// ranked keeps nodes in the order of their scores, the highest first and of equal ones the
// lowest number, in blocks that know the most room of their nodes: the first node with room
// is found past the blocks without. It remembers before which place no node had room for
// the last demand, so that the further tasks of a job cost little.
type ranked struct {
	blocks []rankBlock
	scores []float64 // by node, as in its block; -Inf: in none

	current demand // of the last search, while valid
	wants   []workload.Constraint
	valid   bool
	from    unit.NodeID // no node before its place has room for current
	score   float64     // of from when it was found
}

// rankBlock is up to maxRanked nodes that follow one another.
type rankBlock struct {
	slots []rankSlot
	room  room // no node has more of a resource
	loose bool // room may be more than any node has: put right when a search finds nothing
}

// rankSlot is one node in a block: its room is beside it, so that a search reads one piece of
// memory.
type rankSlot struct {
	node unit.NodeID
	room room
}

const maxRanked = 64

// before reports whether a node ranks before another one.
func (r *ranked) before(a, b unit.NodeID) bool {
	return r.scores[a] > r.scores[b] || r.scores[a] == r.scores[b] && a < b
}

// sum sets room by the nodes of the block.
func (b *rankBlock) sum() {
	b.room, b.loose = noRoom, false
	for i := range b.slots {
		b.room.raise(&b.slots[i].room)
	}
}

// rebuild ranks all nodes by scores, and keeps a copy of them. Nodes with the score -Inf are left out.
// Blocks are half full, so that nodes can be inserted.
func (r *ranked) rebuild(pages []page, scores []float64) {
	r.scores, r.valid = append(r.scores[:0], scores...), false
	order := make([]unit.NodeID, 0, len(scores))
	for n := range scores {
		if !math.IsInf(scores[n], -1) {
			order = append(order, unit.NodeID(n))
		}
	}
	slices.SortFunc(order, func(a, b unit.NodeID) int {
		if r.before(a, b) {
			return -1
		}
		return 1
	})
	r.blocks = r.blocks[:0]
	for chunk := range slices.Chunk(order, maxRanked/2) {
		block := rankBlock{slots: make([]rankSlot, 0, maxRanked)}
		for _, n := range chunk {
			block.slots = append(block.slots, rankSlot{n, pages[n].room})
		}
		block.sum()
		r.blocks = append(r.blocks, block)
	}
}

// blockOf returns the first block that has a node not before n with this score; len(r.blocks) if there
// is none.
func (r *ranked) blockOf(score float64, n unit.NodeID) int {
	return sort.Search(len(r.blocks), func(i int) bool {
		slots := r.blocks[i].slots
		last := slots[len(slots)-1].node
		return r.scores[last] < score || r.scores[last] == score && last >= n
	})
}

// place returns the block that has a node or into which it belongs by its score, and its index there.
// There must be a block with nodes.
func (r *ranked) place(n unit.NodeID) (block, at int) {
	block = r.blockOf(r.scores[n], n)
	if block == len(r.blocks) {
		block--
	}
	slots := r.blocks[block].slots
	return block, sort.Search(len(slots), func(i int) bool { return !r.before(slots[i].node, n) })
}

// move ranks a node by a new score, -Inf to leave it out, and copies its room from its page, which may
// have changed too. If it now comes before the node that the last search found, the next search begins
// there.
func (r *ranked) move(pages []page, n unit.NodeID, score float64) {
	if !math.IsInf(r.scores[n], -1) {
		i, at := r.place(n)
		b := &r.blocks[i]
		if b.loose = true; r.scores[n] == score {
			b.slots[at].room = pages[n].room
			b.room.raise(&pages[n].room)
			if score > r.score || score == r.score && n < r.from {
				r.from, r.score = n, score // it may have more room than before
			}
			return
		}
		if b.slots = slices.Delete(b.slots, at, at+1); len(b.slots) == 0 {
			r.blocks = slices.Delete(r.blocks, i, i+1)
		}
	}
	if r.scores[n] = score; math.IsInf(score, -1) {
		return
	}
	if score > r.score || score == r.score && n < r.from {
		r.from, r.score = n, score
	}
	if len(r.blocks) == 0 {
		r.blocks = append(r.blocks, rankBlock{room: noRoom})
	}
	i, at := 0, 0
	if len(r.blocks[0].slots) > 0 {
		i, at = r.place(n)
	}
	b := &r.blocks[i]
	b.slots = slices.Insert(b.slots, at, rankSlot{n, pages[n].room})
	if b.room.raise(&pages[n].room); len(b.slots) == maxRanked {
		rest := rankBlock{slots: append(make([]rankSlot, 0, maxRanked), b.slots[maxRanked/2:]...)}
		b.slots = b.slots[:maxRanked/2]
		b.sum()
		rest.sum()
		r.blocks = slices.Insert(r.blocks, i+1, rest)
	}
}

// first returns the highest ranked node with room that is suitable; unit.NoNode if there is none. A
// search for the same demand as the last one begins at the node that was found, because those before it
// had no room.
func (r *ranked) first(d *demand, suitable func(unit.NodeID) bool) unit.NodeID {
	start := 0
	if r.valid && r.current.need == d.need && r.current.class == d.class && slices.Equal(r.wants, d.constraints) {
		start = r.blockOf(r.score, r.from)
	}
	r.wants = append(r.wants[:0], d.constraints...)
	r.current, r.valid = *d, true
	r.current.constraints = nil
	r.from, r.score = unit.NodeID(len(r.scores)), math.Inf(-1)
	need, class := d.need, d.class
	for i := start; i < len(r.blocks); i++ {
		block := &r.blocks[i]
		if !within(&need, &block.room[class]) {
			continue
		}
		for j := range block.slots {
			one := &block.slots[j]
			if within(&need, &one.room[class]) && suitable(one.node) {
				r.from, r.score = one.node, r.scores[one.node]
				return one.node
			}
		}
		if block.loose {
			block.sum()
		}
	}
	return unit.NoNode
}
