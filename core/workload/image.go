package workload

import "parley/core/unit"

// MemoryUnit is the size of the reference machine's memory in bytes.
// The Google trace gives no byte unit; 16 GB makes the migration costs of the
// negotiation paper's log entries (102 MB for one task, 464 MB for four) come
// out at its scale.
const MemoryUnit = 16 * unit.GB

// ImageOf returns the memory image of a task that requests this much.
func ImageOf(request unit.Vec) unit.Bytes {
	return MemoryUnit / unit.Bytes(unit.Whole) * unit.Bytes(request[unit.Memory])
}
