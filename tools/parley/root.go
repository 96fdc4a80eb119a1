package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/core/run"
	"parley/tools/parley/exits"
)

// newRoot returns the command tree.
func newRoot(c *Console) *cobra.Command {
	root := &cobra.Command{
		Use:   "parley COMMAND",
		Short: "A laboratory for cluster scheduling",
		Long: `Parley plays a workload, a generated one or a recorded trace, on a cluster under one of several schedulers.

A SCENARIO is a file, - for standard input, the id of a scenario of the gallery, or a link that the page made.

It exits with ` + exits.Sentence() + `; a run that is interrupted reports what it played until then.`,
		Example:       "  parley run google-calm --until 10m",
		Version:       run.Engine,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := ""
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = ", did you mean " + strings.Join(near, " or ")
			}
			return wrongUse{fmt.Errorf("there is no command %q%s; see parley --help", args[0], hint)}
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetVersionTemplate("parley {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var value *pflag.InvalidValueError
		if errors.As(err, &value) {
			name, why := value.GetFlag().Name, errors.Unwrap(err)
			if errors.As(why, new(*strconv.NumError)) {
				why = errors.New("choose a whole number" + map[string]string{"uint64": " from 0 to 18446744073709551615"}[value.GetFlag().Value.Type()])
			}
			err = fmt.Errorf("--%s is %q: %w", name, value.GetValue(), why)
		}
		return wrongUse{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	plan, ofCluster := planCommand(c), clusterCommand(c)
	root.AddCommand(runCommand(c), compareCommand(c), pairCommand(c), figureCommand(c), artefactCommand(c), gradeCommand(c), paperCommand(c), plan, ofCluster, traceCommand(c), linkCommand(c), systemsCommand(c), fieldsCommand(c), metricsCommand(c), eventsCommand(c), benchCommand(c), sweepCommand(c), sweepWorkerCommand(c), soakCommand(c), versionCommand(c))
	root.AddCommand(protocolCommand(c), idleCommand(c), newCommand(c))
	for _, command := range slices.Concat(root.Commands(), plan.Commands(), ofCluster.Commands()) {
		if command.RunE != nil {
			command.RunE = stoppable(c, command.RunE)
		}
	}
	return root
}

// takes returns a check of how many arguments a command has; most is -1 where
// there is no limit.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		name := strings.TrimPrefix(cmd.CommandPath(), "parley ")
		switch {
		case len(args) < least:
			return wrongUse{fmt.Errorf("%s needs %s; see parley %s --help", name, what, name)}
		case most >= 0 && len(args) > most:
			return wrongUse{fmt.Errorf("%s takes %s, and %q is more; see parley %s --help", name, what, args[most], name)}
		}
		return nil
	}
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
				continue // each of the files brings its own
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
