// Package device places pods on nodes whose GPUs are devices of their own: a pod takes a part of
// one device, or whole devices, so that two halves on two devices hold no whole one.
//
// The policies are those of the study of fragmentation (Weng and others, USENIX ATC 2023):
// fragmentation gradient descent and its rivals. They are plain functions of a node's free
// resources; Cell keeps their data about many nodes.
//
//	c := device.NewCell(device.FGD, rng.New(1, "ties"))
//	c.SetNode(0, device.Node{CPU: 8000, Memory: 1024, Free: []int32{device.Whole, device.Whole}})
//	at, ok := c.Place(&pod, nil)
package device

import (
	"fmt"
	"slices"
	"strings"
)

// Whole is a whole device, in thousandths.
const Whole = 1000

// Class is a kind of request that pods share.
type Class struct {
	CPU, Memory int64  // thousandths of a core, MiB
	GPUs        int    // devices
	Milli       int32  // of each device, in thousandths; below Whole only if GPUs is 1
	Models      string // such as V100M16|V100M32; "": any
}

// asks returns the thousandths of devices that a class asks for in all.
func (c *Class) asks() int32 { return int32(c.GPUs) * c.Milli }

// Node is the free part of a node.
type Node struct {
	Name        string
	Model       string
	CPU, Memory int64
	Free        []int32 // thousandths of each device
}

// takes reports whether a node has the resources that a class requests.
func (n *Node) takes(c *Class) bool {
	return n.CPU >= c.CPU && n.Memory >= c.Memory && n.accessible(c) && n.devices(c) >= c.GPUs
}

// accessible reports whether the devices of a node are of a model that a class may use.
func (n *Node) accessible(c *Class) bool {
	if c.Models == "" || c.GPUs == 0 {
		return true
	}
	return slices.Contains(strings.Split(c.Models, "|"), n.Model)
}

// devices returns how many devices have as much as a class asks of each; 0 for one that asks for
// none.
func (n *Node) devices(c *Class) (count int) {
	if c.GPUs == 0 {
		return 0
	}
	for _, free := range n.Free {
		if free >= c.Milli {
			count++
		}
	}
	return count
}

// idle returns the free thousandths of all devices together.
func (n *Node) idle() (sum int32) {
	for _, free := range n.Free {
		sum += free
	}
	return sum
}

// Typical is a class with its share among all pods.
type Typical struct {
	Class
	Share float64
}

// Fragmentation returns the thousandths of idle devices that the typical pods cannot use, on the
// average over their shares: all idle thousandths if a pod does not fit or requests no device, else
// those on devices with less than its request.
func Fragmentation(n *Node, typical []Typical) float64 {
	idle, sum := n.idle(), 0.0
	if idle == 0 {
		return 0
	}
	for i := range typical {
		c := &typical[i].Class
		lost := idle
		if c.GPUs > 0 && n.CPU >= c.CPU && n.accessible(c) {
			count, slivers := 0, int32(0)
			for _, free := range n.Free {
				if free >= c.Milli {
					count++
				} else {
					slivers += free
				}
			}
			if count >= c.GPUs {
				lost = slivers
			}
		}
		sum += float64(typical[i].Share * float64(lost))
	}
	return sum
}

// TypicalOf returns the most frequent classes of pods, without their memory, that make up a
// share of all pods together.
func TypicalOf(pods []Class, share float64) (all []Typical) {
	counts := map[Class]int{}
	for _, c := range pods {
		c.Memory = 0
		counts[c]++
	}
	for c, n := range counts {
		all = append(all, Typical{c, float64(n)})
	}
	slices.SortFunc(all, func(a, b Typical) int {
		switch {
		case a.Share != b.Share:
			return sign(a.Share < b.Share)
		case a.CPU != b.CPU:
			return sign(a.CPU < b.CPU)
		case a.Milli != b.Milli:
			return sign(a.Milli < b.Milli)
		case a.GPUs != b.GPUs:
			return sign(a.GPUs < b.GPUs)
		}
		return strings.Compare(b.Models, a.Models)
	})
	covered, k := 0.0, 0
	for k < len(all) && covered < share*float64(len(pods)) {
		covered += all[k].Share
		k++
	}
	all = all[:k]
	for i := range all {
		all[i].Share /= covered
	}
	return all
}

func sign(after bool) int {
	if after {
		return 1
	}
	return -1
}

// Policy chooses nodes and devices.
type Policy uint8

// The policies. Of nodes with the same score that with the first name takes the pod.
const (
	FGD        Policy = iota // the greatest fall of fragmentation
	BestFit                  // the least CPU and devices left
	DotProduct               // the smallest product of free and requested resources
	Packing                  // devices in use before free ones, these before free nodes
	Clustering               // nodes with pods of the same number of devices
	Random
	policies
)

var policyNames = [policies]string{"fgd", "best-fit", "dot-product", "packing", "clustering", "random"}

// PolicyNames returns the names of all policies.
func PolicyNames() []string { return slices.Clone(policyNames[:]) }

// String returns the policy as documents spell it.
func (p Policy) String() string { return policyNames[p] }

// ParsePolicy returns the policy of a name.
func ParsePolicy(name string) (Policy, error) {
	if i := slices.Index(policyNames[:], name); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("the policy is %q: choose one of %v", name, policyNames)
}
