package question_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/plane"
	"parley/core/kube/question"
)

// workload writes a workload of app web with containers of one CPU; more are fields of its spec after a comma, and
// status is its status.
func workload(kind, name string, replicas int, more, status string) string {
	return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":%q,"metadata":{"namespace":"n","name":%q,"uid":%q},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}%s},"status":{%s}}`, kind, name, name, replicas, more, status)
}

// happened writes an event about an object of namespace n, at an hour.
func happened(kind, name, reason, message, hour string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"namespace":"n","name":"%s.%s"},"involvedObject":{"kind":%q,"namespace":"n","name":%q},"type":"Warning","reason":%q,"message":"%s","lastTimestamp":"2026-01-01T%s:00:00Z"}`, name, reason, kind, name, reason, message, hour)
}

func quota(hard string) string {
	return `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"namespace":"n","name":"q"},"spec":{"hard":{` + hard + `}}}`
}

// TestMissing: pods that no controller made wait for no node, and the answer says what keeps them from being made.
func TestMissing(t *testing.T) {
	one := pod("web-1", "a", "ReplicaSet", "1", "")
	for name, c := range map[string]struct {
		items []string
		want  string
	}{
		"condition": {
			[]string{one, workload("ReplicaSet", "replicaset", 3, "", `"conditions":[{"type":"ReplicaFailure","status":"True","message":"pods are forbidden by a webhook"}]`)},
			"No pod is pending. 2 more pods are wanted and not made: 2 of ReplicaSet n/replicaset, for pods are forbidden by a webhook.",
		},
		"quota": {
			[]string{one, workload("ReplicaSet", "replicaset", 3, "", ""), quota(`"requests.cpu":"1500m"`)},
			"2 of ReplicaSet n/replicaset, for the API server refuses them: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=1, limited: requests.cpu=1500m.",
		},
		"ordered": {
			[]string{strings.Replace(pod("db-0", "a", "StatefulSet", "1", ""), `"status":"True"`, `"status":"False"`, 1), workload("StatefulSet", "statefulset", 3, "", "")},
			"2 of StatefulSet n/statefulset, for db-0 is not ready, and OrderedReady makes the next only then.",
		},
		"suspended": {[]string{workload("Job", "train", 1, `,"parallelism":4,"suspend":true`, "")}, "4 of Job n/train, for it is suspended (spec.suspend)."},
		"all there": {[]string{one, workload("ReplicaSet", "replicaset", 1, "", "")}, "No pod is pending.\n"},
		"done":      {[]string{workload("Job", "train", 1, `,"parallelism":4`, `"conditions":[{"type":"Failed","status":"True"}]`)}, "No pod is pending.\n"},
		"completed": {[]string{workload("Job", "train", 1, `,"parallelism":4,"completions":5`, `"succeeded":5`)}, "No pod is pending.\n"},
		"starting": {
			[]string{strings.Replace(one, `"phase":"Running","conditions":[{"type":"Ready","status":"True"}]`, `"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":{"reason":"ErrImagePull"}}}]`, 1)},
			"1 pod has a node and has not started, as n/web-1 on a: a container waits: ErrImagePull.",
		},
		"an event of a pod": {
			[]string{
				strings.Replace(one, `"phase":"Running","conditions":[{"type":"Ready","status":"True"}]`, `"phase":"Pending"`, 1),
				happened("Pod", "web-1", "FailedMount", `secret \"s\" not found`, "10"), happened("Pod", "web-1", "Older", "x", "09"),
			},
			`as n/web-1 on a: its containers or volumes are being made ready (FailedMount: secret "s" not found).`,
		},
		"an event of a workload": {
			[]string{workload("StatefulSet", "db", 1, "", ""), happened("StatefulSet", "db", "FailedCreate", "serviceaccount db not found", "10")},
			"1 of StatefulSet n/db, for FailedCreate: serviceaccount db not found.",
		},
		"an event of the autoscaler": {
			[]string{
				pod("big", "", "ReplicaSet", "8", ""), strings.Replace(happened("Pod", "big", "NotTriggerScaleUp", "pod didn't trigger scale-up: 3 max node group size reached", "10"), "Warning", "Normal", 1),
				happened("Pod", "big", "FailedScheduling", "0/1 nodes", "11"),
			},
			"1 pod is pending: Insufficient cpu. The event about n/big: NotTriggerScaleUp: pod didn't trigger scale-up: 3 max node group size reached.",
		},
		"a selector that no node has": {
			[]string{pod("x", "", "ReplicaSet", "1", `,"nodeSelector":{"topology.kubernetes.io/zone":"z9"}`)},
			"1 pod is pending: node(s) didn't match Pod's node affinity/selector (it wants topology.kubernetes.io/zone=z9, and nodes have z1).",
		},
		"a label that no node has": {
			[]string{pod("x", "", "ReplicaSet", "1", `,"nodeSelector":{"disk":"ssd"}`)},
			"(it wants disk=ssd, and no node has a label disk).",
		},
		"a scheduler that does not run": {
			[]string{strings.Replace(pod("x", "", "ReplicaSet", "1", ""), "default-scheduler", "defualt-scheduler", 1)},
			"whose configuration was not given (no pod that names it has a node: is the name right, and does it run?).",
		},
		"attached elsewhere": {
			[]string{
				strings.Replace(strings.Replace(one, `"phase":"Running"`, `"phase":"Pending"`, 1), `"nodeName":"a"`, `"nodeName":"a","volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"data"}}]`, 1),
				strings.Replace(node("gone", "z1", "4"), `"status":"True"`, `"status":"Unknown"`, 1),
				`{"kind":"PersistentVolumeClaim","metadata":{"namespace":"n","name":"data"},"spec":{"volumeName":"pv","accessModes":["ReadWriteOnce"]},"status":{"phase":"Bound"}}`,
				`{"kind":"VolumeAttachment","metadata":{"name":"va"},"spec":{"attacher":"d","nodeName":"gone","source":{"persistentVolumeName":"pv"}}}`,
			},
			"as n/web-1 on a: the volume of data is attached to gone (Multi-Attach error), which is not ready",
		},
	} {
		document := question.Pending(read(t, list(append([]string{node("a", "z1", "4")}, c.items...)...)), constraint.Default(), 1).Document()
		if text := document.Text(); !strings.Contains(text, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, text)
		}
	}
}

