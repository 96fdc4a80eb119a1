package question_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/kube/question"
	"parley/core/unit"
)

// deployed writes a Deployment with its ReplicaSet and a ready pod of 1 CPU on each of some nodes. Its
// pods were ready 10 s after their start.
func deployed(name, strategy string, nodes ...string) (all []string) {
	template := fmt.Sprintf(`"selector":{"matchLabels":{"app":%q}},"template":{"metadata":{"labels":{"app":%q}},"spec":{"terminationGracePeriodSeconds":30,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}`, name, name)
	all = append(all,
		fmt.Sprintf(`{"kind":"Deployment","metadata":{"namespace":"n","name":%q},"spec":{"replicas":%d,"strategy":{%s},%s}}`, name, len(nodes), strategy, template),
		fmt.Sprintf(`{"kind":"ReplicaSet","metadata":{"namespace":"n","name":"%s-1","ownerReferences":[{"kind":"Deployment","name":%q,"controller":true}]},"spec":{"replicas":%d,%s}}`, name, name, len(nodes), template))
	for i, on := range nodes {
		all = append(all, fmt.Sprintf(`{"kind":"Pod","metadata":{"namespace":"n","name":"%s-1-%d","labels":{"app":%q},"creationTimestamp":"2026-01-01T00:00:00Z","ownerReferences":[{"kind":"ReplicaSet","name":"%s-1","controller":true}]},"spec":{"nodeName":%q,"terminationGracePeriodSeconds":30,"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:10Z"}]}}`, name, i, name, name, on))
	}
	return all
}

// TestRolloutStops: nodes that have room for the replicas alone let no pod beyond them start, and a quarter
// of three pods rounds down to none that may be missing. The answer names the pod, the reason and the
// deadline, and a strategy that ends.
func TestRolloutStops(t *testing.T) {
	c := read(t, list(append(deployed("web", "", "a", "a", "a"), node("a", "z1", "3"))...))
	r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{})
	if r.Complete || r.Stops != r.Plays || r.Surge != 1 || r.Unavailable != 0 || r.Exceeded != 601 || len(r.Stuck) != 1 || r.Stuck[0].Reason != "Insufficient cpu" || r.MinAvailable != 3 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"stops with 0 of 3 new pods available and 3 old ones left", "waits: Insufficient cpu", "maxUnavailable is 0", "passes after 10 min 1 s"} {
		if !strings.Contains(r.Sentence(), want) {
			t.Errorf("no %q in %q", want, r.Sentence())
		}
	}
	at := slices.IndexFunc(r.Others, func(o question.OtherStrategy) bool { return o.Strategy == "maxSurge 0, maxUnavailable 1" })
	if at < 0 || !r.Others[at].Complete || r.Others[at].MinAvailable != 2 || r.Others[at].Peak != 3 || r.Others[at].Seconds != 3*40 {
		t.Errorf("%+v", r.Others)
	}
}

// TestRolloutTimes: the time is that of start-ups that the dump shows, from pods that end at once, which the
// scheduler sees after its back-off of a second, to pods
// that use their grace; what was asked for takes its place.
func TestRolloutTimes(t *testing.T) {
	c := read(t, list(append(deployed("web", `"rollingUpdate":{"maxSurge":0,"maxUnavailable":"34%"}`, "a", "a", "a"), node("a", "z1", "3"))...))
	r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{})
	if !r.Complete || r.Stops != 0 || r.Unavailable != 1 || r.Seconds.Min != 3*(10+1) || r.Seconds.Max != 3*40 || len(r.Caveats) != 0 {
		t.Errorf("%+v", r)
	}
	o := question.RolloutOptions{PlayOptions: question.PlayOptions{Plays: 2, Start: 5 * unit.Second}}
	if r = question.Rollout(c, constraint.Default(), "n/web", o); r.Seconds.Min != 3*(5+1) || r.Seconds.Middle != 3*35 || r.Plays != 2 {
		t.Errorf("%+v", r.Seconds)
	}
	c.Pods[0].Restarts, c.Pods[1].Restarts, c.Pods[2].Restarts = 1, 1, 1
	if r = question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{}); r.Seconds.Min != 3*(30+1) || len(r.Caveats) != 1 || !strings.Contains(r.Caveats[0], "is a guess, 30 s") {
		t.Errorf("%+v", r)
	}
}

