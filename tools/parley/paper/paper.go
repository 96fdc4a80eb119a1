// Package paper is parley paper: it plays the experiments of the papers and judges their
// claims.
package paper

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"parley/core/feed"
	"parley/core/paper"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/study/evidence"
	"parley/core/system"
	"parley/core/trace/formats"
	"parley/core/workload"
	"parley/tools/parley/compare"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
	"parley/tools/parley/sweeps"
)

type paperFlags struct {
	console.Workers
	load.Trace
	best         []string
	seeds, nodes console.Positive
	json         bool
	keep         string
	rule         bool
}

// Command returns parley paper.
func Command(c *console.Console) *cobra.Command {
	var f paperFlags
	cmd := &cobra.Command{
		Use:   "paper [ID | STUDY.json]",
		Short: "Run an experiment of a paper and compare its values with measured ones",
		Long: `Without an ID lists the experiments. With one runs it and prints, row by row, the paper's value where it survives, ours ± the standard deviation over the seeds, whether the paper's claim holds, does not or is open, and by which rule that is judged. Cells of another size than the experiment's own get no verdict.

An experiment of one's own is a document as those of core/paper: a function with its arguments, axes, seeds, and rows with what they are held to.`,
		Example: `  parley paper
  parley paper negotiation/rus --nodes 300 --seeds 1
  parley paper negotiation/rus --nodes 300 --seeds 2 --keep played
  parley paper --rule`,
		Args: console.Args(0, 1, "one ID or STUDY.json at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.Jobs < 1 || f.Jobs > console.MaxJobs {
				return console.NewUsageError(fmt.Errorf("--jobs is %d: choose 1 to %d", f.Jobs, console.MaxJobs))
			}
			if f.seeds > compare.MaxSeeds {
				return console.NewUsageError(fmt.Errorf("--seeds is %d: choose at most %d", f.seeds, compare.MaxSeeds))
			}
			if f.rule {
				return printRule(c, args, f.json)
			}
			if len(args) == 0 {
				return listPapers(c, f.json)
			}
			return f.run(c, args[0])
		},
	}
	f.AddFiles(cmd)
	f.AddReading(cmd)
	f.AddJobs(cmd)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.best, "best", nil,
		"files of the shortest known schedule lengths, one a line: graph's file,processors,length")
	flags.Var(&f.seeds, "seeds", "number of seeds (default: the experiment's own)")
	flags.Var(&f.nodes, "nodes", "number of nodes of generated clusters (default: the experiment's own)")
	flags.StringVar(&f.keep, "keep", "",
		"a folder that keeps the result of each run of a generated cell, so that the same command continues an interrupted one")
	flags.BoolVar(&f.rule, "rule", false,
		"show how often the rule says holds, does not hold or open, and is wrong, of figures whose truth is known")
	flags.BoolVar(&f.json, "json", false, "print the list or the result as JSON")
	return cmd
}

// printRule applies the rule for claims to figures of the command line.
func printRule(c *console.Console, args []string, asJSON bool) error {
	if len(args) > 0 {
		return console.NewUsageError(fmt.Errorf("--rule is about the rule of all experiments: leave %s out", args[0]))
	}
	all := evidence.Simulate()
	if asJSON {
		return console.PrintJSON(c.Out, all)
	}
	fmt.Fprint(c.Out, `A claim holds where the whole 95 % interval of our mean lies within the paper's tolerance, does not where it lies outside, and is open between.
One seed decides nothing, unless the claim is about that very instance. The interval of a share contains the exact one (Clopper and Pearson), with the trials of a seed as independent ones.
Where the seeds do not differ, 36 must agree before a claim is decided. A claim about every run does not hold if one run differs, and stays open otherwise.

`)
	fmt.Fprintf(c.Out, "Of %s studies each, in percent; wrong are the verdicts that the truth denies:\n",
		console.Grouped(evidence.SimulatedStudies))
	var t console.Table
	for i, s := range all {
		if i == 0 || s.Case != all[i-1].Case {
			if i > 0 {
				t.Print(c.Out)
			}
			fmt.Fprintf(c.Out, "\n%s; the claim is %s:\n", s.Case, s.Claim)
			t = console.Table{}
			t.Add("truth", "seeds", "holds", "does not", "open", "wrong")
		}
		share := func(x float64) string { return fmt.Sprintf("%.1f", x) }
		t.Add(console.Number(s.Truth), console.Number(float64(s.Seeds)), share(s.Holds), share(s.Fails),
			share(s.Open), share(s.Wrong))
	}
	t.Print(c.Out)
	fmt.Fprintln(c.Out,
		"\nThe claims of one experiment are judged together, by Holm's rule, and each is decided more seldom than that.")
	return nil
}

// listed is an experiment in the list of paper --json.
type listed struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Source  string `json:"source"`
	Claim   string `json:"claim"`
	Seconds int    `json:"seconds"`
}

// listPapers prints the experiments with their expected time in seconds.
func listPapers(c *console.Console, asJSON bool) error {
	list := []listed{}
	var t console.Table
	t.Add("experiment", "about", "")
	t.Left(2)
	for _, e := range paper.Experiments() {
		list = append(list, listed{e.ID, e.Title, e.Source, e.Claim, e.Seconds})
		t.Add(e.ID, console.Grouped(int64(e.Seconds))+" s", e.Title+" ("+e.Source+")")
	}
	if asJSON {
		return console.PrintJSON(c.Out, list)
	}
	t.Print(c.Out)
	return nil
}