// TestFitRefused: copies end where the API server refuses the next, and the answer says what the nodes would take.
func TestFitRefused(t *testing.T) {
	c := read(t, list(node("a", "z1", "8"), pod("web-1", "a", "ReplicaSet", "1", ""), quota(`"requests.cpu":"3"`)))
	f := question.Fit(c, constraint.Default(), "n/web-1", *plane.Model(c, "n/web-1"), question.FitOptions{})
	if f.More != 2 || f.Room != 7 || f.Bound != 2 || len(f.PerNode) != 1 || f.PerNode[0].Copies != 2 {
		t.Errorf("%+v", f)
	}
	if want := "2 more pods of n/web-1 fit. The API server refuses the next: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=3, limited: requests.cpu=3. The nodes have room for 7."; f.Sentence() != want {
		t.Errorf("%s, want %s", f.Sentence(), want)
	}
	lr := `{"apiVersion":"v1","kind":"LimitRange","metadata":{"namespace":"n","name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":"500m"}}]}}`
	c = read(t, list(node("a", "z1", "8"), lr, workload("Deployment", "new", 1, "", "")))
	f = question.Fit(c, constraint.Default(), "n/new", *plane.Model(c, "n/new"), question.FitOptions{})
	if want := "No more pod of n/new is made. The API server refuses it: maximum cpu usage per Container is 500m, but request is 1. The nodes have room for 8."; f.Sentence() != want || f.More != 0 {
		t.Errorf("%s, want %s", f.Sentence(), want)
	}
}