// TestRolloutRefused: the API server refuses a strategy that lets no pod be replaced; percentages that round
// to 0 let one be missing.
func TestRolloutRefused(t *testing.T) {
	c := read(t, list(append(deployed("web", `"rollingUpdate":{"maxSurge":0,"maxUnavailable":"30%"}`, "a", "a", "a"), node("a", "z1", "3"))...))
	if r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{}); !r.Complete || r.Unavailable != 1 || len(r.Caveats) != 0 {
		t.Errorf("%+v", r)
	}
	c.Workloads[0].Rollout.Unavailable = &kube.IntOrPercent{}
	if r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{}); len(r.Caveats) != 1 || !strings.Contains(r.Caveats[0], "which the API server refuses") {
		t.Errorf("%+v", r)
	}
}

// TestRolloutUnderWay: the dump is in the middle of a rollout whose new pods crash. It goes on with them, and
// stops.
func TestRolloutUnderWay(t *testing.T) {
	items := append(deployed("web", "", "a", "a", "a", "a"), node("a", "z1", "8"))
	old := strings.NewReplacer(`"web-1`, `"web-0`, `"cpu":"1"`, `"cpu":"2"`)
	set := strings.Replace(old.Replace(items[1]), `"replicas":4`, `"replicas":2`, 1)
	crash := strings.NewReplacer(`"status":"True"`, `"status":"False"`, `"phase":"Running"`, `"phase":"Running","containerStatuses":[{"name":"c","restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]`)
	items[1] = strings.Replace(items[1], `"replicas":4`, `"replicas":2`, 1)
	items[2], items[3], items[4], items[5] = old.Replace(items[2]), old.Replace(items[3]), crash.Replace(items[4]), crash.Replace(items[5])
	c := read(t, list(append(items, set)...))
	r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{})
	if !r.InProgress || r.Complete || r.Broken != "CrashLoopBackOff" || r.Old != 3-1 || !strings.Contains(r.Sentence(), "which is under way, stops with 0 of 4") {
		t.Errorf("%+v\n%s", r, r.Sentence())
	}
}

// TestRolloutTemplate: a template that requests more than a node has does not fit.
func TestRolloutTemplate(t *testing.T) {
	c := read(t, list(append(deployed("web", "", "a"), node("a", "z1", "4"))...))
	w := c.Workloads[0]
	spec := *w.Template
	spec.Requests = kube.Vector{5000, 0, 0, 1}
	w.Template = &spec
	r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{Change: plane.Change{Template: &w}})
	if r.Complete || len(r.Stuck) != 1 || r.Stuck[0].Reason != "Insufficient cpu" {
		t.Errorf("%+v", r)
	}
	if question.Rollout(c, constraint.Default(), "n/other", question.RolloutOptions{}) != nil {
		t.Error("a workload that the dump does not have is rolled out")
	}
}

// TestRolloutOfBrokenStatefulSet: the newest revision crashes. The rollout stops at its pod, and the answer says
// that going back is not enough (kubernetes/kubernetes#67250).
func TestRolloutOfBrokenStatefulSet(t *testing.T) {
	revision := func(object, hash string) string {
		return strings.Replace(object, `"app":"web"`, `"app":"web","controller-revision-hash":"`+hash+`"`, 1)
	}
	broken := strings.NewReplacer(`"status":"True"`, `"status":"False"`, `"phase":"Running"`, `"phase":"Running","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ImagePullBackOff"}}}]`)
	c := read(t, list(node("a", "z1", "4"),
		`{"kind":"StatefulSet","metadata":{"namespace":"n","name":"statefulset"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"spec":{"containers":[{"name":"c"}]}}},"status":{"updateRevision":"new"}}`,
		revision(pod("statefulset-0", "a", "StatefulSet", "1", ""), "old"), broken.Replace(revision(pod("statefulset-1", "a", "StatefulSet", "1", ""), "new"))))
	r := question.Rollout(c, constraint.Default(), "n/statefulset", question.RolloutOptions{})
	if !r.InProgress || r.Complete || r.Broken != "ImagePullBackOff" || r.Old != 1 || !strings.Contains(r.Sentence(), "until it is deleted by hand") {
		t.Errorf("%+v\n%s", r, r.Sentence())
	}
}

