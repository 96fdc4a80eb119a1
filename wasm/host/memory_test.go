package host

import (
	"runtime"
	"testing"
)

// TestReserve: the program holds what was reserved, and no block of it stays in use.
func TestReserve(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const more = 96 << 20
	var m memory
	m.Reserve(int(before.HeapSys) + more)
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown < more {
		t.Errorf("the heap grew by %d bytes, want %d", grown, more)
	}
	if after.HeapInuse > before.HeapInuse+more/2 {
		t.Errorf("%d bytes are in use, %d were before: the block is still held", after.HeapInuse, before.HeapInuse)
	}
	if got := m.Memory(); got < int64(after.HeapSys) {
		t.Errorf("it is said to hold %d bytes, and its heap alone has %d", got, after.HeapSys)
	}
	held := m.Memory()
	if m.Reserve(1); m.Memory() > held+(8<<20) {
		t.Errorf("asked for less than it has, it grew from %d to %d", held, m.Memory())
	}
}
