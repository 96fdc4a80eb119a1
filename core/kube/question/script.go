package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/kube"
)

// wait is a workload whose pods have moved. kind is kubectl's name of its kind, "" if kubectl cannot
// wait for it; ready is its expected number of ready pods, 0 to wait for its rollout.
type wait struct {
	namespace, kind, name string
	ready                 int
}

// waitFor notes that a pod has moved. The script does not wait for a workload that was not ready in
// the dump: it may never be.
func (d *drain) waitFor(step *Step, p *kube.Pod) {
	own := d.keep.Of(p)
	w := wait{namespace: p.Namespace, name: own.Name}
	switch {
	case own.Kind == "Job" || own.Kind == "CronJob" || d.unready[workload{p.Namespace, own}] > 0:
		return
	case own.Kind == "Deployment":
		w.kind = "deployment"
	case own.Kind == "StatefulSet" || own.Kind == "ReplicaSet" || own.Kind == "ReplicationController":
		for i := range d.c.Workloads {
			if x := &d.c.Workloads[i]; x.Namespace == p.Namespace && x.Kind == own.Kind && x.Name == own.Name &&
				x.Replicas > 0 {
				w.kind, w.ready = strings.ToLower(own.Kind), x.Replicas
			}
		}
	}
	if !slices.Contains(step.waits, w) {
		step.waits = append(step.waits, w)
	}
}

// Script returns the plan as lines of kubectl for a shell. Parley never runs it.
func (d *Drained) Script(dump string) string {
	var b strings.Builder
	nodes := make([]string, len(d.Steps))
	for i, s := range d.Steps {
		nodes[i] = escape.Shell(s.Node)
	}
	fmt.Fprintf(&b, "#!/bin/sh\n# Drain plan from %s: %d of %s, %s. Parley has not run it.\n# The dump is a moment: fetch and ask again if pods have moved since.\nset -eu\n",
		escape.Line(dump), d.Emptied, count(d.Nodes, "node", "nodes"), moved(d.Moves))
	if len(d.Steps) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "set -- %s # the nodes of the plan\nnodes=%d pending=%d cluster=%s # of the dump\n%s", strings.Join(nodes, " "), d.Nodes, d.Pending, escape.Shell(d.cluster), guard)
	if d.CordonFirst && len(d.Steps) > 0 {
		b.WriteString("# No pod moves twice: all nodes are cordoned first. To undo: kubectl uncordon NODE\n")
		for _, s := range d.Steps {
			fmt.Fprintf(&b, "mark %s\nask cordon -- %s\n", escape.Shell(s.Node), escape.Shell(s.Node))
		}
	}
	for i, s := range d.Steps {
		fmt.Fprintf(&b, "# %d of %d: %s\n", i+1, len(d.Steps), moved(len(s.Moves)))
		fmt.Fprintf(&b, "node=%s\nmark \"$node\"\nkubectl drain --ignore-daemonsets --timeout=%dm", escape.Shell(s.Node), max(10, (s.grace+59)/60+5))
		if s.DeleteEmptyDir {
			b.WriteString(" --delete-emptydir-data")
		}
		if s.Lost > 0 {
			b.WriteString(" --force")
		}
		b.WriteString(" --request-timeout=60s -- \"$node\"\ndone=\"$done $node\"\n")
		s.settle(&b)
	}
	b.WriteString("trap - EXIT\n")
	return b.String()
}

// settle writes the lines that wait until the moved pods are ready.
func (s *Step) settle(b *strings.Builder) {
	all := false
	for _, w := range s.waits {
		how := "rollout status"
		switch {
		case w.kind == "":
			all = true
			continue
		case w.ready > 0:
			how = "wait --for=jsonpath='{.status.readyReplicas}'=" + strconv.Itoa(w.ready)
		}
		fmt.Fprintf(b, "settle %s %s %s\n", escape.Shell(w.namespace), escape.Shell(w.kind+"/"+w.name), how)
	}
	if all {
		b.WriteString("settle_all # kubectl cannot wait for all that has moved\n")
	}
}

