package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/core/run"
	"parley/tools/parley/artefact"
	"parley/tools/parley/cluster"
	"parley/tools/parley/compare"
	"parley/tools/parley/console"
	"parley/tools/parley/describe"
	"parley/tools/parley/exits"
	"parley/tools/parley/figure"
	"parley/tools/parley/link"
	"parley/tools/parley/paper"
	"parley/tools/parley/plan"
	runcommand "parley/tools/parley/run"
	"parley/tools/parley/scaffold"
	"parley/tools/parley/sweep"
	"parley/tools/parley/trace"
)

// clusterCommand returns the commands about a Kubernetes cluster.
func clusterCommand(c *console.Console) *cobra.Command {
	b := console.NewBar(c)
	return cluster.Command(&cluster.Env{
		In: c.In, Out: c.Out, Err: c.Err, Now: c.Now, Show: b.Show, Clear: b.Clear,
		Misuse: console.NewUsageError,
	})
}

// newRoot returns the command tree.
func newRoot(c *console.Console) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley COMMAND",
		Short: "A laboratory for cluster scheduling",
		Long: `Parley plays a workload, a generated one or a recorded trace, on a cluster under one of several schedulers.

A SCENARIO is a file, - for standard input, the id of a scenario of the gallery, or a link that the page made.

It exits with ` + exits.Sentence() + `; a run that is interrupted reports what it played until then.`,
		Example: "  parley run google-calm --until 10m",
		Version: run.Engine,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := ""
			if suggested := cmd.SuggestionsFor(args[0]); len(suggested) > 0 {
				hint = ", did you mean " + strings.Join(suggested, " or ")
			}
			return console.NewUsageError(fmt.Errorf("there is no command %q%s; see parley --help", args[0], hint))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("parley {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var value *pflag.InvalidValueError
		if errors.As(err, &value) {
			name, reason := value.GetFlag().Name, errors.Unwrap(err)
			if errors.As(reason, new(*strconv.NumError)) {
				reason = errors.New("choose a whole number" +
					map[string]string{"uint64": " from 0 to 18446744073709551615"}[value.GetFlag().Value.Type()])
			}
			if strings.HasPrefix(reason.Error(), "time: ") { // of a flag of the library's own kind
				reason = errors.New("write a time with its unit, as 30s, 5m or 1h")
			}
			err = fmt.Errorf("--%s is %q: %w", name, value.GetValue(), reason)
		}
		return console.NewUsageError(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
	})
	root.AddCommand(
		runcommand.Command(c), compare.Command(c), compare.PairCommand(c), figure.Command(c),
		artefact.Command(c), artefact.GradeCommand(c), paper.Command(c), plan.Command(c), clusterCommand(c),
		trace.Command(c), link.Command(c), describe.SystemsCommand(c), describe.FieldsCommand(c),
		describe.MetricsCommand(c), describe.EventsCommand(c), sweep.Command(c), sweep.WorkerCommand(c),
		versionCommand(c), describe.ProtocolCommand(c), scaffold.Command(c),
	)
	return root
}

// spreadFiles lets --trace and --best take all arguments up to the next flag, as a shell
// expands them: --trace a.gz b.gz is --trace a.gz --trace b.gz.
func spreadFiles(args []string) []string {
	var out []string
	taking := ""
	for i, arg := range args {
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case arg == "--trace" || arg == "--best":
			taking = arg
			if i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				continue // each of the files has its own
			}
		case len(arg) > 1 && arg[0] == '-':
			taking = ""
		case taking != "":
			out = append(out, taking)
		}
		out = append(out, arg)
	}
	return out
}
