package cluster

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/trace"
	"parley/core/words"
)

// timeline adds --timeline to a question that is played.
func (a *asking) timeline(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.times, "timeline", "", "write what happens in the play with the median times, moment by moment, into this CSV file; of several answers that of the first")
}

// writeTimeline plays the first document again and writes its film as CSV into the file of --timeline; it
// does nothing without that flag, and fails if nothing was played. A note on lines that are left out goes
// to standard error.
func (a *asking) writeTimeline(documents []question.Document) (err error) {
	if a.times == "" {
		return nil
	}
	if len(documents) == 0 || documents[0].Watch == nil {
		return fmt.Errorf("--timeline is %s: nothing was played, so nothing is written", a.times)
	}
	f := documents[0].Watch.Film()
	out, err := os.Create(a.times)
	if err != nil {
		return fmt.Errorf("the timeline cannot be written: %w", trace.Reason(err))
	}
	defer func() {
		if e := out.Close(); err == nil && e != nil {
			err = fmt.Errorf("the timeline cannot be written: %w", trace.Reason(e))
		}
	}()
	if f.Dropped > 0 {
		fmt.Fprintf(a.env.Err, "%s has the first %s; %s are left out.\n", a.times, words.Count(len(f.Events), "line"), words.Count(f.Dropped, "line"))
	}
	buffer := bufio.NewWriter(out)
	w := csv.NewWriter(buffer)
	name := func(all []string, at int32) string {
		if at < 0 {
			return ""
		}
		return all[at]
	}
	_ = w.Write([]string{"seconds", "what", "pod", "workload", "node", "from", "text"})
	for _, s := range f.Events {
		row := []string{
			strconv.FormatFloat(s.At.Seconds(), 'f', -1, 64), string(s.Kind), name(f.Names, s.Name),
			name(f.Workloads, s.Of),
		}
		row = append(row, node(f, s.Node), node(f, s.From), name(f.Texts, s.Text))
		_ = w.Write(escape.CSVRow(row))
	}
	w.Flush()
	if err := cmp.Or(w.Error(), buffer.Flush()); err != nil {
		return fmt.Errorf("the timeline cannot be written: %w", trace.Reason(err))
	}
	return nil
}

// node returns the name of a node of a film, "" of none.
func node(f *plane.Recording, at int32) string {
	if at < 0 {
		return ""
	}
	return f.Nodes[at].Name
}
