package compare

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/scenario"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
)

// pageParent is the name in a link of the page's Compare of the run that the scenario was forked from.
const pageParent = "parent"

// comparisonKeys are the keys of a link that describe the comparison, not the run.
var comparisonKeys = []string{"with", "until", "seeds", "run", "beside", "moment"}

// takeComparison returns the systems that are columns: those of --system, and if the only scenario
// is a link of the page's Compare, its rivals. End and seeds of the link count unless flags set
// them.
func (f *compareFlags) takeComparison(c *console.Console, args []string) ([]string, error) {
	if len(args) != 1 || !load.IsLink(args[0]) {
		return f.systems, nil
	}
	a, problems, _ := scenario.DecodeAddress(args[0])
	if len(problems) > 0 || len(a.Rivals) == 0 {
		return f.systems, nil // openLink reports the problems
	}
	if f.until == 0 {
		f.until = console.Span(a.Until)
	}
	if a.Seeds > 0 && !f.seedsSet {
		f.seeds = a.Seeds
	}
	systems := slices.Clone(f.systems)
	for _, rival := range a.Rivals {
		if rival == pageParent {
			fmt.Fprintln(c.Err,
				"parley: the link also compares with the run that its scenario was forked from, which only the page plays")
			continue
		}
		systems = append(systems, rival)
	}
	return systems, nil
}

// ComparisonLeft returns a sentence about the comparison of a link, which other commands than
// compare do not play; empty if it has none.
func ComparisonLeft(a scenario.Address) string {
	if len(a.Rivals) == 0 {
		return ""
	}
	return fmt.Sprintf("the link compares with %s, which is not played here: parley compare plays it",
		strings.Join(a.Rivals, ", "))
}
