package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/kube/question"
	"parley/core/trace"
	"parley/core/unit"
)

// timed are the flags of questions that are played in virtual time.
type timed struct {
	plays      int
	start      time.Duration
	autoscaler bool
}

// maxPlays limits the plays of a question.
const maxPlays = 100

// played adds the flags of a question that is played in virtual time, and returns their values, which are
// valid once the command runs. It wraps the PreRunE that the command has.
func (a *asking) played(cmd *cobra.Command) *timed {
	e, t := a.env, &timed{}
	a.timeline(cmd)
	cmd.Flags().IntVar(&t.plays, "plays", 0, "plays with other times; 0 for 11, or 3 of a cluster with more than 5,000 pods")
	cmd.Flags().DurationVar(&t.start, "start", 0, "how long each pod takes from its node to Ready, such as 45s; 0 for what the dump shows of its workload, else 30 s")
	pre := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := e.within("plays", t.plays, 0, maxPlays); err != nil {
			return err
		}
		if err := e.lasts("start", t.start); err != nil {
			return err
		}
		return pre(cmd, args)
	}
	return t
}

// scaled adds --autoscaler.
func (t *timed) scaled(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.autoscaler, "autoscaler", false, "let the cluster autoscaler add nodes for pods that find none")
}

// lasts returns an error if the duration of a flag is out of its range.
func (e *Env) lasts(flag string, d time.Duration) error {
	if d < 0 || d > 24*time.Hour {
		return e.Misuse(fmt.Errorf("--%s is %s: choose 0 to 24h, such as 90s", flag, d))
	}
	return nil
}

func (t *timed) options(seed uint64) question.PlayOptions {
	return question.PlayOptions{
		Seed: seed, Plays: t.plays, Start: unit.Time(t.start.Microseconds()), Autoscaler: t.autoscaler,
	}
}

// share reads the number or percentage of a flag; nil of "".
func (e *Env) share(flag, text string) (*kube.IntOrPercent, error) {
	if text == "" {
		return nil, nil
	}
	v, err := kube.ParseIntOrPercent(text)
	if err != nil {
		return nil, e.Misuse(fmt.Errorf("--%s is %q: write a number of pods as 2, or a percentage as 25%%", flag, text))
	}
	return v, nil
}

// rolloutCommand returns parley cluster rollout, whose last argument is the workload.
func rolloutCommand(e *Env) *cobra.Command {
	surge, unavailable, template := "", "", ""
	var t *timed
	cmd, a := e.question("rollout", "Does a rollout fit, how long does it take, and where does it stop",
		`Plays the rollout of a workload to a new template in virtual time, by the rules of its controller and of the scheduler; if the dump is in the middle of a rollout, that one goes on. The workload is named last, as NAMESPACE/NAME. Prints how long it takes, which new pods wait and why, how many are available meanwhile, when the progress deadline passes, and how it goes with another strategy.

New pods request what those of today do; --template names a manifest with another template.`,
		"  parley cluster rollout dump.json shop/web --max-surge 1 --max-unavailable 0",
		func(a *asking, c *kube.Cluster, _ string) (any, []question.Document, error) {
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			name, err := e.workload(c, a.last)
			if err != nil {
				return nil, nil, err
			}
			o := question.RolloutOptions{PlayOptions: t.options(a.seed)}
			if o.Rollout.Surge, err = e.share("max-surge", surge); err != nil {
				return nil, nil, err
			}
			if o.Rollout.Unavailable, err = e.share("max-unavailable", unavailable); err != nil {
				return nil, nil, err
			}
			if x, y := o.Rollout.Surge, o.Rollout.Unavailable; x != nil && y != nil && x.Value == 0 && y.Value == 0 {
				return nil, nil, e.Misuse(errors.New("--max-surge and --max-unavailable are both 0: the API server refuses that, for no pod could be replaced; let one of them be 1"))
			}
			if template != "" {
				if c, o.Template, err = e.newTemplate(c, template, name); err != nil {
					return nil, nil, err
				}
			}
			r := question.Rollout(c, p, name, o)
			if r == nil {
				return nil, nil, notRolled(c, name)
			}
			if surge != "" && r.Kind == "StatefulSet" {
				return nil, nil, e.Misuse(fmt.Errorf("%s is a StatefulSet, which makes no pods beside the old ones: leave --max-surge out", name))
			}
			return r, []question.Document{r.Document()}, nil
		})
	cmd.Use = "rollout FILE… NAMESPACE/NAME"
	a.named = true
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) < 2 {
			return e.Misuse(errors.New("cluster rollout needs a dump and then the workload, as in parley cluster rollout dump.json NAMESPACE/NAME"))
		}
		last := args[len(args)-1]
		if info, err := os.Stat(last); err == nil && info.Mode().IsRegular() {
			return e.Misuse(fmt.Errorf("%s is a file, and the workload comes after the files, as in parley cluster rollout %s NAMESPACE/NAME", last, last))
		}
		return nil
	}
	a.configurable(cmd)
	t = a.played(cmd)
	cmd.Flags().StringVar(&surge, "max-surge", "", "pods beyond the replicas, as 2 or 25%, instead of the dump's")
	cmd.Flags().StringVar(&unavailable, "max-unavailable", "", "pods that may be missing, as 2 or 25%, instead of the dump's")
	cmd.Flags().StringVar(&template, "template", "", "a manifest of the workload with its new template")
	return cmd
}