// TestRolloutPartition: pods below the partition stay as they are, and the answer says so.
func TestRolloutPartition(t *testing.T) {
	c := read(t, list(node("a", "z1", "4"),
		`{"kind":"StatefulSet","metadata":{"namespace":"n","name":"statefulset"},"spec":{"replicas":2,"updateStrategy":{"rollingUpdate":{"partition":1}},"selector":{"matchLabels":{"app":"web"}},"template":{"spec":{"containers":[{"name":"c"}]}}}}`,
		pod("statefulset-0", "a", "StatefulSet", "1", ""), pod("statefulset-1", "a", "StatefulSet", "1", "")))
	r := question.Rollout(c, constraint.Default(), "n/statefulset", question.RolloutOptions{})
	if want := "The partition is 1: 1 of the 2 keeps the old template."; r.Updated != 1 || r.Old != 1 || !r.Complete || !strings.Contains(r.Sentence(), want) {
		t.Errorf("%+v: %s", r, r.Sentence())
	}
}

// TestRolloutOfTooMany: a workload that wants more pods than can be played ends the play, and the answer says so.
func TestRolloutOfTooMany(t *testing.T) {
	items := append(deployed("web", "", "a"), node("a", "z1", "4"))
	c := read(t, list(items...))
	c.Workloads[0].Replicas, c.Workloads[1].Replicas = 1<<30, 1<<30
	r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{PlayOptions: question.PlayOptions{Plays: 1}})
	if r.Complete || len(r.Caveats) == 0 || !strings.Contains(r.Caveats[0], "cut short") {
		t.Errorf("%v, %v", r.Complete, r.Caveats)
	}
}

// TestRolloutWaitsForEver: Recreate and a DaemonSet wait for a pod that terminates on a machine that does not answer; the
// answer names it, and that nothing is ready meanwhile (kubernetes/kubernetes#90669).
func TestRolloutWaitsForEver(t *testing.T) {
	silent := `{"kind":"Node","metadata":{"name":"b","labels":{"kubernetes.io/hostname":"b"}},"spec":{"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoSchedule"},{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}]},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10"},"conditions":[{"type":"Ready","status":"Unknown"}]}}`
	c := read(t, list(append(deployed("web", `"type":"Recreate"`, "a", "b"), node("a", "z1", "4"), silent)...))
	r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{})
	if r.Complete || r.Stops != r.Plays || !r.NoneReady || len(r.StuckTerminating) != 1 || r.StuckTerminating[0].Pod != "n/web-1-1" || r.StuckTerminating[0].Node != "b" {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"stops with 0 of 2 new pods available", "It waits for the end of n/web-1-1: its node b does not answer.", "At the end no pod is ready."} {
		if !strings.Contains(r.Sentence(), want) {
			t.Errorf("no %q in %q", want, r.Sentence())
		}
	}
	c = read(t, list(node("a", "z1", "4"), silent,
		`{"kind":"DaemonSet","metadata":{"namespace":"n","name":"daemonset"},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"spec":{"containers":[{"name":"c"}]}}}}`,
		pod("agent-0", "a", "DaemonSet", "1", ""), pod("agent-1", "b", "DaemonSet", "1", "")))
	if r = question.Rollout(c, constraint.Default(), "n/daemonset", question.RolloutOptions{}); r.Complete || r.Updated != 0 || r.Old != 1 || !strings.Contains(r.Sentence(), "It waits for the end of n/agent-1: its node b does not answer.") {
		t.Errorf("%+v: %s", r, r.Sentence())
	}
}

