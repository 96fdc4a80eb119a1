package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/core/kube"
	"parley/core/kube/question"
	"parley/core/trace"
	"parley/tools/durable"

	"parley/tools/parley/exits"
)

// Breach is the error of a condition of --fail-if that holds. The answer was printed.
type Breach struct {
	Condition, Figures string
	Undecided          bool // it compares something that is not a number: a gate that cannot decide fails
}

// ExitStatus returns the status of a condition that holds.
func (*Breach) ExitStatus() int { return exits.Breached }

// Error describes which condition holds, or cannot be decided, and with which figures.
func (b *Breach) Error() string {
	if b.Undecided {
		return fmt.Sprintf("the condition %s cannot be decided, for it compares something that is no number: %s; write it so that nothing is divided by 0", b.Condition, b.Figures)
	}
	return fmt.Sprintf("the condition %s holds: %s", b.Condition, b.Figures)
}

// reportCommand returns parley cluster report. Conditions are judged in the order of the flags, and the
// first that holds or cannot be decided becomes a *Breach, which RunE returns after the report is printed.
func reportCommand(e *Env) *cobra.Command {
	o := question.ReportOptions{}
	against, conditions, out, output := "", []string{}, "", ""
	var breach error
	cmd, a := e.question("report", "Answer what changes from week to week, and fail if a condition holds",
		`Asks for a drain, the loss of each zone and of the largest node, today's mix and nodes for pending pods, and prints one page. --out keeps the report as JSON; --against compares with one that was kept. With --prices it has what nodes cost, and with --cpu, --memory or --usage, as right-size has them, what requests beyond use cost.

--fail-if is a condition on the figures that the report lists: zone_loss.pending > 0, or, with --against, change.drain.emptied > 2 and last.pending < 5. It may be given several times. The exit code is 3 if one holds; the report is printed first.`,
		`  parley cluster report dump.json --out now.json --against last-week.json --fail-if 'zone_loss.pending > 0'`,
		func(a *asking, c *kube.Cluster, dump string) (any, []question.Document, error) {
			breach = nil
			p, err := a.profile()
			if err != nil {
				return nil, nil, err
			}
			if o.Prices, err = a.table(); err != nil {
				return nil, nil, err
			}
			last, err := kept(against)
			switch {
			case err != nil:
				return nil, nil, err
			case output != "" && output != "wide":
				return nil, nil, e.Misuse(fmt.Errorf("--output is %q: choose wide", output))
			case output != "" && last == nil:
				return nil, nil, e.Misuse(errors.New("--output wide names what has changed: give --against too"))
			}
			if a.use.given() {
				if o.Usage, err = a.use.read(e); err != nil {
					return nil, nil, err
				}
				if _, err := question.RightSize(c, o.Usage); err != nil {
					return nil, nil, err
				}
			}
			o.Seed, o.Config = a.seed, a.config
			o.Step = func(name string) { a.env.Show("%s", name) }
			r := question.NewReport(c, p, o)
			a.env.Clear()
			if err := r.Differs(last); err != nil {
				return nil, nil, err
			}
			for _, text := range conditions {
				condition, err := question.NewCondition(text, r, last)
				if err != nil {
					return nil, nil, e.Misuse(fmt.Errorf("--fail-if %w", err))
				}
				if holds, decided, figures := condition.Holds(r, last); (holds || !decided) && breach == nil {
					breach = &Breach{text, figures, !decided}
				}
			}
			if out != "" {
				text, err := json.MarshalIndent(r, "", "  ")
				if err != nil {
					return nil, nil, fmt.Errorf("the report cannot be kept: %w", err)
				}
				if err := durable.Disk().Replace(out, out+".part", append(text, '\n'), 0o644); err != nil {
					return nil, nil, fmt.Errorf("the report cannot be kept: %w", err)
				}
			}
			documents := r.Documents(dump, last)
			if output != "" {
				wide, err := r.Wide(last)
				if err != nil {
					return nil, nil, err
				}
				documents[0].Grids = append(documents[0].Grids, wide)
			}
			return r, documents, nil
		})
	a.configurable(cmd)
	a.priced(cmd)
	flags := cmd.Flags()
	flags.StringVar(&against, "against", "", "a report that --out or --json wrote before")
	flags.StringVar(&out, "out", "", "keep the report as JSON in this file")
	flags.StringVarP(&output, "output", "o", "", "wide: with --against, name the nodes, pods, services and namespaces that have changed")
	flags.StringArrayVar(&conditions, "fail-if", nil, "exit with 3 if this condition holds")
	flags.BoolVar(&o.Drain.DeleteEmptyDir, "delete-emptydir-data", false, "let pods with emptyDir volumes go")
	flags.BoolVar(&o.Drain.Force, "force", false, "let pods without a controller go")
	ask := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := ask(cmd, args); err != nil {
			return err
		}
		return breach
	}
	return cmd
}

// kept reads the report that --against names, nil for "".
func kept(name string) (*question.Report, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the report %s cannot be read: %w", name, trace.Reason(err))
	}
	return question.ReadReport(filepath.Base(name), text)
}
