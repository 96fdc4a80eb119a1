package cluster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/tools/parley/cluster"
)

// ask runs a question about a file and returns what it prints.
func ask(t *testing.T, args ...string) string {
	t.Helper()
	text, err := run(t, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return text
}

// TestQuestions asks each question of an invented dump, for people and for programs, and looks
// for the numbers of the one in the other.
func TestQuestions(t *testing.T) {
	name := dump(t)
	folder := filepath.Dir(name)
	prices := filepath.Join(folder, "prices.csv")
	if err := os.WriteFile(prices, []byte("type,price,currency\nm-16,0.77,EUR\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string // in the text
	}{
		{[]string{"drain", "--delete-emptydir-data"}, []string{"of 8 nodes can be emptied", "The drains take ", "Why not more?", "In this order", "Method"}},
		{[]string{"drain"}, []string{"0 of 8 nodes can be emptied", "local storage (emptyDir) would be lost"}},
		{[]string{"lose", "--by", "zone"}, []string{"If zone region-1", "run again on other nodes", "Over 11 plays"}},
		{[]string{"lose", "--by", "zone", "--name", "region-1a", "--not-ready"}, []string{"is not ready", "Pods of StatefulSets wait"}},
		{[]string{"lose", "--by", "zone", "--autoscaler"}, []string{"If zone region-1", "the cluster autoscaler adds nodes of the kind"}},
		{[]string{"fit", "--orders", "2"}, []string{"more pods of today's mix fit", "95 % interval"}},
		{[]string{"grow", "--prices", prices}, []string{"Which nodes would take the pending pods?"}},
		{[]string{"pending"}, []string{"Why are pods pending?", "pending"}},
		{[]string{"blockers"}, []string{"Of 8 nodes, something blocks kubectl drain on", "LocalStorageRequested"}},
		{[]string{"rollout"}, []string{"The rollout of team-", "ends after", "With another strategy", "What happens"}},
		{[]string{"consolidate"}, []string{"Karpenter would do nothing: no node of the dump has its label"}},
		{[]string{"consolidate", "--by", "cluster-autoscaler", "--plays", "2"}, []string{"The cluster autoscaler would remove none of its 8 nodes", "LocalStorageRequested", "reason, in the words of the autoscaler"}},
		{[]string{"consolidate", "--by", "cluster-autoscaler", "--plays", "2", "--skip-nodes-with-local-storage=false", "--threshold", "90", "--unneeded", "1m", "--prices", prices}, []string{"The cluster autoscaler would remove ", "drain", "EUR a month"}},
		{[]string{"upgrade", "--plays", "3"}, []string{"The upgrade of 8 nodes takes", "Nodes in their order", "in place, one after another"}},
		{[]string{"score", "--orders", "2"}, []string{"nodes used", "most-allocated", "2 arrival orders"}},
		{[]string{"requests"}, []string{"100 pods on 8 nodes request", "ephemeral-storage", "kube-system"}},
		{[]string{"requests", "--by", "zone"}, []string{"zone region-1a", "nodes"}},
	} {
		args := append(c.args[:len(c.args):len(c.args)], name)
		if c.args[0] == "rollout" {
			args = append(args, deployment(t, name))
		}
		text := ask(t, args...)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", c.args, want, text)
			}
		}
		var document any
		if err := json.Unmarshal([]byte(ask(t, append(args, "--json")...)), &document); err != nil {
			t.Errorf("%v --json: %v", c.args, err)
		}
		if text := ask(t, append(args, "--as", "markdown")...); !strings.HasPrefix(text, "## ") {
			t.Errorf("%v: Markdown begins with %.40q", c.args, text)
		}
		if text := ask(t, append(args, "--as", "html")...); !strings.HasPrefix(text, "<!doctype html>") || strings.Contains(text, "http") {
			t.Errorf("%v: HTML begins with %.40q or names another site", c.args, text)
		}
		if again := ask(t, args...); again != text {
			t.Errorf("%v: another answer the second time", c.args)
		}
	}
}

