package plan

// knapsack is policy I (2.16): the set with W_n in it that has the largest
// Σ A_i while Σ S_i/(B_i+S_i) < B_n/(B_n+S_n). It returns nil if W_n alone
// does not fit.
//
// Branch and bound after Horowitz and Sahni (1974): items by value per weight (which is the
// bandwidth) decreasing, the bound fills the rest with a fraction of the first item that does not
// fit. After the given number of nodes beyond one look at every item, the best set so far is the
// result; the greedy fill from which it starts is already within one item of the optimum.
func knapsack(p Platform, last, nodes int) []int {
	capacity := p.Workers[last].room() - p.Workers[last].weight()
	if capacity <= 0 {
		return nil
	}
	items := everyone(p, linkSlowness)
	putLast(items, last)
	items = items[:len(items)-1]
	k := newPacking(p, items, capacity)
	k.search(nodes + len(items))
	set := []int{last}
	for t, in := range k.best {
		if in {
			set = append(set, items[t])
		}
	}
	return set
}

type packing struct {
	value, weight []float64
	values        []float64 // values[t] = Σ value[:t]
	weights       []float64 // weights[t] = Σ weight[:t]
	capacity      float64   // to stay strictly below
	taken, best   []bool
	bestValue     float64
}

// newPacking prepares the branch and bound over items, indices of workers in the order of value per
// weight. The start is the empty set with value 0.
func newPacking(p Platform, items []int, capacity float64) *packing {
	n := len(items)
	k := &packing{
		value: make([]float64, n), weight: make([]float64, n),
		values: make([]float64, n+1), weights: make([]float64, n+1),
		capacity: capacity, taken: make([]bool, n), best: make([]bool, n),
	}
	for t, i := range items {
		k.value[t], k.weight[t] = p.Workers[i].rate(), p.Workers[i].weight()
		k.values[t+1] = k.values[t] + k.value[t]
		k.weights[t+1] = k.weights[t] + k.weight[t]
	}
	return k
}

// search looks at up to nodes nodes of the tree, depth first, and leaves the best set in k.best and its
// value in k.bestValue. It is optimal if the search ends before the nodes are spent.
func (k *packing) search(nodes int) {
	n := len(k.value)
	value, weight := 0.0, 0.0
	t := 0
	for {
		// Forward: take items that fit, as long as the bound exceeds the best so far.
		promising := true
		for t < n {
			if nodes--; nodes < 0 || value+k.bound(t, k.capacity-weight) <= k.bestValue {
				promising = false
				break
			}
			if weight+k.weight[t] < k.capacity {
				k.taken[t] = true
				value += k.value[t]
				weight += k.weight[t]
			}
			t++
		}
		if promising && value > k.bestValue {
			k.bestValue = value
			copy(k.best, k.taken)
		}
		if nodes < 0 {
			return
		}
		// Back: leave out the last item taken.
		for t--; t >= 0 && !k.taken[t]; t-- {
		}
		if t < 0 {
			return
		}
		k.taken[t] = false
		value -= k.value[t]
		weight -= k.weight[t]
		t++
	}
}

// bound is the value of filling room with items from t on, the last one in
// part.
func (k *packing) bound(t int, room float64) float64 {
	low, high := t, len(k.value) // weights[low]-weights[t] <= room
	for low < high {
		middle := (low + high + 1) / 2
		if k.weights[middle]-k.weights[t] <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	bound := k.values[low] - k.values[t]
	if low < len(k.value) {
		bound += float64((room - (k.weights[low] - k.weights[t])) * k.value[low] / k.weight[low])
	}
	return bound
}
