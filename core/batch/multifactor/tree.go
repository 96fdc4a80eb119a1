package multifactor

import (
	"cmp"
	"math"
	"slices"
)

// Tree is a hierarchy of accounts and users with their shares and usage. A node
// is named by its index, in the order in which Add made it.
type Tree struct {
	nodes []node
	users int
}

// node is an account or a user.
type node struct {
	parent   int // -1: the root is above it
	children []int
	user     bool
	shares   float64
	usage    float64 // of an account: the sum of its users', set by sumAccounts
	factor   float64 // of a user: the result, from 0 to 1
	ratio    float64 // shares to usage among its siblings; +Inf without usage
}

// Root is the parent of the accounts at the top.
const Root = -1

// Add adds an account, or a user, below a parent, which Root or an earlier Add
// returned. Shares is at least 1.
func (t *Tree) Add(parent int, user bool, shares int64) int {
	i := len(t.nodes)
	t.nodes = append(t.nodes, node{parent: parent, user: user, shares: float64(shares)})
	if parent != Root {
		t.nodes[parent].children = append(t.nodes[parent].children, i)
	}
	if user {
		t.users++
	}
	return i
}

// Use sets a user's usage, in any unit.
func (t *Tree) Use(user int, usage float64) { t.nodes[user].usage = usage }

// Factor returns the fair-share factor of a user after FairTree or Classic.
func (t *Tree) Factor(user int) float64 { return t.nodes[user].factor }

// sumAccounts sets the usage of each account to the sum of its users', and returns the nodes below the root and the
// usage of all.
func (t *Tree) sumAccounts() (top []int, all float64) {
	for i := range t.nodes {
		if !t.nodes[i].user {
			t.nodes[i].usage = 0
		}
	}
	for i := len(t.nodes) - 1; i >= 0; i-- { // a parent has a lower index
		if p := t.nodes[i].parent; p != Root {
			t.nodes[p].usage += t.nodes[i].usage
		} else {
			top = append(top, i)
			all += t.nodes[i].usage
		}
	}
	slices.Reverse(top)
	return top, all
}

// FairTree sets the factors as Slurm's Fair Tree does, its default since 19.05. At each
// level siblings are sorted by the ratio of their part of the shares to their part of
// the usage. The users are ranked depth first: the first has the factor 1, each next one
// a user less. Equal users have equal ranks; the children of equal accounts are sorted
// together. Users come before accounts of an equal ratio.
func (t *Tree) FairTree() {
	top, _ := t.sumAccounts()
	rank := ranks{tree: t, left: t.users}
	rank.level(top)
}

// ranks gives the users their ranks.
type ranks struct {
	tree *Tree
	left int // users without a rank
}

// level ranks siblings by falling ratio, users before accounts of the same ratio, and then all that is
// below them. Users of equal ratios get the same rank; accounts of equal ratios are ranked as if their
// children were siblings.
func (r *ranks) level(siblings []int) {
	nodes := r.tree.nodes
	for _, i := range siblings {
		nodes[i].ratio = r.tree.ratio(i)
	}
	slices.SortStableFunc(siblings, func(a, b int) int {
		return cmp.Or(cmp.Compare(nodes[b].ratio, nodes[a].ratio),
			cmp.Compare(first(nodes[a].user), first(nodes[b].user)))
	})
	for len(siblings) > 0 {
		ratio, tied, k := nodes[siblings[0]].ratio, r.left, 0
		var below []int
		for ; k < len(siblings) && nodes[siblings[k]].ratio == ratio; k++ {
			n := &nodes[siblings[k]]
			if n.user {
				n.factor = float64(tied) / float64(r.tree.users)
				r.left--
			}
			below = append(below, n.children...)
		}
		if len(below) > 0 {
			r.level(below)
		}
		siblings = siblings[k:]
	}
}

// first sorts users before accounts.
func first(user bool) int {
	if user {
		return 0
	}
	return 1
}

// ratio returns a node's part of its siblings' shares by its part of their usage.
func (t *Tree) ratio(i int) float64 {
	n := &t.nodes[i]
	if n.usage == 0 {
		return math.Inf(1)
	}
	shares, usage := t.siblings(n.parent)
	return (n.shares / shares) / (n.usage / usage)
}

// siblings returns the shares and the usage of all children of a parent.
func (t *Tree) siblings(parent int) (shares, usage float64) {
	if parent != Root {
		for _, i := range t.nodes[parent].children {
			shares, usage = shares+t.nodes[i].shares, usage+t.nodes[i].usage
		}
		return shares, usage
	}
	for i := range t.nodes {
		if t.nodes[i].parent == Root {
			shares, usage = shares+t.nodes[i].shares, usage+t.nodes[i].usage
		}
	}
	return shares, usage
}

// Classic sets the factors as Slurm did before Fair Tree (NO_FAIR_TREE): 2^(-UE/S), where
// S is a user's part of all shares and UE its effective usage. UE is the part of all usage
// U, plus the part of the parent's remaining usage that the shares are of the siblings':
// U + (UE of the parent - U) · shares / siblings' shares. At the top, UE is U.
func (t *Tree) Classic() {
	_, all := t.sumAccounts()
	effective, part := make([]float64, len(t.nodes)), make([]float64, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		shares, _ := t.siblings(n.parent)
		share, used := n.shares/shares, 0.0
		if all > 0 {
			used = n.usage / all
		}
		if n.parent == Root {
			effective[i], part[i] = used, share
		} else {
			effective[i] = used + float64((effective[n.parent]-used)*share)
			part[i] = part[n.parent] * share
		}
		if n.user {
			n.factor = halved(effective[i] / part[i])
		}
	}
}

// halved returns 2^-x of x at least 0, with the same bits on every platform.
func halved(x float64) float64 {
	if x > 1100 {
		return 0
	}
	whole := math.Floor(x)
	y := -(x - whole) * math.Ln2
	term, sum := 1.0, 1.0
	for k := 1.0; k < 24; k++ { // e^y, |y| < 0.7: terms below 10⁻²⁶ are left out
		term = term * y / k
		sum += term
	}
	return math.Ldexp(sum, -int(whole))
}
