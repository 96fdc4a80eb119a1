package cluster

import (
	"bufio"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/question"
	"parley/core/trace"
	"parley/core/trace/kubernetes"
)

// asking is what the commands about questions have in common.
type asking struct {
	env    *Env
	form   string
	config string
	prices string
	seed   uint64
}

// question returns a command that asks something about a dump. ask returns the answer as a
// value for programs and as documents for people.
func (e *Env) question(use, short, long, example string, ask func(a *asking, c *kube.Cluster, dump string) (any, []question.Document, error)) (*cobra.Command, *asking) {
	a := &asking{env: e}
	cmd := &cobra.Command{
		Use: use + " FILE…", Short: short, Long: long, Example: example, Args: e.files,
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := e.Read(args)
			if err != nil {
				return err
			}
			if len(c.Nodes) == 0 {
				return fmt.Errorf("%s has no nodes: fetch nodes and pods, see parley cluster --help", strings.Join(args, " "))
			}
			value, documents, err := ask(a, c, filepath.Base(args[0]))
			if err != nil {
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
	return cmd, a
}

// configurable adds --config.
func (a *asking) configurable(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.config, "config", "default", "a KubeSchedulerConfiguration, perhaps with #PROFILE; default, or most-allocated")
}

// priced adds --prices.
func (a *asking) priced(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.prices, "prices", "", "CSV with the columns type and price (an hour), perhaps zone, capacity and currency")
}

// profile returns the profile of --config.
func (a *asking) profile() (*constraint.Profile, error) {
	_, p, err := profile(a.config)
	return p, err
}

// profile returns a profile by what --config says, with its name.
func profile(config string) (string, *constraint.Profile, error) {
	switch config {
	case "default":
		return config, constraint.Default(), nil
	case "most-allocated":
		p := constraint.Default()
		p.Strategy.Type = constraint.MostAllocated
		return config, p, nil
	}
	file, name, _ := strings.Cut(config, "#")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, fmt.Errorf("the configuration %s cannot be read: %w", file, trace.Reason(err))
	}
	all, err := kubernetes.Profiles(filepath.Base(file), text)
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
	return question.ReadPrices(filepath.Base(a.prices), text)
}

// print writes an answer in the form that was asked for.
func (a *asking) print(value any, documents []question.Document) error {
	out := bufio.NewWriter(a.env.Out)
	switch a.form {
	case "json":
		return a.env.JSON(value)
	case "html":
		if err := page.Execute(out, documents); err != nil {
			return fmt.Errorf("the page cannot be written: %w", err)
		}
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

// page is one HTML file without anything from elsewhere.
var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{(index . 0).Title}}</title>
<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{padding:.2rem .8rem .2rem 0;text-align:left;border-bottom:1px solid #8884;font-variant-numeric:tabular-nums}
pre{overflow-x:auto;padding:1rem;background:#8881}.answer{font-size:1.15rem;font-weight:600}</style></head><body>
{{range .}}<section><h1>{{.Title}}</h1><p class="answer">{{.Sentence}}</p>
{{range .Grids}}{{if .Rows}}<h2>{{.Heading}}</h2><table><thead><tr>{{range .Columns}}<th scope="col">{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody></table>{{if .More}}<p>and {{.More}} more</p>{{end}}
{{end}}{{end}}{{if .Script}}<h2>Script</h2><pre>{{.Script}}</pre>{{end}}<details><summary>Method</summary><ul>{{range .Method.Lines}}<li>{{.}}</li>{{end}}</ul></details></section>
{{end}}</body></html>
`))
