// Package simgrid reads platform descriptions of SimGrid: XML, version 4 and
// 4.1 of its format (https://simgrid.org/doc/latest/Platform.html and the DTD
// in SimGrid's repository).
//
// Model: zones form a tree; hosts, routers and links are in zones; a zone's
// routing defines the links between any two of its members, where a
// member may be a zone that is entered and left through gateways. A <cluster>
// is a zone whose hosts, named by a prefix, the numbers of its radical and a
// suffix, each have a private link to a common backbone or router. The path
// from a master to a host is reduced to one bandwidth (the smallest on
// the way) and one latency (the sum).
//
// Nothing outside the file is read: a DOCTYPE is passed over, and so are
// profiles of changing speed, disks and actors.
//
//	platform, err := simgrid.Read("g5k.xml", file)
//	paths, unreached, err := platform.Paths("graphene-1.nancy.grid5000.fr")
//	fmt.Println(platform.Hosts[paths[0].Host].Name, paths[0].Bandwidth, paths[0].Latency)
package simgrid

import (
	"bytes"
	"math"
)

// Platform is the content of one file.
type Platform struct {
	Hosts []Host   // in the order of the file; a cluster's by its radical
	Notes []string // the first ignored parts that may matter

	nodes     []node // hosts, routers and zones
	zones     []zone
	points    map[string]int32 // hosts and routers by name
	zoneNodes map[string]int32 // zones' nodes by name
	links     map[string]stretch
}

// Host is one machine.
type Host struct {
	Name  string
	Speed float64 // flop/s of one core, in the pstate the file gives
	Cores int
	Role  string // as Batsim's platforms tell it: master, storage or compute_node; "" if nothing does

	node int32
}

// Path is the connection between a master and a host.
type Path struct {
	Host      int     // index in Hosts
	Bandwidth float64 // bytes a second, the smallest of the way; +Inf if the way has no link
	Latency   float64 // seconds, the sum of the way
}

// stretch is a part of a path.
type stretch struct{ bandwidth, latency float64 }

var nothing = stretch{bandwidth: math.Inf(1)}

func (s stretch) then(t stretch) stretch {
	return stretch{min(s.bandwidth, t.bandwidth), s.latency + t.latency}
}

// node is the end of a route: a host, a router or a zone.
type node struct {
	name        string
	zone        int32 // its zone; -1 for the whole platform
	self        int32 // the zone it is; -1 for a host or router
	coordinates []float64
	up, down    stretch   // private links, in clusters and for peers
	shared      [2]string // names of a host_link's up and down; "" if they are the node's alone
}

// zone is a set of nodes with one kind of routing.
type zone struct {
	node     int32
	routing  routing
	topology string // of a cluster, if it is not flat
	backbone stretch
	routes   map[pair]route
	nearby   map[int32][]int32 // to where routes lead, in the order of the file
	bypasses map[pair]route
}

type pair struct{ from, to int32 }

// route leads from one node of a zone to another. Gateways are hosts or
// routers; if the node itself is one, it is its own gateway.
type route struct {
	way      stretch
	links    int
	from, to int32 // gateways
}

type routing int

const (
	full     routing = iota // every route is given
	shortest                // routes are chained, fewest links first: Floyd, Dijkstra
	cluster                 // private links and a backbone
	vivaldi                 // private links and coordinates
	none                    // no host reaches another
)

// Detect reports whether a file that begins with head is a SimGrid platform: the
// first element is <platform>.
func Detect(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		switch {
		case bytes.HasPrefix(head, []byte("<?")):
			head = after(head, "?>")
		case bytes.HasPrefix(head, []byte("<!--")):
			head = after(head, "-->")
		case bytes.HasPrefix(head, []byte("<!DOCTYPE")):
			if end := bytes.IndexAny(head, "[>"); end >= 0 && head[end] == '[' {
				head = after(head, "]")
			}
			head = after(head, ">")
		default:
			rest, found := bytes.CutPrefix(head, []byte("<platform"))
			return found && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n/>"), rest[0]) >= 0)
		}
	}
}

// after returns the text behind the first end, or nothing.
func after(text []byte, end string) []byte {
	_, rest, _ := bytes.Cut(text, []byte(end))
	return rest
}
