package artefact

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"parley/assets"
	"parley/core/escape"
	"parley/core/estimate"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/study/challenge"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// gradeChallenge plays the schedulers of links, lists of links and scenarios in the cells of a challenge and prints a
// table of their scores. The challenge is one of the program's, by its name, or that of a link from "Beat this": then
// the table is ranked, and has the schedulers of the link too.
func gradeChallenge(c *console.Console, name string, limit console.Span, args []string) error {
	if load.IsLink(name) {
		return rankLinks(c, name, limit, args)
	}
	text, known := assets.Challenge(name)
	if !known {
		return fmt.Errorf("no challenge is named %q: there is beat-best-fit, or name a link of a challenge", name)
	}
	contest, err := challenge.Parse(text)
	if err != nil {
		return err
	}
	entries, err := entriesOf(c, args, nil)
	if err != nil {
		return err
	}
	rows, err := contest.Table(full.Systems(), entries)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	headed(table, "scheduler", contest)
	for _, row := range rows {
		printScores(table, "", row)
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// rankLinks prints the ranking of a challenge in a link.
func rankLinks(c *console.Console, link string, limit console.Span, args []string) error {
	contest, err := challengeIn(c, link)
	if err == nil && contest == nil {
		err = errors.New("the link has no challenge: it is made by Beat this, in Compare")
	}
	if err != nil {
		return err
	}
	for i := range contest.Cells {
		s, err := contest.Scenario(contest.Known[0], i, contest.Seeds[0])
		if err == nil {
			err = endless(s, s.Until, limit)
		}
		if err != nil {
			return fmt.Errorf("the challenge %s", err)
		}
	}
	entries, err := entriesOf(c, args, contest)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	headed(table, "rank\tscheduler", contest)
	for _, row := range contest.Rank(full.Systems(), entries) {
		if row.Failed != "" {
			fmt.Fprintf(table, "–\t%s\t%s\n", escape.Line(row.Name), escape.Line(row.Failed))
			continue
		}
		printScores(table, fmt.Sprintf("%d\t", row.Rank), row.Row)
		if row.LinkScore != "" {
			fmt.Fprintf(table, "; its link says %s", row.LinkScore)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// challengeIn returns the challenge of a link; nil if it has none.
func challengeIn(c *console.Console, link string) (*challenge.Challenge, error) {
	d, err := load.ReadScenario(c, link, &load.Trace{})
	if err != nil || d.Address.Place != "compare" || d.Address.Ask == "" {
		return nil, err
	}
	text, err := scenario.Unpack(d.Address.Ask)
	if err != nil {
		return nil, fmt.Errorf("the link's challenge cannot be read: %w", err)
	}
	return challenge.Parse(text)
}

// entriesOf returns the schedulers of links, of lists of links and of scenarios, and, of links that were handed on,
// those that took part before.
func entriesOf(c *console.Console, args []string, contest *challenge.Challenge) (all []challenge.Entry, err error) {
	add := func(name, arg string) error {
		d, err := load.ReadScenario(c, arg, &load.Trace{})
		if err != nil {
			return err
		}
		if contest != nil && load.IsLink(arg) {
			handed, err := challengeIn(c, arg)
			if err != nil {
				return err
			}
			if handed != nil {
				all = append(all, handed.Known...)
				return nil
			}
		}
		all = append(all, challenge.EntryOf(shorten80(cmp.Or(name, d.Label)), d.Scenario))
		return nil
	}
	for _, arg := range args {
		if load.IsLink(arg) || !isList(arg) {
			if err := add("", arg); err != nil {
				return nil, err
			}
			continue
		}
		text, err := os.ReadFile(arg)
		if err != nil {
			return nil, console.Unreadable(arg, err)
		}
		for _, one := range linksIn(string(text)) {
			if err := add(one.name, one.link); err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", arg, one.line, err)
			}
		}
	}
	return all, nil
}

// headed prints the head of a table.
func headed(table io.Writer, first string, contest *challenge.Challenge) {
	fmt.Fprintf(table, "%s\tscore\t95 %% interval", first)
	for _, cell := range contest.Cells {
		fmt.Fprintf(table, "\t%s", escape.Line(cell.Name))
	}
	fmt.Fprintln(table, "\tdifference\tverdict")
}

// printScores prints a line of a table, without its end.
func printScores(table io.Writer, first string, row challenge.Row) {
	fmt.Fprintf(table, "%s%s\t%.2f\t%s", first, escape.Line(row.Name), row.Score.Mean, interval(row.Score))
	for _, cell := range row.Cells {
		fmt.Fprintf(table, "\t%.2f", cell)
	}
	if d := row.Difference; d != nil {
		fmt.Fprintf(table, "\t%+.2f (%s)\t%s", d.Mean, interval(*d), escape.Line(row.Verdict))
	}
}

// interval prints the interval of an estimate.
func interval(e estimate.Estimate) string {
	if e.Interval == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f to %.2f", e.Low, e.High)
}
