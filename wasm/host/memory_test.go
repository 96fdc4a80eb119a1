package host

import (
	"runtime"
	"testing"
)

// TestReserve: what the heap lacks is taken once, as one block, and none of it stays in
// use; who has enough takes nothing.
func TestReserve(t *testing.T) {
	const more = 96 << 20
	var m memory
	for _, lacks := range []int{more, 0, -more} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m.Reserve(int(before.HeapSys) + lacks)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if took := int(after.TotalAlloc - before.TotalAlloc); took < lacks || took > max(lacks, 0)+more/4 {
			t.Errorf("%d bytes were taken, %d lacked", took, lacks)
		}
		if after.HeapInuse > before.HeapInuse+more/4 {
			t.Errorf("%d bytes are in use, %d were before: the block is still held", after.HeapInuse, before.HeapInuse)
		}
		if held := m.Memory(); held < int64(after.HeapSys) {
			t.Errorf("it is said to hold %d bytes, and its heap alone has %d", held, after.HeapSys)
		}
	}
}
