package cluster

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/usage"
	"parley/core/question"
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
	s, err := question.RightSize(c, u)
	if err != nil {
		return err
	}
	if r.json {
		return e.JSON(s)
	}
	document := s.Document()
	_, err = fmt.Fprint(e.Out, document.Text())
	return err
}
