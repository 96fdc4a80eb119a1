package memory

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// TestReserve: what the heap lacks is taken once, as one block, and none of it stays in
// use; who has enough takes nothing.
func TestReserve(t *testing.T) {
	const more = 96 << 20
	var h Heap
	for _, lacks := range []int{more, 0, -more} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		h.Reserve(int(before.HeapSys) + lacks)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if took := int(after.TotalAlloc - before.TotalAlloc); took < lacks || took > max(lacks, 0)+more/4 {
			t.Errorf("%d bytes were taken, %d lacked", took, lacks)
		}
		if after.HeapInuse > before.HeapInuse+more/4 {
			t.Errorf("%d bytes are in use, %d were before: the block is still held", after.HeapInuse, before.HeapInuse)
		}
		if held := h.Memory(); held < int64(after.HeapSys) {
			t.Errorf("it is said to hold %d bytes, and its heap alone has %d", held, after.HeapSys)
		}
	}
}

// TestReservedIsFilledFirst: what was reserved is filled before garbage is collected, and
// from then on the heap grows as usual.
func TestReservedIsFilledFirst(t *testing.T) {
	const bytes, block = 256 << 20, 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	new(Heap).Reserve(int(before.HeapSys) + bytes)
	runtime.ReadMemStats(&before)
	for range bytes / 2 / block {
		garbage = make([]byte, block)
	}
	if runtime.ReadMemStats(&after); after.NumGC != before.NumGC {
		t.Errorf("garbage was collected %d times before half of %d bytes were filled", after.NumGC-before.NumGC, bytes)
	}
	if percent() <= usual {
		t.Errorf("the heap grows by %d %%", percent())
	}
	for runtime.GC(); percent() != usual; runtime.Gosched() {
	}
}

var garbage []byte

// percent returns by how much the heap grows before garbage is collected.
func percent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
