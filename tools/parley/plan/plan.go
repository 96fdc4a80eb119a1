// Package plan is parley plan: it runs the planners for a placement, a schedule of a task graph, or
// the rounds of a divisible load.
package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/core/system/yield/solve"
	"parley/core/trace"
	"parley/tools/parley/console"
)

// Command returns parley plan.
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plan yield|rounds|graph FILE",
		Short:   "Plan one instance: virtual clusters on hosts, a divisible load on workers, or a task graph on processors",
		Example: `  echo '{"hosts":2,"jobs":[{"cpu":0.6,"mem":0.1,"tasks":3}]}' | parley plan yield -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.NewUsageError(
					errors.New("plan needs what to plan, yield, rounds or graph; see parley plan --help"),
				)
			}
			return console.NewUsageError(
				fmt.Errorf("there is no planner %q: choose yield, rounds or graph; see parley plan --help", args[0]),
			)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(planYield(c), planRounds(c), planGraph(c))
	return cmd
}

func planYield(c *console.Console) *cobra.Command {
	algorithm, asJSON := "", false
	cmd := &cobra.Command{
		Use:     "yield INSTANCE.json",
		Short:   "Place jobs on hosts so that the smallest yield is largest",
		Long:    "Reads hosts and jobs and places the jobs. cpu and mem are fractions of one host; tasks repeats the same need.\n\nAlgorithms: " + strings.Join(solve.Algorithms(), ", ") + ".",
		Example: `  echo '{"hosts":2,"jobs":[{"cpu":0.6,"mem":0.1,"tasks":3}]}' | parley plan yield - --algorithm exact`,
		Args:    console.Args(1, 1, "one INSTANCE.json"),
		RunE: func(_ *cobra.Command, args []string) error {
			var in solve.Instance
			err := readInstance(c, args[0], func(r io.Reader) (err error) {
				in, err = solve.Decode(r)
				return err
			})
			if err != nil {
				return err
			}
			began := c.Now()
			result, err := solve.Solve(in, algorithm, solve.Default())
			took := micros(c.Now().Sub(began))
			if err != nil {
				return err
			}
			if asJSON {
				return console.PrintJSON(c.Out, struct {
					solve.Result
					WallUS float64 `json:"wall_us"`
				}{result, took})
			}
			printYield(c.Out, result, took)
			return nil
		},
	}
	cmd.Flags().StringVar(&algorithm, "algorithm", "mcb8", "how to place")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plan as JSON")
	return cmd
}

// maxListed limits the jobs or workers in a plan for people.
const maxListed = 50

func printYield(w io.Writer, r solve.Result, took float64) {
	var t console.Table
	t.Add("algorithm", r.Algorithm)
	t.Add("feasible", map[bool]string{true: "yes", false: "no placement found"}[r.Feasible])
	t.Add("smallest yield", console.Number(r.MinYield))
	t.Add("average yield", console.Number(r.AvgYield))
	t.Add("upper bound", console.Number(r.Bound))
	t.Add("time", console.Number(took)+" µs")
	t.Print(w)
	if len(r.Place) == 0 {
		return
	}
	fmt.Fprintln(w)
	var jobs console.Table
	jobs.Add("job", "CPU a task", "hosts of its tasks")
	for j, hosts := range r.Place[:min(len(r.Place), maxListed)] {
		jobs.Add(fmt.Sprint(j), console.Number(r.CPU[j][0]), strings.Trim(fmt.Sprint(hosts), "[]"))
	}
	jobs.Left(2)
	jobs.Print(w)
	more(w, len(r.Place), "jobs")
}

// more prints the number of entries that a shortened list omits.
func more(w io.Writer, all int, things string) {
	if all > maxListed {
		fmt.Fprintf(w, "… and %s more %s in --json\n", console.Grouped(int64(all-maxListed)), things)
	}
}

// readInstance opens a file, or standard input for -, and lets decode read it.
func readInstance(c *console.Console, name string, decode func(io.Reader) error) error {
	in := c.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return console.Unreadable(name, err)
		}
		defer f.Close()
		in = f
	}
	name = console.ShownName(name)
	err := decode(in)
	if errors.As(err, new(*fs.PathError)) {
		return console.Unreadable(name, err)
	}
	if err != nil && !errors.As(err, new(*trace.Error)) { // which names the file itself
		err = fmt.Errorf("%s: %w", name, err)
	}
	return err
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
