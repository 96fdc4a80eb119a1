package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/tools/parley/cluster"
)

// run runs parley cluster with arguments and returns what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := cluster.Command(&cluster.Env{
		In: strings.NewReader(`{"kind":"Namespace","metadata":{"name":"from standard input"}}`), Out: &out, Err: &out, Now: time.Now,
		Show: func(string, ...any) {}, Clear: func() {}, Misuse: func(err error) error { return err },
	})
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

// dump writes an invented dump into a file.
func dump(t *testing.T) string {
	t.Helper()
	text, err := run(t, "generate", "--nodes", "8", "--pods", "100")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "dump.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRead reads an invented dump for people and for programs, and the same under other names.
func TestRead(t *testing.T) {
	name := dump(t)
	text, err := run(t, "read", name)
	if err != nil || !strings.Contains(text, "8 nodes, 8 ready, 0 cordoned; zones: region-1a 3, region-1b 3, region-1c 2") || !strings.Contains(text, "24 belong to DaemonSets") {
		t.Errorf("%v, %s", err, text)
	}
	asJSON, err := run(t, "read", name, "--json")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Nodes     struct{ Count int }
		Pods      struct{ Bound, Pending int }
		Resources []struct {
			Resource               string
			Allocatable, Requested int64
		}
	}
	if err := json.Unmarshal([]byte(asJSON), &s); err != nil || s.Nodes.Count != 8 || s.Pods.Bound+s.Pods.Pending != 100 || s.Resources[0].Resource != "cpu" || s.Resources[0].Requested < 2800 {
		t.Errorf("%v, %+v", err, s)
	}
	other, err := run(t, "pseudonymise", name, "--secret", "x")
	if err != nil || strings.Contains(other, "team-") {
		t.Fatalf("%v, %.300s", err, other)
	}
	if err := os.WriteFile(name, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := run(t, "read", name, "--json")
	if err != nil || resources(again) != resources(asJSON) {
		t.Errorf("%v: %s\nand under other names\n%s", err, resources(asJSON), resources(again))
	}
	if err := os.WriteFile(name, []byte(onePod), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "dump.json has no nodes, so there is nothing to run pods on; open it together with the file that has the nodes, or fetch both: kubectl get nodes,pods -A -o json"
	if text, err := run(t, "read", name); err != nil || !strings.Contains(text, "1 pending") || !strings.Contains(text, want) {
		t.Errorf("pods alone: %v, %s", err, text)
	}
	if _, err := run(t, "drain", name); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("pods alone are drained: %v", err)
	}
	if text, err := run(t, "read", "-"); err != nil || !strings.Contains(text, "Namespace 1") {
		t.Errorf("standard input: %v, %s", err, text)
	}
}

// onePod is a dump of pods alone.
const onePod = `{"apiVersion":"v1","kind":"List","items":[{"kind":"Pod","metadata":{"name":"a","namespace":"x"},"spec":{"containers":[{"name":"c"}]}}]}`

// resources cuts the totals out of what read --json prints.
func resources(text string) string {
	return text[strings.Index(text, `"resources"`):]
}

// TestRightSize compares requests with samples of two pods of a DaemonSet, and refuses a
// moment.
func TestRightSize(t *testing.T) {
	name := dump(t)
	samples := filepath.Join(t.TempDir(), "usage.csv")
	write := func(text string) {
		if err := os.WriteFile(samples, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("time,namespace,pod,cpu,memory\n1700000000,kube-system,agent-0-00000,10m,30Mi\n1700086400,kube-system,agent-0-00000,40m,50Mi\n1700086400,other,x,1,1\n")
	text, err := run(t, "right-size", name, "--usage", samples)
	if err != nil || !strings.Contains(text, "over 1 day; 0 were no numbers, 2 series of pods that no workload explains") || !strings.Contains(text, "DaemonSet kube-system/agent-0     8  cpu       0.05 cores") {
		t.Errorf("%v, %s", err, text)
	}
	asJSON, err := run(t, "right-size", name, "--usage", samples, "--json")
	var s struct {
		Totals []struct{ Requested, P95 int64 }
	}
	if err != nil || json.Unmarshal([]byte(asJSON), &s) != nil || len(s.Totals) != 2 || s.Totals[0].Requested != 400 || s.Totals[0].P95 != 320 {
		t.Errorf("%v, %s", err, asJSON)
	}
	write("NAMESPACE NAME CPU(cores) MEMORY(bytes)\nkube-system agent-0-00000 10m 30Mi\n")
	if _, err := run(t, "right-size", name, "--usage", samples); err == nil || !strings.Contains(err.Error(), "a moment says nothing of a peak") {
		t.Errorf("what kubectl top prints: %v", err)
	}
	if _, err := run(t, "right-size", name); err == nil || !strings.Contains(err.Error(), "--cpu and --memory") {
		t.Errorf("no use: %v", err)
	}
}

// TestWrongUse: each mistake is one sentence that says what to do.
func TestWrongUse(t *testing.T) {
	folder := t.TempDir()
	for want, args := range map[string][]string{
		"cluster needs a command":                        {},
		`no command "drian"`:                             {"drian"},
		"needs one FILE or more":                         {"read"},
		"has no file: name one that":                     {"read", folder},
		"cannot be read: no such file":                   {"read", filepath.Join(folder, "x")},
		"needs --secret":                                 {"pseudonymise", "x"},
		"--nodes is 0: choose 1 to 100,000":              {"generate", "--nodes", "0"},
		"--pods is -1: choose 0 to 10,000,000":           {"generate", "--pods", "-1"},
		"--by is \"me\": choose karpenter or":            {"consolidate", "x", "--by", "me"},
		"--threshold is \"0\": choose 1 to 100 per cent": {"consolidate", "x", "--threshold", "0"},
		"--least is a setting of the cluster":            {"consolidate", "x", "--least", "3"},
		"--least is -1: choose 0 to 1,000,000":           {"consolidate", "x", "--least", "-1"},
		"--unneeded is 48h0m0s: choose 0 to":             {"consolidate", "x", "--unneeded", "48h"},
		"--plays is -5: choose 0 to 100":                 {"lose", "x", "--orders", "-5"},
		"--orders is 0: choose 1 to 1,000":               {"fit", "x", "--orders", "0"},
		"--orders is 1001: choose 0 to 1,000":            {"score", "x", "--orders", "1001"},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestFolder reads the objects of a folder and its folders, and counts what holds none.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"kube-system/pods.json": onePod, "nodes.json": `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4","pods":"10"}}}]}`,
		"kube-system/x/logs.txt": "a log", "version.json": `{"major":"1"}`,
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := run(t, "read", folder)
	if err != nil || !strings.Contains(text, "objects: Pod 1, Node 1") || !strings.Contains(text, "2  files that hold no object of a cluster") {
		t.Errorf("%v, %s", err, text)
	}
}
