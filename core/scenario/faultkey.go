package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// A fault in a link is a time, a target and a kind, with points between them, and a value behind a
// hyphen: 6m.rack.137.down, 90s.broker.0.slow-2.5. Of nodes and racks the kind is short: down is
// node_down, rack_down; 6m.cluster.grow-100 is cluster_grow.

// noFaults is the value of f for no faults.
const noFaults = "none"

// text writes a fault for a link; if a link cannot express it, the result does not read back.
func (f Fault) text() string {
	target, _, _ := strings.Cut(f.Target, ".")
	word := f.Kind
	if f.Physical() {
		word = strings.TrimPrefix(word, target+"_")
	}
	text := spell(f.At) + "." + f.Target + "." + word
	if f.Value != 0 {
		text += "-" + scalarText(f.Value)
	}
	return text
}

// faultOf is the inverse of text.
func faultOf(text string) (f Fault, ok bool) {
	end := -1 // of the time: the first point behind a unit; "1m0.25s" has one behind a digit
	for i := 1; i < len(text) && end < 0; i++ {
		if text[i] == '.' && isUnit(text[i-1]) {
			end = i
		}
	}
	if end < 0 {
		return f, false
	}
	at, err := ParseDuration(text[:end])
	place, value, valued := strings.Cut(text[end+1:], "-")
	if valued {
		number, is := scalar(value).(float64)
		if !is || number == 0 {
			return f, false
		}
		f.Value = number
	}
	dot := strings.LastIndexByte(place, '.')
	if err != nil || dot < 0 {
		return f, false
	}
	f.At, f.Target, f.Kind = min(at, linkTime), place[:dot], place[dot+1:]
	if target, _, numbered := strings.Cut(f.Target, "."); (numbered || target == "cluster") &&
		slices.Contains(PhysicalFaults, target+"_"+f.Kind) {
		f.Kind = target + "_" + f.Kind
	}
	_, _, err = f.Parse()
	return f, err == nil && f.Target != ""
}

func isUnit(c byte) bool { return strings.IndexByte("dhms", c) >= 0 }

// faultsOf reads all faults of a link: nil if it has no f.
func faultsOf(keys query, problems *[]string) *[]Fault {
	var all *[]Fault
	for _, p := range keys {
		if p[0] != "f" || p[1] == "" {
			continue
		}
		f, ok := faultOf(p[1])
		switch {
		case p[1] != noFaults && !ok:
			*problems = append(*problems,
				fmt.Sprintf("the link's f is %q, which is not a fault such as 6m.rack.137.down", shorten(p[1])))
			continue
		case all == nil:
			all = &[]Fault{}
		}
		if ok && len(*all) == linkFaults {
			*problems = append(*problems, fmt.Sprintf("the link has more than %d faults: the first %d are used",
				linkFaults, linkFaults))
			return all
		}
		if ok {
			*all = append(*all, f)
		}
	}
	return all
}
