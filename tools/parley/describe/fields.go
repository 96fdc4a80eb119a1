package describe

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"parley/core/metric"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/tools/parley/console"
)

// FieldsCommand returns parley fields.
func FieldsCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "fields [SYSTEM]",
		Short: "List the fields that --set and the axes of a sweep accept",
		Long:  "Prints each field of a scenario with its type, range, default and meaning; with a SYSTEM, the settings of that system instead. The names are those that --set and the axes of a sweep take.",
		Example: `  parley fields
  parley fields central`,
		Args: console.Args(0, 1, "one SYSTEM at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			fields := scenario.Fields()
			if len(args) > 0 {
				e, err := c.Systems.Find(args[0])
				if err != nil {
					return err
				}
				fields = run.SettingFields(e.Description)
			}
			if asJSON {
				return console.PrintJSON(c.Out, fields)
			}
			printFields(c.Out, fields)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the fields as JSON")
	return cmd
}

// printFields writes a line for each field; choices that would make the column wide are
// behind the meaning.
func printFields(w io.Writer, fields []scenario.Field) {
	var t console.Table
	t.Add("field", "type", "default", "range", "meaning")
	for _, f := range fields {
		allowed, about := f.Allowed, f.About
		if len(allowed) > widest {
			allowed, about = "see meaning", about+"; "+f.Allowed
		}
		if f.Unit != "" {
			about += " [" + f.Unit + "]"
		}
		t.Add(f.Path, f.Type, f.Default, allowed, about)
	}
	for column := 1; column < 5; column++ {
		t.Left(column)
	}
	t.Print(w)
}

// MetricsCommand returns parley metrics.
func MetricsCommand(c *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "metrics [SYSTEM]",
		Short: "List the metrics of a run, with unit and formula",
		Long:  "Prints each metric that a run reports, with its unit and its formula: those of every run, or, with a SYSTEM, all that runs of this system can have. The names are those that sweeps take in metrics, stop and search; * stands for the name of a group. Figures over time are means over the window of the run.",
		Example: `  parley metrics
  parley metrics central`,
		Args: console.Args(0, 1, "one SYSTEM at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			every := system.Description{}
			if len(args) > 0 {
				e, err := c.Systems.Find(args[0])
				if err != nil {
					return err
				}
				every = e.Description
			}
			metrics := run.Figures(every)
			if asJSON {
				return console.PrintJSON(c.Out, metrics)
			}
			printMetrics(c.Out, metrics)
			if len(args) == 0 {
				fmt.Fprintln(c.Out,
					"\nparley metrics SYSTEM adds those of a system, and of the jobs or task graphs that it schedules.")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the metrics as JSON")
	return cmd
}

func printMetrics(w io.Writer, metrics []metric.Column) {
	var t console.Table
	t.Add("metric", "unit", "name", "formula")
	for _, m := range metrics {
		t.Add(m.ID, m.Unit, m.Name, m.About)
	}
	for column := 1; column < 4; column++ {
		t.Left(column)
	}
	t.Print(w)
}
