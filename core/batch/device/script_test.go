package device_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/batch/device"
	"parley/core/rng"
	"parley/core/testkit/scripttest"
)

// TestScripts places pods. `node NAME CPU FREE,FREE` gives a node its free CPU and the free thousandths
// of each device; `class CPU COUNTxMILLI SHARE` is a typical class of pods; `pod CPU COUNTxMILLI`
// is placed. The output of `cell` tells the fragmentation of each node; that of `pods` where each
// pod goes, what its node then has, and the fragmentation of all.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		var nodes []device.Node
		var typical []device.Typical
		return func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			switch d.Cmd {
			case "cell":
				nodes, typical = nil, nil
				for _, l := range scripttest.Lines(t, d) {
					switch l.Act() {
					case "node":
						n := device.Node{Name: l.Word(0), CPU: l.Int(l.Word(1)), Memory: 1}
						for free := range strings.SplitSeq(l.Word(2), ",") {
							n.Free = append(n.Free, int32(l.Int(free)))
						}
						nodes = append(nodes, n)
					case "class":
						typical = append(typical, device.Typical{Class: class(t, l.Int(l.Word(0)), l.Word(1)), Share: l.Float(l.Word(2))})
					default:
						l.Fail("no act is called so")
					}
				}
				for i := range nodes {
					fmt.Fprintf(&out, "%s %.6g\n", nodes[i].Name, device.Fragmentation(&nodes[i], typical))
				}
			case "pods":
				var name string
				d.ScanArgs(t, "policy", &name)
				policy, err := device.ParsePolicy(name)
				if err != nil {
					return err.Error() + "\n"
				}
				c := device.NewCell(policy, rng.New(1, "ties"))
				c.SetTypical(typical)
				for i, n := range nodes {
					c.SetNode(i, n)
				}
				for _, l := range scripttest.Lines(t, d) {
					pod := class(t, l.Int(l.Word(0)), l.Word(1))
					at, ok := c.Place(&pod, nil)
					if !ok {
						fmt.Fprintf(&out, "%s: no node takes it\n", l.Word(1))
						continue
					}
					n := c.Node(at.Node)
					fmt.Fprintf(&out, "%s: %s, left %d %d; fragmentation %.6g\n", l.Word(1), n.Name, n.CPU, n.Free, c.Fragmentation())
				}
			default:
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			return out.String()
		}
	})
}

// class reads what a pod asks for, such as 2x1000.
func class(t *testing.T, cpu int64, text string) device.Class {
	t.Helper()
	count, milli, _ := strings.Cut(text, "x")
	n, err := strconv.Atoi(count)
	m, wrong := strconv.Atoi(milli)
	if err != nil || wrong != nil {
		t.Fatalf("cannot read %q", text)
	}
	return device.Class{CPU: cpu, GPUs: n, Milli: int32(m)}
}
