package score_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/kube/score"
	"parley/core/testkit/scripttest"
)

// TestScripts runs testdata/*.txt: worked cases of kube-scheduler's and the
// descheduler's own tests, and of the rules that those leave open.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			command, ok := commands[d.Cmd]
			if !ok {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			return command(t, d)
		}
	})
}

var commands = map[string]scripttest.Commands{
	"score": ofNodes, "shape": shape, "feasible": feasible, "candidates": candidates,
	"parse": parse, "pick": pick, "important": important, "low": low,
}

func ofNodes(t *testing.T, d *datadriven.TestData) string {
	pod, weights := arg(t, d, "pod"), arg(t, d, "weights")
	var out strings.Builder
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		has, requested := numbers(t, words[0]), numbers(t, words[1])
		var rs []score.Resource
		for i := range has {
			r := score.Resource{Requested: requested[i] + pod[i], Allocatable: has[i], Weight: 1}
			if len(weights) > 0 {
				r.Weight = weights[i]
			}
			rs = append(rs, r)
		}
		var by string
		d.ScanArgs(t, "by", &by)
		switch by {
		case "least":
			fmt.Fprintln(&out, score.LeastAllocated(rs))
		case "most":
			fmt.Fprintln(&out, score.MostAllocated(rs))
		case "balanced":
			fmt.Fprintln(&out, score.BalancedAllocation(rs))
		default:
			fmt.Fprintln(&out, points(t, d, "shape").RequestedToCapacityRatio(rs))
		}
	}
	return out.String()
}

// shape prints scores of a shape in its own units, and in hundredths as they count.
func shape(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	for _, word := range strings.Fields(d.Input) {
		score := points(t, d, "points").At(number(t, word))
		fmt.Fprintf(&out, "%s: %d (%d)\n", word, score/10, score)
	}
	return out.String()
}

func parse(_ *testing.T, d *datadriven.TestData) string {
	s, err := score.ParseShape(d.Input)
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintln(s)
}

func feasible(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		fmt.Fprintln(&out, score.NumFeasibleNodesToFind(int(number(t, words[0])), int(number(t, words[1]))))
	}
	return out.String()
}

func candidates(t *testing.T, d *datadriven.TestData) string {
	var out strings.Builder
	for _, word := range strings.Fields(d.Input) {
		fmt.Fprintln(&out, score.NumCandidates(int(number(t, word))))
	}
	return out.String()
}

func pick(t *testing.T, d *datadriven.TestData) string {
	var all []score.Candidate
	for line := range strings.Lines(d.Input) {
		var one score.Candidate
		for _, word := range strings.Fields(line) {
			if budget, is := strings.CutPrefix(word, "violations="); is {
				one.Violations = int(number(t, budget))
			} else {
				one.Victims = append(one.Victims, victim(t, word))
			}
		}
		all = append(all, one)
	}
	best := score.Pick(all)
	if best < 0 {
		return "none\n"
	}
	return fmt.Sprintln(best)
}

func important(t *testing.T, d *datadriven.TestData) string {
	words := strings.Fields(d.Input)
	slices.SortFunc(words, func(a, b string) int {
		if score.MoreImportant(victim(t, a), victim(t, b)) {
			return -1
		}
		return 1
	})
	return strings.Join(words, " ") + "\n"
}

func low(t *testing.T, d *datadriven.TestData) string {
	var nodes []score.Node
	stays := map[score.Eviction]bool{}
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		n := score.Node{Capacity: usage(t, words[0]), Usage: usage(t, words[1])}
		for _, word := range words[2:] {
			switch word {
			case "unschedulable":
				n.Unschedulable = true
			case "stays":
				stays[score.Eviction{Node: len(nodes), Pod: len(n.Pods) - 1}] = true
			default:
				n.Pods = append(n.Pods, score.Pod{Usage: usage(t, word)})
			}
		}
		nodes = append(nodes, n)
	}
	percents := func(name string) (p score.Percents) {
		for i, x := range arg(t, d, name) {
			p[i] = float64(x)
		}
		return p
	}
	limit := 0
	d.MaybeScanArgs(t, "limit", &limit)
	out := ""
	score.LowNodeUtilization(nodes, percents("thresholds"), percents("targets"), limit, func(e score.Eviction) bool {
		if !stays[e] {
			out += fmt.Sprintf("n%d p%d\n", e.Node, e.Pod)
		}
		return !stays[e]
	})
	if out == "" {
		return "nothing\n"
	}
	return out
}

func usage(t *testing.T, text string) (u score.Usage) {
	copy(u[:], numbers(t, text))
	return u
}

func victim(t *testing.T, word string) score.Victim {
	priority, start, _ := strings.Cut(word, "@")
	return score.Victim{Priority: int32(number(t, priority)), Start: number(t, start)}
}

// points reads "utilization,score,utilization,score".
func points(t *testing.T, d *datadriven.TestData, name string) score.Shape {
	all, text := arg(t, d, name), ""
	for i := 0; i+1 < len(all); i += 2 {
		text += fmt.Sprintf("%d:%d ", all[i], all[i+1])
	}
	s, err := score.ParseShape(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func arg(t *testing.T, d *datadriven.TestData, name string) (all []int64) {
	for _, a := range d.CmdArgs {
		if a.Key == name {
			for _, text := range a.Vals {
				all = append(all, number(t, text))
			}
		}
	}
	return all
}

// numbers reads "1/2/3".
func numbers(t *testing.T, text string) (all []int64) {
	for word := range strings.SplitSeq(text, "/") {
		all = append(all, number(t, word))
	}
	return all
}

func number(t *testing.T, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
