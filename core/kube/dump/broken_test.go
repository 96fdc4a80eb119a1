package dump_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/core/kube/dump"
	"parley/core/trace"
)

// whole is a dump with one object of each kind that is read, of which the tests below break one
// thing each.
const whole = `{"apiVersion":"v1","items":[
{"kind":"Node","metadata":{"name":"n0","uid":"u0","labels":{"zone":"a"},"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"unschedulable":false,"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"capacity":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}],"images":[{"names":["i:1"],"sizeBytes":5}]}},
{"kind":"Pod","metadata":{"name":"p0","namespace":"d","uid":"u1","labels":{"app":"x"},"ownerReferences":[{"kind":"ReplicaSet","name":"r","controller":true}],"annotations":{"controller.kubernetes.io/pod-deletion-cost":"3"}},"spec":{"nodeName":"n0","priority":0,"hostNetwork":false,"terminationGracePeriodSeconds":30,"containers":[{"name":"c","resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"ports":[{"hostPort":80,"containerPort":80}]}],"tolerations":[{"key":"k","operator":"Equal","value":"v","effect":"NoSchedule","tolerationSeconds":5}],"nodeSelector":{"zone":"a"},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchExpressions":[{"key":"app","operator":"In","values":["x"]}]},"minDomains":1}],"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"preference":{"matchExpressions":[{"key":"zone","operator":"Exists"}]}}]}},"overhead":{"cpu":"10m"},"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c0"}}]},"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Ready","status":"True"}]}},
{"kind":"PersistentVolumeClaim","metadata":{"name":"c0","namespace":"d"},"spec":{"volumeName":"v0","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}},
{"kind":"PersistentVolume","metadata":{"name":"v0"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"x","volumeHandle":"h"}}},
{"kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"d"},"spec":{"minAvailable":"50%","selector":{"matchLabels":{"app":"x"}}},"status":{"disruptionsAllowed":0}},
{"kind":"PriorityClass","metadata":{"name":"high"},"value":5,"globalDefault":false},
{"kind":"CSINode","metadata":{"name":"n0"},"spec":{"drivers":[{"name":"x","nodeID":"n","allocatable":{"count":3}}]}},
{"kind":"Deployment","metadata":{"name":"w","namespace":"d","generation":1},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"spec":{"containers":[{"name":"c"}]}}}}
],"kind":"List"}`

