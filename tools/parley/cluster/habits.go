package cluster

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/core/strict"
)

// habits name, for flags of kubectl and other flags that people expect, the flags of a command in their place.
var habits = map[string]string{
	"ignore-daemonsets": "pods of DaemonSets always stay, as with this flag of kubectl drain: leave it out",
	"delete-local-data": "it is --delete-emptydir-data, as in kubectl since 1.20",
	"grace-period":      "each pod ends within its own grace period: leave it out",
	"dry-run":           "no command changes a cluster: leave it out",
	"timeout":           "the script gives each drain its time: leave it out",
	"disable-eviction":  "plans keep to disruption budgets: take one away with --without pdb/NAMESPACE/NAME",
	"namespace":         "name pods and workloads as NAMESPACE/NAME",
	"n":                 "name pods and workloads as NAMESPACE/NAME",
	"all-namespaces":    "the dump has the namespaces that were fetched: kubectl get … -A",
	"A":                 "the dump has the namespaces that were fetched: kubectl get … -A",
	"filename":          "name files without a flag",
	"f":                 "name files without a flag",
	"context":           "no command talks to a cluster: give a file that kubectl wrote",
	"kubeconfig":        "no command talks to a cluster: give a file that kubectl wrote",
	"zone":              "write --by zone --name ZONE",
	"image":             "an image changes nothing here: leave it out, or give --template with other requests",
	"replicas":          "ask about another world: --patch 'deployment/NAMESPACE/NAME={\"spec\":{\"replicas\":5}}'",
	"nodes":             "ask about another world: --more node/NAME=N adds N nodes like one",
	"add":               "ask about another world: --more node/NAME=N adds N nodes like one",
}

// habit returns an error that names a command's flags in the place of one that it does not know, nil if there is
// nothing to say.
func (e *Env) habit(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return nil
	}
	name := unknown.GetSpecifiedName()
	dashed := "--" + name
	if len(name) == 1 {
		dashed = "-" + name
	}
	why := habits[name]
	if name == "node" && cmd.Name() == "lose" {
		why = "write --by node --name NODE"
	}
	if why == "" && (name == "node" || name == "pod") && cmd.Name() != "drain" {
		why = "the answer lists them all"
	}
	if why == "" {
		var all []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
		slices.Sort(all)
		if near := strict.Nearest(name, all); strict.Distance(near, name) <= (len(name)+2)/3 {
			why = "do you mean --" + near + "?"
		}
	}
	if why == "" {
		return nil
	}
	return e.Misuse(fmt.Errorf("%s has no flag %s: %s", cmd.CommandPath(), dashed, why))
}