// run plays an experiment, of the papers or of a document, and prints its rows. With --keep, results are read
// from that folder and added to it.
func (f *paperFlags) run(c *console.Console, id string) error {
	e, err := experiment(c, id)
	if err != nil {
		return err
	}
	if f.nodes > 0 && !e.Sized {
		return console.NewUsageError(
			fmt.Errorf("--nodes has no effect on %s, which has no cells of a chosen size: leave it out", id),
		)
	}
	b := console.NewBar(c)
	defer b.Clear()
	var showing sync.Mutex
	o := paper.Options{Seeds: int(f.seeds), Nodes: int(f.nodes), Each: f.Each, Progress: func(doing string) error {
		showing.Lock()
		defer showing.Unlock()
		b.Show("%s: %s", id, doing)
		return nil
	}}
	if err := f.Unread(); err != nil {
		return err
	}
	if len(f.Names) > 0 {
		files, err := f.Files()
		if err != nil {
			return err
		}
		o.Files, o.Raw = f.Names, files
		o.Trace = func(s *scenario.Scenario) (workload.Source, error) {
			return feed.Open(s, files, formats.All, f.Options())
		}
	}
	if f.keep != "" {
		engine, err := program()
		if err != nil {
			return err
		}
		o.Kept = study.NewResults(engine)
		folder, err := sweeps.OpenFolder(f.keep, o.Kept)
		if err != nil {
			return fmt.Errorf("--keep: %w", err)
		}
		defer folder.Close()
		var keeping sync.Mutex
		o.Keep = func(r study.Result) error {
			keeping.Lock()
			defer keeping.Unlock()
			return folder.Add(r)
		}
	}
	if o.Best, err = readBest(f.best); err != nil {
		return err
	}
	if o.Best != nil && !e.Known {
		return console.NewUsageError(fmt.Errorf("%s compares with no known lengths: leave --best out", id))
	}
	result, err := e.Run(o)
	if err != nil {
		return err
	}
	b.Clear()
	if f.json {
		return console.PrintJSON(c.Out, result)
	}
	PrintResult(c.Out, e.Title, result)
	return nil
}

// experiment returns one of the papers', or that of a document.
func experiment(c *console.Console, id string) (paper.Experiment, error) {
	if id != "-" && !strings.HasSuffix(id, ".json") {
		return paper.Find(id)
	}
	text, err := console.ReadText(c, id)
	if err != nil {
		return paper.Experiment{}, err
	}
	return paper.Document(console.ShownName(id), text)
}

// readBest reads files of known schedule lengths; nil if there are none.
func readBest(names []string) (paper.Best, error) {
	if len(names) == 0 {
		return nil, nil
	}
	best := paper.Best{}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, console.Unreadable(name, err)
		}
		err = best.Read(name, f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return best, nil
}

// PrintResult writes an experiment's rows for people.
func PrintResult(w io.Writer, title string, r paper.Result) {
	fmt.Fprintf(w, "%s (%s, %s)\n\n", title, r.Source, system.Count(float64(r.Seeds), "seed"))
	var t console.Table
	t.Add("", "paper", "here", "", "claim")
	for _, row := range r.Rows {
		published := "–"
		if row.Paper != nil {
			published = console.Number(*row.Paper)
		}
		m := compare.Mean{Mean: row.Measured, Spread: row.Spread}
		t.Add(row.Name, published, m.Text(""), row.Unit, row.Verdict())
	}
	t.Left(3)
	t.Left(4)
	t.Print(w)
	if all, apart := evidence.Count(r.Rows); all.All() > 0 {
		fmt.Fprintf(w, "\nOf %s %d hold, %d do not, %d are open.\n", system.Count(float64(all.All()), "claim"),
			all.Holds, all.Fails, all.Open)
		for _, c := range apart {
			fmt.Fprintf(w, "  %s: of %d %d hold, %d do not, %d are open\n", c.Method, c.All(), c.Holds, c.Fails, c.Open)
		}
	}
	fmt.Fprintln(w, "\n± is the standard deviation over the seeds; an interval is that of their mean, 95 %.")
	remarks(w, r.Rows, "Rule, ", func(row paper.Row) string { return row.Rule })
	remarks(w, r.Rows, "", func(row paper.Row) string { return row.Note })
}

// remarks writes the remarks of about rows, each text once, after the names of its rows; of returns a row's
// text, or "" if it has none.
func remarks(w io.Writer, rows []paper.Row, prefix string, of func(paper.Row) string) {
	about := map[string][]string{}
	var texts []string
	for _, row := range rows {
		text := of(row)
		if text == "" {
			continue
		}
		if about[text] == nil {
			texts = append(texts, text)
		}
		about[text] = append(about[text], row.Name)
	}
	for _, text := range texts {
		fmt.Fprintf(w, "\n%s%s: %s.\n", prefix, names(about[text]), strings.TrimSuffix(text, "."))
	}
}

// names lists the first few of many.
func names(all []string) string {
	const limit = 6
	if len(all) > limit {
		return fmt.Sprintf("%s and %d more rows", strings.Join(all[:limit], "; "), len(all)-limit)
	}
	return strings.Join(all, "; ")
}
