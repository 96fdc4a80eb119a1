package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/kube/usage"
	"parley/core/trace"
)

// asking holds the flags that the commands about questions have in common.
type asking struct {
	env    *Env
	form   string
	config string
	prices string
	seed   uint64
	times  string // the file of --timeline
	last   string // the argument after the files, if the command takes one
	named  bool   // the command takes last
	// patches, more and without are the changes of --patch, --more and --without.
	patches, more, without []string
	// use has the measured usage of pods, and requests the level of it to request in the changed
	// cluster, "" for none.
	use      measured
	requests string
}

// question returns a command for a question about a dump, and its common flags. ask returns the answer as a
// value for programs and as documents for people; dump is the name of the first file. If the flags change
// the cluster, ask is called twice, for the dump and for the changed cluster, and the answers are printed
// beside each other; ask must therefore set all that it keeps from scratch.
func (e *Env) question(use, short, long, example string,
	ask func(a *asking, c *kube.Cluster, dump string) (any, []question.Document, error),
) (*cobra.Command, *asking) {
	a := &asking{env: e}
	cmd := &cobra.Command{
		Use: use + " FILE…", Short: short, Long: long, Example: example, Args: e.files,
		RunE: func(_ *cobra.Command, args []string) error {
			if a.named {
				args, a.last = args[:len(args)-1], args[len(args)-1]
			}
			changes, err := a.changes()
			if err != nil {
				return err
			}
			askWith := func(changes []*dump.Change, requests string) (any, []question.Document, string, error) {
				c, err := e.Read(args, changes...)
				if err != nil {
					return nil, nil, "", err
				}
				if len(c.Nodes) == 0 {
					return nil, nil, "", dump.NoNodes(strings.Join(args, " "))
				}
				c, text, err := a.sized(c, requests)
				if err != nil {
					return nil, nil, "", err
				}
				value, documents, err := ask(a, c, filepath.Base(args[0]))
				return value, documents, text, err
			}
			value, documents, _, err := askWith(nil, "")
			if err == nil && (len(changes) > 0 || a.requests != "") {
				before, was, text := value, documents, ""
				if value, documents, text, err = askWith(changes, a.requests); err == nil {
					texts := dump.Texts(changes)
					if text != "" {
						texts = append(texts, text)
					}
					value, documents = question.Beside(before, value, was, documents, texts)
				}
			}
			if err != nil {
				return err
			}
			if err := a.writeTimeline(documents); err != nil {
				return err
			}
			return a.print(value, documents)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&a.form, "as", "text", "text, json, markdown or html")
	json := false
	flags.BoolVar(&json, "json", false, "print one JSON document: --as json")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if json {
			a.form = "json"
		}
		for _, known := range []string{"text", "json", "markdown", "html"} {
			if a.form == known {
				return nil
			}
		}
		return e.Misuse(fmt.Errorf("--as is %q: choose text, json, markdown or html", a.form))
	}
	flags.Uint64Var(&a.seed, "seed", 1, "of the draws between nodes with equal scores")
	flags.StringArrayVar(&a.patches, "patch", nil, `ask about another world too: KIND/[NAMESPACE/]NAME={…}, a JSON merge patch as of kubectl patch; may be given again`)
	flags.StringArrayVar(&a.more, "more", nil, "ask about another world too: node/NAME=N, N nodes more like one; may be given again")
	flags.StringArrayVar(&a.without, "without", nil, "ask about another world too: KIND/[NAMESPACE/]NAME is not there; may be given again")
	return cmd, a
}

// asksOfUse adds the flag --requests and those of the pods' usage.
func (a *asking) asksOfUse(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.requests, "requests", "", "ask about another world too, in which pods request p50, p95 or max of what they use: with --usage, or --cpu and --memory")
	a.use.flags(cmd)
}