// TestCatalogue: machine types of a file are added as those of the cluster are; a file without sizes is refused.
func TestCatalogue(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	name := write("d.json", `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"},"conditions":[{"type":"Ready","status":"True"}]}},
{"kind":"Pod","metadata":{"name":"big","namespace":"x"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"6"}}}]},"status":{"phase":"Pending"}}]}`)
	types := write("types.csv", "type,cpu,memory,price,currency\nhuge,16,64Gi,0.5,EUR\n")
	for _, prices := range []string{"", write("p.csv", "type,price,currency\nm,0.1,EUR\n"), write("own.csv", "type,price,currency\nhuge,1,EUR\n")} {
		args, want := []string{"grow", name, "--catalogue", types}, "1 more node of the type huge takes 1 of them for 365.00 EUR a month"
		if prices != "" {
			args = append(args, "--prices", prices)
		}
		if strings.HasSuffix(prices, "own.csv") { // --prices come first
			want = "730.00 EUR"
		}
		if text := ask(t, args...); !strings.Contains(text, want) {
			t.Errorf("%v: no %q in\n%s", args, want, text)
		}
	}
	for file, want := range map[string]string{
		write("none.csv", "type,price\nhuge,1\n"):                       "give it the columns cpu and memory",
		write("bad.csv", "type,cpu,memory,price\nhuge,16,64,1\n"):       `bad.csv, line 2, column memory: "64"`,
		write("dollar.csv", "type,cpu,memory,price\nhuge,16,64Gi,$1\n"): "",
	} {
		_, err := run(t, "grow", name, "--catalogue", file)
		if want == "" {
			_, err = run(t, "grow", name, "--catalogue", file, "--prices", types)
			want = "the prices are in EUR and those of the catalogue in USD"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// deployment returns the name of a Deployment of a dump.
func deployment(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Items []struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	for _, o := range list.Items {
		if o.Kind == "Deployment" {
			return o.Metadata.Namespace + "/" + o.Metadata.Name
		}
	}
	t.Fatal("the dump has no Deployment")
	return ""
}

// TestOtherWorld: the answer about a changed world has that about the dump beside it, and is the one about a dump
// that is so.
func TestOtherWorld(t *testing.T) {
	name := dump(t)
	plain, changed := ask(t, "drain", name), ask(t, "drain", name, "--more", "node/node-m-16-00000=2")
	own := strings.Split(plain, "\n")[1]
	for _, want := range []string{"of 10 nodes can be emptied", "Beside the world as it is", "as the dump has it", "with node/node-m-16-00000=2", own} {
		if !strings.Contains(changed, want) {
			t.Errorf("no %q in\n%s", want, changed)
		}
	}
	var both struct {
		Changes       []string
		Before, After struct{ Nodes int }
	}
	if err := json.Unmarshal([]byte(ask(t, "drain", name, "--json", "--more", "node/node-m-16-00000=2")), &both); err != nil || both.Before.Nodes != 8 || both.After.Nodes != 10 || len(both.Changes) != 1 {
		t.Errorf("%v: %+v", err, both)
	}
	if _, err := run(t, "drain", name, "--without", "node/nobody"); err == nil || !strings.Contains(err.Error(), "has no Node nobody") {
		t.Error(err)
	}
}

// TestRequestsOfUse: two nodes whose pods request three of four CPUs each cannot be emptied. If they requested what they
// use, one could.
func TestRequestsOfUse(t *testing.T) {
	folder := t.TempDir()
	name, samples := filepath.Join(folder, "d.json"), filepath.Join(folder, "usage.csv")
	var items []string
	use := "time,namespace,pod,cpu,memory\n"
	for _, n := range []string{"a", "b"} {
		items = append(items,
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%q},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"},"conditions":[{"type":"Ready","status":"True"}]}}`, n),
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1-%s","namespace":"x","ownerReferences":[{"kind":"ReplicaSet","name":"web-1","controller":true}]},"spec":{"nodeName":%q,"containers":[{"name":"c","resources":{"requests":{"cpu":"3","memory":"1Gi"}}}]},"status":{"phase":"Running"}}`, n, n))
		use += fmt.Sprintf("1700000000,x,web-1-%s,500m,100Mi\n1700086400,x,web-1-%s,1,200Mi\n", n, n)
	}
	for file, text := range map[string]string{name: `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",") + `]}`, samples: use} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := ask(t, "drain", name, "--requests", "max", "--usage", samples)
	for _, want := range []string{"1 of 2 nodes can be emptied", "Beside the world as it is", "0 of 2 nodes can be emptied", "requests of 1 workload at max of what their pods use"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for want, args := range map[string][]string{
		`--requests is "p99": choose p50, p95 or max`: {"--requests", "p99", "--usage", samples},
		"--requests needs what pods use":              {"--requests", "p95"},
	} {
		if _, err := run(t, append([]string{"drain", name}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPlayArguments: what a rollout and an upgrade cannot do is said in a sentence.
func TestPlayArguments(t *testing.T) {
	name := dump(t)
	manifest := filepath.Join(filepath.Dir(name), "new.yaml")
	if err := os.WriteFile(manifest, []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: other, namespace: shop}\nspec: {replicas: 1, selector: {}, template: {spec: {containers: [{name: c}]}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	own, other := deployment(t, name), filepath.Join(filepath.Dir(name), "argo.json")
	if err := os.WriteFile(other, []byte(`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web-1","namespace":"argo","ownerReferences":[{"kind":"Rollout","name":"web","controller":true}]},"spec":{"replicas":1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"needs a dump and then the workload":     {"rollout", name},
		"write NAMESPACE/NAME of a Deployment":   {"rollout", name, "web"},
		"shop/web cannot be rolled out":          {"rollout", name, "shop/web"},
		"it is a Rollout, whose controller":      {"rollout", name, other, "argo/web"},
		`--max-surge is "x"`:                     {"rollout", name, own, "--max-surge", "x"},
		"are both 0: the API server refuses":     {"rollout", name, own, "--max-surge", "0%", "--max-unavailable", "0"},
		"--plays is 101":                         {"rollout", name, own, "--plays", "101"},
		"--start is 25h0m0s":                     {"rollout", name, own, "--start", "25h"},
		"--surge and --unavailable are both 0":   {"upgrade", name, "--surge", "0", "--unavailable", "0"},
		`--surge is "-1"`:                        {"upgrade", name, "--surge=-1"},
		`--after-timeout is "wait"`:              {"upgrade", name, "--after-timeout", "wait"},
		`--pool is "x": no node`:                 {"upgrade", name, "--pool", "x"},
		"--drain-timeout is -1h0m0s":             {"upgrade", name, "--drain-timeout=-1h"},
		"has no workload " + own + " with a tem": {"rollout", name, own, "--template", manifest},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// TestHabits: what people write by habit, and what has no effect, is said in a sentence that helps.
func TestHabits(t *testing.T) {
	name := dump(t)
	own := deployment(t, name)
	set, daemons := filepath.Join(filepath.Dir(name), "set.json"), filepath.Join(filepath.Dir(name), "daemons.json")
	for file, kind := range map[string]string{set: "StatefulSet", daemons: "DaemonSet"} {
		text := `{"apiVersion":"apps/v1","kind":"` + kind + `","metadata":{"name":"x","namespace":"n"},"spec":{"replicas":1,"selector":{},"template":{"spec":{"containers":[{"name":"c"}]}}}}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	argo := filepath.Join(filepath.Dir(name), "argo.json")
	if err := os.WriteFile(argo, []byte(`{"kind":"List","items":[{"kind":"Rollout","metadata":{"name":"web","namespace":"argo"}},{"kind":"Pod","metadata":{"name":"p","namespace":"argo","ownerReferences":[{"kind":"ReplicaSet","name":"web-1","controller":true}]},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"argo/web cannot be rolled out: it is a Rollout, which is not":    {"rollout", name, argo, "argo/web"},
		"has no flag --ignore-daemonsets: pods of DaemonSets always stay": {"drain", name, "--ignore-daemonsets"},
		"has no flag -n: name pods and workloads as NAMESPACE/NAME":       {"fit", name, "-n", "shop"},
		"has no flag --zone: write --by zone --name ZONE":                 {"lose", name, "--zone", "a"},
		"has no flag --node: write --by node --name NODE":                 {"lose", name, "--node", "a"},
		"has no flag --pod: the answer lists them all":                    {"blockers", name, "--pod", "a"},
		"has no flag --prise: do you mean --prices?":                      {"grow", name, "--prise", "a"},
		"unknown flag: --colour":                                          {"grow", name, "--colour", "a"},
		`no command "drian" of cluster, do you mean drain?`:               {"drian", name},
		"nodes, zones and pods are named by flags":                        {"drain", "n1", name},
		"the workload comes after the files":                              {"rollout", own, name},
		"--orders is of today's mix":                                      {"fit", name, "--pod", own, "--orders", "3"},
		"makes no pods beside the old ones: leave --max-surge out":        {"rollout", name, set, "sts/n/x", "--max-surge", "2"},
		"of the dump (" + own + " is there)":                              {"rollout", name, own + "1"},
		`--threshold is "150": choose 1 to 100 per cent`:                  {"consolidate", name, "--by", "cluster-autoscaler", "--threshold", "150"},
		"ignore-daemonsets-utilization is a setting of the cluster auto":  {"consolidate", name, "--ignore-daemonsets-utilization"},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	_, err := run(t, "drain", name, "--node", "N1")
	if err == nil || !strings.Contains(err.Error(), `--node is "N1": the dump has no such node; it has `) || !strings.HasSuffix(err.Error(), " and others") {
		t.Error(err)
	}
	for _, args := range [][]string{
		{"rollout", name, "deployment/" + own, "--plays", "1"},
		{"rollout", name, daemons, "ds/x", "--max-surge", "1", "--plays", "1"},
		{"consolidate", name, "--by", "cluster-autoscaler", "--threshold", "0.7", "--plays", "1"},
	} {
		if _, err := run(t, args...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestDrainScript: the script has the nodes of the plan, in order, and a shell can read it.
func TestDrainScript(t *testing.T) {
	name := dump(t)
	script := filepath.Join(filepath.Dir(name), "drain.sh")
	var plan struct {
		Emptied, Bound, Moves int
		Steps                 []struct{ Node string }
	}
	if err := json.Unmarshal([]byte(ask(t, "drain", "--delete-emptydir-data", "--script", script, name, "--json")), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Emptied == 0 || plan.Emptied > plan.Bound || len(plan.Steps) != plan.Emptied {
		t.Errorf("%+v", plan)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for _, step := range plan.Steps {
		line := "node=" + step.Node + "\nmark \"$node\"\nkubectl drain --ignore-daemonsets --timeout=10m"
		at := strings.Index(rest, line)
		if at < 0 {
			t.Fatalf("%q is not in its place in\n%s", line, text)
		}
		rest = rest[at+len(line):]
	}
	if strings.Count(string(text), "kubectl drain") != plan.Emptied {
		t.Errorf("the script drains more nodes than the plan:\n%s", text)
	}
	if out, err := exec.Command("sh", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestReport keeps a report, compares another with it, and fails on conditions that hold.
func TestReport(t *testing.T) {
	name := dump(t)
	kept := filepath.Join(filepath.Dir(name), "report.json")
	if text := ask(t, "report", name, "--out", kept); !strings.Contains(text, "zone_loss.pending") {
		t.Error(text)
	}
	text := ask(t, "report", name, "--against", kept, "--fail-if", "change.nodes != 0", "--fail-if", "nodes < 8")
	if !strings.Contains(text, "0 figures have changed since the report before.") {
		t.Error(text)
	}
	if text = ask(t, "report", name, "--against", kept, "-o", "wide"); strings.Contains(text, "What has changed, by name") {
		t.Errorf("nothing has changed:\n%s", text)
	}
	more := filepath.Join(filepath.Dir(name), "more.json")
	if err := os.WriteFile(more, []byte(`{"kind":"Node","metadata":{"name":"late"},"status":{"allocatable":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if text = ask(t, "report", name, more, "--against", kept, "-o", "wide"); !strings.Contains(text, "What has changed, by name") || !strings.Contains(text, "late") {
		t.Errorf("a node has come:\n%s", text)
	}
	text, err := run(t, "report", name, "--against", kept, "--fail-if", "nodes == 8 and last.nodes == 8")
	var breach *cluster.Breach
	if !errors.As(err, &breach) || !strings.Contains(breach.Figures, "nodes is 8") || !strings.Contains(text, "Report of dump.json") {
		t.Errorf("%v: %s", err, text)
	}
	if text, err = run(t, "report", name, "--fail-if", "pending / pending > 1"); !errors.As(err, &breach) || !breach.Undecided || !strings.Contains(err.Error(), "cannot be decided, for it compares something that is no number") {
		t.Errorf("%v: %s", err, text)
	}
	for want, args := range map[string][]string{
		"it names no figure":                         {"report", name, "--fail-if", "0 / 0 > 1"},
		"did you mean nodes?":                        {"report", name, "--fail-if", "node > 8"},
		`"last.nodes" is not`:                        {"report", name, "--fail-if", "last.nodes > 8"},
		"asked otherwise (without flags; now force)": {"report", name, "--against", kept, "--force"},
		"--output wide names":                        {"report", name, "-o", "wide"},
		`--output is "name"`:                         {"report", name, "--against", kept, "-o", "name"},
		"is no report":                               {"report", name, "--against", name},
		"no such node":                               {"drain", name, "--node", "x"},
		"no node has that":                           {"lose", name, "--by", "rack"},
		"nothing can be grouped":                     {"requests", name, "--by", "rack"},
		"no such zone":                               {"lose", name, "--name", "x"},
		"no pod and no workload":                     {"fit", name, "--pod", "x/y"},
		"--orders is 0":                              {"fit", name, "--orders", "0"},
		`--as is "pdf"`:                              {"drain", name, "--as", "pdf"},
		"the configuration x can":                    {"score", name, "--config", "x"},
		"the prices x cannot":                        {"grow", name, "--prices", "x"},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}
