package solve

import "slices"

// rename permutes the hosts of a placement so that much memory stays at home:
// the pair of hosts with the most memory in common first.
func (from origin) rename(t tasks, host []int32) {
	type pair struct {
		packed, home int32
		common       float64
	}
	at := map[[2]int32]int{}
	var pairs []pair
	for i, h := range host {
		if home := from.home[i]; home != New {
			key := [2]int32{h, home}
			if _, seen := at[key]; !seen {
				at[key] = len(pairs)
				pairs = append(pairs, pair{packed: h, home: home})
			}
			pairs[at[key]].common += from.weight[i]
		}
	}
	order := sorted(len(pairs), func(k int32) float64 { return -pairs[k].common })
	name := slices.Repeat([]int32{New}, t.hosts)
	taken := make([]bool, t.hosts)
	for _, k := range order {
		p := pairs[k]
		if name[p.packed] == New && !taken[p.home] {
			name[p.packed], taken[p.home] = p.home, true
		}
	}
	free := 0
	for h := range name {
		if name[h] == New {
			for taken[free] {
				free++
			}
			name[h], taken[free] = int32(free), true
		}
	}
	for i := range host {
		host[i] = name[host[i]]
	}
}

// swapTwins exchanges the hosts of equal tasks of a job so that those stay at
// home that can.
func (from origin) swapTwins(t tasks, host []int32) {
	for first, end := 0, 0; first < len(host); first = end {
		for end = first; end < len(host) && t.job[end] == t.job[first]; {
			end++
		}
		if end-first > 1 {
			keepHomes(from.home[first:end], from.weight[first:end], host[first:end])
		}
	}
}

// keepHomes reorders host so that home[k] == host[k] as often as possible, and of
// tasks with one home for those whose migration would cost most.
func keepHomes(home []int32, weight []float64, host []int32) {
	left := slices.Clone(host)
	slices.Sort(left)
	used := make([]bool, len(left))
	next := map[int32]int{} // of each host: its first place in left not yet given away
	for at := len(left) - 1; at >= 0; at-- {
		next[left[at]] = at
	}
	for k := range host {
		host[k] = New
	}
	for _, k := range sorted(len(home), func(k int32) float64 { return -weight[k] }) {
		if at, ok := next[home[k]]; ok && at < len(left) && left[at] == home[k] {
			host[k], used[at] = home[k], true
			next[home[k]]++
		}
	}
	at := 0
	for k := range host {
		if host[k] == New {
			for used[at] {
				at++
			}
			host[k], used[at] = left[at], true
		}
	}
}
