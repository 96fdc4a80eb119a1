package solve_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/system/yield/solve"
)

// The scripts in testdata state a problem and show the plan. A problem is
// "hosts N" and one line a job, "cpu mem", then "xN" for N tasks and "@h,h" for
// the hosts the tasks run on ("@-" is a new task). Commands: decode, solve,
// adapt, admit.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return // inputs of the fuzz tests
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "decode" {
				return decoded(d.Input)
			}
			a := problem(t, d)
			opt := solve.Default()
			var out strings.Builder
			switch d.Cmd {
			case "solve":
				var algorithm string
				d.ScanArgs(t, "algorithm", &algorithm)
				opt.RaiseMinimum = d.HasArg("raise")
				r, err := solve.Solve(a.Instance, algorithm, opt)
				if err != nil {
					return err.Error() + "\n"
				}
				draw(&out, a.Instance, r)
			case "adapt":
				if a.ExactTasks = 100; d.HasArg("local") {
					a.ExactTasks = 0
				}
				d.ScanArgs(t, "budget", &a.Budget)
				r, err := solve.Adapt(a, opt)
				if err != nil {
					return err.Error() + "\n"
				}
				draw(&out, a.Instance, r.Result)
				fmt.Fprintf(&out, "moved %.2f in %d\n", r.Moved, r.Moves)
			default:
				t.Fatalf("unknown command %q", d.Cmd)
			}
			return out.String()
		})
	})
}

func decoded(text string) string {
	in, err := solve.Decode(strings.NewReader(text))
	if err != nil {
		return err.Error() + "\n"
	}
	return fmt.Sprintf("%d hosts, jobs %v\n", in.Hosts, in.Jobs)
}

func problem(t *testing.T, d *datadriven.TestData) solve.Adaptation {
	var a solve.Adaptation
	for _, line := range strings.Split(d.Input, "\n") {
		fields := strings.Fields(line)
		if fields[0] == "hosts" {
			a.Instance.Hosts = integer(t, fields[1])
			continue
		}
		job := solve.Job{CPU: decimal(t, fields[0]), Mem: decimal(t, fields[1]), Tasks: 1}
		var on []int
		for _, f := range fields[2:] {
			switch {
			case f[0] == 'x':
				job.Tasks = integer(t, f[1:])
			case f == "@-":
			case f[0] == '@':
				for _, h := range strings.Split(f[1:], ",") {
					on = append(on, integer(t, h))
				}
			}
		}
		for len(on) < job.Tasks {
			on = append(on, solve.New)
		}
		a.Instance.Jobs = append(a.Instance.Jobs, job)
		a.Current = append(a.Current, on)
	}
	return a
}

func integer(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func decimal(t *testing.T, s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// draw shows the hosts with their jobs and the yield of each.
func draw(out *strings.Builder, in solve.Instance, r solve.Result) {
	if !r.Feasible {
		fmt.Fprintf(out, "no placement, bound %.4f, proven %v\n", r.Bound, r.Proven)
		return
	}
	fmt.Fprintf(out, "yield %.4f, average %.4f, bound %.4f, proven %v\n", r.MinYield, r.AvgYield, r.Bound, r.Proven)
	for h := range in.Hosts {
		if len(r.Place) == 0 {
			break // lp
		}
		var cpu, mem float64
		var jobs strings.Builder
		for i, hosts := range r.Place {
			for k, at := range hosts {
				if at == h {
					cpu += r.CPU[i][k]
					mem += in.Jobs[i].Mem
					fmt.Fprintf(&jobs, "  job%d %.0f%%", i, 100*r.CPU[i][k]/in.Jobs[i].CPU)
				}
			}
		}
		fmt.Fprintf(out, "h%d cpu %.2f mem %.2f%s\n", h, cpu, mem, jobs.String())
	}
}
