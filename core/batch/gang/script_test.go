package gang_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/batch"
	"parley/core/batch/gang"
	"parley/core/testkit/scripttest"
	"parley/core/unit"
)

// TestScripts plays logs that are written as text: a job a line, with its name, its GPUs, its
// submission, its run and, if it differs, its estimate, all times in seconds. `slow=1500` lets a spread job take half as long again. `nodes=4x8` are
// four nodes of eight GPUs, `nodes=(2,4)` one of two and one of four. The output tells each job's
// first start, its end, its stops and the nodes that it ended on, then the field's figures, and
// when passes saw a job that had no place although enough GPUs were free, or that a promise or
// the order held back.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "play":
				return play(t, d)
			case "place":
				return place(t, d)
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		}
	})
}

// settings reads the arguments of a command.
func settings(t *testing.T, d *datadriven.TestData) (s gang.Settings, nodes []int32, err error) {
	var name string
	arg := func(key string) bool {
		name = ""
		return d.HasArg(key) && d.MaybeScanArgs(t, key, &name)
	}
	if arg("policy") {
		if s.Policy, err = gang.ParsePolicy(name); err != nil {
			return s, nil, err
		}
	}
	if arg("place") {
		if s.Place, err = gang.ParsePlace(name); err != nil {
			return s, nil, err
		}
	}
	if arg("order") {
		if s.Order, err = batch.ParseOrder(name); err != nil {
			return s, nil, err
		}
	}
	for _, n := range texts(t, d, "nodes") {
		count, gpus, many := strings.Cut(n, "x")
		if !many {
			count, gpus = "1", n
		}
		for range number(t, count) {
			nodes = append(nodes, int32(number(t, gpus)))
		}
	}
	for _, l := range texts(t, d, "limits") {
		s.Levels.Limits = append(s.Levels.Limits, seconds(number(t, l)))
	}
	for _, l := range texts(t, d, "samples") {
		s.Gittins.Times = append(s.Gittins.Times, seconds(number(t, l)))
	}
	if arg("delta") {
		s.Gittins.Delta = seconds(number(t, name))
	}
	if arg("promote") {
		s.Levels.Promote, err = strconv.ParseFloat(name, 64)
	}
	if arg("restart") {
		s.Restart = seconds(number(t, name))
	}
	if arg("slow") {
		s.Slow = int64(number(t, name))
	}
	if arg("every") {
		s.Every = seconds(number(t, name))
	}
	s.Levels.Exact, s.KeepNodes = d.HasArg("exact"), d.HasArg("stay")
	return s, nodes, err
}

func texts(t *testing.T, d *datadriven.TestData, key string) (all []string) {
	if d.HasArg(key) {
		d.ScanArgs(t, key, &all)
	}
	return all
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func seconds(n int) unit.Time { return unit.Time(n) * unit.Second }

// place finds a place for each gang of a list, one after the other.
func place(t *testing.T, d *datadriven.TestData) string {
	s, totals, err := settings(t, d)
	if err != nil {
		return err.Error() + "\n"
	}
	var nodes []gang.Node
	for _, n := range totals {
		nodes = append(nodes, gang.Node{Total: n, Free: n})
	}
	var out strings.Builder
	for _, word := range strings.Fields(d.Input) {
		parts := s.Place.Find(nodes, int32(number(t, word)), nil)
		for _, p := range parts {
			nodes[p.Node].Free -= p.GPUs
		}
		fmt.Fprintf(&out, "%s: %s\n", word, where(parts))
	}
	return out.String()
}

// where tells the nodes of a gang and how many GPUs it holds on each.
func where(parts []gang.Part) string {
	if parts == nil {
		return "no place"
	}
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = fmt.Sprintf("n%d:%d", p.Node, p.GPUs)
	}
	return strings.Join(words, " ")
}

func play(t *testing.T, d *datadriven.TestData) string {
	s, nodes, err := settings(t, d)
	if err != nil {
		return err.Error() + "\n"
	}
	var names []string
	var log []batch.Logged
	for line := range strings.Lines(d.Input) {
		var name string
		var gpus, submit, run, estimate int
		if n, _ := fmt.Sscan(line, &name, &gpus, &submit, &run, &estimate); n == 4 {
			estimate = run
		} else if n != 5 {
			d.Fatalf(t, "cannot read %q", line)
		}
		names = append(names, name)
		log = append(log, batch.Logged{
			Job: batch.Job{Processors: gpus, Estimate: seconds(estimate)}, Submit: seconds(submit), Run: seconds(run),
		})
	}
	site := gang.NewSite(s)
	for i, gpus := range nodes {
		site.SetNode(0, i, gpus)
	}
	seen := map[gang.Cause][]string{}
	last := map[string]unit.Time{}
	watch := func(p gang.Pass) {
		for _, w := range p.Blocked {
			stated := fmt.Sprintf("%s at %d", names[w.Job], p.At/unit.Second)
			if at, known := last[stated]; !known || at != p.At {
				seen[w.Cause] = append(seen[w.Cause], stated)
			}
			last[stated] = p.At
		}
	}
	var out strings.Builder
	for i, p := range gang.Play(site, log, watch) {
		if p.End < 0 {
			fmt.Fprintf(&out, "%s waits for ever\n", names[i])
			continue
		}
		fmt.Fprintf(&out, "%s %v-%v/%d %s\n", names[i], p.Start.Seconds(), p.End.Seconds(), p.Stops, where(p.Parts))
	}
	f := site.Figures()
	fmt.Fprintf(&out, "mean JCT %.4f wait %.4f; preemptions %d, moves %d; worst fairness %.3f; allocated %.1f %%\n",
		gang.Distribute(f.JCT).Mean, gang.Distribute(f.Wait).Mean, f.Preemptions, f.Moves, gang.Distribute(f.Fairness).Max, 100*f.Held/max(1, f.There))
	for _, c := range []gang.Cause{gang.NoPlace, gang.Promise} {
		if slices.Sort(seen[c]); seen[c] != nil {
			fmt.Fprintf(&out, "%v: %s\n", c, strings.Join(seen[c], ", "))
		}
	}
	return out.String()
}
