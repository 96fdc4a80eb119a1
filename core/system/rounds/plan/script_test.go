package plan_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/system/rounds/plan"
	"parley/core/testkit/scripttest"
)

// TestScripts runs testdata/*.txt: prose, command, ----, output. `platform`
// reads a platform as `parley plan rounds` does and answers with what is wrong
// with it; `plan`, `gantt` and `play` work on the last good one.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		var p plan.Platform
		var load float64
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "platform" {
				read, size, err := plan.Decode(strings.NewReader(d.Input))
				if err != nil {
					return err.Error() + "\n"
				}
				p, load = read, size
				return fmt.Sprintf("%d workers, load %v\n", len(p.Workers), load)
			}
			var options plan.Options
			var algorithm string
			d.ScanArgs(t, "algorithm", &algorithm)
			d.MaybeScanArgs(t, "rounds", &options.Rounds)
			d.MaybeScanArgs(t, "policy", &options.Policy)
			r, err := plan.Plan(p, load, algorithm, options)
			if err != nil {
				return err.Error() + "\n"
			}
			switch d.Cmd {
			case "plan":
				return show(r)
			case "gantt":
				return gantt(t, p, r)
			case "play":
				return play(t, d, p, load, r)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		}
	})
}

func show(r plan.Result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s", r.Algorithm)
	if r.Policy != "" {
		fmt.Fprintf(&out, " (%s)", r.Policy)
	}
	fmt.Fprintf(&out, ": %d rounds to %v, predicted %.6g s, simulated %.6g s, idle %.3g %%\n",
		r.Rounds, r.Order, r.Predicted, r.Makespan, r.IdlePct)
	for _, row := range r.Chunks {
		for _, x := range row {
			fmt.Fprintf(&out, "%10.6g", x)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// gantt draws the port and every worker over 64 columns of the makespan: the
// digit is the round sent or computed, a dot is idle.
func gantt(t *testing.T, p plan.Platform, r plan.Result) string {
	t.Helper()
	const width = 64
	var timeline plan.Timeline
	outcome, err := plan.Simulate(p, r.Order, r.Chunks, &timeline)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[int][]byte{-1: []byte(strings.Repeat(".", width))}
	for _, i := range r.Order {
		lines[i] = []byte(strings.Repeat(".", width))
	}
	draw := func(line int, from, to float64, round int32) {
		for column := range width {
			if at := (float64(column) + 0.5) / width * outcome.Makespan; at >= from && at < to {
				lines[line][column] = byte('0' + round%10)
			}
		}
	}
	for k := range timeline.Worker {
		draw(-1, timeline.SendStart[k], timeline.SendEnd[k], timeline.Round[k])
		draw(int(timeline.Worker[k]), timeline.ComputeStart[k], timeline.ComputeEnd[k], timeline.Round[k])
	}
	out := fmt.Sprintf("port %s\n", lines[-1])
	for _, i := range r.Order {
		out += fmt.Sprintf("w%-3d %s\n", i, lines[i])
	}
	return out + fmt.Sprintf("0 to %.6g s\n", outcome.Makespan)
}

// play runs method=plan|factoring|guided with fail=(worker,at,back) and
// speed=error.
func play(t *testing.T, d *datadriven.TestData, p plan.Platform, load float64, r plan.Result) string {
	t.Helper()
	method := "plan"
	d.MaybeScanArgs(t, "method", &method)
	m := map[string]plan.Method{"plan": plan.Fixed(r.Order, r.Chunks), "factoring": plan.Factoring(), "guided": plan.Guided()}[method]
	reality := plan.Reality{Seed: 1}
	for _, arg := range d.CmdArgs {
		if arg.Key == "fail" {
			var f plan.Failure
			fmt.Sscan(strings.Join(arg.Vals, " "), &f.Worker, &f.At, &f.Return)
			reality.Failures = append(reality.Failures, f)
		}
	}
	if d.HasArg("speed") {
		var text string
		d.ScanArgs(t, "speed", &text)
		fmt.Sscan(text, &reality.Speed.Worker)
	}
	played, err := plan.Play(p, load, m, reality)
	if err != nil {
		return err.Error() + "\n"
	}
	done := make([]string, len(played.Done))
	for i, x := range played.Done {
		done[i] = fmt.Sprintf("%.6g", x)
	}
	if sum := total(played.Done); math.Abs(sum-load) > 1e-9*load {
		return fmt.Sprintf("computed %v of %v\n", sum, load)
	}
	return fmt.Sprintf("%.6g s, %d chunks, %.6g units again, done %s\n", played.Makespan, played.Chunks, played.Resent, strings.Join(done, " "))
}
