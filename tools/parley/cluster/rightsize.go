package cluster

import (
	"errors"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/kube/usage"
)

func rightSizeCommand(e *Env) *cobra.Command {
	var m measured
	cmd, a := e.question("right-size", "Compare what pods request with what they use, by workload",
		`Reads a dump and what its pods use over a time, and prints for each workload the request of a pod beside the median, the 95th percentile and the maximum of all samples of its pods, those that are gone included.

--cpu and --memory are answers of Prometheus' range queries, best over a week:

  sum by (namespace, pod) (rate(container_cpu_usage_seconds_total{container!=""}[5m]))
  sum by (namespace, pod) (container_memory_working_set_bytes{container!=""})

--usage are CSV files with the columns namespace, pod, cpu, memory and perhaps container and time. What kubectl top prints is one moment: it is refused, for a moment says nothing of a peak.

If samples are of containers, the figures of a pod are sums over its containers, which is at least what the pod used at once. Quantiles are exact to 1/64.`,
		"  parley cluster right-size dump.json --usage usage.csv",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			prices, err := a.table()
			if err != nil {
				return nil, nil, err
			}
			u, err := m.read(e)
			if err != nil {
				return nil, nil, err
			}
			s, err := question.RightSize(c, u)
			if err != nil {
				return nil, nil, err
			}
			s.Price(c, prices)
			return s, []question.Document{s.Document()}, nil
		})
	a.priced(cmd)
	m.flags(cmd)
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if !m.given() {
			return e.Misuse(errors.New("right-size needs what pods use: give --cpu and --memory, or --usage; see parley cluster right-size --help"))
		}
		return pre(cmd, args)
	}
	return cmd
}

// measured are the files with the usage of pods.
type measured struct{ cpu, memory, usage []string }

func (m *measured) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&m.cpu, "cpu", nil, "a range query's answer in cores, as JSON")
	cmd.Flags().StringArrayVar(&m.memory, "memory", nil, "a range query's answer in bytes, as JSON")
	cmd.Flags().StringArrayVar(&m.usage, "usage", nil, "CSV of what pods use, with a header")
}

func (m *measured) given() bool { return len(m.cpu)+len(m.memory)+len(m.usage) > 0 }

// read reads the usage of pods from the files of all three flags. A file of Prometheus must be in --cpu or
// --memory, which name its resource.
func (m *measured) read(e *Env) (*usage.Usage, error) {
	u := usage.New()
	for _, source := range []struct {
		names    []string
		resource int
	}{{m.cpu, kube.CPU}, {m.memory, kube.Memory}, {m.usage, -1}} {
		files, err := e.Files(source.names)
		if err != nil {
			return nil, err
		}
		err = dump.ReadUsage(u, files, source.resource, e.progress())
		e.Clear()
		if err != nil {
			return nil, err
		}
	}
	return u, nil
}
