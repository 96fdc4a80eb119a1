package score

import (
	"cmp"
	"slices"

	"parley/core/formula"
	"parley/core/unit"
)

// Lens looks at all nodes of a cluster through formulas, for a picture: which nodes satisfy a
// condition, and the score of each. It changes nothing.
type Lens struct {
	Reader

	// Kept and Scores are what Look found, by node. Kept is 1 if the condition holds
	// and the score is a number, else 0. Scores is empty without a score.
	Kept   []byte
	Scores []float64

	where   *formula.Formula // nil: every node is kept
	score   *formula.Formula // nil: there are no scores
	sheet   Sheet
	nodes   []unit.NodeID
	allowed []float64
}

// Use sets the condition and the score; nil for none.
func (l *Lens) Use(where, score *formula.Formula) {
	l.where, l.score = where, score
	l.sheet.Use(where, score)
}

// Look evaluates the formulas for the present state.
func (l *Lens) Look() {
	for n := len(l.nodes); n < l.View.Nodes(); n++ {
		l.nodes = append(l.nodes, unit.NodeID(n))
	}
	l.nodes = l.nodes[:l.View.Nodes()]
	l.sheet.Read(&l.Reader, l.nodes)
	l.Scores, l.allowed = l.Scores[:0], l.allowed[:0]
	if l.score != nil {
		l.Scores = l.sheet.Eval(l.score, l.Scores)
	}
	if l.where != nil {
		l.allowed = l.sheet.Eval(l.where, l.allowed)
	}
	l.Kept = slices.Grow(l.Kept[:0], len(l.nodes))[:len(l.nodes)]
	for i := range l.Kept {
		l.Kept[i] = 0
		if (l.where == nil || l.allowed[i] == 1) && (l.score == nil || formula.Finite(l.Scores[i])) {
			l.Kept[i] = 1
		}
	}
}

// Range returns the least and the greatest score of the nodes that are kept; false if
// none is.
func (l *Lens) Range() (low, high float64, ok bool) {
	for n, score := range l.Scores {
		if l.Kept[n] == 0 {
			continue
		}
		if !ok {
			low, high, ok = score, score, true
		}
		low, high = min(low, score), max(high, score)
	}
	return low, high, ok
}

// Paint writes the scores to a layer of a picture, where low becomes 0 and high becomes
// full. Nodes that are left out are 0. It returns the layer, and how many of the scores are
// below low or above high.
func (l *Lens) Paint(layer []byte, low, high float64, full byte) (painted []byte, outside int) {
	layer = slices.Grow(layer[:0], len(l.Scores))[:len(l.Scores)]
	for n, score := range l.Scores {
		layer[n] = 0
		if l.Kept[n] == 0 {
			continue
		}
		if score < low || score > high {
			outside++
		}
		layer[n] = byte(float64(float64(full)*(min(max(score, low), high)-low))/(high-low) + 0.5)
	}
	return layer, outside
}

// Best appends to list the k nodes with the highest scores among those that are kept and
// that fits accepts, the best first; of equal scores the lowest number.
func (l *Lens) Best(k int, fits func(unit.NodeID) bool, list []unit.NodeID) []unit.NodeID {
	from := len(list)
	for n := range l.Scores {
		id := unit.NodeID(n)
		if l.Kept[n] == 0 || len(list) == from+k && l.Scores[n] <= l.Scores[list[len(list)-1]] || !fits(id) {
			continue
		}
		if len(list) == from+k {
			list = list[:len(list)-1]
		}
		list = append(list, id)
		slices.SortStableFunc(list[from:], func(a, b unit.NodeID) int { return cmp.Compare(l.Scores[b], l.Scores[a]) })
	}
	return list
}