// TestBroken breaks a dump in a hundred ways: each is one sentence that names the place.
func TestBroken(t *testing.T) {
	if _, err := dump.Read([]trace.File{file("dump.json", []byte(whole))}, nil); err != nil {
		t.Fatal(err)
	}
	n := 0
	check := func(content, want string) {
		t.Helper()
		n++
		_, err := dump.Read([]trace.File{file("dump.json", []byte(content))}, nil)
		switch {
		case err == nil:
			t.Errorf("%d: it is read; want %q", n, want)
		case !errors.As(err, new(*dump.Error)), strings.ContainsAny(err.Error(), "\n\r\x00"), len(err.Error()) > 400, !strings.HasPrefix(err.Error(), "dump.json"), !strings.Contains(err.Error(), "; "):
			t.Errorf("%d: %q is no sentence with a place and what to do", n, err)
		case !strings.Contains(err.Error(), want):
			t.Errorf("%d: %q, want %q in it", n, err, want)
		}
	}
	// replace breaks the first occurrence of a text.
	replace := func(old, with, want string) {
		t.Helper()
		if !strings.Contains(whole, old) {
			t.Fatalf("the dump has no %q", old)
		}
		check(strings.Replace(whole, old, with, 1), want)
	}
	for _, quantity := range []string{`"1K"`, `"-1"`, `""`, `" 1"`, `"NaN"`, `"1e"`, `true`, `{}`, `[1]`, `"0x10"`, `"1,5"`, `"ten"`, `-5`} {
		replace(`"cpu":"100m"`, `"cpu":`+quantity, "Pod d/p0: spec.containers[0].resources.requests.cpu")
		replace(`"memory":"8Gi"`, `"memory":`+quantity, "Node n0: status.allocatable.memory")
	}
	for _, c := range [][3]string{
		{`"overhead":{"cpu":"10m"}`, `"overhead":{"cpu":"x"}`, "spec.overhead.cpu \"x\" is no quantity"},
		{`"storage":"1Gi"`, `"storage":"1GB"`, "PersistentVolumeClaim d/c0: spec.resources.requests.storage \"1GB\""},
		{`"tolerationSeconds":5`, `"tolerationSeconds":"5"`, "spec.tolerations[0].tolerationSeconds"},
		{`"operator":"In",`, ``, "matchExpressions[0]"},
		{`"phase":"Running"`, `"phase":7`, "status.phase"},
		{`"effect":"NoSchedule"}]}`, `"effect":[]}]}`, "spec.taints[0].effect"},
		{`"operator":"Equal"`, `"operator":1`, "spec.tolerations[0].operator"},
		{`"values":["x"]`, `"values":[]`, "values are missing"},
		{`"values":["x"]`, `"values":"x"`, "is no list"},
		{`"maxSkew":1`, `"maxSkew":0`, "spec.topologySpreadConstraints[0].maxSkew"},
		{`"maxSkew":1`, `"maxSkew":1.5`, "is no whole number"},
		{`"minDomains":1`, `"minDomains":-1`, "minDomains"},
		{`"weight":5`, `"weight":500`, "weight"},
		{`"hostPort":80`, `"hostPort":70000`, "hostPort"},
		{`"hostPort":80`, `"hostPort":"http"`, "hostPort"},
		{`"priority":0`, `"priority":99999999999`, "spec.priority"},
		{`"priority":0`, `"priority":"high"`, "spec.priority"},
		{`"hostNetwork":false`, `"hostNetwork":"no"`, "neither true nor false"},
		{`"terminationGracePeriodSeconds":30`, `"terminationGracePeriodSeconds":3e1`, "terminationGracePeriodSeconds"},
		{`"nodeSelector":{"zone":"a"}`, `"nodeSelector":["zone"]`, "spec.nodeSelector"},
		{`"nodeSelector":{"zone":"a"}`, `"nodeSelector":{"zone":5}`, "spec.nodeSelector.zone"},
		{`"labels":{"app":"x"}`, `"labels":"app"`, "metadata.labels"},
		{`"labels":{"zone":"a"}`, `"labels":{"zone":null,"b":[]}`, "metadata.labels.b"},
		{`"containers":[{"name":"c","resources"`, `"containers":[],"x":[{"name":"c","resources"`, "spec.containers is missing"},
		{`"containers":[{"name":"c","resources"`, `"containers":{"name":"c"},"x":[{"name":"c","resources"`, "spec.containers"},
		{`"nodeName":"n0","priority"`, `"nodeName":7,"priority"`, "spec.nodeName"},
		{`"phase":"Running"`, `"phase":1`, "status.phase"},
		{`"startTime":"2026-01-01T00:00:00Z"`, `"startTime":"yesterday"`, "status.startTime"},
		{`"creationTimestamp":"2026-01-01T00:00:00Z"`, `"creationTimestamp":1700000000`, "metadata.creationTimestamp"},
		{`"annotations":{`, `"annotations":[],"x":{`, "metadata.annotations"},
		{`"ownerReferences":[`, `"ownerReferences":{},"x":[`, "metadata.ownerReferences"},
		{`"controller":true`, `"controller":"yes"`, "controller"},
		{`"claimName":"c0"`, `"claimName":{}`, "claimName"},
		{`"name":"p0"`, `"name":""`, "Pod d/: metadata.name is missing"},
		{`"name":"n0","uid":"u0",`, `"uid":"u0",`, "Node: metadata.name is missing"},
		{`"metadata":{"name":"n0"},"spec":{"drivers"`, `"metadata":[],"spec":{"drivers"`, "metadata"},
		{`{"kind":"PriorityClass","metadata":{"name":"high"}`, `{"kind":"PriorityClass","metadata":{"name":7}`, "metadata.name"},
		{`"value":5`, `"value":"5"`, "PriorityClass high: value"},
		{`"globalDefault":false`, `"globalDefault":0`, "globalDefault"},
		{`"minAvailable":"50%"`, `"minAvailable":"half"`, "spec.minAvailable \"half\""},
		{`"minAvailable":"50%"`, `"minAvailable":true`, "spec.minAvailable"},
		{`"minAvailable":"50%"`, `"minAvailable":-3`, "spec.minAvailable"},
		{`"disruptionsAllowed":0`, `"disruptionsAllowed":-1`, "status.disruptionsAllowed"},
		{`"count":3`, `"count":"many"`, "spec.drivers[0].allocatable.count"},
		{`"replicas":2`, `"replicas":-2`, "spec.replicas"},
		{`"generation":1`, `"generation":"1"`, "metadata.generation"},
		{`"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},`, ``, "status.allocatable is missing"},
		{`"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},`, `"allocatable":[],`, "status.allocatable"},
		{`"sizeBytes":5`, `"sizeBytes":"5"`, "sizeBytes"},
		{`"unschedulable":false`, `"unschedulable":"false"`, "spec.unschedulable"},
		{`"taints":[{`, `"taints":{},"x":[{`, "spec.taints"},
		{`"kind":"Node",`, `"kind":"Node" `, "is no JSON"},
		{`"kind":"Pod",`, `"kind":"Pod",,`, "is no JSON"},
		{`"items":[`, `"items":[7,`, "where an object should begin"},
		{`"items":[`, `"items":["a",`, "where an object should begin"},
		{`{"apiVersion"`, `{5:"apiVersion"`, "where a field should begin"},
		{`{"apiVersion":"v1"`, `{"apiVersion" "v1"`, "colon"},
		{`"uid":"u1"`, "\"uid\":\"u\n1\"", "is no JSON"},
		{`"labels":{"app":"x"}`, "\"labels\":{\"app\":\"\x01\"}", "is no JSON"},
		{`{"kind":"Node"`, `{"kind":"Node","metadata":{"name":"n0","uid":"other"},"status":{"allocatable":{}}},{"kind":"Node"`, "metadata.uid"},
	} {
		replace(c[0], c[1], c[2])
	}
	for _, c := range [][2]string{
		{"", "is empty"},
		{" \n\n", "is empty"},
		{"hello", "neither JSON nor YAML"},
		{"Error from server (Forbidden): nodes is forbidden\n" + whole, "so that objects are missing"},
		{"Warning: a is deprecated\n$ kubectl get nodes\nW0302 10:00:00 warnings.go:70] b\nerror: c\n" + whole, "line 4: is what kubectl says of an error"},
		{"PK\x03\x04\x00\x00", "is a zip archive; unpack it"},
		{`{"kind":"List","items":[]}`, "holds no object"},
		{`{"kind":"Status","status":"Failure","message":"Unauthorized","metadata":{}}`, "message \"Unauthorized\""},
		{`{"items":[{"metadata":{"name":"x"}}]}`, "holds no object of a cluster"},
		{"\x1f\x8b\x08", "cut off"},
		{string(zipped([]byte(whole))[:200]), "cut off"},
		{"kind: List\nitems:\n- kind: Node\n  metadata: {name: [}\n", "is no YAML"},
		{"kind: List\nitems:\n- just a text\n", "is no object"},
		{"NAME   READY   STATUS\nweb-1  1/1  Running\n", "is a table that kubectl prints for people"},
		{"a: &a [x]\nb: [*a, *b]\n", "is no YAML"},
		{strings.Repeat("[", 1<<16), "where an object should begin"},
		{`{"kind":"Pod","metadata":{"name":"` + strings.Repeat("x", 9<<20), "more than 8 MiB"},
		{whole + "}", "where an object should begin"},
	} {
		check(c[0], c[1])
	}
	if n < 100 {
		t.Errorf("only %d dumps were broken", n)
	}
}