// sized returns a cluster with requests at a level of the usage (p50, p95, max), and a sentence about the
// change; c itself and "" for the level "". It fails without usage, and if the usage is of one moment or of
// no workload of the dump.
func (a *asking) sized(c *kube.Cluster, level string) (*kube.Cluster, string, error) {
	switch {
	case level == "":
		return c, "", nil
	case !slices.Contains(usage.Levels(), level):
		return nil, "", a.env.Misuse(fmt.Errorf("--requests is %q: choose p50, p95 or max", level))
	case !a.use.given():
		return nil, "", a.env.Misuse(errors.New("--requests needs what pods use: give --cpu and --memory, or --usage, as right-size takes them"))
	}
	u, err := a.use.read(a.env)
	if err != nil {
		return nil, "", err
	}
	if u.Instant() {
		return nil, "", question.ErrMoment
	}
	sized, workloads := usage.Sized(c, u, level)
	if workloads == 0 {
		return nil, "", errors.New("--requests: no workload of the dump has samples: their namespaces and pods are of another cluster, or of another time")
	}
	of := fmt.Sprint(workloads, " workloads")
	if workloads == 1 {
		of = "1 workload"
	}
	return sized, "requests of " + of + " at " + level + " of what their pods use", nil
}

// changes returns the changes of the flags.
func (a *asking) changes() (all []*dump.Change, err error) {
	for _, x := range []struct {
		how   string
		texts []string
	}{{"--patch", a.patches}, {"--more", a.more}, {"--without", a.without}} {
		for _, text := range x.texts {
			c, err := dump.NewChange(x.how, text)
			if err != nil {
				return nil, a.env.Misuse(err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// configurable adds --config, which changes the pods that its profiles place, and --requests.
func (a *asking) configurable(cmd *cobra.Command) {
	a.asksOfUse(cmd)
	cmd.Flags().StringVar(&a.config, "config", "default", "a KubeSchedulerConfiguration, perhaps with #PROFILE; default, or most-allocated")
}

// priced adds --prices.
func (a *asking) priced(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.prices, "prices", "", "CSV, YAML or JSON with a machine type and its price (an hour), perhaps zone, region, capacity, os and currency")
}

// profile returns the profile of --config.
func (a *asking) profile() (*constraint.Profile, error) {
	_, p, err := profile(a.config)
	return p, err
}

// profile returns the profile that a value of --config names, with a name for it: default or
// most-allocated, or FILE or FILE#PROFILE. Without #PROFILE it is the first of the file.
func profile(config string) (string, *constraint.Profile, error) {
	if p := question.Builtin(config); p != nil {
		return config, p, nil
	}
	file, name, _ := strings.Cut(config, "#")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, fmt.Errorf("the configuration %s cannot be read: %w", file, trace.Reason(err))
	}
	all, err := dump.Profiles(filepath.Base(file), text)
	if err != nil {
		return "", nil, err
	}
	var names []string
	for _, p := range all {
		if names = append(names, p.Name); name == "" || p.Name == name {
			return strings.TrimSuffix(filepath.Base(config), ".yaml"), p, nil
		}
	}
	return "", nil, fmt.Errorf("%s has no profile %q: it has %s", file, name, strings.Join(names, ", "))
}

// table returns the prices of --prices, nil without.
func (a *asking) table() (*question.Table, error) {
	if a.prices == "" {
		return nil, nil
	}
	text, err := os.ReadFile(a.prices)
	if err != nil {
		return nil, fmt.Errorf("the prices %s cannot be read: %w", a.prices, trace.Reason(err))
	}
	return question.ReadTypes(filepath.Base(a.prices), text, dump.ToJSON)
}

// print writes an answer in the form of --as: the value as JSON, or the documents.
func (a *asking) print(value any, documents []question.Document) error {
	out := bufio.NewWriter(a.env.Out)
	switch a.form {
	case "json":
		return a.env.JSON(value)
	case "html":
		fmt.Fprint(out, question.HTML(documents))
	default:
		for i := range documents {
			if i > 0 {
				fmt.Fprintln(out)
			}
			if a.form == "markdown" {
				fmt.Fprint(out, documents[i].Markdown())
			} else {
				fmt.Fprint(out, documents[i].Text())
			}
		}
	}
	return out.Flush()
}
