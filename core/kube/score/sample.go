package score

// How many nodes are looked for at least, and the share of them at least where the
// size of the cluster decides.
const (
	minFeasibleNodes   = 100
	minFeasiblePercent = 5
)

// NumFeasibleNodesToFind returns how many nodes that fit are looked for among n:
// the search ends there. percent is percentageOfNodesToScore; 0 leaves it to the
// size of the cluster, from 50 % in a small one to 5 %.
// (schedule_one.go, numFeasibleNodesToFind)
func NumFeasibleNodesToFind(n, percent int) int {
	if n < minFeasibleNodes {
		return n
	}
	if percent == 0 {
		percent = max(minFeasiblePercent, 50-n/125)
	}
	return max(minFeasibleNodes, n*percent/100)
}

// The nodes on which preemption is tried: this share of those that might help, but
// this many at least.
const (
	minCandidatePercent = 10
	minCandidates       = 100
)

// NumCandidates returns on how many of n nodes preemption finds victims before it
// chooses.
// (framework/plugins/defaultpreemption/default_preemption.go, calculateNumCandidates)
func NumCandidates(n int) int {
	return min(n, max(minCandidates, n*minCandidatePercent/100))
}
