package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
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

// TestReservedIsFilledFirst: what was reserved is filled before garbage is collected, no
// more than that, and from then on the heap grows as usual.
func TestReservedIsFilledFirst(t *testing.T) {
	const more, block = 256 << 20, 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	bytes := int(before.HeapSys) + more
	new(Heap).Reserve(bytes)
	runtime.ReadMemStats(&before)
	for range bytes / 2 / block {
		garbage = make([]byte, block)
	}
	if runtime.ReadMemStats(&after); after.NumGC != before.NumGC {
		t.Errorf("garbage was collected %d times before half of %d bytes were filled", after.NumGC-before.NumGC, bytes)
	}
	for range bytes / block {
		garbage = make([]byte, block)
	}
	if runtime.ReadMemStats(&after); after.NumGC == before.NumGC {
		t.Errorf("no garbage was collected while one and a half times %d bytes were filled", bytes)
		runtime.GC()
	}
	for end := time.Now().Add(time.Minute); percent() != usual; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("a minute after a collection the heap still grows by %d %%", percent())
		}
	}
	if got := debug.SetMemoryLimit(-1); got != limit {
		t.Errorf("the limit is %d bytes, and a tab can have 4 GB", got)
	}
}

var garbage []byte

// percent returns by how much the heap grows before garbage is collected.
func percent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestSnapshotsAreNoReasonToGrow: beside snapshots the heap grows by all else before garbage
// is collected, and as usual without them.
func TestSnapshotsAreNoReasonToGrow(t *testing.T) {
	const kept = 512 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	snapshots, rest := make([]byte, kept), make([]byte, 2*room)
	runtime.GC()
	var h Heap
	h.Snapshots(kept)
	var s runtime.MemStats
	runtime.GC()
	if runtime.ReadMemStats(&s); s.NextGC < kept+2*room+room || s.NextGC > kept+5*room {
		t.Errorf("with %d bytes of snapshots and %d more, garbage is collected at %d", kept, 2*room, s.NextGC)
	}
	if h.Snapshots(0); percent() != usual {
		t.Errorf("without snapshots the heap grows by %d %%", percent())
	}
	runtime.KeepAlive(snapshots)
	runtime.KeepAlive(rest)
}

// TestSparing: the heap grows half as much as usual.
func TestSparing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	if Sparing(); percent() != usual/2 {
		t.Errorf("the heap grows by %d %%", percent())
	}
}
