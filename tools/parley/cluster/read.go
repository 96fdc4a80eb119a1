package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/core/kube"
)

func readCommand(e *Env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "read FILE…",
		Short: "Read a dump from end to end and say what it holds",
		Long: `Reads all files as one dump and prints what they hold: objects by kind, nodes by zone and machine type, pods by state, what is requested of each resource, and what no answer looks at, with its count.

A file that breaks the format ends the reading with its line, object, field and value.`,
		Example: `  parley cluster read dump.json
  parley cluster read nodes.json pods-*.json --json`,
		Args: e.files,
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := e.Read(args)
			if err != nil {
				return err
			}
			s := summarise(c)
			if asJSON {
				return e.JSON(s)
			}
			s.print(e)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// summary is what a dump holds, as --json prints it.
type summary struct {
	Kinds      []kindCount     `json:"kinds"`
	Nodes      nodeCounts      `json:"nodes"`
	Pods       podCounts       `json:"pods"`
	Resources  []resourceTotal `json:"resources"`
	Unmodelled []unmodelled    `json:"unmodelled"`
}

type kindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

type nodeCounts struct {
	Count    int     `json:"count"`
	Ready    int     `json:"ready"`
	Cordoned int     `json:"cordoned"`
	Zones    []named `json:"zones"`
	Types    []named `json:"instance_types"`
}

type named struct {
	Name  string `json:"name"`
	Nodes int    `json:"nodes"`
}

type podCounts struct {
	Bound       int `json:"bound"`
	Pending     int `json:"pending"`
	Terminating int `json:"terminating"`
	Finished    int `json:"finished"`
	DaemonSet   int `json:"of_daemonsets"`
	Mirror      int `json:"static"`
	Alike       int `json:"different_specs"`
}

type resourceTotal struct {
	Resource    string `json:"resource"`
	Allocatable int64  `json:"allocatable"` // milli-CPUs, bytes or pieces
	Requested   int64  `json:"requested"`   // by pods that are bound
	Pending     int64  `json:"pending"`     // by pods that wait
}

type unmodelled struct {
	What  string   `json:"what"`
	Count int      `json:"count"`
	Pods  []string `json:"pods,omitempty"` // at most 1,000
}

func summarise(c *kube.Cluster) *summary {
	s := &summary{Kinds: []kindCount{}, Unmodelled: []unmodelled{}}
	for _, k := range c.Kinds {
		s.Kinds = append(s.Kinds, kindCount(k))
	}
	zones, types := map[string]int{}, map[string]int{}
	s.Nodes.Count = len(c.Nodes)
	s.Resources = make([]resourceTotal, len(c.Resources))
	for r, name := range c.Resources {
		s.Resources[r].Resource = name
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		zones[n.Zone()]++
		types[n.InstanceType()]++
		if n.Ready == kube.ReadyTrue {
			s.Nodes.Ready++
		}
		if n.Unschedulable {
			s.Nodes.Cordoned++
		}
		for r := range c.Resources {
			s.Resources[r].Allocatable += n.Allocatable.At(r)
		}
	}
	s.Nodes.Zones, s.Nodes.Types = byName(zones), byName(types)
	specs := map[*kube.Spec]bool{}
	for i := range c.Pods {
		p := &c.Pods[i]
		specs[p.Spec] = true
		into := &s.Pods.Pending
		if !p.Pending() {
			into = &s.Pods.Bound
		}
		*into++
		if p.Terminating() {
			s.Pods.Terminating++
		}
		if p.DaemonSet() {
			s.Pods.DaemonSet++
		}
		if p.Mirror {
			s.Pods.Mirror++
		}
		for r, amount := range p.Spec.Requests {
			switch {
			case p.Pending():
				s.Resources[r].Pending += amount
			case p.Node != kube.Nowhere:
				s.Resources[r].Requested += amount
			}
		}
	}
	s.Pods.Finished, s.Pods.Alike = c.Finished, len(specs)
	for _, u := range c.Unmodelled {
		one := unmodelled{What: u.What, Count: u.Count}
		for _, pod := range u.Pods {
			one.Pods = append(one.Pods, c.Pods[pod].Full())
		}
		s.Unmodelled = append(s.Unmodelled, one)
	}
	return s
}

// byName lists counts, the largest first, then by name.
func byName(counts map[string]int) []named {
	all := []named{}
	for name, n := range counts {
		all = append(all, named{name, n})
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func (s *summary) print(e *Env) {
	fmt.Fprintf(e.Out, "%s, %d ready, %d cordoned; zones: %s; machine types: %s\n", count(s.Nodes.Count, "node"), s.Nodes.Ready, s.Nodes.Cordoned, listed(s.Nodes.Zones), listed(s.Nodes.Types))
	fmt.Fprintf(e.Out, "%s bound, %d pending, %d terminating; %d belong to DaemonSets, %d are static; %d have ended and hold nothing\n\n",
		count(s.Pods.Bound, "pod"), s.Pods.Pending, s.Pods.Terminating, s.Pods.DaemonSet, s.Pods.Mirror, s.Pods.Finished)
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "resource\tallocatable\trequested\tof it\tpending\t")
	for _, r := range s.Resources {
		part := "-"
		if r.Allocatable > 0 {
			part = fmt.Sprintf("%.0f %%", 100*float64(r.Requested)/float64(r.Allocatable))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", r.Resource, Amount(r.Resource, r.Allocatable), Amount(r.Resource, r.Requested), part, Amount(r.Resource, r.Pending))
	}
	w.Flush()
	fmt.Fprintln(e.Out)
	var kinds []string
	for _, k := range s.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k.Kind, k.Count))
	}
	fmt.Fprintf(e.Out, "objects: %s\n", strings.Join(kinds, ", "))
	if len(s.Unmodelled) == 0 {
		return
	}
	fmt.Fprintln(e.Out, "\nwhat no answer looks at:")
	for _, u := range s.Unmodelled {
		fmt.Fprintf(e.Out, "  %d  %s", u.Count, u.What)
		if len(u.Pods) > 0 {
			fmt.Fprintf(e.Out, " (%s", strings.Join(u.Pods[:min(3, len(u.Pods))], ", "))
			if u.Count > 3 {
				fmt.Fprint(e.Out, ", …")
			}
			fmt.Fprint(e.Out, ")")
		}
		fmt.Fprintln(e.Out)
	}
}

// listed writes names with their numbers of nodes, at most eight of them.
func listed(all []named) string {
	var parts []string
	for i, n := range all {
		if i == 8 {
			parts = append(parts, fmt.Sprintf("%d more", len(all)-8))
			break
		}
		name := n.Name
		if name == "" {
			name = "none"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, n.Nodes))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
