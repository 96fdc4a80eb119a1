package host

import "runtime"

// memory is the part of remote.Host that needs no browser: what the program holds.
type memory struct {
	reserved []byte // held for a moment
}

// Memory implements remote.Host.
func (m *memory) Memory() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.Sys)
}

// Reserve implements remote.Host: one large block, given back at once. Growing little by
// little makes the browser collect its own garbage time and again.
func (m *memory) Reserve(bytes int) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	if more := bytes - int(stats.HeapSys); more > 0 {
		m.reserved = make([]byte, more)
		m.reserved = nil
		runtime.GC()
	}
}
