package cluster

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"parley/core/kube/dump"
)

func generateCommand(e *Env) *cobra.Command {
	size := dump.Size{Nodes: 100, Pods: 3000, Seed: 1}
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write the dump of an invented cluster, to try and to measure",
		Long: `Writes a dump as kubectl would print it: nodes of four machine types in three zones, DaemonSets, Deployments and StatefulSets with affinity, spread, budgets and volumes, and pods with the environment and statuses that real ones have. The same numbers give the same bytes.

Most pods are placed by the scheduler's default profile as far as they fit; the others are pending.`,
		Example: "  parley cluster generate --nodes 20 --pods 400",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := errors.Join(e.within("nodes", size.Nodes, 1, 100_000),
				e.within("pods", size.Pods, 0, 10_000_000)); err != nil {
				return err
			}
			out := bufio.NewWriterSize(e.Out, 1<<20)
			if err := dump.Generate(out, size); err != nil {
				return fmt.Errorf("the dump cannot be written: %w", err)
			}
			return out.Flush()
		},
	}
	cmd.Flags().IntVar(&size.Nodes, "nodes", size.Nodes, "number of nodes")
	cmd.Flags().IntVar(&size.Pods, "pods", size.Pods, "number of pods")
	cmd.Flags().Uint64Var(&size.Seed, "seed", size.Seed, "another seed is another cluster")
	return cmd
}

func pseudonymiseCommand(e *Env) *cobra.Command {
	secret := ""
	cmd := &cobra.Command{
		Use:   "pseudonymise FILE…",
		Short: "Write a dump with other names and nothing that no answer needs",
		Long: `Reads a dump and writes one that gives the same answers: every text becomes another, the same one always the same, but for words that Kubernetes and clouds define. The names keep their order, in which an answer takes what is equally good, and the parts that they share with others, between hyphens. Environment, commands, annotations and all other fields that no answer needs are left out.

A part of a name becomes x, its number in the order of all, and eight signs of a keyed hash: without the secret it cannot be worked out from a guess. With the same secret the eight signs are the same another time; the numbers are of one dump.`,
		Example: "  parley cluster pseudonymise dump.json --secret 'known to you alone'",
		Args:    e.files,
		RunE: func(_ *cobra.Command, args []string) error {
			if secret == "" {
				return e.Misuse(errors.New("pseudonymise needs --secret: any text that those who get the dump do not know"))
			}
			files, err := e.Files(args)
			if err != nil {
				return err
			}
			out := bufio.NewWriterSize(e.Out, 1<<20)
			defer e.Clear()
			if err := dump.Pseudonymise(out, files, secret, e.progress()); err != nil {
				return err
			}
			return out.Flush()
		},
	}
	cmd.Flags().StringVar(&secret, "secret", "", "the text from which the names are made")
	return cmd
}