// notRolled returns the error for a name that cannot be rolled out, with the workload to name instead if
// there is one: the controller of the pod or ReplicaSet of that name.
func notRolled(c *kube.Cluster, name string) error {
	keep := kube.NewOwners(c)
	for i := range c.Pods {
		if p := &c.Pods[i]; p.Full() == name || p.Namespace+"/"+p.Owner.Name == name {
			if own := keep.Of(p); own.Kind == "Deployment" || own.Kind == "StatefulSet" || own.Kind == "DaemonSet" {
				return fmt.Errorf("%s belongs to the %s %s/%s: name that", name, own.Kind, p.Namespace, own.Name)
			}
			return fmt.Errorf("%s cannot be rolled out: no Deployment, StatefulSet or DaemonSet keeps it; name one of these", name)
		}
	}
	for i := range c.Workloads {
		if own := c.Workloads[i].Owner; own.Kind != "" && c.Workloads[i].Namespace+"/"+own.Name == name {
			return fmt.Errorf("%s cannot be rolled out: it is a %s, whose controller Parley does not play; name a Deployment, StatefulSet or DaemonSet", name, own.Kind)
		}
	}
	for i := range c.Workloads {
		if w := &c.Workloads[i]; w.Namespace+"/"+w.Name == name {
			return fmt.Errorf("%s cannot be rolled out: it is a %s, which is not played; name a Deployment, StatefulSet or DaemonSet", name, w.Kind)
		}
	}
	if near := question.Nearest(c, name); near != "" {
		return fmt.Errorf("%s cannot be rolled out: it is no Deployment, StatefulSet or DaemonSet of the dump (%s is there)", name, near)
	}
	return fmt.Errorf("%s cannot be rolled out: it is no Deployment, StatefulSet or DaemonSet of the dump; name one of these", name)
}

// kindWords are the words for the kinds that are rolled out.
var kindWords = map[string]bool{
	"deployment": true, "deployments": true, "deploy": true, "deployment.apps": true, "statefulset": true, "statefulsets": true, "sts": true, "statefulset.apps": true,
	"daemonset": true, "daemonsets": true, "ds": true, "daemonset.apps": true,
}

// workload returns NAMESPACE/NAME of a workload that is named with or without its namespace. A name with a
// namespace is returned unchecked; one without must be that of exactly one Deployment, StatefulSet or
// DaemonSet.
func (e *Env) workload(c *kube.Cluster, name string) (string, error) {
	if kind, rest, is := strings.Cut(name, "/"); is && kindWords[strings.ToLower(kind)] {
		name = rest // deployment/web, as kubectl rollout takes it
	}
	if strings.Count(name, "/") == 1 {
		return name, nil
	}
	var found []string
	for i := range c.Workloads {
		w := &c.Workloads[i]
		if full := w.Namespace + "/" + w.Name; w.Name == name && (w.Kind == "Deployment" || w.Kind == "StatefulSet" || w.Kind == "DaemonSet") {
			found = append(found, full)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", e.Misuse(fmt.Errorf("the workload is %q: write NAMESPACE/NAME of a Deployment, StatefulSet or DaemonSet, after the files", name))
	}
	return "", e.Misuse(fmt.Errorf("there are several workloads with the name %q: write one of %s", name, strings.Join(found, ", ")))
}

// newTemplate reads the workload NAMESPACE/NAME, with its new template, from a manifest. The template
// may name resources and images that the dump does not have: the cluster that is returned is a copy
// of c with these, and the template refers to it. c stays as it is.
func (e *Env) newTemplate(c *kube.Cluster, file, name string) (*kube.Cluster, *kube.Workload, error) {
	files, err := e.Files([]string{file})
	if err != nil {
		return nil, nil, err
	}
	other, err := dump.Read(files, func(trace.Progress) error { return nil })
	if err != nil {
		return nil, nil, err
	}
	for i := range other.Workloads {
		w := &other.Workloads[i]
		if full := w.Namespace + "/" + w.Name; full != name || w.Template == nil {
			continue
		}
		d, spec := c.Adopt(other, w.Template)
		w.Template = spec
		return d, w, nil
	}
	return nil, nil, fmt.Errorf("--template is %s: it has no workload %s with a template; give the manifest of that one", filepath.Base(file), name)
}
