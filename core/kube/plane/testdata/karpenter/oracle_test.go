// Package karpenter compares Parley's consolidation with Karpenter itself: each case is a small cluster, and both
// return their first command. Karpenter's own methods of disruption decide theirs on a fake client and on the fake
// cloud of its tests. It is a module of its own because it builds Karpenter; make test-kubernetes runs it.
package karpenter

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// count returns how many cases are tried: 20 with -short, else usual, or the number in CASES.
func count(usual uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("CASES"), 10, 64); err == nil {
		return n
	}
	if testing.Short() {
		return 20
	}
	return usual
}

const (
	spot     = "spot"
	onDemand = "on-demand"
)

// kept is the CPU that a machine keeps for itself, in thousandths, as in Karpenter's fake cloud.
const kept = 100

var zones = []string{"z1", "z2"}

// machine is an instance type. Memory and the number of pods are never short.
type machine struct {
	name  string
	cpu   int     // cores
	price float64 // per hour
}

var machines = []machine{{"small", 2, 0.1}, {"medium", 4, 0.17}, {"big", 8, 0.4}}

// allocatable returns the CPU for pods, in thousandths.
func (m machine) allocatable() int { return m.cpu*1000 - kept }

// offer is what a NodePool may launch.
type offer struct{ machine, zone, capacity string }

// cluster is a case: nodes of one NodePool named p. Pods belong to ReplicaSets, are ready and have no affinity,
// and no disruption budget of pods exists.
type cluster struct {
	budget     string   // nodes that the NodePool lets be disrupted at a time
	capacities []string // capacity types that the NodePool requires
	prices     map[offer]float64
	nodes      []node
}

type node struct {
	name           string
	machine        machine
	zone, capacity string
	pods           []pod
}

type pod struct {
	name string
	cpu  int    // that it requests, in thousandths
	cost int    // its deletion cost
	zone string // that its node selector asks for; "" for none
}

// drawn returns a cluster of on-demand nodes in one zone.
func drawn(seed uint64) cluster {
	r := rand.New(rand.NewPCG(seed, 1))
	c := cluster{capacities: []string{onDemand}, prices: map[offer]float64{}}
	for _, m := range machines {
		for _, zone := range zones {
			c.prices[offer{m.name, zone, onDemand}] = m.price
		}
	}
	serial := 0
	for i := range 2 + r.IntN(4) {
		m := machines[r.IntN(len(machines))]
		n := node{name: fmt.Sprint("n", i), machine: m, zone: zones[0], capacity: onDemand}
		left := n.machine.allocatable()
		for r.IntN(4) > 0 && len(n.pods) < 4 {
			cpu := 100 * (1 + r.IntN(20))
			if cpu > left {
				break
			}
			left -= cpu
			// Each pod, of 20 at most, has a low bit of its own, so that no two nodes with pods cost the same to
			// disrupt: of such nodes Karpenter takes any first.
			cost := (1+r.IntN(64)+64*i)<<20 + 1<<serial
			serial++
			n.pods = append(n.pods, pod{name: fmt.Sprint("p", serial), cpu: cpu, cost: cost})
		}
		c.nodes = append(c.nodes, n)
	}
	c.budget = []string{"100%", "100%", "1", "2", "10%"}[r.IntN(5)]
	return c
}

// widen gives the nodes two zones and capacity types, each of them a price, and binds a quarter of the pods to
// their zone.
func (c *cluster) widen(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	c.capacities = [][]string{{onDemand}, {spot}, {spot, onDemand}}[r.IntN(3)]
	for _, m := range machines {
		for _, zone := range zones {
			price := m.price * (0.7 + 0.6*r.Float64())
			c.prices[offer{m.name, zone, onDemand}] = float64(int(price*10000)) / 10000
			c.prices[offer{m.name, zone, spot}] = float64(int(price*(0.3+0.5*r.Float64())*10000)) / 10000
		}
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		n.zone = zones[r.IntN(2)]
		n.capacity = c.capacities[r.IntN(len(c.capacities))]
		for k := range n.pods {
			if r.IntN(4) == 0 {
				n.pods[k].zone = n.zone
			}
		}
	}
}

func (c *cluster) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "budget %s, capacity types %v\n", c.budget, c.capacities)
	for _, m := range machines {
		for _, zone := range zones {
			for _, capacity := range c.capacities {
				price := c.prices[offer{m.name, zone, capacity}]
				fmt.Fprintf(&out, "price of %s, %s, %s: %v\n", m.name, zone, capacity, price)
			}
		}
	}
	for _, n := range c.nodes {
		fmt.Fprintf(&out, "%s: %s, %s, %s", n.name, n.machine.name, n.zone, n.capacity)
		for _, p := range n.pods {
			fmt.Fprintf(&out, "; %s %dm, cost %d", p.name, p.cpu, p.cost)
			if p.zone != "" {
				fmt.Fprintf(&out, ", only %s", p.zone)
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// command is the first command of a consolidation.
type command struct {
	kind        string   // empty, multi-node or single-node; "" if there is no command
	nodes       []string // sorted by name
	replacement string   // machine and capacity type; "" for none
}

func (c command) String() string {
	if c.kind == "" {
		return "none"
	}
	out := c.kind + ": " + strings.Join(c.nodes, ", ")
	if c.replacement != "" {
		out += " > " + c.replacement
	}
	return out
}

// tie reports whether two commands remove equally many of the empty nodes. Empty nodes all cost the same to
// disrupt, so that Karpenter takes any of them if the NodePool's budget does not let all of them go.
func (c *cluster) tie(a, b command) bool {
	if a.kind != "empty" || b.kind != "empty" || len(a.nodes) != len(b.nodes) {
		return false
	}
	return !slices.ContainsFunc(c.nodes, func(n node) bool {
		return len(n.pods) > 0 && (slices.Contains(a.nodes, n.name) || slices.Contains(b.nodes, n.name))
	})
}

// compare plays cases until the first whose commands differ. It fails as well if too few of them move pods or replace
// several nodes by one, so that it cannot pass without having compared them.
func compare(t *testing.T, usual uint64, wide bool) {
	kinds, commands, ties, several := map[string]int{}, 0, 0, 0
	n := count(usual)
	for seed := range n {
		c := drawn(seed)
		if wide {
			c.widen(seed)
		}
		ours, theirs := c.parley(t), c.karpenter(t)
		if ours.String() != theirs.String() {
			if !c.tie(ours, theirs) {
				t.Fatalf("case %d\n%sParley:    %s\nKarpenter: %s", seed, c.String(), ours, theirs)
			}
			ties++
		}
		if theirs.kind == "" {
			continue
		}
		commands++
		kind := theirs.kind
		if theirs.replacement != "" {
			kind += " with a replacement"
			if len(theirs.nodes) > 1 {
				several++
			}
		}
		kinds[kind]++
	}
	t.Logf("%d cases, none differs; %d commands %v, %d replace several nodes by one, %d ties of empty nodes",
		n, commands, kinds, several, ties)
	if moves := commands - kinds["empty"]; uint64(moves) < n/5 || uint64(several) < n/100 {
		t.Errorf("of %d cases %d move pods (at least %d wanted), %d replace several nodes by one (at least %d)",
			n, moves, n/5, several, n/100)
	}
}

// TestMain keeps Karpenter's logs out of the test's.
func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// TestOnDemand compares clusters of on-demand nodes in one zone.
func TestOnDemand(t *testing.T) { compare(t, 500, false) }

// TestWide compares clusters of two zones, with spot nodes, prices by zone and pods that are bound to a zone.
func TestWide(t *testing.T) { compare(t, 2000, true) }
