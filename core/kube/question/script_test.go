package question_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/question"
)

// fakeKubectl keeps a log of its calls. It fails at what FAIL holds, and says that a pod is
// unready for the next UNREADY calls of get pods after a drain.
// It hangs at what HANG begins with, and is of the cluster UID.
const fakeKubectl = `#!/bin/sh
[ "$1" != --request-timeout=60s ] || shift
echo "$*" >> "$LOG"
case "$*" in "$HANG"*) [ -z "$HANG" ] || exec tail -f /dev/null ;; esac
case "$*" in
"get namespace kube-system"*) echo "$UID_OF" ;;
"config current-context") echo kind ;;
"get nodes -o name") printf '%s\n' node/1 node/2 node/3 node/4 $MORE ;;
"get nodes"*) echo "$CORDONED" ;;
"get pods"*Pending*) echo "$PENDING" ;;
"get pods"*)
	[ -z "$DOWN" ] || ! grep -q ^drain "$LOG" || exit 1
	n=$(cat "$LOG.unready" 2>/dev/null || echo 0)
	if [ "$n" -gt 0 ]; then echo $((n - 1)) > "$LOG.unready"; echo "default web-1 0/1 Running 0 1m"; else echo "default web-1 1/1 Running 0 1m"; fi ;;
drain*) [ -z "$SIGNAL" ] || kill -"$SIGNAL" "$PPID"
	echo "${UNREADY:-0}" > "$LOG.unready" ;;
esac
case "$*" in *"$FAIL") [ -z "$FAIL" ] || { echo "error 429" >&2; exit 1; } ;; esac
`

