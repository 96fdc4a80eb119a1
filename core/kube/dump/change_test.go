package dump_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/core/kube"
	"parley/core/kube/dump"
	"parley/core/trace"
)

const changeable = `{"kind":"List","items":[
{"kind":"Node","metadata":{"name":"n1","uid":"1","labels":{"kubernetes.io/hostname":"n1","zone":"a"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"4"}}},
{"kind":"CSINode","metadata":{"name":"n1","uid":"2"},"spec":{"drivers":[{"name":"d","allocatable":{"count":9}}]}},
{"kind":"PodDisruptionBudget","metadata":{"name":"web","namespace":"shop","uid":"3"},"spec":{"minAvailable":2,"selector":{"matchLabels":{"app":"web"}}},"status":{"disruptionsAllowed":0,"observedGeneration":1}},
{"kind":"Pod","metadata":{"name":"p","uid":"4"},"spec":{"nodeName":"n1","containers":[{"name":"c"}]},"status":{"phase":"Running"}}]}`

// TestChanges: each kind of change by itself, in JSON and in YAML.
func TestChanges(t *testing.T) {
	for _, x := range []struct {
		how, text string
		holds     func(c *kube.Cluster) bool
	}{
		{"patch", `pdb/shop/web={"spec":{"minAvailable":1}}`, func(c *kube.Cluster) bool { return c.Budgets[0].MinAvailable.Value == 1 && !c.Budgets[0].HasStatus }},
		{"patch", `poddisruptionbudgets/shop/web={"spec":{"minAvailable":null,"maxUnavailable":"10%"}}`, func(c *kube.Cluster) bool {
			return c.Budgets[0].MinAvailable == nil && c.Budgets[0].MaxUnavailable.Percent && c.Budgets[0].MaxUnavailable.Value == 10
		}},
		{"patch", `no/n1={"metadata":{"labels":{"zone":"b","topology.kubernetes.io/zone":"z"}},"spec":{"taints":null}}`, func(c *kube.Cluster) bool {
			zone, _ := c.Nodes[0].Labels.Get("zone")
			return zone == "b" && c.Nodes[0].Zone() == "z" && len(c.Nodes[0].Taints) == 0
		}},
		{"patch", `pod/p={"spec":{"priority":7}}`, func(c *kube.Cluster) bool { return c.Pods[0].Spec.Priority == 7 }},
		{"more", "Node/n1=2", func(c *kube.Cluster) bool {
			host, _ := c.Nodes[2].Labels.Get(kube.HostnameLabel)
			return len(c.Nodes) == 3 && c.Nodes[2].Name == "n1-more-2" && host == "n1-more-2" && len(c.CSINodes) == 3 && c.CSINodes[1].Name == "n1-more-1" && len(c.Pods) == 1
		}},
		{"without", "pdb/shop/web", func(c *kube.Cluster) bool { return len(c.Budgets) == 0 && len(c.Pods) == 1 }},
	} {
		for name, text := range map[string]string{"dump.json": changeable, "dump.yaml": "# JSON is YAML\n" + changeable} {
			change, err := dump.NewChange(x.how, x.text)
			if err != nil {
				t.Fatal(err)
			}
			c, err := dump.ReadWith([]trace.File{file(name, []byte(text))}, []*dump.Change{change}, nil)
			if err != nil || !x.holds(c) || change.String() != x.text {
				t.Errorf("%s %s of %s: %v, %+v", x.how, x.text, name, err, c)
			}
		}
	}
}

// TestBadChanges: what cannot be changed is said in a sentence that shows how.
func TestBadChanges(t *testing.T) {
	for text, want := range map[string]string{
		"patch pdb/shop/web":          "what follows the first = is no JSON object; write it as --patch '",
		"patch pdb/shop/web=[1]":      "what follows the first = is no JSON object",
		"patch web={}":                "it does not name one object",
		"patch pdb//web={}":           "it does not name one object",
		"patch secret/shop/x={}":      `"secret" is no kind of objects that decides anything`,
		"more node/n1=1.5":            "no number from 1 to 1000; write it as --more node/n1=2",
		"more node/n1=-1":             "no number from 1 to 1000",
		"more pdb/shop/web=1":         "there can be more nodes, and nothing else",
		"less node/n1=1":              "--less is \"node/n1=1\": a world is changed by patch, more or without",
		"without pdb/shop/web=1":      "an object that is taken away has no value; write it as --without pdb/shop/web",
		"without pdb/web":             "dump.json has no PodDisruptionBudget default/web, which is to be changed (pdb/web); name an object as KIND/NAMESPACE/NAME",
		`patch node/n1={"spec":"no"}`: "",
	} {
		how, change, _ := strings.Cut(text, " ")
		c, err := dump.NewChange("--"+how, change)
		if err == nil {
			_, err = dump.ReadWith([]trace.File{file("dump.json", []byte(changeable))}, []*dump.Change{c}, nil)
		}
		if got := fmt.Sprint(err); want == "" && err != nil && !errors.As(err, new(*dump.Error)) || want != "" && !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
