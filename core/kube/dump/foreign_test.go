package dump_test

import (
	"errors"
	"strings"
	"testing"

	"parley/core/kube/dump"
	"parley/core/trace"
)

// TestOtherTexts: what people have in place of a dump is named, with what to run.
func TestOtherTexts(t *testing.T) {
	const asJSON = "-A -o json"
	for text, want := range map[string][2]string{
		"NAME                 READY   STATUS    RESTARTS   AGE   IP         NODE     NOMINATED NODE   READINESS GATES\nweb-1   1/1   Running   0   3d   10.1.0.3   node-1   <none>   <none>\n": {"is a table that kubectl prints for people", asJSON},
		"NAME     STATUS   ROLES           AGE   VERSION   INTERNAL-IP\nnode-1   Ready    control-plane   13d   v1.30.1   10.0.0.1\r\n":                                                        {"is a table", asJSON},
		"LAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n2m          Warning   FailedScheduling   pod/web-1   0/3 nodes are available: 3 Insufficient cpu.\n":                    {"is a table", asJSON},
		"NAMESPACE   NAME   CPU(cores)   MEMORY(bytes)\ndefault     w      12m          34Mi\n":                                                                                                {"is what kubectl top prints", asJSON},
		"Name:             web-1\nNamespace:        default\nPriority:         0\nNode:             node-1/10.0.0.1\n":                                                                         {"is what kubectl describe prints", asJSON},
		"Name:               node-1\nRoles:              <none>\nLabels:             kubernetes.io/arch=amd64\n":                                                                               {"is what kubectl describe prints", asJSON},
		"node/a\nnode/b\ndeployment.apps/web\n":                                                                            {"is a list of names", asJSON},
		"No resources found in default namespace.\n":                                                                       {"is what kubectl says when there are none (No resources found in default namespace.)", asJSON},
		"<html><body>Sign in</body></html>":                                                                                {"is a web page", asJSON},
		"\x1b[34m{\x1b[0m\"kind\":\"List\"}":                                                                               {"colours of a terminal", "without colours"},
		"{\"kind\":\"List\",\x00\x00\x00":                                                                                  {"zero bytes (NUL)", "fetch"},
		"{\"kind\":\"Node\",\"metadata\":{\"name\":\"" + strings.Repeat("x", 5000) + "\x00\"}}":                            {"zero bytes (NUL)", "fetch"},
		`{"status":"success","data":{"resultType":"vector","result":[]}}`:                                                  {"is an answer of Prometheus", "--cpu or --memory to right-size"},
		"apiVersion: v1\nkind: Config\nclusters: []\n":                                                                     {"is a kubeconfig", asJSON},
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"rows":[]}`:                                           {"is a table of the API server", asJSON},
		`{"kind":"PartialObjectMetadataList","items":[{"metadata":{"name":"a"}}]}`:                                         {"holds the metadata of objects alone", asJSON},
		"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n":                                               {"is a kustomization", "kubectl kustomize"},
		`{"kind":"PodMetricsList","items":[{"metadata":{"name":"a"}}]}`:                                                    {"is what pods use", "--usage to right-size"},
		`[{"kind":"Secret","metadata":{"name":"a"}},{"kind":"Role","metadata":{}}]`:                                        {"holds no object of a kind that answers need, but 1 Secret, 1 Role", asJSON},
		"apiVersion: v1\nkind: Node\nmetadata:\n\tname: a\n":                                                               {"its line 4 begins with a tab", "blanks"},
		"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ .Values.name }}\nspec: {{- toYaml .Values.spec }}\n": {"is a template that is not filled in", "helm template"},
	} {
		_, err := dump.Read([]trace.File{file("f", []byte(text))}, nil)
		if !errors.As(err, new(*dump.Error)) || !strings.HasPrefix(err.Error(), "f") || !strings.Contains(err.Error(), want[0]) || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%.60q: %v, want %q and %q", text, err, want[0], want[1])
		}
	}
}

const (
	oneNode = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","uid":"1","resourceVersion":"7"},"status":{"allocatable":{"cpu":"4"}}}`
	onePod  = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"w","namespace":"n","uid":"2","resourceVersion":"9"},"spec":{"nodeName":"a","containers":[{"name":"c"}]},"status":{"phase":"Running"}}`
	waiting = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"w","namespace":"n","uid":"2","resourceVersion":"8"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}}`
	both    = `{"kind":"List","items":[` + oneNode + `,` + onePod + `]}`
	inYAML  = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a, uid: \"1\"}\n  status: {allocatable: {cpu: \"4\"}}\nkind: List\nmetadata:\n  resourceVersion: \"\"\n" +
		"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: w, namespace: d, uid: \"2\"}\n  spec: {nodeName: a, containers: [{name: c}]}\n  status: {phase: Running}\nkind: List\n"
)

// TestForms: the same objects in the forms in which people have them.
func TestForms(t *testing.T) {
	for how, content := range map[string]string{
		"byte order mark":                   "\ufeff" + both,
		"byte order mark, YAML":             "\ufeff" + inYAML,
		"block of Markdown":                 "```json\n" + both + "\n```\n",
		"block of Markdown, YAML":           "```yaml\n" + inYAML + "```\n",
		"YAML appended without a separator": inYAML,
		"objects in YAML appended": "apiVersion: v1\nkind: Node\nmetadata: {name: a, uid: \"1\"}\nstatus: {allocatable: {cpu: \"4\"}}\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: w, namespace: d, uid: \"2\"}\nspec: {nodeName: a, containers: [{name: c}]}\nstatus: {phase: Running}\n",
		"a list in a list":                   `{"kind":"List","items":[{"kind":"NodeList","items":[` + oneNode + `]},{"kind":"PodList","items":[` + onePod + `]}]}`,
		"lists in an array, as jq -s writes": `[{"kind":"List","items":[` + oneNode + `]},{"kind":"List","items":[` + onePod + `]}]`,
		"one object a line":                  oneNode + "\n" + onePod + "\n",
		"kubectl get --watch":                oneNode + waiting + onePod,
		"an older state later":               oneNode + onePod + waiting,
	} {
		c := read(t, how, []byte(content))
		if len(c.Nodes) != 1 || len(c.Pods) != 1 || c.Pods[0].NodeName != "a" || c.Pods[0].Node != 0 {
			t.Errorf("%s: %d nodes, pods %+v", how, len(c.Nodes), c.Pods)
		}
	}
	ended := strings.NewReplacer("Running", "Succeeded", `"resourceVersion":"9"`, `"resourceVersion":"10"`).Replace(onePod)
	if c := read(t, "ended", []byte(oneNode+onePod+ended)); len(c.Pods) != 0 || c.Finished != 1 {
		t.Errorf("a pod that ended is %+v, %d have ended", c.Pods, c.Finished)
	}
}
