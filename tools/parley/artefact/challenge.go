package artefact

import (
	"fmt"
	"text/tabwriter"

	"parley/assets"
	"parley/core/escape"
	"parley/core/estimate"
	"parley/core/run/full"
	"parley/core/study/challenge"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// gradeChallenge plays the schedulers of links and scenarios in the cells of a challenge
// and prints a table of their scores.
func gradeChallenge(c *console.Console, name string, args []string) error {
	text, known := assets.Challenge(name)
	if !known {
		return fmt.Errorf("no challenge is named %q: there is beat-best-fit", name)
	}
	contest, err := challenge.Parse(text)
	if err != nil {
		return err
	}
	var entries []challenge.Entry
	for _, arg := range args {
		d, err := load.ReadScenario(c, arg, &load.Trace{})
		if err != nil {
			return err
		}
		entries = append(entries, challenge.EntryOf(shorten80(d.Label), d.Scenario))
	}
	rows, err := contest.Table(full.Systems(), entries)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "scheduler\tscore\t95 % interval")
	for _, cell := range contest.Cells {
		fmt.Fprintf(table, "\t%s", cell.Name)
	}
	fmt.Fprintln(table, "\tdifference\tverdict")
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%.2f\t%s", escape.Line(row.Name), row.Score.Mean, interval(row.Score))
		for _, cell := range row.Cells {
			fmt.Fprintf(table, "\t%.2f", cell)
		}
		if d := row.Difference; d != nil {
			fmt.Fprintf(table, "\t%+.2f (%s)\t%s", d.Mean, interval(*d), row.Verdict)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// interval prints the interval of an estimate.
func interval(e estimate.Estimate) string {
	if e.Interval == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f to %.2f", e.Low, e.High)
}
