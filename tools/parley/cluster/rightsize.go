package cluster

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/usage"
	"parley/core/trace/kubernetes"
)

func rightSizeCommand(e *Env) *cobra.Command {
	var r rightSizing
	cmd := &cobra.Command{
		Use:   "right-size FILE…",
		Short: "Compare what pods request with what they use, by workload",
		Long: `Reads a dump and what its pods use over a time, and prints for each workload the request of a pod beside the median, the 95th percentile and the maximum of all samples of its pods, those that are gone included.

--cpu and --memory are answers of Prometheus' range queries, best over a week:

  sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{container!=""}[5m]))
  sum by (namespace, pod) (container_memory_working_set_bytes{container!=""})

--usage are CSV files with the columns namespace, pod, cpu, memory and perhaps container and time. What kubectl top prints is one moment: it is refused, for a moment says nothing of a peak.

If samples are of containers, the figures of a pod are sums over its containers, which is at least what the pod used at once. Quantiles are exact to 1/64.`,
		Example: "  parley cluster right-size dump.json --usage usage.csv",
		Args:    e.files,
		RunE: func(_ *cobra.Command, args []string) error {
			return r.run(e, args)
		},
	}
	cmd.Flags().StringArrayVar(&r.cpu, "cpu", nil, "a range query's answer in cores, as JSON")
	cmd.Flags().StringArrayVar(&r.memory, "memory", nil, "a range query's answer in bytes, as JSON")
	cmd.Flags().StringArrayVar(&r.usage, "usage", nil, "CSV with a header")
	cmd.Flags().BoolVar(&r.json, "json", false, "print one JSON document")
	return cmd
}

type rightSizing struct {
	cpu, memory, usage []string
	json               bool
}

// rightSized is what right-size --json prints.
type rightSized struct {
	From       int64       `json:"from_s"` // seconds since 1970; 0 if samples have no time
	To         int64       `json:"to_s"`
	Samples    int64       `json:"samples"`
	Unreadable int64       `json:"unreadable"` // samples that are no finite numbers
	Unknown    int         `json:"unknown"`    // series of pods that no workload explains
	Rows       []usage.Row `json:"rows"`
	Totals     []sizeTotal `json:"totals"`
}

// sizeTotal sums a resource over all workloads that have samples.
type sizeTotal struct {
	Resource  string `json:"resource"`
	Requested int64  `json:"requested"` // milli-CPUs or bytes, by workloads that have samples
	Used      int64  `json:"p95"`       // of their pods
	// Nodes is how many nodes of the cluster's mean size the difference is, below 0 if pods use
	// more than they request.
	Nodes float64 `json:"nodes"`
}

func (r *rightSizing) run(e *Env, args []string) error {
	if len(r.cpu)+len(r.memory)+len(r.usage) == 0 {
		return e.Misuse(errors.New("right-size needs what pods use: give --cpu and --memory, or --usage; see parley cluster right-size --help"))
	}
	c, err := e.Read(args)
	if err != nil {
		return err
	}
	u := usage.New()
	for _, source := range []struct {
		names    []string
		resource int
	}{{r.cpu, kube.CPU}, {r.memory, kube.Memory}, {r.usage, -1}} {
		files, err := e.Files(source.names)
		if err != nil {
			return err
		}
		err = kubernetes.ReadUsage(u, files, source.resource, e.progress())
		e.Clear()
		if err != nil {
			return err
		}
	}
	if u.Instant() {
		return errors.New("each series has one sample: a moment says nothing of a peak; give a range of at least a day, best a week, from Prometheus or as CSV")
	}
	s := compareSizes(c, u)
	if r.json {
		return e.JSON(s)
	}
	s.print(e)
	return nil
}

func compareSizes(c *kube.Cluster, u *usage.Usage) *rightSized {
	s := &rightSized{From: u.From, To: u.To, Samples: u.Samples, Unreadable: u.Unreadable, Rows: []usage.Row{}, Totals: []sizeTotal{}}
	rows, unknown := usage.RightSize(c, u)
	s.Rows, s.Unknown = append(s.Rows, rows...), unknown
	for _, resource := range []int{kube.CPU, kube.Memory} {
		t := sizeTotal{Resource: c.Resources[resource]}
		any := false
		for _, row := range s.Rows {
			if row.Resource == t.Resource {
				any = true
				t.Requested += row.Request * int64(row.Pods)
				t.Used += row.P95 * int64(row.Pods)
			}
		}
		allocatable := int64(0)
		for i := range c.Nodes {
			allocatable += c.Nodes[i].Allocatable.At(resource)
		}
		if allocatable > 0 {
			t.Nodes = float64(t.Requested-t.Used) / (float64(allocatable) / float64(len(c.Nodes)))
		}
		if any {
			s.Totals = append(s.Totals, t)
		}
	}
	return s
}

func (s *rightSized) print(e *Env) {
	days := float64(s.To-s.From) / 86_400
	fmt.Fprintf(e.Out, "%d samples over %s days; %d were no numbers, %s of pods that no workload explains\n\n", s.Samples, short(days), s.Unreadable, count(s.Unknown, "series"))
	w := tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "workload\tpods\tresource\trequest\tP50\tP95\tmaximum\trequested beyond P95, all pods")
	for i, row := range s.Rows {
		if i == 40 {
			fmt.Fprintf(w, "%d more with --json\n", len(s.Rows)-40)
			break
		}
		fmt.Fprintf(w, "%s %s/%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Kind, row.Namespace, row.Name, row.Pods, row.Resource,
			Amount(row.Resource, row.Request), Amount(row.Resource, row.P50), Amount(row.Resource, row.P95), Amount(row.Resource, row.Max), Amount(row.Resource, row.Over))
	}
	w.Flush()
	fmt.Fprintln(e.Out)
	for _, t := range s.Totals {
		fmt.Fprintf(e.Out, "%s: requested %s, P95 of all pods %s: the difference is %s nodes of the mean size\n", t.Resource, Amount(t.Resource, t.Requested), Amount(t.Resource, t.Used), short(t.Nodes))
	}
	fmt.Fprintln(e.Out, "\nA peak beyond P95 is throttled on CPU and killed on memory: keep memory requests near the maximum. Fewer nodes follow only if the pods fit on them: ask parley cluster drain with the new requests.")
}
