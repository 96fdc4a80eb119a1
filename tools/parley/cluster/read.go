package cluster

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/words"
)

// readCommand returns parley cluster read. It accepts a dump without nodes, about which no question can be
// asked.
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
			s := question.Summarise(c)
			if asJSON {
				return e.JSON(s)
			}
			printSummary(e, s)
			if s.Nodes.Count == 0 {
				fmt.Fprintf(e.Out, "\nNo question can be asked: %s.\n", escape.Line(dump.NoNodes(strings.Join(args, " ")).Error()))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// printSummary writes a summary for people: nodes, pods, resources, kinds of objects, and the features that
// no answer looks at with at most three pods each. Resources that no node has and no pod requests are left
// out.
func printSummary(e *Env, s *question.Summary) {
	fmt.Fprintf(e.Out, "%s, %d ready, %d cordoned; zones: %s; machine types: %s; GPU models: %s\n",
		words.Count(s.Nodes.Count, "node"), s.Nodes.Ready, s.Nodes.Cordoned, listed(s.Nodes.Zones),
		listed(s.Nodes.Types), listed(s.Nodes.GPUs))
	fmt.Fprintf(e.Out, "%s bound, %d pending, %d terminating; %d belong to DaemonSets, %d are static; %d have ended and hold nothing\n\n",
		words.Count(s.Pods.Bound, "pod"), s.Pods.Pending, s.Pods.Terminating, s.Pods.DaemonSet, s.Pods.Mirror,
		s.Pods.Finished)
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "resource\tallocatable\trequested\tof it\tpending\t")
	for _, r := range s.Resources {
		if r.Allocatable+r.Requested+r.Pending == 0 {
			continue // pages of sizes that no node has
		}
		part := "-"
		if r.Allocatable > 0 {
			part = fmt.Sprintf("%.0f %%", 100*float64(r.Requested)/float64(r.Allocatable))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", escape.Line(r.Resource), question.Amount(r.Resource, r.Allocatable),
			question.Amount(r.Resource, r.Requested), part, question.Amount(r.Resource, r.Pending))
	}
	w.Flush()
	fmt.Fprintln(e.Out)
	var kinds []string
	for _, k := range s.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", escape.Line(k.Kind), k.Count))
	}
	fmt.Fprintf(e.Out, "objects: %s\n", strings.Join(kinds, ", "))
	if len(s.Unmodelled) == 0 {
		return
	}
	fmt.Fprintln(e.Out, "\nwhat no answer looks at:")
	for _, u := range s.Unmodelled {
		fmt.Fprintf(e.Out, "  %d  %s", u.Count, escape.Line(u.Feature))
		if len(u.Pods) > 0 {
			fmt.Fprintf(e.Out, " (%s", escape.Line(strings.Join(u.Pods[:min(3, len(u.Pods))], ", ")))
			if u.Count > 3 {
				fmt.Fprint(e.Out, ", …")
			}
			fmt.Fprint(e.Out, ")")
		}
		fmt.Fprintln(e.Out)
	}
}

// listed formats names with their numbers of nodes, at most eight of them; "none" for no names.
func listed(all []question.Alike) string {
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
		parts = append(parts, fmt.Sprintf("%s %d", escape.Line(name), n.Nodes))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