// TestScriptRuns: the script waits until moved pods are ready before the next drain, and takes
// back its cordons where it stops; names that a shell would read are only names.
func TestScriptRuns(t *testing.T) {
	if _, err := exec.LookPath("awk"); err != nil {
		t.Skip("no awk")
	}
	// Each node has a pod of an operator that kubectl cannot wait for, and two have one more.
	of := func(kind, name, on string) string {
		return strings.Replace(pod("p-"+name+on, on, kind, "1", ""), `"name":"`+strings.ToLower(kind)+`"`, fmt.Sprintf(`"name":%q`, name), 1)
	}
	names := []string{"a", "b; touch X", "--all"}
	var items []string
	for _, name := range names {
		items = append(items, node(name, "z1", "8"), of("CloneSet", "set", name))
	}
	items = append(items, `{"kind":"Namespace","metadata":{"name":"kube-system","uid":"prod"}}`)
	c := read(t, list(append(items, node("stays", "z1", "64"), pod("lone", "stays", "", "9", ""), strings.Replace(of("ReplicaSet", "web-1", "a"), `"labels":{`, `"labels":{"pod-template-hash":"1",`, 1), of("StatefulSet", "db", "a"),
		`{"kind":"StatefulSet","metadata":{"namespace":"n","name":"db"},"spec":{"replicas":2}}`, of("Job", "once", "a"))...))
	script := question.Drain(c, constraint.Default(), question.DrainOptions{}).Script("dump.json")
	play := func(env ...string) (log, out string, err error) {
		dir := t.TempDir()
		for name, text := range map[string]string{"kubectl": fakeKubectl, "drain.sh": script} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", "drain.sh")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "LOG=" + filepath.Join(dir, "log"), "PARLEY_PAUSE=0", "FAIL=", "DOWN=", "SIGNAL=", "MORE=", "PENDING=", "CORDONED=", "HANG=", "UID_OF=prod"}, env...)...)
		if strings.HasPrefix(env[0], "HANG=") { // the others wait as long as a busy machine needs
			cmd.Env = append(cmd.Env, "PARLEY_HANG=3")
		}
		stated, err := cmd.CombinedOutput()
		text, _ := os.ReadFile(filepath.Join(dir, "log"))
		if _, wrong := os.Stat(filepath.Join(dir, "X")); wrong == nil {
			t.Error("a node's name was run")
		}
		return string(text), string(stated), err
	}
	log, out, err := play("UNREADY=3")
	if !strings.Contains(log, "drain --ignore-daemonsets --timeout=10m --request-timeout=60s -- a\n") {
		t.Errorf("a drain that no answer ends: %s", log)
	}
	if err != nil || strings.Count(log, "drain --ignore-daemonsets") != 3 {
		t.Fatalf("%v\n%s\n%s", err, out, log)
	}
	if !strings.Contains(log, "-n n rollout status --timeout=600s -- deployment/web\n") || !strings.Contains(log, "-n n wait --for=jsonpath={.status.readyReplicas}=2 --timeout=600s -- statefulset/db\n") || strings.Contains(log, "once") {
		t.Errorf("the workloads that moved are not waited for:\n%s", log)
	}
	if between := strings.Split(log, "drain --ignore-daemonsets"); strings.Count(between[1], "get pods") != 4 {
		t.Errorf("the next drain begins before three unready answers have passed:\n%s", log)
	}
	for env, want := range map[string]string{"MORE=node/5": "Nodes: 5 in the cluster, 4 in the dump: fetch another dump", "PENDING=pod/x": "Pending pods: 1 in the cluster, 0 in the dump"} {
		if log, out, err = play(env); err == nil || !strings.Contains(out, want) || strings.Contains(log, "cordon") {
			t.Errorf("another cluster, %s: %v\n%s\n%s", env, err, out, log)
		}
		if log, out, err = play(env, "PARLEY_ANYWAY=1"); err != nil || !strings.Contains(out, want) || strings.Count(log, "drain --ignore-daemonsets") != 3 {
			t.Errorf("another cluster anyway, %s: %v\n%s\n%s", env, err, out, log)
		}
	}
	if log, out, err = play("UID_OF=staging", "PARLEY_ANYWAY=1"); err == nil || !strings.Contains(out, "This is another cluster than that of the dump") || strings.Contains(log, "cordon") {
		t.Errorf("another cluster with nodes of the same names: %v\n%s\n%s", err, out, log)
	}
	if _, err := exec.LookPath("timeout"); err == nil {
		for _, hang := range []string{"get pods", "cordon -- b", "get namespace", "get nodes -o name", "get node -o name -- a"} {
			if testing.Short() && strings.HasPrefix(hang, "get n") {
				continue // the same line of the script
			}
			if log, out, err = play("HANG=" + hang); err == nil || strings.Contains(log, "drain ") {
				t.Errorf("kubectl hangs at %s: %v\n%s\n%s", hang, err, out, log)
			}
		}
		if log, out, err = play("HANG=uncordon -- --all", "FAIL=--timeout=10m --request-timeout=60s -- --all"); err == nil || !strings.Contains(out, "--all is still cordoned: kubectl uncordon --all") || !strings.Contains(log, "uncordon -- a\n") {
			t.Errorf("kubectl hangs when a cordon is taken back: %v\n%s\n%s", err, out, log)
		}
	}
	log, out, err = play("FAIL=b; touch X", "UNREADY=0")
	if err == nil || !strings.Contains(out, "not in this cluster") || strings.Contains(log, "cordon") {
		t.Errorf("a node that is not there: %v\n%s\n%s", err, out, log)
	}
	log, out, err = play("FAIL=--timeout=10m --request-timeout=60s -- --all")
	if err == nil || !strings.Contains(out, "Stopped at --all; drained:  b; touch X. Nodes that are not drained are made schedulable again. Run the script again to go on.") || !strings.Contains(log, "uncordon -- --all") || !strings.Contains(log, "uncordon -- a\n") || strings.Contains(log, "uncordon -- b") {
		t.Errorf("a drain that fails: %v\n%s\n%s", err, out, log)
	}
	// It goes on where it stopped: what it drained is cordoned and stays so.
	log, out, err = play("CORDONED=node/b; touch X")
	if err != nil || strings.Count(log, "drain --ignore-daemonsets") != 3 || strings.Contains(log, "uncordon") {
		t.Errorf("a second run: %v\n%s\n%s", err, out, log)
	}
	log, out, err = play("DOWN=yes")
	if err == nil || strings.Count(log, "drain --ignore-daemonsets") != 1 {
		t.Errorf("an API that does not answer about pods: %v\n%s\n%s", err, out, log)
	}
	for _, signal := range []string{"INT", "TERM"} {
		if log, out, err = play("SIGNAL="+signal, "CORDONED=node/b; touch X"); err == nil || !strings.Contains(out, "Stopped at") || !strings.Contains(log, "uncordon -- --all") || strings.Contains(log, "uncordon -- b; touch X") {
			t.Errorf("%s: a node that was cordoned before stays so, the others do not: %v\n%s\n%s", signal, err, out, log)
		}
	}
	log, out, err = play("FAIL=deployment/web")
	if err == nil || !strings.Contains(out, "deployment/web of n is not ready in 600 s") || !strings.Contains(out, "Stopped at a") {
		t.Errorf("a rollout that does not end: %v\n%s\n%s", err, out, log)
	}
	if _, out, err = play("UNREADY=1000", "PARLEY_SETTLE=10"); err == nil || !strings.Contains(out, "more pods are unready") {
		t.Errorf("pods that never become ready: %v\n%s", err, out)
	}
}
