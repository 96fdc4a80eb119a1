package main

import (
	"github.com/spf13/cobra"

	"parley/tools/parley/cluster"
)

// clusterCommand returns the commands about a Kubernetes cluster.
func clusterCommand(c *Console) *cobra.Command {
	b := newBar(c)
	return cluster.Command(&cluster.Env{
		In: c.In, Out: c.Out, Err: c.Err, Now: c.Now, Show: b.show, Clear: b.clear,
		Misuse: func(err error) error { return wrongUse{err} },
	})
}