// TestRolloutTellsRevisionsApart: anti-affinity with the hash of the ReplicaSet among its matchLabelKeys lets new pods
// beside old ones, as on as many nodes as there are replicas. Nothing is under way.
func TestRolloutTellsRevisionsApart(t *testing.T) {
	apart := func(keys, more string) string {
		return `"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"web"}` + more + `}` + keys + `}]}},"containers"`
	}
	for keys, ends := range map[string]bool{`,"matchLabelKeys":["pod-template-hash"]`: true, "": false} {
		items := deployed("web", "", "a", "b", "c")
		for i := range items {
			labels := `"labels":{"app":"web","pod-template-hash":"1"}`
			switch {
			case i == 0:
				items[i] = strings.Replace(items[i], `"containers"`, apart(keys, ""), 1)
			case i == 1: // the hash is a label of the template as well
				items[i] = strings.NewReplacer(`"containers"`, apart(keys, ""), `"labels":{"app":"web"}`, labels).Replace(items[i])
			case ends:
				items[i] = strings.NewReplacer(`"containers"`, apart("", `,"matchExpressions":[{"key":"pod-template-hash","operator":"In","values":["1"]}]`), `"labels":{"app":"web"}`, labels).Replace(items[i])
			default:
				items[i] = strings.NewReplacer(`"containers"`, apart("", ""), `"labels":{"app":"web"}`, labels).Replace(items[i])
			}
		}
		c := read(t, list(append(items, node("a", "z1", "4"), node("b", "z1", "4"), node("c", "z1", "4"))...))
		r := question.Rollout(c, constraint.Default(), "n/web", question.RolloutOptions{})
		if r.Complete != ends || r.InProgress {
			t.Errorf("%s: complete %v, under way %v", keys, r.Complete, r.InProgress)
		}
	}
	scaled := deployed("web", "")[:2] // its ReplicaSet is there, without pods
	scaled[0] = strings.Replace(scaled[0], `"containers"`, apart(`,"matchLabelKeys":["pod-template-hash"]`, ""), 1)
	scaled[1] = strings.NewReplacer(`"containers"`, apart(`,"matchLabelKeys":["pod-template-hash"]`, ""),
		`"labels":{"app":"web"}`, `"labels":{"app":"web","pod-template-hash":"1"}`).Replace(scaled[1])
	if f := fits(t, "n/web", append(scaled, node("a", "z1", "4"), node("b", "z1", "4"))...); f.More != 2 {
		t.Errorf("%d more, and one on a node may be", f.More)
	}
	manifest := strings.Replace(deployed("web", "")[0], `"containers"`, apart(`,"matchLabelKeys":["pod-template-hash"]`, ""), 1)
	if f := fits(t, "n/web", node("a", "z1", "4"), node("b", "z1", "4"), manifest, pod("old", "a", "ReplicaSet", "1", "")); f.More != 2 {
		t.Errorf("%d more of a manifest beside a pod of another revision", f.More)
	}
}

// TestRolloutWaitsForAnOldPod: an ordered StatefulSet waits for an old pod that never becomes ready, and the answer says
// so (kubernetes/kubernetes#67250).
func TestRolloutWaitsForAnOldPod(t *testing.T) {
	set := strings.Replace(workload("StatefulSet", "statefulset", 1, "", `"updateRevision":"new"`), `"replicas"`, `"serviceName":"s","replicas"`, 1)
	old := strings.NewReplacer(`"status":"True"`, `"status":"False"`, `"phase":"Running",`, `"phase":"Running","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"CrashLoopBackOff"}}}],`,
		`"app":"web"`, `"app":"web","controller-revision-hash":"old"`).Replace(pod("statefulset-0", "a", "StatefulSet", "1", ""))
	r := question.Rollout(read(t, list(node("a", "z1", "4"), set, old)), constraint.Default(), "n/statefulset", question.RolloutOptions{})
	if want := "n/statefulset-0 waits: it is an old pod that never becomes ready (CrashLoopBackOff), and an ordered"; !strings.Contains(r.Sentence(), want) {
		t.Errorf("%s, want %s", r.Sentence(), want)
	}
}
