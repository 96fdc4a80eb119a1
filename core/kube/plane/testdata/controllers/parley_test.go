package controllers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"parley/core/kube/constraint"
	"parley/core/kube/dump"
	"parley/core/kube/plane"
	"parley/core/trace"
	"parley/core/unit"
)

type object = map[string]any

// number writes 2 as a number and "25%" as a text.
func number(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

// listed writes a case as kubectl would at its beginning.
func listed(r rollout) []byte {
	labels := object{"app": "w"}
	spec := object{"terminationGracePeriodSeconds": r.grace, "containers": []any{object{"name": "c", "resources": object{"requests": object{"cpu": "1"}}}}}
	template := object{"metadata": object{"labels": labels}, "spec": spec}
	node := object{"kind": "Node", "metadata": object{"name": "n"}, "status": object{
		"allocatable": object{"cpu": strconv.Itoa(r.room), "pods": "110"}, "conditions": []any{object{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T00:00:00Z"}},
	}}
	owner := object{"kind": "ReplicaSet", "name": "w-1", "controller": true}
	items := []any{node}
	if r.daemon {
		items = items[:0]
		for i := range r.replicas {
			items = append(items, object{"kind": "Node", "metadata": object{"name": fmt.Sprint("n", i)}, "status": node["status"]})
		}
		owner = object{"kind": "DaemonSet", "name": "w", "controller": true}
		items = append(items, object{"kind": "DaemonSet", "metadata": object{"name": "w", "namespace": "default"}, "spec": object{
			"selector": object{"matchLabels": labels}, "template": template, "minReadySeconds": r.minReady,
			"updateStrategy": object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": number(r.surge), "maxUnavailable": number(r.unavailable)}},
		}})
	} else if r.set {
		owner = object{"kind": "StatefulSet", "name": "w", "controller": true}
		policy := "OrderedReady"
		if r.parallel {
			policy = "Parallel"
		}
		items = append(items, object{"kind": "StatefulSet", "metadata": object{"name": "w", "namespace": "default"}, "spec": object{
			"replicas": r.replicas, "selector": object{"matchLabels": labels}, "template": template, "podManagementPolicy": policy, "minReadySeconds": r.minReady,
			"updateStrategy": object{"type": "RollingUpdate", "rollingUpdate": object{"partition": r.partition}},
		}})
	} else {
		strategy := object{"type": "RollingUpdate", "rollingUpdate": object{"maxSurge": number(r.surge), "maxUnavailable": number(r.unavailable)}}
		if r.recreate {
			strategy = object{"type": "Recreate"}
		}
		items = append(items,
			object{"kind": "Deployment", "metadata": object{"name": "w", "namespace": "default"}, "spec": object{
				"replicas": r.replicas, "selector": object{"matchLabels": labels}, "template": template, "strategy": strategy, "minReadySeconds": r.minReady, "progressDeadlineSeconds": r.deadline,
			}},
			object{"kind": "ReplicaSet", "metadata": object{"name": "w-1", "namespace": "default", "ownerReferences": []any{object{"kind": "Deployment", "name": "w", "controller": true}}}, "spec": object{
				"replicas": r.replicas, "selector": object{"matchLabels": labels}, "template": template, "minReadySeconds": r.minReady,
			}})
	}
	if r.drain {
		budget := object{"selector": object{"matchLabels": labels}}
		if r.least != "" {
			budget["minAvailable"] = number(r.least)
		} else {
			budget["maxUnavailable"] = number(r.most)
		}
		if r.always {
			budget["unhealthyPodEvictionPolicy"] = "AlwaysAllow"
		}
		items = append(items, object{"kind": "PodDisruptionBudget", "apiVersion": "policy/v1", "metadata": object{"name": "b", "namespace": "default"}, "spec": budget},
			object{"kind": "Node", "metadata": object{"name": "other"}, "status": node["status"]})
	}
	for i := range r.replicas {
		one := object{"nodeName": "n"}
		if r.daemon {
			one["nodeName"] = fmt.Sprint("n", i)
		}
		for k, v := range spec {
			one[k] = v
		}
		ready, statuses := "True", []any{}
		if i < r.sick {
			ready, statuses = "False", []any{object{"name": "c", "state": object{"waiting": object{"reason": "CrashLoopBackOff"}}}}
		}
		items = append(items, object{"kind": "Pod", "spec": one, "metadata": object{"name": fmt.Sprintf("%s-%d", owner["name"], i), "namespace": "default", "labels": labels, "ownerReferences": []any{owner}, "creationTimestamp": "2026-01-01T00:00:00Z"}, "status": object{
			"phase": "Running", "startTime": "2026-01-01T00:00:00Z", "containerStatuses": statuses, "conditions": []any{object{"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-01T00:00:10Z"}},
		}})
	}
	out, err := json.Marshal(object{"kind": "List", "items": items})
	if err != nil {
		panic(err) // maps, slices, texts and numbers
	}
	return out
}

// played returns what happens in Parley's plane.
func played(t *testing.T, r rollout) facts {
	text := listed(r)
	c, err := dump.Read([]trace.File{{Name: "case", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := plane.New(c, plane.Options{Profile: constraint.Default(), Seed: 1, Start: unit.Time(r.start) * unit.Second, FixedStart: true})
	all := p.Facts
	if r.drain {
		p.Drains([]int{0}, false)
	} else {
		change := plane.Change{}
		if r.broken {
			change.Broken = "it is broken"
		}
		all = p.Roll("default", "w", change).Facts
	}
	p.Run((horizon+1)*unit.Second, func() bool { return false })
	out := facts{}
	for _, f := range all() {
		if r.drain && f.Kind == plane.Progress {
			continue
		}
		at := int64(f.At / (unit.Second / 10))
		switch f.Kind {
		case plane.Created, plane.Deleted, plane.Gone, plane.Ready:
			out.add(at, string(f.Kind))
		case plane.Progress:
			reason, _, _ := strings.Cut(f.Text, ":")
			out.add(at, reason)
		}
	}
	return out
}
