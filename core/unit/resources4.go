//go:build resources4

package unit

// The resources of a build that proves that there may be others.
const (
	CPU Resource = iota
	Memory
	Disk
	GPU
	Resources // how many there are
)

var resourceNames = [Resources]resourceName{{"cpu", "CPU"}, {"memory", "Memory"}, {"disk", "Disk"}, {"gpu", "GPU"}}
