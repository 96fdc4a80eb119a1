package links

import (
	"net/netip"
	"sync"
	"time"
)

// PerMinute is the number of scenarios that one visitor may send in a minute.
const PerMinute = 20

// maxVisitors limits the visitors that are counted in a minute. Above it the count starts again, so
// that a crowd cannot use unlimited memory.
const maxVisitors = 1 << 16

// limit counts each visitor's requests in the current minute. It forgets all of them with the minute
// and writes none down.
type limit struct {
	lock   sync.Mutex
	minute int64
	sent   map[string]int
}

// allows counts a request of a visitor, and reports whether it is within the limit.
func (l *limit) allows(visitor string, now time.Time) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	minute := now.Unix() / 60
	if l.sent == nil || minute != l.minute || len(l.sent) >= maxVisitors {
		l.minute, l.sent = minute, map[string]int{}
	}
	if l.sent[visitor] >= PerMinute {
		return false
	}
	l.sent[visitor]++
	return true
}

// visitor returns the visitor's key for an address with or without a port: an IPv6 address is cut to
// the 64 bits of a household.
func visitor(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		with, err := netip.ParseAddrPort(address)
		if err != nil {
			return "" // all that cannot be distinguished are one
		}
		ip = with.Addr()
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		if home, err := ip.Prefix(64); err == nil {
			return home.String()
		}
	}
	return ip.String()
}
