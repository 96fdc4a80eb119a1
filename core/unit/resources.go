//go:build !resources4

package unit

// The resources a node offers and a task asks for.
const (
	CPU Resource = iota
	Memory
	Resources // how many there are
)

var resourceNames = [Resources]resourceName{{"cpu", "CPU"}, {"memory", "Memory"}}
