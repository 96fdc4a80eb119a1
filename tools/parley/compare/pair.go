package compare

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/estimate"
	"parley/core/system"
	"parley/tools/parley/console"
	"parley/tools/parley/joblist"
)

// pairing is the document of pair --json.
type pairing struct {
	First   string       `json:"first"`
	Second  string       `json:"second"`
	Jobs    int          `json:"jobs"`                 // that ended in both
	OnlyOne [2]int       `json:"jobs_not_in_both"`     // that ended in the first alone, in the second alone
	Figures []pairFigure `json:"figures"`              //
	Path    string       `json:"joined_csv,omitempty"` // where the joined rows are
}

// pairFigure is one figure of jobs in two runs. Differences are second less first.
type pairFigure struct {
	Name       string             `json:"name"`
	Unit       string             `json:"unit,omitempty"`
	First      float64            `json:"first"` // means
	Second     float64            `json:"second"`
	Difference float64            `json:"difference"`
	Interval   *estimate.Interval `json:"interval,omitempty"` // 95 %, of the mean difference; the weeks are the sample
	Weeks      int                `json:"weeks"`              // in which jobs were submitted
	Lag        *float64           `json:"lag_1,omitempty"`    // correlation of one week's mean difference with the next
	Median     float64            `json:"median_difference"`
	Smaller    int                `json:"smaller"` // jobs for which the second is smaller
	Equal      int                `json:"equal"`
	Larger     int                `json:"larger"`
}

// pairedFigures are the figures of a job that are compared.
var pairedFigures = []struct {
	name, unit string
	of         func(*joblist.Record) *float64
}{
	{"wait", "s", func(r *joblist.Record) *float64 { return r.Wait }},
	{"response", "s", func(r *joblist.Record) *float64 { return r.Response }},
	{"bounded slowdown", "", func(r *joblist.Record) *float64 { return r.Slowdown }},
}