// guard begins a script: it asks for the context, holds the cluster to the dump, waits after each
// drain until the workloads whose pods have moved are ready, and takes back its cordons if it stops.
const guard = `cordoned="" done="" node=""
ask() { # kubectl, which may not answer
	if command -v timeout >/dev/null 2>&1; then timeout "${PARLEY_HANG:-90}" kubectl --request-timeout=60s "$@"; else kubectl --request-timeout=60s "$@"; fi
}
count() { # prints how many pods are not ready; fails if kubectl does
	pods=$(ask get pods --all-namespaces --no-headers) || return 1
	printf '%s\n' "$pods" | awk '{ split($3, r, "/"); if ($4 != "Completed" && $4 != "Succeeded" && r[1] != r[2]) n++ } END { print n + 0 }'
}
settle() { # NAMESPACE KIND/NAME HOW…: waits until what has moved is ready
	namespace=$1 what=$2; shift 2
	kubectl -n "$namespace" "$@" --timeout="${PARLEY_SETTLE:-600}s" -- "$what" >&2 || { echo "After the drain of $node $what of $namespace is not ready in ${PARLEY_SETTLE:-600} s: stopped. PARLEY_SETTLE=SECONDS waits longer." >&2; exit 1; }
}
settle_all() { # waits until no more pods are unready than before the plan
	waited=0
	until now=$(count) && [ "$now" -le "$unready" ]; do
		if [ "$waited" -ge "${PARLEY_SETTLE:-600}" ]; then echo "After the drain of $node more pods are unready than before the plan, or kubectl does not answer: stopped." >&2; exit 1; fi
		waited=$((waited + 5))
		sleep "${PARLEY_PAUSE:-5}"
	done
}
stopped() {
	status=$?
	trap - EXIT
	echo "Stopped at ${node:-the beginning}; drained: ${done:-no node}. Nodes that are not drained are made schedulable again. Run the script again to go on." >&2
	for n in "$@"; do
		case " $done " in *" $n "*) continue ;; esac
		case " $cordoned " in *" $n "*) ask uncordon -- "$n" >&2 || echo "$n is still cordoned: kubectl uncordon $n" >&2 ;; esac
	done
	exit "$status"
}
echo "Context: $(kubectl config current-context). Nodes to drain: $*. Ctrl+C stops."
if [ -n "$cluster" ]; then # the uid of its namespace kube-system
	now=$(ask get namespace kube-system -o "jsonpath={.metadata.uid}") || { echo "kubectl does not answer: nothing was done." >&2; exit 1; }
	[ "$now" = "$cluster" ] || { echo "This is another cluster than that of the dump: choose its context (kubectl config use-context)." >&2; exit 1; }
fi
for n in "$@"; do ask get node -o name -- "$n" >/dev/null || { echo "$n is not in this cluster, or kubectl does not answer: is the context right, and the dump of today?" >&2; exit 1; }; done
differs() { echo "$1: fetch another dump and ask again. PARLEY_ANYWAY=1 goes on." >&2; [ -n "${PARLEY_ANYWAY:-}" ] || exit 1; }
lines() { printf '%s\n' "$1" | grep -c . || true; }
now=$(ask get nodes -o name); now=$(lines "$now")
[ "$now" -eq "$nodes" ] || differs "Nodes: $now in the cluster, $nodes in the dump"
now=$(ask get pods --all-namespaces --field-selector spec.nodeName=,status.phase=Pending -o name); now=$(lines "$now")
[ "$now" -le "$pending" ] || differs "Pending pods: $now in the cluster, $pending in the dump"
unready=$(count)
before=" $(ask get nodes --field-selector spec.unschedulable=true -o name | tr '\n' ' ')" # stay as they are
mark() { case "$before" in *" node/$1 "*) ;; *) cordoned="$cordoned $1" ;; esac; }
trap 'stopped "$@"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
`
