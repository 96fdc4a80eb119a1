// Package memory controls the heap of a Go program in a browser tab. The browser provides
// memory in blocks and takes none back, and the program shares its one thread with the garbage
// collector.
//
//	var h memory.Heap
//	h.Reserve(256 << 20) // before a cell of 12,500 nodes starts
package memory

import (
	"runtime"
	"runtime/debug"
)

// Heap controls the program's heap. The zero value is ready.
type Heap struct {
	reserved  []byte // held for a moment
	snapshots int    // bytes
}

// Memory implements remote.Host.
func (h *Heap) Memory() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}

// Reserve implements remote.Host: one large block, given back at once. Growing little by
// little makes the browser collect its own garbage time and again.
func (h *Heap) Reserve(bytes int) {
	debug.SetMemoryLimit(limit)
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	if more := bytes - int(stats.HeapSys); more > 0 {
		h.reserved = make([]byte, more)
		h.reserved = nil
		runtime.GC()
		putOff(bytes)
	}
}

// Snapshots implements remote.Host. The collector never looks into snapshots, because they
// have no pointers, so it may run as often as if they were not there: before a collection the
// heap grows by the size of all else that is in use, at least by room.
func (h *Heap) Snapshots(bytes int) {
	if bytes == h.snapshots {
		return
	}
	percent := debug.SetGCPercent(usual)
	if percent > usual { // reserved memory is being filled
		debug.SetGCPercent(percent)
		return
	}
	h.snapshots = bytes
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	live := int(stats.NextGC / 2) // with the usual percentage, live memory is half of the next goal
	debug.SetGCPercent(max(1, min(usual, usual*max(room, live-bytes)/max(1, live))))
}

// Sparing lets the heap grow half as much as usual before garbage is collected, for programs
// that hold much at once: the browser takes no memory back, and a dump of 150,000 pods holds
// 150 MB.
func Sparing() { debug.SetGCPercent(usual / 2) }

// room is the least growth of the heap between two collections.
const room = 64 << 20

// limit is the heap size above which garbage is collected more often than usual: a program in a tab
// can have 4 GB and ends when it requests more, and its blocks are never all in use.
const limit = 7 << 29

// usual is the percent by which the heap grows before garbage is collected.
const usual = 100

// least is the heap that is filled before a first collection at the usual percent. It grows
// with the percent (runtime/debug, SetGCPercent: "the minimum heap size").
const least = 4 << 20

// putOff lets the heap fill n bytes, which are allocated already, and no more, before garbage is
// collected: a collection that begins while a hundred thousand tasks are placed does not end during
// that, and until then each pointer write costs several times as much. The next collection restores
// the normal state.
func putOff(bytes int) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	percent := min(usual*(bytes/max(1, int(stats.HeapAlloc))-1), usual*(bytes/least))
	if percent <= usual {
		return
	}
	debug.SetGCPercent(percent)
	runtime.AddCleanup(&collected{}, func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// collected is an object whose collection by the garbage collector is observed. It contains a
// pointer, so that it is allocated by itself.
type collected struct{ _ *collected }