// TestMessagesBesideObjects: what kubectl writes to the terminal stands before the objects.
func TestMessagesBesideObjects(t *testing.T) {
	text := `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"n0"},"status":{"allocatable":{}}}]}`
	for _, before := range []string{"Warning: policy/v1beta1 is deprecated\n", "$ kubectl get nodes -o json\n", "W0302 10:00:00.1 1 warnings.go:70] old\nI0302 10:00:00.1 1 x.go:1] y\n"} {
		if c := read(t, before, []byte(before+text)); len(c.Nodes) != 1 {
			t.Errorf("%d nodes behind %q", len(c.Nodes), before)
		}
		if m := dump.Detect(&trace.Head{Bytes: []byte(before + `{"apiVersion":"v1",` + text[1:])}); m.Table == "" {
			t.Errorf("no dump behind %q", before)
		}
	}
}

// TestCutOff cuts a dump at each of its bytes: none is read as if it were whole, and none
// panics.
func TestCutOff(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for i := 0; i < len(whole)-1; i += step {
		_, err := dump.Read([]trace.File{file("dump.json", []byte(whole[:i]))}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "dump.json") {
			t.Errorf("the first %d bytes: %v", i, err)
		}
	}
}

// FuzzRead holds the reader to an error or a cluster: never a panic, and the same for plain
// and for few bytes at a time.
func FuzzRead(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("kind: List\nitems:\n- kind: Namespace\n  metadata:\n    name: a\n"))
	f.Add([]byte(`[{"kind":"Namespace","metadata":{"name":"\u00e9\\"}}]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := dump.Read([]trace.File{file("f", content)}, nil)
		other, otherErr := dump.Read([]trace.File{slow("f", content)}, nil)
		if fmt.Sprint(err) != fmt.Sprint(otherErr) || (c == nil) != (other == nil) {
			t.Fatalf("%v, and seven bytes at a time: %v", err, otherErr)
		}
		if c != nil && drawn(c) != drawn(other) {
			t.Fatal("the clusters differ")
		}
	})
}
