package dump_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/kube/usage"
	"parley/core/trace"
)

// used reads its input as a file of usage, with resource=cpu or resource=memory if it is
// Prometheus', and prints the rows of pods a/web-0 and a/web-1 of a StatefulSet, which request
// a core and a gibibyte each.
func used(t *testing.T, d *datadriven.TestData) string {
	name, resource := "", -1
	d.MaybeScanArgs(t, "resource", &name)
	switch name {
	case "cpu":
		resource = kube.CPU
	case "memory":
		resource = kube.Memory
	}
	outputs := map[string]bool{}
	out := ""
	for _, f := range []trace.File{file("usage", []byte(d.Input)), slow("usage", []byte(d.Input)), file("usage", zipped([]byte(d.Input)))} {
		u := usage.New()
		if err := dump.ReadUsage(u, []trace.File{f}, resource, nil); err != nil {
			if !errors.As(err, new(*dump.Error)) {
				t.Errorf("%s: the error is a %T", d.Pos, err)
			}
			out = err.Error() + "\n"
		} else {
			sp := &kube.Spec{Requests: kube.Vector{1000, 1 << 30, 0, 1}}
			c := &kube.Cluster{Resources: kube.BaseResources(), Nodes: []kube.Node{{Name: "n"}}}
			for i := range 2 {
				c.Pods = append(c.Pods, kube.Pod{Namespace: "a", Name: fmt.Sprint("web-", i), NodeName: "n", Owner: kube.Owner{Kind: "StatefulSet", Name: "web"}, Spec: sp})
			}
			c.Link()
			rows, unknown := usage.RightSize(c, u)
			out = fmt.Sprintf("%d samples from %d to %d, instant %v, %d unreadable, %d unknown\n", u.Samples, u.From, u.To, u.Instant(), u.Unreadable, unknown)
			for _, r := range rows {
				out += strings.TrimSpace(fmt.Sprintf("%s %s/%s %s request=%d p50=%d p95=%d max=%d samples=%d over=%d", r.Kind, r.Namespace, r.Name, r.Resource, r.Request, r.P50, r.P95, r.Max, r.Samples, r.Over)) + "\n"
			}
		}
		outputs[out] = true
	}
	if len(outputs) != 1 {
		t.Errorf("%s: read in other pieces it differs: %v", d.Pos, outputs)
	}
	return out
}
