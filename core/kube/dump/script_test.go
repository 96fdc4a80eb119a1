package dump_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/testkit/scripttest"
	"parley/core/trace"
)

// file returns a file with a content.
func file(name string, content []byte) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// slow returns a file that yields a few bytes at a time.
func slow(name string, content []byte) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&few{bytes.NewReader(content)}), nil
	}}
}

type few struct{ in io.Reader }

func (f *few) Read(p []byte) (int, error) { return f.in.Read(p[:min(7, len(p))]) }

func zipped(content []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(content)
	z.Close()
	return out.Bytes()
}

// TestScripts runs testdata/*.txt. The command read reads its input as dump.json and prints what
// the cluster keeps; a line of "=====" begins another file. Each input is also read seven bytes
// at a time and from gzip, with the same result. The command profiles reads a scheduler's
// configuration, used a file of usage.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "used" {
				return used(t, d)
			}
			if d.Cmd == "profiles" {
				return profiles(t, d)
			}
			if d.Cmd != "read" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			var plain, packed, few []trace.File
			for i, part := range strings.Split(d.Input, "=====\n") {
				name := "dump.json"
				if i > 0 {
					name = fmt.Sprintf("dump%d.json", i+1)
				}
				plain = append(plain, file(name, []byte(part)))
				packed = append(packed, file(name, zipped([]byte(part))))
				few = append(few, slow(name, []byte(part)))
			}
			c, err := dump.Read(plain, nil)
			for how, files := range map[string][]trace.File{"gzip": packed, "seven bytes at a time": few} {
				other, otherErr := dump.Read(files, nil)
				if fmt.Sprint(err) != fmt.Sprint(otherErr) || !reflect.DeepEqual(c, other) {
					t.Errorf("%s: read by %s: %v, want %v", d.Pos, how, otherErr, err)
				}
			}
			if err != nil {
				if !errors.As(err, new(*dump.Error)) {
					t.Errorf("%s: the error is a %T", d.Pos, err)
				}
				return err.Error() + "\n"
			}
			return drawn(c)
		}
	})
}

// drawn prints what a cluster keeps, a line an object.
func drawn(c *kube.Cluster) string {
	var out strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintln(&out, strings.TrimSpace(strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")))
	}
	amounts := func(v kube.Vector) string {
		var parts []string
		for r, n := range v {
			if n != 0 {
				parts = append(parts, fmt.Sprintf("%s=%d", c.Resources[r], n))
			}
		}
		return strings.Join(parts, " ")
	}
	some := func(name string, v any) string {
		r := reflect.ValueOf(v)
		if r.IsZero() || r.Kind() == reflect.Slice && r.Len() == 0 {
			return ""
		}
		if r.Kind() == reflect.Pointer {
			v = r.Elem().Interface()
		}
		return fmt.Sprintf("%s=%v", name, v)
	}
	for _, k := range c.Kinds {
		line("kind %s %d", k.Kind, k.Count)
	}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		line("node %s %s %s %s %s ready=%d %s", n.Name, amounts(n.Allocatable), some("labels", n.Labels), some("taints", n.Taints), some("unschedulable", n.Unschedulable), n.Ready, some("attachable", n.Attachable))
	}
	for i := range c.Pods {
		p, s := &c.Pods[i], c.Pods[i].Spec
		line("pod %s on=%q %s scored=%d/%d %s", p.Full(), p.NodeName, amounts(s.Requests), s.ScoredCPU, s.ScoredMemory, strings.Join([]string{
			some("labels", p.Labels), some("owner", p.Owner), some("claims", p.Claims), some("deleted", p.Deleted), some("reason", p.Reason), some("mirror", p.Mirror), some("broken", p.Broken), some("restarts", p.Restarts),
			some("safe", p.SafeToEvict), some("stays", p.DoNotDisrupt), some("cost", p.DeletionCost), some("local", p.SafeVolumes), some("priority", s.Priority), some("never", s.NeverPreempts),
			some("gates", s.Gates), some("selector", s.NodeSelector), some("required", s.NodeRequired), some("preferred", s.NodePreferred), some("tolerations", s.Tolerations),
			some("spread", len(s.Spread)), some("pods", len(s.PodRequired)), some("anti", len(s.AntiRequired)), some("ports", s.Ports), some("disks", s.Disks),
			some("emptydirs", s.EmptyDirs), some("memory", s.MemoryDirs), some("hostpaths", s.HostPaths), some("resourceclaims", s.ResourceClaims), some("scheduler", strings.TrimPrefix(s.Scheduler, "default-scheduler")),
		}, " "))
		for _, sp := range s.Spread {
			of := sp.Selector
			sp.Selector = nil
			line("  spread %+v %s", sp, some("of", of))
		}
		for _, t := range append(append([]kube.PodTerm{}, s.PodRequired...), s.AntiRequired...) {
			line("  term %s %s %s %s", t.Key, some("of", t.Selector), some("in", t.Namespaces), some("where", t.NamespaceSelector))
		}
	}
	for i := range c.Workloads {
		w := &c.Workloads[i]
		request := ""
		if w.Template != nil {
			s := w.Template
			request = amounts(s.Requests) + " " + some("priority", s.Priority) + " " + some("limits", s.Limits) + " " + some("ports", s.Ports) + " " + some("selector", s.NodeSelector) + " " + some("omits", s.Omits) + " " + some("refused", s.Refused) + " " + some("unknown", s.Unknown)
			for _, t := range s.AntiRequired {
				request += " " + some("anti", t.Selector)
			}
		}
		line("workload %s %s/%s %d %s %s %s", w.Kind, w.Namespace, w.Name, w.Replicas, some("selector", w.Selector), some("owner", w.Owner), request+" "+some("manifest", w.Manifest)+" "+some("suspended", w.Suspended)+" "+some("done", w.Done)+" "+some("failure", w.Failure))
		if o := w.Rollout; o != (kube.Rollout{}) {
			surge, unavailable := some("surge", o.Surge), some("unavailable", o.Unavailable)
			o.Surge, o.Unavailable = nil, nil
			line("  rollout %+v %s %s", o, surge, unavailable)
		}
	}
	for _, b := range c.Budgets {
		line("budget %s/%s %s %s %s allowed=%d beta=%v %s", b.Namespace, b.Name, some("of", b.Selector), some("min", b.MinAvailable), some("max", b.MaxUnavailable), b.Allowed, b.Beta, some("disrupted", b.Disrupted))
	}
	for _, o := range c.Claims {
		line("claim %+v", o)
	}
	for _, o := range c.Volumes {
		nodes := o.NodeAffinity
		o.NodeAffinity = nil
		line("volume %+v %s", o, some("nodes", nodes))
	}
	for _, o := range c.StorageClasses {
		line("class %+v", o)
	}
	for _, o := range c.CSINodes {
		line("csinode %+v", o)
	}
	for _, o := range c.Quotas {
		line("quota %+v", o)
	}
	for _, o := range c.NodePools {
		line("nodepool %+v", o)
	}
	for _, o := range c.Attachments {
		line("attachment %+v", o)
	}
	for _, o := range c.PriorityClasses {
		line("priority %+v", o)
	}
	for _, o := range c.Services {
		line("service %+v", o)
	}
	if c.Finished > 0 {
		line("finished %d", c.Finished)
	}
	for _, u := range c.Unmodelled {
		line("unmodelled %s: %d %v", u.Subject, u.Count, u.Pods)
	}
	return out.String()
}