// PairCommand returns parley pair.
func PairCommand(c *console.Console) *cobra.Command {
	asJSON, out := false, ""
	cmd := &cobra.Command{
		Use:   "pair FIRST SECOND",
		Short: "Join two runs of one log job by job and compare them in pairs",
		Long: `Joins the jobs.csv of two runs by the number of the job and compares what each job had in the first run with what it had in the second. FIRST and SECOND are tables that parley run --out wrote, or their folders.

Jobs of one week wait in the same queue, so their differences are no independent sample: the 95 % interval takes the weeks of submission as the sample. A log of one week has no interval. Where the mean differences of neighbouring weeks are correlated by more than 0.2, the report says so: the true interval is wider.`,
		Example: `  parley run KTH-SP2.swf --set settings.policy=fcfs --out fcfs && parley run KTH-SP2.swf --set settings.policy=easy --out easy && parley pair fcfs easy`,
		Args:    console.Args(2, 2, "two tables of jobs, or the folders that hold them"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, rows, err := pairJobs(args[0], args[1])
			if err != nil {
				return err
			}
			if out != "" {
				p.Path = out
				if err := writeJoined(out, rows); err != nil {
					return err
				}
			}
			if asJSON {
				return console.PrintJSON(c.Out, p)
			}
			p.print(c.Out)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	cmd.Flags().StringVar(&out, "out", "", "a CSV file for the joined jobs, a row each")
	return cmd
}

// pairJobs joins two tables and compares them.
func pairJobs(first, second string) (*pairing, [][2]joblist.Record, error) {
	var tables [2][]joblist.Record
	for i, name := range []*string{&first, &second} {
		if info, err := os.Stat(*name); err == nil && info.IsDir() {
			*name = filepath.Join(*name, joblist.CSV)
		}
		var err error
		if tables[i], err = joblist.Read(*name); err != nil {
			return nil, nil, err
		}
	}
	p := &pairing{First: first, Second: second}
	index := map[string]int{}
	for i, r := range tables[0] {
		if _, twice := index[r.ID]; twice {
			return nil, nil, fmt.Errorf("%s has the job %s twice: a join needs each job once", first, r.ID)
		}
		index[r.ID] = i
		if r.Response != nil {
			p.OnlyOne[0]++
		}
	}
	var rows [][2]joblist.Record
	seen := map[string]bool{}
	for _, r := range tables[1] {
		if seen[r.ID] {
			return nil, nil, fmt.Errorf("%s has the job %s twice: a join needs each job once", second, r.ID)
		}
		seen[r.ID] = true
		i, both := index[r.ID]
		switch {
		case r.Response == nil:
		case !both || tables[0][i].Response == nil:
			p.OnlyOne[1]++
		case tables[0][i].Submit != r.Submit || tables[0][i].Processors != r.Processors:
			return nil, nil,
				fmt.Errorf(
					"job %s is another job in the two runs (submitted at %s s with %d processors in %s, at %s s with %d in %s): pair two runs of one log",
					r.ID, console.Plain(tables[0][i].Submit), tables[0][i].Processors, first, console.Plain(r.Submit),
					r.Processors, second,
				)
		default:
			rows = append(rows, [2]joblist.Record{tables[0][i], r})
			p.OnlyOne[0]--
		}
	}
	if p.Jobs = len(rows); p.Jobs == 0 {
		return nil, nil, fmt.Errorf("%s and %s have no job in common that ended in both: pair two runs of one log",
			first, second)
	}
	for _, f := range pairedFigures {
		figure := compareJobs(rows, f.of)
		figure.Name, figure.Unit = f.name, f.unit
		p.Figures = append(p.Figures, figure)
	}
	return p, rows, nil
}

const week = 7 * 24 * 3600.0

// compareJobs compares one figure of joined jobs.
func compareJobs(rows [][2]joblist.Record, of func(*joblist.Record) *float64) (f pairFigure) {
	differences := make([]float64, 0, len(rows))
	sums, jobs := map[int]float64{}, map[int]float64{}
	n := float64(len(rows))
	for i := range rows {
		a, b := *of(&rows[i][0]), *of(&rows[i][1])
		f.First += a / n
		f.Second += b / n
		d := b - a
		differences = append(differences, d)
		switch {
		case d < 0:
			f.Smaller++
		case d > 0:
			f.Larger++
		default:
			f.Equal++
		}
		w := int(rows[i][0].Submit / week)
		sums[w] += d
		jobs[w]++
	}
	for _, d := range differences {
		f.Difference += d / n
	}
	slices.Sort(differences)
	f.Median = estimate.Median(differences)
	f.Weeks = len(sums)
	f.Interval, f.Lag = byWeeks(sums, jobs, f.Difference)
	return f
}

// byWeeks returns the 95 % interval of a mean over jobs whose weeks are the sample: that of
// a ratio of two sums (Cochran, Sampling Techniques, 3rd edition, equation 6.13), by Student's t. It
// also returns the correlation of neighbouring weeks' means, which should be small.
func byWeeks(sums, jobs map[int]float64, mean float64) (*estimate.Interval, *float64) {
	weeks := make([]int, 0, len(sums))
	all := 0.0
	for w, n := range jobs {
		weeks = append(weeks, w)
		all += n
	}
	if len(weeks) < 2 {
		return nil, nil
	}
	slices.Sort(weeks)
	square := 0.0
	for _, w := range weeks {
		rest := sums[w] - mean*jobs[w]
		square += rest * rest
	}
	k := float64(len(weeks))
	half := estimate.Student(len(weeks)-1) * math.Sqrt(square*k/(k-1)) / all
	interval := &estimate.Interval{Low: mean - half, High: mean + half}
	centre := 0.0
	for _, w := range weeks {
		centre += sums[w] / jobs[w] / k
	}
	product, own := 0.0, 0.0
	for i, w := range weeks {
		d := sums[w]/jobs[w] - centre
		own += d * d
		if i > 0 {
			before := weeks[i-1]
			product += d * (sums[before]/jobs[before] - centre)
		}
	}
	if own == 0 {
		return interval, nil
	}
	lag := product / own
	return interval, &lag
}

// correlated is the correlation of neighbouring weeks above which their interval is too narrow.
const correlated = 0.2

// print writes the comparison for people.
func (p *pairing) print(w io.Writer) {
	fmt.Fprintf(w, "%s ended in both runs; %s in %s alone, %s in %s alone.\n\n", system.Count(float64(p.Jobs), "job"),
		console.Grouped(int64(p.OnlyOne[0])), p.First, console.Grouped(int64(p.OnlyOne[1])), p.Second)
	var t console.Table
	t.Add("", p.First, p.Second, "difference", "95 % interval", "median difference", "smaller", "equal", "larger")
	for _, f := range p.Figures {
		name, interval := f.Name, "–"
		if f.Unit != "" {
			name += " [" + f.Unit + "]"
		}
		if f.Interval != nil {
			interval = fmt.Sprintf("[%s, %s]", console.Number(f.Interval.Low), console.Number(f.Interval.High))
		}
		t.Add(name, console.Number(f.First), console.Number(f.Second), console.Number(f.Difference), interval,
			console.Number(f.Median), console.Grouped(int64(f.Smaller)), console.Grouped(int64(f.Equal)),
			console.Grouped(int64(f.Larger)))
	}
	t.Print(w)
	f := p.Figures[0]
	if f.Interval == nil {
		fmt.Fprintln(w, "\nThe jobs were submitted within one week: an interval needs two weeks or more.")
		return
	}
	fmt.Fprintf(w, "\nDifferences are second less first, job by job. The sample of the interval is %d weeks.\n",
		f.Weeks)
	var tied []string
	for _, f := range p.Figures {
		if f.Lag != nil && *f.Lag > correlated {
			tied = append(tied, fmt.Sprintf("%s %.2f", f.Name, *f.Lag))
		}
	}
	if len(tied) > 0 {
		fmt.Fprintf(w, "Neighbouring weeks are correlated (%s): the true interval is wider.\n",
			strings.Join(tied, ", "))
	}
}

// writeJoined writes a row for each joined job.
func writeJoined(name string, rows [][2]joblist.Record) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(name, err))
	}
	lines := csv.NewWriter(f)
	_ = lines.Write([]string{
		"id", "submit_s", "processors", "wait_s_first", "wait_s_second", "response_s_first",
		"response_s_second", "bounded_slowdown_first", "bounded_slowdown_second",
	})
	for _, r := range rows {
		cells := []string{r[0].ID, console.Plain(r[0].Submit), console.Plain(float64(r[0].Processors))}
		for _, figure := range pairedFigures {
			cells = append(cells, console.Plain(*figure.of(&r[0])), console.Plain(*figure.of(&r[1])))
		}
		_ = lines.Write(escape.CSVRow(cells))
	}
	lines.Flush()
	if err := errors.Join(lines.Error(), f.Close()); err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(name, err))
	}
	return nil
}
