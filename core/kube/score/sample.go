package score

// The minimum number of nodes to find, and the minimum percentage of the cluster if its size
// decides.
const (
	minFeasibleNodes   = 100
	minFeasiblePercent = 5
)

// NumFeasibleNodesToFind returns the number of feasible nodes among n at which the search ends.
// percent is percentageOfNodesToScore; with 0 the size of the cluster decides, from 50 % in a small
// one to 5 %.
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

// NumCandidates returns the number of nodes among n on which preemption finds victims before it
// chooses.
// (framework/plugins/defaultpreemption/default_preemption.go, calculateNumCandidates)
func NumCandidates(n int) int {
	return min(n, max(minCandidates, n*minCandidatePercent/100))
}
