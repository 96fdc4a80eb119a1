package links

import (
	"net/netip"
	"sync"
	"time"
)

// PerMinute is the number of scenarios that one visitor may send in a minute.
const PerMinute = 20

// mostVisitors bounds what is remembered of a minute: beyond it the count begins
// anew, so that a crowd costs no memory without end.
const mostVisitors = 1 << 16

// limit counts what each visitor sent in the present minute. It forgets all of them
// with the minute and writes none down.
type limit struct {
	lock   sync.Mutex
	minute int64
	sent   map[string]int
}

// allows counts one more of a visitor, and reports whether it is within the limit.
func (l *limit) allows(visitor string, now time.Time) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	minute := now.Unix() / 60
	if l.sent == nil || minute != l.minute || len(l.sent) >= mostVisitors {
		l.minute, l.sent = minute, map[string]int{}
	}
	if l.sent[visitor] >= PerMinute {
		return false
	}
	l.sent[visitor]++
	return true
}

// visitor names who is behind an address, with or without a port: IPv6 by the 64
// bits that a household has.
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
